"""What of a projected box lies on the canvas of an image."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["bounds_on_canvas"]

Array = NDArray[np.float64]

_FIRST, _SECOND = np.triu_indices(8, 1)  # the 28 segments between eight corners

_LEAST_PX = 1e-7
"""What is no wider or higher is a line: one between two corners alone has a width by rounding, or none."""


class _Extent(NamedTuple):
    low: Array
    high: Array


def bounds_on_canvas(corners_px: Array, canvas_px: Array) -> Array:
    """Bounds of what the convex hulls of corners have in common with their canvases, without building either polygon.

    The part of a hull between the upper and the lower border, extended to both sides, is convex. What the left and
    the right border leave of it reaches from left to right as far as it does itself, cut off at these borders. So the
    bounds along x are those of that band, cut off, and the bounds along y those of the band between the left and the
    right border. The farthest points of a band are corners inside it and places where an edge of the hull crosses a
    border of the band. Every edge is one of the 28 segments between two corners, and the others lie within the hull, so
    that the crossings of all 28 have the same least and greatest.

    Args:
        corners_px: Eight points for each canvas in pixels, shape (n, 8, 2); NaN for points that do not count.
        canvas_px: Width and height of each canvas, which begins at 0, shape (n, 2).

    Returns:
        Left, top, right and bottom in pixels, shape (n, 4); NaN where hull and canvas have nothing in common that has
        both a width and a height.
    """
    x, y = corners_px[..., 0], corners_px[..., 1]
    width, height = canvas_px[:, 0], canvas_px[:, 1]
    across, down = _extent_in_band(x, y, height), _extent_in_band(y, x, width)
    low = np.maximum(np.stack([across.low, down.low], axis=-1), 0)
    high = np.minimum(np.stack([across.high, down.high], axis=-1), canvas_px)
    has_both = (high - low > _LEAST_PX).all(axis=1, keepdims=True)
    bounds: Array = np.where(has_both, np.hstack([low, high]), np.nan)
    return bounds


def _extent_in_band(along: Array, across: Array, limit: Array) -> _Extent:
    """How far hulls reach along one axis where the other axis is within 0 and a limit.

    Args:
        along: Coordinates of the corners on the one axis, shape (n, 8).
        across: Coordinates on the other, shape (n, 8).
        limit: Upper end of the band of each hull, shape (n,).

    Returns:
        Least and greatest coordinate, shape (n,); infinite the wrong way round where a hull misses the band.
    """
    is_within = (across >= 0) & (across <= limit[:, np.newaxis])
    low = np.where(is_within, along, np.inf).min(axis=1)
    high = np.where(is_within, along, -np.inf).max(axis=1)
    for border in (np.zeros_like(limit), limit):
        beyond = across - border[:, np.newaxis]
        crossed = np.flatnonzero((beyond < 0).any(axis=1) & (beyond > 0).any(axis=1))
        places = _crossings(along[crossed], beyond[crossed])
        low[crossed] = np.fmin(low[crossed], np.fmin.reduce(places, axis=1))
        high[crossed] = np.fmax(high[crossed], np.fmax.reduce(places, axis=1))
    return _Extent(low, high)


def _crossings(along: Array, beyond: Array) -> Array:
    """Where the segments between all corners cross a border, shape (n, 28); NaN for those that do not.

    Args:
        along: Coordinates along the border, shape (n, 8).
        beyond: Signed distances from the border, shape (n, 8).
    """
    side = np.sign(beyond)
    crosses = side[:, _FIRST] * side[:, _SECOND] < 0
    # Measured from the end nearer to the border: the other may lie a million pixels away, rounded accordingly.
    is_first_nearer = np.abs(beyond[:, _FIRST]) < np.abs(beyond[:, _SECOND])
    near = np.where(is_first_nearer, _FIRST, _SECOND)
    far = np.where(is_first_nearer, _SECOND, _FIRST)
    start, end = np.take_along_axis(beyond, near, axis=1), np.take_along_axis(beyond, far, axis=1)
    share = np.divide(start, start - end, out=np.full_like(start, np.nan), where=crosses)
    origin = np.take_along_axis(along, near, axis=1)
    places: Array = origin + share * (np.take_along_axis(along, far, axis=1) - origin)
    return places
