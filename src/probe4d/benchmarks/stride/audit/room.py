"""Derives what objects leave of the way ahead and of the strips beside it: SU-1, SU-2, SU-4 and SU-5."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from probe4d.benchmarks.stride.audit.derived import Derived, Line, chosen, room, seconds, values
from probe4d.benchmarks.stride.audit.measuring import Array, Drive, Flags, Places, Rows
from probe4d.benchmarks.stride.audit.zones import ahead, on_the_left, on_the_right, separations
from probe4d.benchmarks.stride.templates import TEMPLATES
from probe4d.benchmarks.stride.thresholds import (
    BESIDE_AHEAD_M,
    BESIDE_BEHIND_M,
    FREE_AHEAD_M,
    LANE_CHANGE_AHEAD_M,
    LANE_CHANGE_BEHIND_M,
    LANE_CHANGE_LOOK_BACK_M,
    LANE_CHANGE_S,
    PATH_AHEAD_M,
)

__all__ = ["drivable_region", "feasible_manoeuvre", "lane_change_clearance", "physical_constraint"]

_SIDES = {"left": on_the_left, "right": on_the_right}

_FREE_REGIONS = {"ALR": 0, "AL": 1, "AR": 2, "LR": 3, "A": 4, "L": 5, "R": 6, "": 7}
"""Places of the options of SU-2 by what is free: ahead, left, right."""
_ONLY_FREE = {"A": 0, "L": 1, "R": 2, "": 3}
_CLEAR_SIDES = {"LR": 0, "L": 1, "R": 2, "": 3}
"""The same of SU-5 and SU-4."""


def physical_constraint(drive: Drive, _frame: Rows, target: Rows) -> Derived:
    """SU-1: which zone a target reaches into, the way ahead before the strips beside."""
    outlines = drive.outlines[target]
    way = separations(ahead(PATH_AHEAD_M), outlines)
    left, right = (separations(strip(-BESIDE_BEHIND_M, FREE_AHEAD_M), outlines) for strip in _SIDES.values())
    blocks, limits_left, limits_right = way <= 0, left <= 0, right <= 0
    number = np.where(blocks, 0, np.where(limits_left, 1, np.where(limits_right, 2, 3)))
    facts = {
        "x_m": values(drive.ego[target, 0]),
        "y_m": values(drive.ego[target, 1]),
        "heading_deg": values(np.degrees(drive.yaw[target])),
        "length_m": values(drive.size[target, 0]),
        "width_m": values(drive.size[target, 1]),
        "ahead_separation_m": values(way),
        "left_separation_m": values(left),
        "right_separation_m": values(right),
    }
    decides = np.where(blocks, np.inf, np.minimum(np.abs(left), np.abs(right)))
    answers = chosen(TEMPLATES["SU-1"].options, number, blocks | ~(limits_left & limits_right))
    return Derived(answers, facts, (room(np.minimum(np.abs(way), decides)),))


def drivable_region(drive: Drive, frame: Rows, _target: Rows) -> Derived:
    """SU-2: which regions no footprint reaches into."""
    return _by_regions(drive, frame, "SU-2", _FREE_REGIONS)


def feasible_manoeuvre(drive: Drive, frame: Rows, _target: Rows) -> Derived:
    """SU-5: the only one that is free, or none."""
    return _by_regions(drive, frame, "SU-5", _ONLY_FREE)


def lane_change_clearance(drive: Drive, frame: Rows, _target: Rows) -> Derived:
    """SU-4: which strips beside are clear, and stay so while something comes up from behind."""
    free: dict[str, Flags] = {}
    facts: dict[str, list[float | None]] = {}
    rooms: list[Line] = []
    times: list[Line] = []
    known = np.ones(len(frame), dtype=np.bool_)
    arrival = _arrivals(drive)
    for side, strip in _SIDES.items():
        beside = separations(strip(-LANE_CHANGE_BEHIND_M, LANE_CHANGE_AHEAD_M), drive.outlines)
        behind = separations(strip(-LANE_CHANGE_LOOK_BACK_M, -LANE_CHANGE_BEHIND_M), drive.outlines)
        in_doubt = np.isnan(arrival) & (behind <= 0) & (beside > 0)
        taking = np.minimum(beside, np.where(arrival <= LANE_CHANGE_S, behind, np.inf))
        nearest = _least(drive, np.where(in_doubt, np.inf, taking))[frame]
        known &= (nearest <= 0) | (_least(drive, np.where(in_doubt, 0.0, 1.0))[frame] > 0)
        free[side[0].upper()] = nearest > 0
        first = _finite(_least(drive, np.where((behind <= 0) & ~np.isnan(arrival), arrival, np.inf))[frame])
        facts |= {f"{side}_separation_m": values(_finite(nearest)), f"{side}_arrival_s": values(first)}
        rooms.append(room(np.abs(_finite(nearest))))
        # When something comes up from behind matters only where nothing is beside already.
        is_open = _least(drive, beside)[frame] > 0
        times.append(seconds(np.where(is_open, np.abs(first - LANE_CHANGE_S), np.nan)))
    number = _named(free, _CLEAR_SIDES)
    return Derived(chosen(TEMPLATES["SU-4"].options, number, known), facts, (*rooms, *times))


def _arrivals(drive: Drive) -> Array:
    """Seconds until the foremost corner of each box comes up beside, infinite where never, NaN where not known."""
    closing = drive.relative_velocity[:, 0]
    way = np.maximum(-LANE_CHANGE_BEHIND_M - drive.outlines.real.max(axis=1), 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        arrivals: Array = np.where(np.isnan(closing), np.nan, np.where(closing > 0, way / closing, np.inf))
    return arrivals


def _by_regions(drive: Drive, frame: Rows, template: str, names: Mapping[str, int]) -> Derived:
    zones: dict[str, Places] = {
        "ahead": ahead(FREE_AHEAD_M),
        **{side: strip(-BESIDE_BEHIND_M, BESIDE_AHEAD_M) for side, strip in _SIDES.items()},
    }
    nearest = {name: _least(drive, separations(zone, drive.outlines))[frame] for name, zone in zones.items()}
    number = _named({name[0].upper(): apart > 0 for name, apart in nearest.items()}, names)
    facts = {f"{name}_separation_m": values(_finite(apart)) for name, apart in nearest.items()}
    lines = tuple(room(np.abs(_finite(apart))) for apart in nearest.values())
    return Derived(chosen(TEMPLATES[template].options, number, number >= 0), facts, lines)


def _named(free: Mapping[str, Flags], names: Mapping[str, int]) -> Rows:
    """Places of options by what is free, -1 where none says so."""
    columns = zip(*(np.where(flags, letter, "").tolist() for letter, flags in free.items()), strict=True)
    return np.array([names.get("".join(letters), -1) for letters in columns], dtype=np.int64)


def _least(drive: Drive, of_boxes: Array) -> Array:
    """The least value of the boxes of each key frame, infinite without one, shape (F,)."""
    least = np.full(drive.key_frames, np.inf)
    np.minimum.at(least, drive.frame, of_boxes)
    return least


def _finite(numbers: Array) -> Array:
    finite: Array = np.where(np.isfinite(numbers), numbers, np.nan)
    return finite
