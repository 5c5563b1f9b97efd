"""The packages of the extra `waymo`, which are imported only where they are used."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType

from probe4d.errors import InputError

__all__ = ["needed"]


def needed(module: str) -> ModuleType:
    """Import a module of the extra `waymo`.

    Raises:
        InputError: Its package is not installed; the remedy says what to install.
    """
    try:
        return import_module(module)
    except ImportError as error:
        raise InputError(
            f"Waymo's files cannot be read without packages that are not installed ({error}).",
            remedy="Install with: pip install 'probe4d[waymo]'",
        ) from error
