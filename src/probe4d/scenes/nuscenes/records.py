"""Rows of the tables of the nuScenes schema, as far as they are used here.

Further fields, as other datasets have them, are passed over. A number that may be wrong in single rows
without making the dataset unusable is optional, so that the row can be counted instead of raised.
"""

from __future__ import annotations

from typing import Annotated, TypeAlias

import msgspec

__all__ = [
    "Annotation",
    "Attribute",
    "CalibratedSensor",
    "Category",
    "EgoPose",
    "Instance",
    "Log",
    "Quaternion",
    "Sample",
    "SampleData",
    "Scene",
    "Sensor",
    "Vector",
    "Visibility",
]

Number: TypeAlias = float | None
Int32: TypeAlias = Annotated[int, msgspec.Meta(ge=-(2**31), le=2**31 - 1)]
Int64: TypeAlias = Annotated[int, msgspec.Meta(ge=-(2**63), le=2**63 - 1)]
Vector: TypeAlias = tuple[Number, Number, Number]
Quaternion: TypeAlias = tuple[Number, Number, Number, Number]


class Scene(msgspec.Struct, frozen=True, gc=False):
    """A row of scene.json."""

    token: str
    name: str
    first_sample_token: str
    nbr_samples: Int64
    log_token: str = ""
    description: str = ""


class Log(msgspec.Struct, frozen=True, gc=False):
    """A row of log.json."""

    token: str
    logfile: str | None = None
    location: str | None = None


class Sample(msgspec.Struct, frozen=True, gc=False):
    """A row of sample.json: a key frame."""

    token: str
    timestamp: Int64
    next: str
    scene_token: str


class SampleData(msgspec.Struct, frozen=True, gc=False):
    """A row of sample_data.json: one reading of one sensor."""

    token: str
    sample_token: str
    ego_pose_token: str
    calibrated_sensor_token: str
    timestamp: Int64
    is_key_frame: bool
    filename: str
    width: Int32 | None = None
    height: Int32 | None = None


class EgoPose(msgspec.Struct, frozen=True, gc=False):
    """A row of ego_pose.json: global_SE3_ego.

    Six of seven poses belong to sweeps, so that the numbers stay as they are written until they are needed.
    """

    token: str
    translation: msgspec.Raw
    rotation: msgspec.Raw


class Sensor(msgspec.Struct, frozen=True, gc=False):
    """A row of sensor.json."""

    token: str
    channel: str
    modality: str


class CalibratedSensor(msgspec.Struct, frozen=True, gc=False):
    """A row of calibrated_sensor.json: ego_SE3_sensor and intrinsics."""

    token: str
    sensor_token: str
    translation: Vector
    rotation: Quaternion
    camera_intrinsic: list[list[float]] | None = None


class Category(msgspec.Struct, frozen=True, gc=False):
    """A row of category.json."""

    token: str
    name: str


class Attribute(msgspec.Struct, frozen=True, gc=False):
    """A row of attribute.json."""

    token: str
    name: str


class Visibility(msgspec.Struct, frozen=True, gc=False):
    """A row of visibility.json."""

    token: str
    level: str


class Instance(msgspec.Struct, frozen=True, gc=False):
    """A row of instance.json: a track."""

    token: str
    category_token: str


class Annotation(msgspec.Struct, frozen=True, gc=False):
    """A row of sample_annotation.json: a box."""

    token: str
    sample_token: str
    instance_token: str
    translation: Vector
    size: Vector
    rotation: Quaternion
    prev: str
    next: str
    visibility_token: str | None = None
    attribute_tokens: tuple[str, ...] = ()
    num_lidar_pts: Int32 | None = None
    num_radar_pts: Int32 | None = None
