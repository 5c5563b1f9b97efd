"""Derives where targets are and in which direction they move: SP-1, SP-2, SP-3, SP-5, SP-6 and TM-2."""

from __future__ import annotations

import numpy as np

from probe4d.benchmarks.stride.audit.derived import Derived, chosen, degrees, metres, room, speed, values
from probe4d.benchmarks.stride.audit.measuring import NO_ROW, Array, Drive, Flags, Rows
from probe4d.benchmarks.stride.templates import TEMPLATES
from probe4d.benchmarks.stride.thresholds import (
    DIRECTION_DEG,
    DISTANCE_BOUNDS_M,
    HISTORY_FRAMES,
    PLANE_M,
    STILL_MPS,
)

__all__ = ["direction_of_motion", "distance", "ground_contact", "occlusion_state", "previous_position", "sector"]

_SAME, _OPPOSITE, _TO_RIGHT, _TO_LEFT, _STILL = range(5)
_ON, _ABOVE, _BELOW = range(3)
_STEPS = 2
"""Key frames over which a direction is measured."""
_SECTOR_DEG = 45.0


def direction_of_motion(drive: Drive, frame: Rows, target: Rows) -> Derived:
    """SP-1: where the displacement of the last second points to, in the ego frame of the query frame."""
    before = drive.row_of(target, -_STEPS)
    ends = drive.in_ego_frame(frame, np.stack([drive.centre[before], drive.centre[target]], axis=1))
    moved = (ends[:, 1] - ends[:, 0]) @ np.array([1, 1j])
    elapsed = drive.times_s[frame] - drive.times_s[frame - _STEPS]
    pace, direction = np.abs(moved) / elapsed, np.angle(moved, deg=True)
    moves = pace >= STILL_MPS
    off = np.abs(direction)
    number = np.where(
        ~moves,
        _STILL,
        np.where(
            off <= DIRECTION_DEG,
            _SAME,
            np.where(off >= 180 - DIRECTION_DEG, _OPPOSITE, np.where(direction > 0, _TO_LEFT, _TO_RIGHT)),
        ),
    )
    aside = np.minimum(np.abs(off - DIRECTION_DEG), np.abs(off - (180 - DIRECTION_DEG)))
    facts = {
        "displacement_x_m": values(moved.real),
        "displacement_y_m": values(moved.imag),
        "elapsed_s": values(elapsed),
        "speed_mps": values(pace),
        "direction_deg": values(np.where(moves, direction, np.nan)),
    }
    lines = speed(np.abs(pace - STILL_MPS)), degrees(np.where(moves, aside, np.nan))
    return Derived(chosen(TEMPLATES["SP-1"].options, number, before != NO_ROW), facts, lines)


def sector(drive: Drive, _frame: Rows, target: Rows) -> Derived:
    """SP-2: the sector in which a target lies."""
    return _sectors(drive.ego[target, :2], np.ones(len(target), dtype=np.bool_))


def previous_position(drive: Drive, _frame: Rows, target: Rows) -> Derived:
    """TM-2: the sector in which it lay at the first frame of the history."""
    before = drive.row_of(target, -HISTORY_FRAMES)
    return _sectors(drive.ego[before, :2], before != NO_ROW)


def _sectors(places: Array, there: Flags) -> Derived:
    at = places @ np.array([1, 1j])
    bearing = np.angle(at, deg=True)
    turns = bearing / _SECTOR_DEG
    nearest = np.rint(turns)
    sectors = chosen(TEMPLATES["SP-2"].options, nearest.astype(np.int64) % 8, there)
    facts = {
        "x_m": values(at.real),
        "y_m": values(at.imag),
        "bearing_deg": values(bearing),
        "range_m": values(np.abs(at)),
        "sector": sectors,
    }
    return Derived(sectors, facts, (degrees((0.5 - np.abs(turns - nearest)) * _SECTOR_DEG),))


def distance(drive: Drive, _frame: Rows, target: Rows) -> Derived:
    """SP-3: the bin of the range; a lower bound belongs to its bin."""
    ranges, bounds = drive.range_m[target], np.array(DISTANCE_BOUNDS_M)
    facts = {"x_m": values(drive.ego[target, 0]), "y_m": values(drive.ego[target, 1]), "range_m": values(ranges)}
    number = (ranges[:, None] >= bounds).sum(axis=1)
    off = np.abs(ranges[:, None] - bounds).min(axis=1)
    return Derived(chosen(TEMPLATES["SP-3"].options, number), facts, (metres(off),))


def occlusion_state(drive: Drive, _frame: Rows, target: Rows) -> Derived:
    """SP-5: the visibility level that the dataset gives."""
    level, points = drive.level[target], drive.lidar_points[target]
    facts = {
        "visibility_level": values(np.where(level > 0, level, np.nan)),
        "lidar_points": values(np.where(points >= 0, points, np.nan)),
    }
    return Derived(chosen(TEMPLATES["SP-5"].options, level - 1, level > 0), facts)


def ground_contact(drive: Drive, _frame: Rows, target: Rows) -> Derived:
    """SP-6: the height of the lower side above the plane of the wheels."""
    bottom = drive.ego[target, 2] - drive.size[target, 2] / 2
    number = np.where(bottom > PLANE_M, _ABOVE, np.where(bottom < -PLANE_M, _BELOW, _ON))
    lines = (room(np.abs(np.abs(bottom) - PLANE_M)),)
    return Derived(chosen(TEMPLATES["SP-6"].options, number), {"bottom_m": values(bottom)}, lines)
