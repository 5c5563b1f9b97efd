"""How boxes in one image overlap."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["covered_shares", "intersection_over_union"]

Array = NDArray[np.float64]


def _areas_px(boxes: Array) -> Array:
    """Areas of boxes (left, top, right, bottom in pixels, shape (n, 4)), pixels, shape (n,)."""
    area: Array = (boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])
    return area


def intersection_over_union(first: Array, second: Array) -> Array:
    """Intersection over union of each pair of boxes, shape (n, m).

    Args:
        first: Left, top, right and bottom in pixels, shape (n, 4); every box has an area.
        second: The same, shape (m, 4).
    """
    low = np.maximum(first[:, np.newaxis, :2], second[:, :2])
    high = np.minimum(first[:, np.newaxis, 2:], second[:, 2:])
    common = np.clip(high - low, 0, None).prod(axis=-1)
    shares: Array = common / (_areas_px(first)[:, np.newaxis] + _areas_px(second) - common)
    return shares


def covered_shares(boxes: Array) -> Array:
    """The share of each box that the boxes which end lower in the image cover together, 0 to 1, shape (n,).

    Exact also where the covering boxes overlap: the edges of all boxes cut the image into cells, each of which is
    within a box or outside it.

    Args:
        boxes: Left, top, right and bottom in pixels, shape (n, 4); every box has an area.
    """
    x, y = np.unique(boxes[:, [0, 2]]), np.unique(boxes[:, [1, 3]])
    across = (x[:-1] >= boxes[:, :1]) & (x[1:] <= boxes[:, 2:3])  # which columns of cells each box has
    down = (y[:-1] >= boxes[:, 1:2]) & (y[1:] <= boxes[:, 3:4])
    within = down[:, :, np.newaxis] & across[:, np.newaxis]
    cell_px = np.diff(y)[:, np.newaxis] * np.diff(x)
    bottoms = boxes[:, 3, np.newaxis, np.newaxis]
    lowest = np.where(within, bottoms, -np.inf).max(axis=0)  # of the boxes that have a cell
    covered = np.where(within & (lowest > bottoms), cell_px, 0.0).sum(axis=(1, 2))
    shares: Array = np.minimum(covered / np.where(within, cell_px, 0.0).sum(axis=(1, 2)), 1.0)
    return shares
