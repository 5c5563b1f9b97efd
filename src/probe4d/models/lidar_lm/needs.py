"""The packages of the extra `lidar`, which are imported only where they are used."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.util import find_spec

from probe4d.errors import InputError
from probe4d.wording import listed

__all__ = ["PACKAGE_OF_FEATURES", "SENTENCEPIECE", "refuse_missing"]

PACKAGES = {name: name for name in ("torch", "transformers", "peft", "accelerate", "safetensors")}
"""Modules by the names of their packages."""

PACKAGE_OF_FEATURES = {"safetensors": "safetensors"}
"""What reading and writing features takes."""

SENTENCEPIECE = {"sentencepiece": "sentencepiece", "protobuf": "google.protobuf"}
"""What reading a tokenizer takes that is a `tokenizer.model` alone, as Vicuna's is."""


def refuse_missing(packages: Mapping[str, str] = PACKAGES, user: str = "the LiDAR language model") -> None:
    """See that packages are installed, before any of them is imported.

    Args:
        packages: Modules by the names of their packages; by default all that the LiDAR language model needs.
        user: What needs them.

    Raises:
        InputError: A package is missing; the remedy says what to install.
    """
    missing = [package for package, module in packages.items() if not _is_found(module)]
    if missing:
        install = "'probe4d[lidar]'" if packages is PACKAGES else " ".join(missing)
        raise InputError(
            f"{user} needs packages that are not installed: {listed(missing)}.",
            remedy=f"Install with: pip install {install}",
        )


def _is_found(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:  # of the package around it
        return False
