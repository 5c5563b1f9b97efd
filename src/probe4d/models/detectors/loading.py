"""Detectors by their names on the command line."""

from __future__ import annotations

from pathlib import Path

from probe4d.errors import InputError
from probe4d.models.detectors.detector import Detector

__all__ = ["load_detector"]

_SAM3 = "sam3"


def load_detector(name: str, *, device: str | None = None) -> Detector:
    """Read a detector from the disk, never from the network.

    Args:
        name: `sam3:FOLDER`, a SAM 3 checkpoint in the layout of transformers.
        device: Where it runs, such as cuda or cpu; null takes an accelerator where there is one.

    Raises:
        InputError: There is no such detector, or its folder cannot be used.
        RunError: The memory does not suffice.
    """
    kind, mark, folder = name.partition(":")
    if kind != _SAM3 or not mark or not folder:
        raise InputError(
            f"there is no detector {name!r}.",
            remedy=f"Give {_SAM3}:FOLDER, or what another tool found as a file (detections=, --detections FILE).",
        )
    from probe4d.models.detectors.sam3 import load_sam3

    return load_sam3(Path(folder), device=device)
