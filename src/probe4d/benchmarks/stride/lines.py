"""Lines of motion that depend on how well places are known."""

from __future__ import annotations

from typing import NamedTuple

from probe4d.benchmarks.stride.thresholds import APPROACH_MPS, EGO_TURN_DEG, SPEED_CHANGE_MPS, STILL_MPS, TURN_DEG

__all__ = ["ANNOTATED", "EGO", "Lines"]


class Lines(NamedTuple):
    """Where motion is told apart (see the constants of the same names in `thresholds`).

    Attributes:
        still_mps: Slower is standing still.
        speed_change_mps: Less of a change is a steady speed.
        turn_deg: Less of a change of heading is straight on.
        approach_mps: A range that shrinks by less is no approach.
    """

    still_mps: float
    speed_change_mps: float
    turn_deg: float
    approach_mps: float


ANNOTATED = Lines(STILL_MPS, SPEED_CHANGE_MPS, TURN_DEG, APPROACH_MPS)
"""Of annotated objects."""
EGO = ANNOTATED._replace(turn_deg=EGO_TURN_DEG)
"""Of the ego vehicle."""
