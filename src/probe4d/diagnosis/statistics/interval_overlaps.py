"""How much an answer that is an interval of key frames overlaps the truth (B4DL, Sec. 3.1), by two conventions."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

__all__ = ["CONVENTIONS", "OVERLAPS", "half_open_iou", "inclusive_iou"]

Frames: TypeAlias = npt.NDArray[np.int64]
Shares: TypeAlias = npt.NDArray[np.float64]


def inclusive_iou(answers: Frames, references: Frames) -> Shares:
    """Intersection over union with frames counted, both ends among them: 3 to 9 are seven frames.

    An interval of one frame is one frame long, so that naming it exactly gives 1.

    Args:
        answers: (..., 2) first and last frame, neither before 0; both negative, which gives 0, where there is none.
        references: (..., 2) the same of the truth.

    Returns:
        (...,) shares from 0 to 1.
    """
    return _iou(answers, references, 1)


def half_open_iou(answers: Frames, references: Frames) -> Shares:
    """The same with lengths as last less first, as intervals of time are compared: 3 to 9 are six frames long.

    An interval of one frame has no length. Where the truth is one, every answer has 0, the same one too.
    """
    return _iou(answers, references, 0)


CONVENTIONS = ("inclusive", "half_open")
OVERLAPS: dict[str, Callable[[Frames, Frames], Shares]] = dict(
    zip(CONVENTIONS, (inclusive_iou, half_open_iou), strict=True)
)
"""The conventions by name, the first of them that of reports."""


def _iou(answers: Frames, references: Frames, last_frame: int) -> Shares:
    lengths = [one[..., 1] - one[..., 0] + last_frame for one in (answers, references)]
    ends = np.minimum(answers[..., 1], references[..., 1]), np.maximum(answers[..., 0], references[..., 0])
    shared = np.maximum(ends[0] - ends[1] + last_frame, 0)
    union = lengths[0] + lengths[1] - shared
    there = (answers[..., 0] >= 0) & (union > 0)
    return np.where(there, shared, 0) / np.where(there, union, 1)
