"""Derives what would come of constant velocities: SC-5, SU-3 and TE-2."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from probe4d.benchmarks.stride.audit.derived import Derived, Line, OneOf, chosen, room, seconds, speed, values
from probe4d.benchmarks.stride.audit.measuring import Array, Drive, Rows
from probe4d.benchmarks.stride.audit.zones import ego_outlines, gaps_or_depths
from probe4d.benchmarks.stride.templates import TEMPLATES
from probe4d.benchmarks.stride.thresholds import (
    APPROACH_MPS,
    RISK_APPROACH_M,
    RISK_BOUNDS_M,
    RISK_S,
    RISK_STEP_S,
    TIME_TO_COLLISION_BOUNDS_S,
)

__all__ = ["scene_risk", "seconds_to_collision", "target_risk", "time_to_collision"]

_NONE = len(RISK_BOUNDS_M)
"""Place of the option that says that there is no risk."""
_EQUAL_M = 1e-9
"""Gaps that differ by less are the same: which of them is least depends on the way of computing."""


class _Gaps(NamedTuple):
    """How near boxes come to the ego vehicle, n of them; NaN where a velocity is unknown.

    Attributes:
        now: Gap of outlines at the query frame, metres, shape (n,).
        nearest: Least gap.
        after: Seconds after which it may be, by box.
    """

    now: Array
    nearest: Array
    after: list[OneOf | None]


def target_risk(drive: Drive, _frame: Rows, target: Rows) -> Derived:
    """SU-3: how near the outlines of target and ego vehicle come."""
    gaps = _gaps(drive, target)
    relative = drive.relative_velocity[target]
    facts = {
        "relative_x_mps": values(relative[:, 0]),
        "relative_y_mps": values(relative[:, 1]),
        "gap_now_m": values(gaps.now),
        "nearest_gap_m": values(gaps.nearest),
        "nearest_after_s": gaps.after,
    }
    answers = chosen(TEMPLATES["SU-3"].options, _levels(gaps), ~np.isnan(gaps.nearest))
    return Derived(answers, facts, _lines(gaps))


def scene_risk(drive: Drive, frame: Rows, _target: Rows) -> Derived:
    """SC-5: the risk of the object that comes nearest of those that approach."""
    rows = np.flatnonzero(np.isin(drive.frame, frame))
    gaps = _gaps(drive, rows)
    comes = gaps.now - gaps.nearest >= RISK_APPROACH_M
    order = np.lexsort([drive.track[rows], gaps.nearest])
    deciding: dict[int, int] = {}
    for place in order[comes[order]].tolist():
        deciding.setdefault(int(drive.frame[rows[place]]), place)
    places = [deciding.get(each) for each in frame.tolist()]
    of_frames = _Gaps(
        np.array([np.nan if place is None else gaps.now[place] for place in places]),
        np.array([np.nan if place is None else gaps.nearest[place] for place in places]),
        [None if place is None else gaps.after[place] for place in places],
    )
    facts: dict[str, list[Any]] = {
        "gap_now_m": values(of_frames.now),
        "nearest_gap_m": values(of_frames.nearest),
        "nearest_after_s": list(of_frames.after),
        "words": [None if place is None else drive.words[rows[place]] for place in places],
        "decided_by": [None if place is None else drive.tracks[rows[place]] for place in places],
    }
    return Derived(chosen(TEMPLATES["SC-5"].options, _levels(of_frames)), facts, _lines(of_frames))


def time_to_collision(drive: Drive, _frame: Rows, target: Rows) -> Derived:
    """TE-2: the range by the speed at which it shrinks."""
    closing, left = seconds_to_collision(drive, target)
    bounds = np.array(TIME_TO_COLLISION_BOUNDS_S)
    number = np.where(np.isnan(left), len(bounds) + 1, (left[:, None] >= bounds).sum(axis=1))
    facts = {
        "range_m": values(drive.range_m[target]),
        "closing_speed_mps": values(closing),
        "time_to_collision_s": values(left),
    }
    off = np.abs(left[:, None] - bounds).min(axis=1)
    lines = speed(np.abs(closing - APPROACH_MPS)), seconds(off)
    return Derived(chosen(TEMPLATES["TE-2"].options, number, ~np.isnan(closing)), facts, lines)


def seconds_to_collision(drive: Drive, row: Rows) -> tuple[Array, Array]:
    """Speed at which the ranges of boxes shrink, m/s, and seconds until they are gone, NaN where they do not."""
    with np.errstate(divide="ignore", invalid="ignore"):
        inwards = -drive.ego[row, :2] / drive.range_m[row][:, None]
        closing = np.einsum("ni,ni->n", inwards, drive.relative_velocity[row])
        left = np.where(closing >= APPROACH_MPS, drive.range_m[row] / closing, np.nan)
    return closing, left


def _gaps(drive: Drive, row: Rows) -> _Gaps:
    times = np.arange(round(RISK_S / RISK_STEP_S) + 1) * RISK_STEP_S
    own = ego_outlines(np.zeros(1, dtype=np.complex128), np.zeros(1))
    way = drive.relative_velocity[row] @ np.array([1, 1j])
    known = np.flatnonzero(~np.isnan(way))
    gaps = np.full((len(row), len(times)), np.nan)
    for place, time in enumerate(times):
        moved = drive.outlines[row[known]] + (way[known] * time)[:, None]
        gaps[known, place] = np.maximum(gaps_or_depths(own, moved), 0.0)
    nearest = np.array([line.min() for line in gaps]).reshape(len(row))
    least = gaps <= nearest[:, None] + _EQUAL_M
    after = [OneOf(tuple(times[flags].tolist())) if flags.any() else None for flags in least]
    return _Gaps(gaps[:, 0], nearest, after)


def _levels(gaps: _Gaps) -> Rows:
    """Places of the options; of what does not approach, or is not there, that of none."""
    comes = gaps.now - gaps.nearest >= RISK_APPROACH_M
    return np.where(comes, (gaps.nearest[:, None] >= np.array(RISK_BOUNDS_M)).sum(axis=1), _NONE)


def _lines(gaps: _Gaps) -> tuple[Line, Line]:
    closer = gaps.now - gaps.nearest
    off_bounds = np.abs(gaps.nearest[:, None] - np.array(RISK_BOUNDS_M)).min(axis=1)
    off_approach = np.abs(closer - RISK_APPROACH_M)
    return (
        room(np.where(closer >= RISK_APPROACH_M, off_bounds, np.nan)),
        room(np.where(gaps.nearest < RISK_BOUNDS_M[-1], off_approach, np.nan)),
    )
