"""Footprints of boxes: oriented rectangles in the ground plane, and how far apart two of them are."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

__all__ = ["Footprints", "gaps_m", "separations_m"]

Array = NDArray[np.float64]

_CORNERS = np.array([(1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0), (1.0, -1.0)])
"""Corners of a rectangle in units of half its length and width, counter-clockwise."""


class Footprints(NamedTuple):
    """Rectangles in the ground plane of one frame; n of them.

    Attributes:
        centre: Centres, metres, shape (n, 2).
        half_size: Half of length and width, metres, shape (n, 2).
        yaw: Direction of the length, radians, counter-clockwise from x, shape (n,).
    """

    centre: Array
    half_size: Array
    yaw: Array

    @classmethod
    def of(cls, objects: pl.DataFrame, suffix: str = "") -> Footprints:
        """Footprints of boxes in the ego frame.

        Args:
            objects: Columns ego_x, ego_y, ego_yaw, length and width.
            suffix: What these names end with, such as `_1` in a table of pairs.
        """
        x, y, yaw, length, width = (
            objects[name + suffix].to_numpy() for name in ("ego_x", "ego_y", "ego_yaw", "length", "width")
        )
        return cls(np.stack([x, y], axis=-1), np.stack([length, width], axis=-1) / 2, yaw)

    def corners(self) -> Array:
        """Corners, counter-clockwise, metres, shape (n, 4, 2)."""
        along_length, along_width = np.moveaxis(_CORNERS * self.half_size[:, None], -1, 0)
        cos, sin = np.cos(self.yaw)[:, None], np.sin(self.yaw)[:, None]
        turned = np.stack([cos * along_length - sin * along_width, sin * along_length + cos * along_width], axis=-1)
        corners: Array = self.centre[:, None] + turned
        return corners


def gaps_m(first: Footprints, second: Footprints) -> Array:
    """Shortest distances between rectangles, row by row, metres, shape (n,); 0 where they overlap or touch.

    Two rectangles are apart if and only if an axis of one of them separates them (the separating-axis theorem),
    and then a corner of one is as near to the other as any of its points.
    """
    from_first, split_by_first = _beside(first, second)
    from_second, split_by_second = _beside(second, first)
    gaps: Array = np.where(split_by_first | split_by_second, np.minimum(from_first, from_second), 0.0)
    return gaps


def separations_m(first: Footprints, second: Footprints) -> Array:
    """How far rectangles are from touching, row by row, metres, shape (n,): below 0 where they overlap.

    The widest gap along an axis of one of them, which is at most their distance and 0 where that is; where they
    overlap, minus the shortest way by which one has to move until they only touch.
    """
    separations: Array = np.maximum(_widest_gap(first, second), _widest_gap(second, first))
    return separations


def _widest_gap(rectangles: Footprints, others: Footprints) -> Array:
    """The wider one of the gaps along the two axes of each rectangle; below 0 the lesser overlap."""
    local = _corners_from(rectangles, others)
    gaps = np.maximum(local.min(axis=1) - rectangles.half_size, -rectangles.half_size - local.max(axis=1))
    widest: Array = gaps.max(axis=1)
    return widest


def _corners_from(rectangles: Footprints, others: Footprints) -> Array:
    """Corners of the others along the length and the width of each rectangle, from its centre, shape (n, 4, 2)."""
    offset = others.corners() - rectangles.centre[:, None]
    cos, sin = np.cos(rectangles.yaw)[:, None], np.sin(rectangles.yaw)[:, None]
    return np.stack([cos * offset[..., 0] + sin * offset[..., 1], cos * offset[..., 1] - sin * offset[..., 0]], axis=-1)


def _beside(rectangles: Footprints, others: Footprints) -> tuple[Array, NDArray[np.bool_]]:
    """Distance from each rectangle to the other's nearest corner, and whether one of its own axes separates them."""
    local = _corners_from(rectangles, others)
    beyond = np.maximum(np.abs(local) - rectangles.half_size[:, None], 0.0)
    nearest: Array = np.hypot(beyond[..., 0], beyond[..., 1]).min(axis=1)
    apart = (local.min(axis=1) > rectangles.half_size) | (local.max(axis=1) < -rectangles.half_size)
    return nearest, apart.any(axis=1)
