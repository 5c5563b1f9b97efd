"""The rows of the nuScenes tables, as far as the sanity rules look at them.

The adapter's records (scenes/nuscenes/records.py) hold what it uses; these hold what can be wrong, such as
counts, both ends of chains and the links that it does not walk. Fields that other datasets in this schema
leave out (Tier IV T4, TruckScenes) have a default here; a rule says so where their absence matters. Of
numbers only the type is asked, their values are for the rules.
"""

from __future__ import annotations

from typing import Annotated

import msgspec

__all__ = ["REFERENCES", "TABLES", "Integer", "Matrix", "Quaternion", "Reference", "Tokens", "Vector"]

Integer = Annotated[int, msgspec.Meta(ge=-(2**63), le=2**63 - 1)]
Vector = tuple[float | None, float | None, float | None]
Quaternion = tuple[float | None, float | None, float | None, float | None]
Matrix = tuple[tuple[float | None, ...], ...]
Tokens = tuple[str, ...]


class Scene(msgspec.Struct, gc=False):
    token: str
    name: str
    log_token: str
    nbr_samples: Integer
    first_sample_token: str
    last_sample_token: str


class Sample(msgspec.Struct, gc=False):
    token: str
    timestamp: Integer
    scene_token: str
    prev: str
    next: str


class SampleData(msgspec.Struct, gc=False):
    token: str
    sample_token: str
    ego_pose_token: str
    calibrated_sensor_token: str
    timestamp: Integer
    is_key_frame: bool
    filename: str
    prev: str
    next: str
    width: Integer | None = None
    height: Integer | None = None


class EgoPose(msgspec.Struct, gc=False):
    token: str
    timestamp: Integer
    translation: Vector
    rotation: Quaternion


class CalibratedSensor(msgspec.Struct, gc=False):
    token: str
    sensor_token: str
    translation: Vector
    rotation: Quaternion
    camera_intrinsic: Matrix = ()


class Sensor(msgspec.Struct, gc=False):
    token: str
    channel: str
    modality: str


class Instance(msgspec.Struct, gc=False):
    token: str
    category_token: str
    nbr_annotations: Integer
    first_annotation_token: str
    last_annotation_token: str


class SampleAnnotation(msgspec.Struct, gc=False):
    token: str
    sample_token: str
    instance_token: str
    translation: Vector
    size: Vector
    rotation: Quaternion
    prev: str
    next: str
    visibility_token: str | None = None
    attribute_tokens: Tokens = ()
    num_lidar_pts: Integer | None = None
    num_radar_pts: Integer | None = None


class Category(msgspec.Struct, gc=False):
    token: str
    name: str


class Attribute(msgspec.Struct, gc=False):
    token: str
    name: str


class Visibility(msgspec.Struct, gc=False):
    token: str
    level: str


class Log(msgspec.Struct, gc=False):
    token: str


class Map(msgspec.Struct, gc=False):
    token: str
    filename: str
    log_tokens: Tokens = ()


TABLES: dict[str, type[msgspec.Struct]] = {
    "scene": Scene,
    "sample": Sample,
    "sample_data": SampleData,
    "ego_pose": EgoPose,
    "calibrated_sensor": CalibratedSensor,
    "sensor": Sensor,
    "instance": Instance,
    "sample_annotation": SampleAnnotation,
    "category": Category,
    "attribute": Attribute,
    "visibility": Visibility,
    "log": Log,
    "map": Map,
}
"""The thirteen tables of the nuScenes schema (nuscenes-devkit, docs/schema_nuscenes.md)."""


class Reference(msgspec.Struct, frozen=True):
    """A column that holds tokens of another table.

    Attributes:
        table: Where the column is.
        column: Its name.
        target: The table whose tokens it holds.
        optional: Whether an empty token stands for "none"; elsewhere it is a dangling one.
        vital: Whether geometry or questions rest on it.
    """

    table: str
    column: str
    target: str
    optional: bool = False
    vital: bool = True


REFERENCES: tuple[Reference, ...] = (
    Reference("scene", "log_token", "log", vital=False),
    Reference("scene", "first_sample_token", "sample", optional=True),
    Reference("scene", "last_sample_token", "sample", optional=True),
    Reference("sample", "scene_token", "scene"),
    Reference("sample", "prev", "sample", optional=True),
    Reference("sample", "next", "sample", optional=True),
    Reference("sample_data", "sample_token", "sample"),
    Reference("sample_data", "ego_pose_token", "ego_pose"),
    Reference("sample_data", "calibrated_sensor_token", "calibrated_sensor"),
    Reference("sample_data", "prev", "sample_data", optional=True, vital=False),
    Reference("sample_data", "next", "sample_data", optional=True, vital=False),
    Reference("calibrated_sensor", "sensor_token", "sensor"),
    Reference("instance", "category_token", "category"),
    Reference("instance", "first_annotation_token", "sample_annotation", optional=True, vital=False),
    Reference("instance", "last_annotation_token", "sample_annotation", optional=True, vital=False),
    Reference("sample_annotation", "sample_token", "sample"),
    Reference("sample_annotation", "instance_token", "instance"),
    Reference("sample_annotation", "prev", "sample_annotation", optional=True),
    Reference("sample_annotation", "next", "sample_annotation", optional=True),
    Reference("sample_annotation", "visibility_token", "visibility", optional=True, vital=False),
    Reference("sample_annotation", "attribute_tokens", "attribute", vital=False),
    Reference("map", "log_tokens", "log", vital=False),
)
"""Every reference of the schema; the last two columns hold lists."""
