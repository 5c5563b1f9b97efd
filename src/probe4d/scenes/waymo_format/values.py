"""Values of Waymo's messages, and what is said of one that its field cannot have."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, TypeVar

import numpy as np

from probe4d.scenes.geometry import SE3

__all__ = ["Unfit", "known", "microseconds", "transform"]

Word = TypeVar("Word")

_MATRIX = (4, 4)
_LARGEST_ERROR = 1e-3  # of an entry of a matrix from a rigid one's; in Waymo's data it is rounding


class Unfit(ValueError):
    """A value that its field cannot have; the message is the end of a sentence about the frame, without its stop."""


def known(words: Mapping[int, Word], number: int, noun: str) -> Word:
    """The word of a number of an enumeration.

    Raises:
        Unfit: There is none.
    """
    if number not in words:
        raise Unfit(f"has the {noun} {number}, which is none of {min(words)} to {max(words)}")
    return words[number]


def microseconds(seconds: float) -> int | None:
    """A time in microseconds, or None where it is no number."""
    return round(seconds * 1e6) if math.isfinite(seconds) else None


def transform(message: Any, field: str, noun: str) -> SE3 | None:
    """A `Transform` of a message as a rigid transform; None where the message does not hold it.

    Args:
        message: The message that has the field.
        field: Name of the field.
        noun: What it is, for a sentence.

    Raises:
        Unfit: It is no rigid transform.
    """
    if not message.HasField(field) or not getattr(message, field).transform:
        return None
    values = np.array(getattr(message, field).transform, dtype=np.float64)
    if values.size != math.prod(_MATRIX) or not np.isfinite(values).all():
        raise Unfit(f"has {noun} of {values.size} values instead of {math.prod(_MATRIX)} finite ones")
    matrix = values.reshape(_MATRIX)
    rotation = matrix[:3, :3]
    errors = [rotation @ rotation.T - np.eye(3), matrix[3] - [0.0, 0.0, 0.0, 1.0], np.linalg.det(rotation) - 1.0]
    if max(np.abs(error).max() for error in errors) > _LARGEST_ERROR:
        raise Unfit(f"has {noun} that is no rotation and translation")
    return SE3(rotation, matrix[:3, 3])
