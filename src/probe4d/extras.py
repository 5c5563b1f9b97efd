"""Imports modules of optional packages where they are used, and says what to install where they are missing."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType

from probe4d.errors import InputError

__all__ = ["needed"]


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
        raise InputError(
            f"{user} needs packages that are not installed ({error}).",
            remedy=f"Install with: pip install 'probe4d[{extra}]'",
        ) from error
