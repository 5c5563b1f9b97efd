"""Counts the points of a scan in boxes, to hold counts that were recorded or written against."""

from __future__ import annotations

import numpy as np
import polars as pl
from numpy.typing import NDArray

from probe4d.scenes.projection import global_SE3_box


def count_in_boxes(points: NDArray[np.float64], boxes: pl.DataFrame) -> NDArray[np.int64]:
    """Number of points in each box, borders included (as nuscenes-devkit's `points_in_box`), shape (n,).

    Args:
        points: Coordinates in the global frame, metres, shape (m, 3).
        boxes: Columns of `BOXES_SCHEMA`, n rows.
    """
    box_SE3_global = global_SE3_box(boxes).inverse()
    half = np.stack([boxes[name].to_numpy() for name in ("length", "width", "height")], axis=-1) / 2
    inside = (
        (np.abs(box_SE3_global.at(np.array(row)).apply(points)) <= half[row]).all(axis=1) for row in range(len(half))
    )
    return np.array([int(of_box.sum()) for of_box in inside], dtype=np.int64)
