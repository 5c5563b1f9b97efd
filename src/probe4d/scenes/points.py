"""LiDAR scans of the nuScenes format."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from probe4d.errors import InputError
from probe4d.scenes.geometry import SE3
from probe4d.scenes.projection import global_SE3_box
from probe4d.scenes.sensor_files import FETCH_AGAIN, read_sensor_file

__all__ = ["POINT_BYTES", "Scan", "count_in_boxes", "in_ego_frame", "read_scan"]

_VALUES = ("x", "y", "z", "intensity", "ring")
POINT_BYTES = 4 * len(_VALUES)
"""Size of a point in a `.pcd.bin` file: float32 x, y, z, intensity, ring."""


class Scan(NamedTuple):
    """Points of one LiDAR reading.

    Attributes:
        points: x, y, z in the sensor frame in metres, intensity, ring; float32, shape (n, 5).
        not_finite: Points left out because a coordinate was NaN or infinite.
    """

    points: NDArray[np.float32]
    not_finite: int


def read_scan(path: Path) -> Scan:
    """Read a `.pcd.bin` file of nuScenes.

    Raises:
        InputError: The file cannot be read, or its size is no multiple of 20 bytes.
    """
    content = read_sensor_file(path)
    if len(content) % POINT_BYTES:
        raise InputError(
            f"has {len(content)} bytes, which is no multiple of {POINT_BYTES} (float32 {', '.join(_VALUES)}): "
            "the file was cut off or has another layout.",
            path=path,
            remedy=FETCH_AGAIN,
        )
    points = np.frombuffer(content, dtype="<f4").reshape(-1, len(_VALUES))
    finite = np.isfinite(points[:, :3]).all(axis=1)
    return Scan(points[finite], int((~finite).sum()))


def in_ego_frame(points: NDArray[np.float32], ego_SE3_sensor: SE3) -> NDArray[np.float64]:
    """Coordinates of a scan's points in the ego frame at the scan's time, metres, shape (n, 3).

    Args:
        points: x, y, z and any further values in the sensor frame, shape (n, >= 3).
        ego_SE3_sensor: The LiDAR's extrinsics: one transform.
    """
    return ego_SE3_sensor.apply(points[:, :3])


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
