"""Key frames of an encoder: all there, and no more at once than memory holds."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import AbstractContextManager

from probe4d.evidence.readings import KeyFrameReadings
from probe4d.models.local.reading_ahead import refuse_absent
from probe4d.wording import counted

__all__ = ["memory_for", "refuse_missing_files"]


def refuse_missing_files(frames: KeyFrameReadings, scenes: Iterable[str]) -> None:
    """See that all readings of scenes are there, before any is read.

    Raises:
        InputError: One is not.
    """
    refuse_absent(frames.missing(scenes).values(), "key frame")


def memory_for(batch: int) -> AbstractContextManager[None]:
    """Turn what devices raise where memory runs out in the block into an error that says what to lower.

    Args:
        batch: Key frames that are encoded together in the block.
    """
    from probe4d.models.local.memory import memory_that_suffices

    remedy = "Use a device with more memory"
    if batch > 1:
        remedy = f"Lower --batch from {batch} to {batch // 2} (of `probe4d train encoder`, --image-batch)"
    return memory_that_suffices(f"the memory does not suffice for {counted(batch, 'key frame')} at once. {remedy}.")
