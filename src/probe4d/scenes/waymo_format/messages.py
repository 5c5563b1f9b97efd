"""The protobuf messages of Waymo's data, as far as Probe4D reads them.

They are described here as a table and built on the protobuf runtime, so that neither generated code nor
TensorFlow is needed; what a record holds beyond them is passed over. Field numbers are those of the Waymo
Open Dataset's `end_to_end_driving_data.proto` and `dataset.proto`.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from types import ModuleType
from typing import Any, NamedTuple

from probe4d.extras import needed
from probe4d.scenes.waymo_format.tfrecords import EXTRA, USER

__all__ = ["MESSAGES", "FieldOf", "build_messages", "parsed"]


class FieldOf(NamedTuple):
    """A field of a message.

    Attributes:
        number: Its number on the wire.
        kind: A scalar type of protobuf, or the name of another message.
        repeated: Whether it holds any number of values.
    """

    number: int
    kind: str
    repeated: bool = False


_EGO_STATES = ("pos_x", "pos_y", "pos_z", "vel_x", "vel_y", "accel_x", "accel_y")

_BOX = ("center_x", "center_y", "center_z", "width", "length", "height", "heading")

# Enumerations are read as numbers, so that one that is not known is seen and not taken for the default. Names
# are read as bytes, so that one that is no UTF-8 is a faulty name and not a message that cannot be read.
MESSAGES: dict[str, dict[str, FieldOf]] = {
    "E2EDFrame": {
        "frame": FieldOf(1, "Frame"),
        "future_states": FieldOf(5, "EgoTrajectoryStates"),
        "past_states": FieldOf(6, "EgoTrajectoryStates"),
        "intent": FieldOf(7, "int32"),
        "preference_trajectories": FieldOf(8, "EgoTrajectoryStates", repeated=True),
    },
    "EgoTrajectoryStates": {
        **{name: FieldOf(number, "float", repeated=True) for number, name in enumerate(_EGO_STATES, 1)},
        "preference_score": FieldOf(8, "float"),
    },
    "Frame": {
        "context": FieldOf(1, "Context"),
        "timestamp_micros": FieldOf(2, "int64"),
        "pose": FieldOf(3, "Transform"),
        "images": FieldOf(4, "CameraImage", repeated=True),
        "lasers": FieldOf(5, "Laser", repeated=True),  # these two of perception data alone
        "laser_labels": FieldOf(6, "Label", repeated=True),
    },
    "Context": {
        "name": FieldOf(1, "bytes"),
        "camera_calibrations": FieldOf(2, "CameraCalibration", repeated=True),
        "laser_calibrations": FieldOf(3, "LaserCalibration", repeated=True),
        "stats": FieldOf(4, "Stats"),
    },
    "Stats": {name: FieldOf(number, "bytes") for number, name in enumerate(("time_of_day", "location", "weather"), 2)},
    "CameraCalibration": {
        "name": FieldOf(1, "int32"),
        "intrinsic": FieldOf(2, "double", repeated=True),
        "extrinsic": FieldOf(3, "Transform"),
        "width": FieldOf(4, "int32"),
        "height": FieldOf(5, "int32"),
    },
    "CameraImage": {
        "name": FieldOf(1, "int32"),
        "image": FieldOf(2, "bytes"),
        "pose": FieldOf(3, "Transform"),
        "pose_timestamp": FieldOf(5, "double"),
    },
    "LaserCalibration": {
        "name": FieldOf(1, "int32"),
        "beam_inclinations": FieldOf(2, "double", repeated=True),
        "beam_inclination_min": FieldOf(3, "double"),
        "beam_inclination_max": FieldOf(4, "double"),
        "extrinsic": FieldOf(5, "Transform"),
    },
    "Laser": {
        "name": FieldOf(1, "int32"),
        "ri_return1": FieldOf(2, "RangeImage"),
        "ri_return2": FieldOf(3, "RangeImage"),
    },
    "RangeImage": {
        "range_image_compressed": FieldOf(2, "bytes"),
        "range_image_pose_compressed": FieldOf(4, "bytes"),
    },
    # Packed floats are on the wire as bytes are, and read as such they need not become a million objects.
    "MatrixFloat": {"data": FieldOf(1, "bytes"), "shape": FieldOf(2, "MatrixShape")},
    "MatrixShape": {"dims": FieldOf(1, "int32", repeated=True)},
    "Label": {
        "box": FieldOf(1, "Box"),
        "type": FieldOf(3, "int32"),
        "id": FieldOf(4, "bytes"),
        "num_lidar_points_in_box": FieldOf(7, "int32"),
    },
    "Box": {name: FieldOf(number, "double") for number, name in enumerate(_BOX, 1)},
    "Transform": {"transform": FieldOf(1, "double", repeated=True)},
    # What the index asks of a record. Images are not among it.
    "NamedE2EDFrame": {
        "frame": FieldOf(1, "NamedFrame"),
        "preference_trajectories": FieldOf(8, "NamedTrajectory", repeated=True),
    },
    "NamedTrajectory": {"preference_score": FieldOf(8, "float")},
    "NamedFrame": {"context": FieldOf(1, "NamedContext"), "timestamp_micros": FieldOf(2, "int64")},
    "NamedContext": {"name": FieldOf(1, "bytes")},
}
"""Fields by name of every message that is read."""


def build_messages(messages: Mapping[str, Mapping[str, FieldOf]]) -> dict[str, Any]:
    """Classes of the protobuf runtime for messages, by their names.

    Args:
        messages: Fields by name of every message; those that fields name have to be among them.

    Raises:
        InputError: The package protobuf is not installed.
    """
    descriptors, pools = _protobuf("descriptor_pb2"), _protobuf("descriptor_pool")
    kinds = descriptors.FieldDescriptorProto
    file = descriptors.FileDescriptorProto(name="probe4d.proto", package="probe4d", syntax="proto2")
    for name, fields in messages.items():
        message = file.message_type.add(name=name)
        for field_name, field in fields.items():
            added = message.field.add(name=field_name, number=field.number)
            added.label = kinds.LABEL_REPEATED if field.repeated else kinds.LABEL_OPTIONAL
            if field.kind in messages:
                added.type, added.type_name = kinds.TYPE_MESSAGE, f".probe4d.{field.kind}"
            else:
                added.type = kinds.Type.Value(f"TYPE_{field.kind.upper()}")
    pool = pools.DescriptorPool()  # of its own: other packages may describe the same messages in the shared one
    pool.Add(file)
    class_of = _protobuf("message_factory").GetMessageClass
    return {name: class_of(pool.FindMessageTypeByName(f"probe4d.{name}")) for name in messages}


def parsed(name: str, data: bytes) -> Any | None:
    """A message of `MESSAGES`, or None where the data is none.

    Raises:
        InputError: The package protobuf is not installed.
    """
    try:
        return _classes()[name].FromString(data)
    except _protobuf("message").DecodeError:
        return None


def _protobuf(module: str) -> ModuleType:
    return needed(f"google.protobuf.{module}", extra=EXTRA, user=USER)


@cache
def _classes() -> dict[str, Any]:
    return build_messages(MESSAGES)
