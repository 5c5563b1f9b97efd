"""How far footprints are from reaching into rectangles: the way ahead of the ego vehicle, strips beside it, itself."""

from __future__ import annotations

import numpy as np

from probe4d.benchmarks.auditing.gaps import footprint_gaps
from probe4d.benchmarks.stride.audit.measuring import Array, Places
from probe4d.benchmarks.stride.thresholds import LANE_FAR_SIDE_M, PATH_HALF_WIDTH_M

__all__ = ["ahead", "ego_outlines", "gaps_or_depths", "on_the_left", "on_the_right", "separations"]

_EGO_FRONT_M, _EGO_REAR_M, _EGO_HALF_WIDTH_M = 3.2, -0.9, 0.87
"""The ego vehicle, whose size no dataset says, about the middle of its rear axle."""


def ahead(front_m: float) -> Places:
    """Corners of the way straight ahead, shape (4,)."""
    return _rectangle(0.0, front_m, -PATH_HALF_WIDTH_M, PATH_HALF_WIDTH_M)


def on_the_left(back_m: float, front_m: float) -> Places:
    """Corners of the strip left of the way."""
    return _rectangle(back_m, front_m, PATH_HALF_WIDTH_M, LANE_FAR_SIDE_M)


def on_the_right(back_m: float, front_m: float) -> Places:
    """Corners of the strip right of it."""
    return _rectangle(back_m, front_m, -LANE_FAR_SIDE_M, -PATH_HALF_WIDTH_M)


def ego_outlines(origins: Places, headings: Array) -> Places:
    """Corners of the ego vehicle at places x + iy of its origin with headings in radians, shape (n, 4)."""
    own = _rectangle(_EGO_REAR_M, _EGO_FRONT_M, -_EGO_HALF_WIDTH_M, _EGO_HALF_WIDTH_M)
    corners: Places = origins[:, None] + own * np.exp(1j * headings)[:, None]
    return corners


def separations(first: Places, second: Places) -> Array:
    """How far rectangles are apart along the side of either that parts them most, metres, shape (n,).

    Below 0 where they overlap: minus the shortest way by which one has to move until they only touch.

    Args:
        first: Corners, counter-clockwise, shape (n, 4), or (4,) for one rectangle.
        second: Corners of the others, likewise.
    """
    first, second = np.broadcast_arrays(first, second)
    apart: Array = np.maximum(_beyond_sides(first, second), _beyond_sides(second, first))
    return apart


def gaps_or_depths(first: Places, second: Places) -> Array:
    """Shortest distances between rectangles, or where they overlap minus the depth, metres, shape (n,)."""
    apart = separations(first, second)
    distances: Array = np.where(apart > 0, footprint_gaps(*np.broadcast_arrays(first, second)), apart)
    return distances


def _beyond_sides(first: Places, second: Places) -> Array:
    """How far the nearest corner of the second lies beyond that side of the first which it lies farthest beyond."""
    sides = first[..., [1, 2, 3, 0]] - first
    outward = -1j * sides / np.abs(sides)
    reach = (outward.conj()[..., None] * (second[..., None, :] - first[..., None])).real
    beyond: Array = reach.min(axis=-1).max(axis=-1)
    return beyond


def _rectangle(back_m: float, front_m: float, right_m: float, left_m: float) -> Places:
    return np.array([front_m + 1j * left_m, back_m + 1j * left_m, back_m + 1j * right_m, front_m + 1j * right_m])
