"""Where the wedges of a scan lie: beside cameras that look all round, or level around the LiDAR."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from probe4d.evidence.camera_grid import SURROUND, in_grid_order
from probe4d.scenes.geometry import SE3, bearing_deg
from probe4d.scenes.projection import sensor_SE3_global
from probe4d.scenes.tables import Scenes

__all__ = ["BEARINGS_DEG", "WEDGE_SE3_CAMERA", "WedgeRig", "shared_cameras", "surround_cameras", "wedge_rig"]

BEARINGS_DEG = dict(zip(SURROUND, (55.0, 0.0, -55.0, 110.0, 180.0, -110.0), strict=True))
"""Where the cameras of nuScenes look, for datasets whose cameras do not look all round."""

WEDGE_SE3_CAMERA = SE3(np.array([[0.0, 0.0, 1.0], [-1.0, 0.0, 0.0], [0.0, -1.0, 0.0]]), np.zeros(3))
"""From a camera's axes (x right, y down, z forward) to those of its wedge (x forward, y left, z up)."""

_WIDEST_GAP_DEG = 120.0
"""Between the axes of neighbouring cameras; with more, points would lie beside a camera rather than before it."""

Array = NDArray[np.float64]


@dataclass(frozen=True)
class WedgeRig:
    """The LiDAR of a scene and its wedges at each of T key frames.

    Attributes:
        files: The scan of each key frame, relative to the dataset's folder; null where it has no reading.
        lacking: A channel that a key frame has no reading of; null where it has all.
        cameras: Columns of `SENSORS_SCHEMA` of each camera that a wedge has its axes from, a row for each key frame
            (null without a reading); none where wedges are level.
        wedge_SE3_lidar: Transforms to the axes of each wedge, shape (T, wedges).
        directions: For each wedge, the vector in the LiDAR's axes whose product with a point is greatest for the
            wedge whose axis has the nearest bearing in the ego frame, shape (T, wedges, 3).
    """

    files: list[str | None]
    lacking: list[str | None]
    cameras: tuple[pl.DataFrame, ...]
    wedge_SE3_lidar: SE3
    directions: NDArray[np.float32]


def shared_cameras(scenes: Scenes) -> tuple[str, ...]:
    """Cameras that every scene has, in the order of the surround grid."""
    return in_grid_order(_bearings_deg(scenes))


def surround_cameras(scenes: Scenes) -> tuple[str, ...]:
    """Cameras that every scene has, in the order of the surround grid, if they look all round; else none."""
    ordered = sorted(_bearings_deg(scenes).values())
    is_surround = bool(ordered) and max(np.diff([*ordered, ordered[0] + 360.0])) <= _WIDEST_GAP_DEG
    return shared_cameras(scenes) if is_surround else ()


def wedge_rig(scenes: Scenes, scene: str, frames: int, cameras: Sequence[str]) -> WedgeRig:
    """Find where a scene's wedges lie at each key frame.

    Args:
        scenes: The scenes.
        scene: The one that is meant.
        frames: Its number of key frames.
        cameras: Those that wedges have their axes from, at the times of their own images; none gives the six level
            wedges of `BEARINGS_DEG` with the LiDAR as origin.
    """
    every_frame = pl.DataFrame({"frame": range(frames)}, schema={"frame": pl.Int32})
    of_scene = scenes.sensors.filter(pl.col("scene") == scene)
    channels = (scenes.reference_channel, *cameras)
    lidar, *of_cameras = (
        every_frame.join(
            of_scene.filter(pl.col("channel") == channel).unique("frame", keep="first"),
            on="frame",
            how="left",
            maintain_order="left",
        )
        for channel in channels
    )
    ego_SE3_lidar = _extrinsics(lidar)
    wedge_SE3_lidar = _beside_cameras(lidar, of_cameras) if cameras else _level(ego_SE3_lidar)
    in_ego = np.einsum("tij,twj->twi", ego_SE3_lidar.rotation, wedge_SE3_lidar.rotation[:, :, 0])
    bearings = np.radians(bearing_deg(in_ego[..., 0], in_ego[..., 1]))
    horizontal = np.stack([np.cos(bearings), np.sin(bearings)], axis=-1)
    lacking = pl.select(pl.coalesce(None, *map(_named_where_lacking, channels, (lidar, *of_cameras)))).to_series()
    return WedgeRig(
        files=lidar["file"].to_list(),
        lacking=lacking.to_list(),
        cameras=tuple(of_cameras),
        wedge_SE3_lidar=wedge_SE3_lidar,
        directions=np.einsum("twi,tij->twj", horizontal, ego_SE3_lidar.rotation[:, :2]).astype(np.float32),
    )


def _named_where_lacking(channel: str, readings: pl.DataFrame) -> pl.Series:
    return pl.select(pl.when(readings["file"].is_null()).then(pl.lit(channel))).to_series()


def _beside_cameras(lidar: pl.DataFrame, cameras: Sequence[pl.DataFrame]) -> SE3:
    global_SE3_lidar = sensor_SE3_global(lidar).inverse()
    each = [WEDGE_SE3_CAMERA.compose(sensor_SE3_global(camera)).compose(global_SE3_lidar) for camera in cameras]
    return SE3(np.stack([one.rotation for one in each], axis=1), np.stack([one.translation for one in each], axis=1))


def _level(ego_SE3_lidar: SE3) -> SE3:
    """Wedges in fixed bearings, level in the ego frame, with the LiDAR as origin."""
    cos, sin = np.cos(np.radians([*BEARINGS_DEG.values()])), np.sin(np.radians([*BEARINGS_DEG.values()]))
    nought, one = np.zeros_like(cos), np.ones_like(cos)
    wedge_R_ego = np.stack([cos, sin, nought, -sin, cos, nought, nought, nought, one], axis=-1).reshape(-1, 3, 3)
    rotation = wedge_R_ego @ ego_SE3_lidar.rotation[:, np.newaxis]
    return SE3(rotation, np.zeros(rotation.shape[:-1]))


def _bearings_deg(scenes: Scenes) -> dict[str, float]:
    """Bearing of the optical axis of every camera that all scenes have, in the first scene."""
    cameras = scenes.sensors.filter(pl.col("modality") == "camera")
    everywhere = (
        cameras.group_by("channel").agg(pl.col("scene").n_unique()).filter(pl.col("scene") == len(scenes.names))
    )
    first = cameras.join(everywhere.select("channel"), on="channel", how="semi").unique("channel", keep="first")
    forward = _extrinsics(first).rotation[:, :, 2]
    return dict(zip(first["channel"], bearing_deg(forward[:, 0], forward[:, 1]).tolist(), strict=True))


def _extrinsics(readings: pl.DataFrame) -> SE3:
    """ego_SE3_sensor of each reading; NaN where it is null."""
    quaternion, origin = (
        np.stack([readings[f"sensor_{name}"].to_numpy() for name in names], axis=-1)
        for names in (("qw", "qx", "qy", "qz"), ("x", "y", "z"))
    )
    return SE3.from_quaternion(quaternion, origin)
