"""Where the outline of a box lies in an image, by the corners of the polygon that image and outline share.

The corners of a box that lie in front of the camera span a cone of lines of sight. Cut with the image, the cone has
three kinds of corners: corners of the box that the image shows, places where an edge passes the border of the image,
and corners of the image that lie within the outline. All three are found without dividing by depth, on rays
(u·d, v·d, d), d > 0, so that a corner close to the camera's own plane loses no digits.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
from numpy.typing import NDArray

__all__ = ["outline_bounds"]

Array = NDArray[np.float64]

_FIRST, _SECOND = np.array(list(combinations(range(8), 2))).T
"""The segments between two of eight corners: every edge of an outline is one of them, and the others lie within it."""

_SNAP_PX = 1e-7
"""What lies so close to the border of the image lies on it, and what is no wider or higher is a line."""


def outline_bounds(rays: Array, size_px: Array) -> Array:
    """Bounds of the part of each outline that its image shows.

    Args:
        rays: Corners of boxes as rays: the camera matrix times the corner in the camera frame, shape (n, 8, 3).
        size_px: Width and height of the images, shape (n, 2).

    Returns:
        Left, top, right and bottom in pixels, shape (n, 4); NaN where the image shows nothing of the box, or a line.
    """
    bounds = np.full((len(rays), 4), np.nan)
    inward = np.stack(_border_distances(rays, size_px))
    in_front = rays[..., 2] > 0
    beyond_a_border = ((inward < 0) | ~in_front).all(axis=2).any(axis=0)
    rows = np.flatnonzero(~beyond_a_border & np.isfinite(size_px).all(axis=1) & in_front.any(axis=1))
    if rows.size:
        corners = np.concatenate(list(_polygon_corners(rays[rows], inward[:, rows], size_px[rows])), axis=1)
        bounds[rows] = _bounds(corners, size_px[rows])
    return bounds


def _border_distances(rays: Array, size_px: Array) -> tuple[Array, Array, Array, Array]:
    """How far rays are inside the left, upper, right and lower border, in pixels times depth, each (n, 8)."""
    u, v, depth = np.moveaxis(rays, -1, 0)
    width, height = size_px[:, :1], size_px[:, 1:]
    return u, v, width * depth - u, height * depth - v


def _polygon_corners(rays: Array, inward: Array, size_px: Array) -> list[Array]:
    """Candidates for corners of the polygon, each (n, some, 2) in pixels; NaN for those that are none."""
    in_front = rays[..., 2] > 0
    shown = in_front & (inward >= 0).all(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        places = [np.where(shown[..., None], rays[..., :2] / rays[..., 2:], np.nan)]
        places += [_crossings(rays, border, in_front, size_px) for border in inward]
    places.append(_image_corners(rays, in_front, size_px))
    return places


def _crossings(rays: Array, border: Array, in_front: NDArray[np.bool_], size_px: Array) -> Array:
    """Where segments between corners pass a border within the image, shape (n, 28, 2); NaN where none does."""
    start, end = border[:, _FIRST], border[:, _SECOND]
    passes = in_front[:, _FIRST] & in_front[:, _SECOND] & ((start < 0) != (end < 0))
    share = np.where(passes, start / (start - end), np.nan)[..., None]
    ray = (1 - share) * rays[:, _FIRST] + share * rays[:, _SECOND]
    place = ray[..., :2] / ray[..., 2:]
    limit = size_px[:, None]
    within = ((place >= -_SNAP_PX) & (place <= limit + _SNAP_PX)).all(axis=-1, keepdims=True)
    crossings: Array = np.where(within, place, np.nan)
    return crossings


def _image_corners(rays: Array, in_front: NDArray[np.bool_], size_px: Array) -> Array:
    """Corners of the image that outlines surround, shape (n, 4, 2); NaN for the others.

    A point is surrounded if, looking around from it, no gap between corners of the outline is as wide as half a turn.
    """
    found = np.full((len(rays), 4, 2), np.nan)
    for number, (right, low) in enumerate(((0, 0), (1, 0), (0, 1), (1, 1))):
        corner = size_px * (right, low)
        to_corner = rays[..., :2] - corner[:, None] * rays[..., 2:]
        bearing = np.where(in_front, np.arctan2(to_corner[..., 1], to_corner[..., 0]), np.nan)
        around = np.sort(bearing, axis=1)  # NaN come last
        gaps = np.diff(around, axis=1)
        over_the_seam = around[:, 0] + 2 * np.pi - np.nanmax(around, axis=1)
        surrounded = np.fmax(np.fmax.reduce(gaps, axis=1), over_the_seam) < np.pi
        found[surrounded, number] = corner[surrounded]
    return found


def _bounds(corners: Array, size_px: Array) -> Array:
    low, high = np.fmin.reduce(corners, axis=1), np.fmax.reduce(corners, axis=1)
    low = np.where(low < _SNAP_PX, 0.0, low)
    high = np.where(high > size_px - _SNAP_PX, size_px, high)
    is_area = (high - low > _SNAP_PX).all(axis=1, keepdims=True)
    bounds: Array = np.where(is_area, np.hstack([low, high]), np.nan)
    return bounds
