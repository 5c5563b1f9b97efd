"""The packages of the extra `lidar`, which are imported only where they are used."""

from __future__ import annotations

from importlib.util import find_spec

from probe4d.errors import InputError
from probe4d.wording import listed

__all__ = ["refuse_missing"]

PACKAGES = ("torch", "transformers", "peft", "accelerate", "safetensors")


def refuse_missing() -> None:
    """See that everything is installed that the LiDAR language model needs, before any of it is imported.

    Raises:
        InputError: A package is missing; the remedy says what to install.
    """
    missing = [package for package in PACKAGES if find_spec(package) is None]
    if missing:
        raise InputError(
            f"the LiDAR language model needs packages that are not installed: {listed(missing)}.",
            remedy="Install with: pip install 'probe4d[lidar]'",
        )
