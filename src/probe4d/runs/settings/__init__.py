"""The settings that a benchmark can be asked in, by name.

A new setting: a file here, and its name below.
"""

from __future__ import annotations

import re

from probe4d.errors import InputError
from probe4d.runs.settings.default import DEFAULT
from probe4d.runs.settings.setting import Setting, Variant

__all__ = ["Setting", "Variant", "setting_named"]

_FIXED = {setting.name: setting for setting in (DEFAULT,)}
_COUNTED: dict[str, type[Setting]] = {}


def setting_named(name: str) -> Setting:
    """Find a setting by its name, such as `anti-position` or `permuted:4`.

    Raises:
        InputError: There is none of this name.
    """
    kind, _, count = name.partition(":")
    if name in _FIXED:
        return _FIXED[name]
    if kind in _COUNTED and re.fullmatch(r"[1-9][0-9]{0,3}", count):
        return _COUNTED[kind](name)
    known = ", ".join([*_FIXED, *(f"{kind}:N" for kind in _COUNTED)])
    raise InputError(f"there is no setting {name!r}; there are {known}.")
