"""The columns of scenes: what happened, as tables, never as a graph of objects.

Conventions (all tables): metres, radians, microseconds; quaternions w-x-y-z; sizes length, width, height;
ego frame x forward, y left, z up. A pose (`pose_*`) is global_SE3_ego, extrinsics (`sensor_*`) are
ego_SE3_sensor: columns x, y, z and qw, qx, qy, qz.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import polars as pl

from probe4d.errors import InputError

__all__ = ["BOXES_SCHEMA", "KEYFRAMES_SCHEMA", "SCENES_SCHEMA", "SENSORS_SCHEMA", "Scenes"]

_POSE = {f"pose_{axis}": pl.Float64() for axis in ("x", "y", "z", "qw", "qx", "qy", "qz")}
_SENSOR = {f"sensor_{axis}": pl.Float64() for axis in ("x", "y", "z", "qw", "qx", "qy", "qz")}

SCENES_SCHEMA: dict[str, pl.DataType] = {
    "scene": pl.String(),  # name, unique in the dataset
    "token": pl.String(),
    "split": pl.String(),  # official split; null where the name is in none
    "keyframes": pl.Int32(),  # number of key frames
    "log": pl.String(),
    "location": pl.String(),
    "description": pl.String(),
}

KEYFRAMES_SCHEMA: dict[str, pl.DataType] = {
    "scene": pl.String(),
    "frame": pl.Int32(),  # 0-based key-frame index
    "token": pl.String(),
    "timestamp_us": pl.Int64(),  # of the reference sensor's reading
    "pose_token": pl.String(),
    **_POSE,  # at the reference sensor's time
}

BOXES_SCHEMA: dict[str, pl.DataType] = {
    "scene": pl.String(),
    "frame": pl.Int32(),
    "token": pl.String(),
    "track": pl.String(),  # instance token
    "category": pl.String(),
    "label": pl.String(),  # one of probe4d.scenes.classes.CLASSES, or null
    "x": pl.Float64(),  # centre, global
    "y": pl.Float64(),
    "z": pl.Float64(),
    "length": pl.Float64(),
    "width": pl.Float64(),
    "height": pl.Float64(),
    "qw": pl.Float64(),  # rotation, global
    "qx": pl.Float64(),
    "qy": pl.Float64(),
    "qz": pl.Float64(),
    "ego_x": pl.Float64(),  # centre in the ego frame of its key frame
    "ego_y": pl.Float64(),
    "ego_z": pl.Float64(),
    "ego_yaw": pl.Float64(),  # heading in the ego frame, counter-clockwise from x
    "velocity_x": pl.Float64(),  # global, m/s, by the nuScenes rule; null where undefined
    "velocity_y": pl.Float64(),
    "velocity_z": pl.Float64(),
    "lidar_points": pl.Int32(),  # null where the dataset does not say
    "radar_points": pl.Int32(),
    "visibility": pl.UInt8(),  # level 1 (0-40 %) to 4 (80-100 %), by the level's name; null is unknown
    "attributes": pl.List(pl.String()),
}

SENSORS_SCHEMA: dict[str, pl.DataType] = {
    "scene": pl.String(),
    "frame": pl.Int32(),
    "channel": pl.String(),
    "modality": pl.String(),  # lidar, camera or radar
    "token": pl.String(),
    "file": pl.String(),  # relative to the dataset folder
    "timestamp_us": pl.Int64(),
    "pose_token": pl.String(),
    **_POSE,  # at this sensor's time
    **_SENSOR,
    "intrinsics": pl.List(pl.Float64()),  # 3 x 3, row by row; null without
    "width": pl.Int32(),
    "height": pl.Int32(),
}


@dataclass(frozen=True)
class Scenes:
    """Scenes of one dataset as tables, each sorted by scene and frame (boxes also by track, sensors by channel).

    Attributes:
        root: The dataset's folder.
        version: Name of the table folder.
        adapter: Name of the dataset's format.
        reference_channel: Channel of the LiDAR, or of the camera of a dataset of cameras alone, whose times and poses
            the key frames have.
        fingerprint: SHA-256 of the contents of the dataset's tables.
        licence: The dataset's licence, in words.
        scenes: Columns of `SCENES_SCHEMA`.
        keyframes: Columns of `KEYFRAMES_SCHEMA`.
        boxes: Columns of `BOXES_SCHEMA`.
        sensors: Columns of `SENSORS_SCHEMA`.
        dropped: Rows that could not be used, by reason.
    """

    root: Path
    version: str
    adapter: str
    reference_channel: str
    fingerprint: str
    licence: str
    scenes: pl.DataFrame
    keyframes: pl.DataFrame
    boxes: pl.DataFrame
    sensors: pl.DataFrame
    dropped: dict[str, int] = field(default_factory=dict)

    @property
    def names(self) -> list[str]:
        """Names of the scenes, sorted."""
        return self.scenes["scene"].to_list()

    @property
    def lidar_channel(self) -> str:
        """Channel of the LiDAR whose points are read, which is the reference.

        Raises:
            InputError: The reference is a camera: the dataset has no LiDAR.
        """
        own = pl.col("channel") == self.reference_channel
        if "camera" in self.sensors.filter(own)["modality"].unique():
            raise InputError("has no LiDAR, and its points were to be read.", path=self.root / self.version)
        return self.reference_channel

    def select(self, names: Sequence[str]) -> Scenes:
        """Keep some scenes.

        Raises:
            InputError: A name is not among the scenes.
        """
        unknown = sorted(set(names) - set(self.names))
        if unknown:
            raise InputError(f"has no scene {unknown[0]!r}.", path=self.root / self.version)
        wanted = pl.Series("scene", sorted(set(names)), dtype=pl.String)
        keep = pl.col("scene").is_in(wanted.implode())
        return replace(
            self,
            scenes=self.scenes.filter(keep),
            keyframes=self.keyframes.filter(keep),
            boxes=self.boxes.filter(keep),
            sensors=self.sensors.filter(keep),
        )
