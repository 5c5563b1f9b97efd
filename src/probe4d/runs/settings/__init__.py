"""The settings that a benchmark can be asked in, by name.

A new setting: a file here, and its name below.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from probe4d.errors import InputError
from probe4d.runs.settings.anti_position import ANTI_POSITION
from probe4d.runs.settings.chain_of_thought import CHAIN_OF_THOUGHT
from probe4d.runs.settings.default import DEFAULT
from probe4d.runs.settings.ego import EGO
from probe4d.runs.settings.explicit_threshold import EXPLICIT_THRESHOLD
from probe4d.runs.settings.permuted import permuted
from probe4d.runs.settings.released import RELEASED
from probe4d.runs.settings.repeat import repeat
from probe4d.runs.settings.setting import Setting, TemporalContrast, Variant
from probe4d.runs.settings.temporal_contrast import IDENTITY, temporal_contrast

__all__ = ["SETTING_NAMES", "Setting", "TemporalContrast", "Variant", "recorded_setting", "setting_named"]

_FIXED = {
    setting.name: setting
    for setting in (DEFAULT, ANTI_POSITION, EGO, EXPLICIT_THRESHOLD, CHAIN_OF_THOUGHT, RELEASED, IDENTITY)
}
_COUNTED: dict[str, Callable[[int], Setting]] = {"permuted": permuted, "repeat": repeat}
_COUNT = re.compile(r"[1-9][0-9]{0,3}")
_WEIGHT = re.compile(r"[0-9]{1,2}(?:\.[0-9]{1,4})?")

SETTING_NAMES: tuple[str, ...] = (
    *(name for name in _FIXED if name != IDENTITY.name),
    *(f"{kind}:N" for kind in _COUNTED),
    "tscd:ALPHA",
    IDENTITY.name,
)
"""Names for a reader; N stands for a count from 1 to 9999, ALPHA for a number such as 0, 0.5 or 1.5."""


def setting_named(name: str) -> Setting:
    """Find a setting by its name, such as `anti-position` or `permuted:4`.

    Raises:
        InputError: There is none of this name.
    """
    found = _find(name)
    if found is None:
        raise InputError(
            f"there is no setting {name!r}; there are {', '.join(SETTING_NAMES)}.",
            remedy="Give one of them, with a whole number from 1 to 9999 for N, or a number from 0 to 99 for ALPHA.",
        )
    return found


def recorded_setting(name: str) -> Setting:
    """The setting of a run record; one that no setting has the name of, as imports may give, changes nothing."""
    return _find(name) or Setting(name)


def _find(name: str) -> Setting | None:
    kind, _, count = name.partition(":")
    if kind in _COUNTED and _COUNT.fullmatch(count):
        return _COUNTED[kind](int(count))
    if kind == "tscd" and _WEIGHT.fullmatch(count):
        return temporal_contrast(count)
    return _FIXED.get(name)
