"""From where a scene is seen: above, or in perspective from a point that turns round the ego vehicle."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from probe4d.scenes.geometry import SE3

__all__ = ["Viewpoint", "from_above", "from_orbit", "through_camera"]

Array = NDArray[np.float64]

_NEAREST_M = 0.3
_LOOK_DOWN_DEG = 28.0
_FIELD_DEG = 55.0
"""Field of view of the orbiting viewpoint, across."""
_LOOKED_AT_M = np.array([4.0, 0.0, 0.5])
"""What it looks at and turns round, in the ego frame: a little ahead of the ego vehicle."""


class Viewpoint(NamedTuple):
    """Where points of a frame show in a picture.

    Attributes:
        view_SE3_source: One transform from the frame of the points to the axes of the view: x right, y down, z away.
        matrix: To pixels, shape (3, 3): of a pinhole camera, or of a parallel projection.
        size_px: Width and height of the picture.
        is_perspective: Whether what is farther is smaller.
    """

    view_SE3_source: SE3
    matrix: Array
    size_px: tuple[int, int]
    is_perspective: bool

    def in_view(self, points_m: NDArray[np.floating]) -> Array:
        """Points in the axes of the view, metres, shape (..., 3)."""
        return self.view_SE3_source.apply(points_m)

    def pixels(self, in_view: Array) -> Array:
        """Where points in the axes of the view show, pixels right and down, shape (..., 2).

        Meaningless for points behind a viewpoint in perspective.
        """
        away = np.where(in_view[..., 2:] > _NEAREST_M, in_view[..., 2:], _NEAREST_M) if self.is_perspective else 1.0
        plane = np.concatenate([in_view[..., :2] / away, np.ones_like(in_view[..., :1])], axis=-1)
        return plane @ self.matrix[:2].T

    def lines(self, starts_m: Array, ends_m: Array) -> tuple[Array, NDArray[np.intp]]:
        """Where straight lines show, cut off at the borders of the picture.

        Args:
            starts_m: One end of each, metres, shape (n, 3).
            ends_m: The other.

        Returns:
            Left, top of the one end and of the other in pixels, shape (m, 4), and which lines these are of the n.
        """
        starts, ends = self.in_view(starts_m), self.in_view(ends_m)
        if self.is_perspective:
            seen = np.flatnonzero((starts[:, 2] > _NEAREST_M) | (ends[:, 2] > _NEAREST_M))
            starts, ends = _in_front(starts[seen], ends[seen]), _in_front(ends[seen], starts[seen])
        else:
            seen = np.arange(len(starts))
        cut, inside = _within(self.pixels(starts), self.pixels(ends), self.size_px)
        return cut, seen[inside]


def from_above(size_px: tuple[int, int], reach_m: float) -> Viewpoint:
    """The ego frame from above, heading up, the ego origin in the middle.

    Args:
        size_px: Width and height of the picture.
        reach_m: From the middle to the nearer borders.
    """
    view_SE3_ego = SE3(np.array([[0.0, -1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, -1.0]]), np.zeros(3))
    width, height = size_px
    return Viewpoint(view_SE3_ego, _pixels_of(min(size_px) / 2 / reach_m, width / 2, height / 2), size_px, False)


def from_orbit(size_px: tuple[int, int], distance_m: float, azimuth_deg: float) -> Viewpoint:
    """The ego frame in perspective.

    Args:
        size_px: Width and height of the picture.
        distance_m: From the ego vehicle.
        azimuth_deg: Where the viewpoint stands: 0 behind the ego vehicle, 90 to its right, 180 before it.
    """
    turned, down = math.radians(azimuth_deg), math.radians(_LOOK_DOWN_DEG)
    away = np.array([math.cos(turned) * math.cos(down), math.sin(turned) * math.cos(down), -math.sin(down)])
    right = np.array([math.sin(turned), -math.cos(turned), 0.0])
    rotation = np.stack([right, np.cross(away, right), away])
    view_SE3_ego = SE3(rotation, -rotation @ (_LOOKED_AT_M - distance_m * away))
    width, height = size_px
    focal_px = width / 2 / math.tan(math.radians(_FIELD_DEG / 2))
    return Viewpoint(view_SE3_ego, _pixels_of(focal_px, width / 2, height / 2), size_px, True)


def through_camera(camera_SE3_global: SE3, intrinsics: Array, size_px: tuple[int, int]) -> Viewpoint:
    """The global frame through a pinhole camera.

    Args:
        camera_SE3_global: One transform.
        intrinsics: Camera matrix in pixels of the picture, shape (3, 3).
        size_px: Width and height of the picture.
    """
    return Viewpoint(camera_SE3_global, intrinsics, size_px, True)


def _pixels_of(scale: float, across: float, down: float) -> Array:
    return np.array([[scale, 0.0, across], [0.0, scale, down], [0.0, 0.0, 1.0]])


def _in_front(ends: Array, others: Array) -> Array:
    """Ends of lines in the axes of the view; one that lies behind is moved along its line to the nearest plane."""
    depth, other = ends[:, 2:], others[:, 2:]
    behind = depth < _NEAREST_M
    share = np.divide(_NEAREST_M - depth, other - depth, out=np.zeros_like(depth), where=behind)
    moved: Array = np.where(behind, ends + share * (others - ends), ends)
    return moved


def _within(starts: Array, ends: Array, size_px: tuple[int, int]) -> tuple[Array, NDArray[np.intp]]:
    """Parts of lines inside a picture (Liang and Barsky 1984): shape (m, 4), and which lines they are of."""
    along = ends - starts
    first, last = np.zeros(len(starts)), np.ones(len(starts))
    is_in = np.ones(len(starts), dtype=np.bool_)
    for axis, side in enumerate(size_px):
        for step, room in ((-along[:, axis], starts[:, axis]), (along[:, axis], side - 1 - starts[:, axis])):
            is_in &= (step != 0) | (room >= 0)
            share = np.divide(room, step, out=np.zeros_like(room), where=step != 0)
            first = np.where(step < 0, np.maximum(first, share), first)
            last = np.where(step > 0, np.minimum(last, share), last)
    inside = np.flatnonzero(is_in & (first <= last))
    start = starts[inside] + first[inside, np.newaxis] * along[inside]
    end = starts[inside] + last[inside, np.newaxis] * along[inside]
    return np.hstack([start, end]), inside
