"""Derives how many objects there are around, or were and are seen no longer: SC-4, SU-6, TM-1 and TM-4."""

from __future__ import annotations

from typing import Any

import numpy as np

from probe4d.benchmarks.stride.audit.derived import Derived, chosen, metres
from probe4d.benchmarks.stride.audit.measuring import NO_ROW, Drive, Flags, Rows
from probe4d.benchmarks.stride.templates import TEMPLATES
from probe4d.benchmarks.stride.thresholds import (
    DENSITY_BOUNDS,
    DENSITY_RANGE_M,
    HISTORY_FRAMES,
    MEMORY_RANGE_M,
    SEEN_LEVEL,
    TRAFFIC_BOUNDS,
    TRAFFIC_RANGE_M,
    WELL_VISIBLE_LEVEL,
)

__all__ = ["currently_occluded", "density_around_ego", "is_road_user", "no_longer_visible", "traffic_density"]

_NO_ROAD_USERS = ("", "barrier", "traffic cone")


def is_road_user(drive: Drive) -> Flags:
    """Which boxes are of what takes part in traffic, shape (B,)."""
    return ~np.isin(drive.labels.astype(str), _NO_ROAD_USERS)


def traffic_density(drive: Drive, frame: Rows, _target: Rows) -> Derived:
    """SC-4: road users around."""
    return _within(drive, frame, is_road_user(drive), "SC-4", TRAFFIC_RANGE_M, TRAFFIC_BOUNDS)


def density_around_ego(drive: Drive, frame: Rows, _target: Rows) -> Derived:
    """SU-6: objects of any kind around."""
    return _within(drive, frame, np.ones(len(drive.frame), dtype=np.bool_), "SU-6", DENSITY_RANGE_M, DENSITY_BOUNDS)


def no_longer_visible(drive: Drive, frame: Rows, _target: Rows) -> Derived:
    """TM-1: tracks that were seen near and have no box at the query frame."""
    return _remembered(drive, frame, "TM-1", SEEN_LEVEL)


def currently_occluded(drive: Drive, frame: Rows, _target: Rows) -> Derived:
    """TM-4: tracks that were well visible near and are occluded at the query frame."""
    return _remembered(drive, frame, "TM-4", WELL_VISIBLE_LEVEL)


def _within(
    drive: Drive, frame: Rows, counted: Flags, template: str, range_m: float, bounds: tuple[int, ...]
) -> Derived:
    counts, off = np.zeros(len(frame), dtype=np.int64), np.full(len(frame), np.nan)
    for place, at in enumerate(frame.tolist()):
        ranges = np.sort(drive.range_m[counted & (drive.frame == at)])
        counts[place] = count = int((ranges <= range_m).sum())
        # The range would have to reach the object that makes a bin too full, or lose the one that just fills it.
        changing = [ranges[bound - 1] for bound in bounds if _next_to(bound, count, bounds) and bound <= len(ranges)]
        if changing:
            off[place] = np.abs(np.array(changing) - range_m).min()
    facts: dict[str, list[Any]] = {"count": counts.tolist(), "within_m": [range_m] * len(frame)}
    number = (counts[:, None] >= np.array(bounds)).sum(axis=1)
    return Derived(chosen(TEMPLATES[template].options, number), facts, (metres(off),))


def _next_to(bound: int, count: int, bounds: tuple[int, ...]) -> bool:
    """Whether a bound is the last that a count reaches or the first that it does not."""
    reached = [each for each in bounds if each <= count]
    missed = [each for each in bounds if each > count]
    return bound in (reached[-1:] + missed[:1])


def _remembered(drive: Drive, frame: Rows, template: str, level: int) -> Derived:
    near = drive.range_m <= MEMORY_RANGE_M
    known = np.ones(len(frame), dtype=np.bool_)
    found: list[list[int]] = []
    for place, at in enumerate(frame.tolist()):
        history = drive.row_at[:, at - HISTORY_FRAMES : at + 1]
        there = history != NO_ROW
        known[place] = not (there & near[history] & (drive.level[history] == 0)).any()
        seen = (there & near[history] & (drive.level[history] >= level))[:, :-1].any(axis=1)
        if template == "TM-1":
            lost = ~there[:, -1]
        else:
            now = drive.level[history[:, -1]]
            lost = there[:, -1] & (now > 0) & (now < SEEN_LEVEL)
        found.append([int(history[track][there[track]][0]) for track in np.flatnonzero(seen & lost)])
    options = TEMPLATES[template].options
    number = [min(len(rows), len(options) - 1) for rows in found]
    facts: dict[str, list[Any]] = {
        "count": [len(rows) for rows in found],
        "found": [[drive.words[row] for row in rows] for rows in found],
        "tracks": [[drive.tracks[row] for row in rows] for rows in found],
        "within_m": [MEMORY_RANGE_M] * len(frame),
    }
    return Derived(chosen(options, number, known), facts)
