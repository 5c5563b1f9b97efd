"""Reads positions from texts, and derives those of the ego vehicle: TRJ-5 and TRJ-6."""

from __future__ import annotations

import re

import numpy as np

from probe4d.benchmarks.stride.audit.derived import Derived, values
from probe4d.benchmarks.stride.audit.measuring import Array, Drive, Rows
from probe4d.benchmarks.stride.thresholds import FRAME_SPACING_S, FUTURE_POSITIONS, PAST_POSITIONS

__all__ = ["ANSWER_DECIMALS", "COURSE_DECIMALS", "derived_waypoints", "is_as_derived", "positions_in"]

ANSWER_DECIMALS, COURSE_DECIMALS = 2, 1
"""Decimals of positions in answers, and of those that questions and options speak of."""

_NOISE = 1e-6
_STEPS = {"TRJ-5": range(1, FUTURE_POSITIONS + 1), "TRJ-6": range(-PAST_POSITIONS, 0)}
_NUMBER = r"(?:0|[1-9]\d*|-(?!0\.0+\b)(?:0|[1-9]\d*))\.\d{1,%d}"


def positions_in(text: str, decimals: int) -> Array | None:
    """The positions that a text lists as `[[1.5, 0.0], [3.1, 0.2]]`, shape (k, 2); null where it does not."""
    number = _NUMBER % decimals
    pair = rf"\[{number}, {number}\]"
    if not re.fullmatch(rf"\[{pair}(?:, {pair})*\]", text):
        return None
    return np.array([float(each) for each in re.findall(r"[-\d.]+", text)]).reshape(-1, 2)


def is_as_derived(told: Array | None, derived: Array, decimals: int) -> bool:
    """Whether positions in a text are derived ones, rounded."""
    if told is None or told.shape != derived.shape:
        return False
    return bool((np.abs(told - derived) <= 0.5 * 10**-decimals + _NOISE).all())


def derived_waypoints(drive: Drive, frame: Rows, template: str) -> tuple[Array, Derived]:
    """Positions of the ego vehicle in the ego frame of query frames, shape (n, k, 2), and the facts about them.

    Answers are not among what is derived: a text may round a half to either side.
    """
    steps = np.array(_STEPS[template])
    positions = drive.in_ego_frame(frame, drive.ego_places(frame, steps))
    n = len(frame)
    facts = {
        "waypoints_m": positions.tolist(),
        "spacing_s": [FRAME_SPACING_S] * n,
        "direction": ["future" if template == "TRJ-5" else "past"] * n,
        "speed_mps": values(drive.ego_speed[frame]),
    }
    return positions, Derived([None] * n, facts)
