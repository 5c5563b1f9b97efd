"""Measures recorded scenes with quaternions: where boxes are from the ego vehicle and in the images of cameras."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from probe4d.benchmarks.auditing.image_bounds import outline_bounds
from probe4d.benchmarks.auditing.recorded import RecordedCameras, RecordedScene

__all__ = ["Filters", "MeasuredScene", "measure_scene"]

Array = NDArray[np.float64]

_BORDER_PX = 1e-6
"""Sides of image boxes that differ from the least side by no more are neither too small nor large enough for sure."""

_SIGNS = np.array([[x, y, z] for x in (1, -1) for y in (1, -1) for z in (1, -1)], dtype=np.float64)


class Filters(NamedTuple):
    """What an object must be like in an image to be asked about, as the record of a benchmark says."""

    min_visibility: int
    keep_unknown_visibility: bool
    min_side_px: float


_NO_FILTERS = Filters(0, keep_unknown_visibility=True, min_side_px=0.0)


class MeasuredScene(NamedTuple):
    """A scene measured: B boxes, seen by C cameras.

    Attributes:
        key_frames: Number of key frames.
        channels: Channels of the cameras.
        row_of_token: Row of each box by its token.
        tokens: Tokens of the boxes, an array of strings, shape (B,).
        tracks: Instance tokens, likewise.
        categories: Names of categories, likewise; empty where one is unknown.
        frame: Key frame of each box, shape (B,).
        lidar_points: LiDAR returns, -1 where they are unknown, shape (B,).
        size: Length, width and height, metres, shape (B, 3).
        ego: Centres in the ego frame of their key frame (x forward, y left, z up), metres, shape (B, 3).
        ego_yaw: Heading in that frame, radians, shape (B,).
        camera: Centres in each camera's frame at its own time (x right, y down, z forward), metres, shape (C, B, 3).
        bounds_px: Left, top, right and bottom of image boxes, shape (C, B, 4); NaN where a camera does not show a box.
        passes: Whether a box passes the filters in a camera's image, shape (C, B).
        eyes: Places of the cameras in the ego frames of the key frames, metres, shape (F, C, 3).
    """

    key_frames: int
    channels: Sequence[str]
    row_of_token: Mapping[str, int]
    tokens: NDArray[np.object_]
    tracks: NDArray[np.object_]
    categories: NDArray[np.object_]
    frame: NDArray[np.int64]
    lidar_points: NDArray[np.int64]
    size: Array
    ego: Array
    ego_yaw: Array
    camera: Array
    bounds_px: Array
    passes: NDArray[np.bool_]
    eyes: Array

    def shows(self, channel: NDArray[np.int64], box: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Whether cameras show boxes, of the broadcast shape of both."""
        shown: NDArray[np.bool_] = np.isfinite(self.bounds_px[channel, box, 0])
        return shown

    def is_kind(self, kind: str) -> NDArray[np.bool_]:
        """Whether boxes are of a kind, `vehicle` or `pedestrian`, shape (B,)."""
        start = {"vehicle": "vehicle.", "pedestrian": "human.pedestrian."}[kind]
        return np.array([category.startswith(start) for category in self.categories], dtype=np.bool_)


def measure_scene(scene: RecordedScene, filters: Filters = _NO_FILTERS) -> MeasuredScene:
    """Measure a scene.

    Args:
        scene: The scene as recorded.
        filters: What is left out; nothing without them.
    """
    boxes = scene.boxes
    offset = boxes.centre - scene.ego_pose[boxes.frame, :3]
    turned = Rotation.from_quat(scene.ego_pose[boxes.frame, 3:]).inv() if len(boxes.frame) else None
    ego, heading = np.zeros((0, 3)), np.zeros((0, 3))
    corners = np.zeros((0, 8, 3))
    if turned is not None:
        rotation = Rotation.from_quat(boxes.quaternion)
        ego, heading = turned.apply(offset), (turned * rotation).apply([1.0, 0.0, 0.0])
        half = _SIGNS * boxes.size[:, None] / 2
        corners = boxes.centre[:, None] + np.stack([rotation.apply(half[:, i]) for i in range(8)], axis=1)
    camera, bounds, eyes = _seen(scene, corners)
    sides = bounds[..., 2:] - bounds[..., :2]
    known = boxes.visibility > 0
    clear = np.where(known, boxes.visibility >= filters.min_visibility, filters.keep_unknown_visibility)
    with np.errstate(invalid="ignore"):
        passes = (sides > filters.min_side_px - _BORDER_PX).all(axis=-1) & clear
    return MeasuredScene(
        key_frames=len(scene.ego_pose),
        channels=scene.cameras.channels,
        row_of_token={token: row for row, token in enumerate(boxes.tokens)},
        tokens=np.array(boxes.tokens, dtype=object),
        tracks=np.array(boxes.tracks, dtype=object),
        categories=np.array([category or "" for category in boxes.categories], dtype=object),
        frame=boxes.frame,
        lidar_points=boxes.lidar_points,
        size=boxes.size,
        ego=ego,
        ego_yaw=np.arctan2(heading[:, 1], heading[:, 0]),
        camera=camera,
        bounds_px=bounds,
        passes=passes,
        eyes=eyes,
    )


def _seen(scene: RecordedScene, corners: Array) -> tuple[Array, Array, Array]:
    """Centres of boxes in each camera's frame, their bounds in its image, and the places of the cameras."""
    cameras, frame = scene.cameras, scene.boxes.frame
    count = len(cameras.channels)
    centres, bounds = np.full((count, len(frame), 3), np.nan), np.full((count, len(frame), 4), np.nan)
    eyes = np.full((len(scene.ego_pose), count, 3), np.nan)
    for place in range(count):
        usable = np.isfinite(cameras.ego_pose[:, place]).all(axis=1) & np.isfinite(cameras.mounting[:, place]).all(
            axis=1
        )
        at = np.flatnonzero(usable)
        if not at.size:
            continue
        of_vehicle = Rotation.from_quat(cameras.ego_pose[at, place, 3:])
        in_global = cameras.ego_pose[at, place, :3] + of_vehicle.apply(cameras.mounting[at, place, :3])
        eyes[at, place] = Rotation.from_quat(scene.ego_pose[at, 3:]).inv().apply(in_global - scene.ego_pose[at, :3])
        rows = np.flatnonzero(np.isin(frame, at))
        if rows.size:
            points = np.concatenate([corners[rows], scene.boxes.centre[rows, None]], axis=1)
            looked = _looked_at(points, cameras, frame[rows], place)
            centres[place, rows] = looked[:, 8]
            matrices = cameras.intrinsics[frame[rows], place]
            rays = np.einsum("nij,nkj->nki", matrices, looked[:, :8])
            bounds[place, rows] = outline_bounds(rays, cameras.size_px[frame[rows], place])
    return centres, bounds, eyes


def _looked_at(points: Array, cameras: RecordedCameras, frame: NDArray[np.int64], place: int) -> Array:
    """Points of the global frame, shape (n, k, 3), in the frame of a camera at a key frame each."""
    for pose in (cameras.ego_pose[frame, place], cameras.mounting[frame, place]):
        inverse = Rotation.from_quat(pose[:, 3:]).inv()
        moved = points - pose[:, None, :3]
        points = np.stack([inverse.apply(moved[:, i]) for i in range(points.shape[1])], axis=1)
    return points
