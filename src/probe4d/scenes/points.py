"""LiDAR scans of the nuScenes format."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from probe4d.errors import InputError
from probe4d.scenes.geometry import SE3
from probe4d.scenes.sensor_files import FETCH_AGAIN, read_sensor_file

__all__ = ["POINT_BYTES", "Scan", "in_ego_frame", "read_scan"]

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
