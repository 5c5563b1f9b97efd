"""Optional packages: imported where they are used, and where they are missing it is said what to install."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType

from probe4d.errors import InputError
from probe4d.wording import listed

__all__ = ["needed", "refuse_missing"]


def needed(module: str, *, extra: str, user: str) -> ModuleType:
    """Import a module of an extra.

    Args:
        module: Its full name.
        extra: The extra of Probe4D that has its package.
        user: What needs it, in words, as the subject of a sentence.

    Raises:
        InputError: Its package is not installed; the remedy says what to install.
    """
    try:
        return import_module(module)
    except ImportError as error:
        raise _not_installed(user, f" ({error})", _of_extra(extra)) from error


def refuse_missing(packages: Mapping[str, str], *, user: str, extra: str | None = None) -> None:
    """See that packages are installed, before any of them is imported.

    Args:
        packages: Modules by the names of their packages.
        user: What needs them, in words, as the subject of a sentence.
        extra: The extra of Probe4D that has them all; null where they are installed one by one.

    Raises:
        InputError: A package is missing; the remedy says what to install.
    """
    if missing := [package for package, module in packages.items() if not _is_found(module)]:
        install = " ".join(missing) if extra is None else _of_extra(extra)
        raise _not_installed(user, f": {listed(missing)}", install)


def _not_installed(user: str, missing: str, install: str) -> InputError:
    return InputError(
        f"{user} needs packages that are not installed{missing}.", remedy=f"Install with: pip install {install}"
    )


def _of_extra(extra: str) -> str:
    return f"'probe4d[{extra}]'"


def _is_found(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:  # of the package around it
        return False
