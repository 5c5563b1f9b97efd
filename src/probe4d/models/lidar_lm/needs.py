"""The packages of the extra `lidar`, which are imported only where they are used."""

from __future__ import annotations

from probe4d import extras

__all__ = ["refuse_missing"]

_PACKAGES = {name: name for name in ("torch", "transformers", "peft", "accelerate", "safetensors")}


def refuse_missing() -> None:
    """See that all packages are installed that the LiDAR language model needs, before any of them is imported.

    Raises:
        InputError: A package is missing; the remedy says what to install.
    """
    extras.refuse_missing(_PACKAGES, user="the LiDAR language model", extra="lidar")
