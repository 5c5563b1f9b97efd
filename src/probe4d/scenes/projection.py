"""Boxes in camera images."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import ArrayLike, NDArray

from probe4d.scenes.geometry import SE3

__all__ = ["Cameras", "Projection", "box_corners", "global_SE3_box", "project", "project_boxes", "sensor_SE3_global"]

Array = NDArray[np.float64]

# Signs of the eight corners along length, width and height: the four in front first (nuscenes-devkit, Box.corners).
_CORNERS = np.array(
    [[1, 1, 1], [1, -1, 1], [1, -1, -1], [1, 1, -1], [-1, 1, 1], [-1, -1, 1], [-1, -1, -1], [-1, 1, -1]]
)


class Projection(NamedTuple):
    """Points in an image.

    Attributes:
        pixels: Image coordinates u (right) and v (down) in pixels, shape (..., 2); meaningless behind the camera.
        depth_m: Distance along the optical axis, metres, shape (...); negative behind the camera.
    """

    pixels: Array
    depth_m: Array


def global_SE3_box(boxes: pl.DataFrame) -> SE3:
    """Transforms from each box's own frame (x along its length, origin at its centre) to the global frame.

    Args:
        boxes: Columns x, y, z, qw, qx, qy, qz of `BOXES_SCHEMA`, n rows.
    """
    return SE3.from_quaternion(_columns(boxes, "qw", "qx", "qy", "qz"), _columns(boxes, "x", "y", "z"))


def box_corners(boxes: pl.DataFrame) -> Array:
    """Corners in the global frame, metres, shape (n, 8, 3), in the order of nuscenes-devkit's `Box.corners`.

    Args:
        boxes: Columns of `BOXES_SCHEMA`, n rows.
    """
    half = _columns(boxes, "length", "width", "height")[:, np.newaxis] / 2
    return global_SE3_box(boxes).at((slice(None), None)).apply(_CORNERS * half)


def sensor_SE3_global(sensors: pl.DataFrame) -> SE3:
    """Transforms from the global frame to each sensor's, with the ego pose at that sensor's own time.

    Args:
        sensors: Columns of `SENSORS_SCHEMA`, n rows.
    """
    global_SE3_ego = SE3.from_quaternion(*_pose(sensors, "pose"))
    ego_SE3_sensor = SE3.from_quaternion(*_pose(sensors, "sensor"))
    return global_SE3_ego.compose(ego_SE3_sensor).inverse()


def project(points: ArrayLike, intrinsics: ArrayLike) -> Projection:
    """Project points of the camera frame (x right, y down, z forward) by a pinhole camera.

    Args:
        points: Metres, shape (..., 3).
        intrinsics: Camera matrices in pixels, shape (..., 3, 3), broadcast against the points.
    """
    in_camera = np.asarray(points, dtype=np.float64)
    homogeneous = np.einsum("...ij,...j->...i", np.asarray(intrinsics, dtype=np.float64), in_camera)
    with np.errstate(divide="ignore", invalid="ignore"):
        return Projection(homogeneous[..., :2] / homogeneous[..., 2:], in_camera[..., 2])


class Cameras(NamedTuple):
    """Pinhole cameras at the times of their readings.

    Attributes:
        camera_SE3_global: Transforms from the global frame to each camera's, n of them.
        intrinsics: Camera matrices in pixels, shape (n, 3, 3).
    """

    camera_SE3_global: SE3
    intrinsics: Array

    @classmethod
    def of(cls, sensors: pl.DataFrame) -> Cameras:
        """The cameras of readings.

        Args:
            sensors: Columns of `SENSORS_SCHEMA`, n rows.

        Raises:
            ValueError: A row has no intrinsics.
        """
        if sensors["intrinsics"].null_count():
            raise ValueError("a row has no intrinsics, so it is of no camera")
        return cls(sensor_SE3_global(sensors), sensors["intrinsics"].list.to_array(9).to_numpy().reshape(-1, 3, 3))

    def at(self, index: NDArray[np.integer]) -> Cameras:
        """The cameras at some places, each as often as it is named."""
        return Cameras(self.camera_SE3_global.at(index), self.intrinsics[index])


def project_boxes(boxes: pl.DataFrame, cameras: Cameras) -> Projection:
    """Project the corners of boxes, each into a camera of its own (as nuscenes-devkit's `view_points`).

    Args:
        boxes: Columns of `BOXES_SCHEMA`, n rows.
        cameras: The camera of each box.

    Returns:
        Corners of each box in the order of `box_corners`: pixels (n, 8, 2) and depth (n, 8).
    """
    in_camera = cameras.camera_SE3_global.at((slice(None), None)).apply(box_corners(boxes))
    return project(in_camera, cameras.intrinsics[:, np.newaxis])


def _pose(table: pl.DataFrame, prefix: str) -> tuple[Array, Array]:
    rotation = _columns(table, *(f"{prefix}_{name}" for name in ("qw", "qx", "qy", "qz")))
    return rotation, _columns(table, *(f"{prefix}_{name}" for name in ("x", "y", "z")))


def _columns(table: pl.DataFrame, *names: str) -> Array:
    return np.stack([table[name].to_numpy() for name in names], axis=-1)
