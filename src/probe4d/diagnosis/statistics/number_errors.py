"""How far an answer that is a number is from the truth (NuScenes-SpatialQA, Sec. 4 and App. E)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

__all__ = ["TOLERANCE", "absolute_errors", "within_tolerance"]

Values = npt.NDArray[np.float64]

TOLERANCE = 0.25
"""By what share of the truth an answer may miss it and be right."""

_ROUNDING = 1e-9
"""By what share of the truth a product of two numbers may miss the boundary that it stands on."""


def within_tolerance(values: Values, references: Values) -> npt.NDArray[np.bool_]:
    """Say which answers lie within the tolerance, 75 to 125 % of the truth, both included, on its side of zero.

    Of a truth of 0 that leaves 0 alone. Angles are taken as they are written: -179 is not near 179.

    Args:
        values: (..., questions) answers; NaN, which is never within, where there is none.
        references: (questions,) truths.
    """
    sizes = np.abs(references)
    return np.abs(values - references) <= TOLERANCE * sizes * (1.0 + _ROUNDING)


def absolute_errors(values: Values, references: Values, *, wrapped: bool = False) -> Values:
    """By how much answers miss the truth.

    Args:
        values: (..., questions) answers; NaN stays.
        references: (questions,) truths.
        wrapped: Take the shorter way round, of at most 180, between two angles in degrees.
    """
    errors: Values = np.abs(values - references)
    if wrapped:
        errors = errors % 360.0
        errors = np.minimum(errors, 360.0 - errors)
    return errors
