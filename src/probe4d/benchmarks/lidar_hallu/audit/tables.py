"""Reads what an audit needs from a dataset's JSON tables, row by row as recorded.

Tables become key frames in order, each with the ego pose at the reference LiDAR's time and the boxes annotated
there, all still in the global frame (see `auditing.raw_tables`).
"""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Any, NamedTuple

from probe4d.benchmarks.auditing.classes import label_of
from probe4d.benchmarks.auditing.raw_tables import (
    BoxRow,
    category_names,
    is_measurable,
    key_frame_readings,
    mounted_sensors,
    read_rows,
    refuse_repeated,
    sample_chains,
    usable_poses,
)
from probe4d.errors import InputError

__all__ = ["KeyFrame", "RecordedBox", "read_key_frames"]


class RecordedBox(NamedTuple):
    """A box of one of the ten classes as annotated: token, instance, class, global centre in metres, LiDAR returns."""

    token: str
    track: str
    label: str
    centre: tuple[float, float, float]
    lidar_points: int | None


class KeyFrame(NamedTuple):
    """A key frame: its ego pose (token, global translation in metres, quaternion w-x-y-z) and its boxes.

    `timestamp_us` is that of the reference LiDAR's reading.
    """

    timestamp_us: int
    pose_token: str
    translation: tuple[float, float, float]
    rotation: tuple[float, float, float, float]
    boxes: list[RecordedBox]


def read_key_frames(folder: Path, *, channel: str, scenes: Collection[str]) -> dict[str, list[KeyFrame]]:
    """Read the key frames of some scenes, in order.

    Boxes of other categories, and boxes that nothing can be measured of (a number that is not finite, a size
    that is not positive, a zero quaternion), are left out, as documented for builds.

    Args:
        folder: The folder of tables.
        channel: Channel of the reference LiDAR.
        scenes: Names of the scenes wanted.

    Returns:
        Key frames by scene name; scenes that the tables do not have are absent.

    Raises:
        InputError: A table cannot be read, a token that counts stands in two rows, a chain of key frames is
            broken, or a key frame lacks its pose.
    """
    chains = sample_chains(folder, scenes)
    wanted = {token for chain in chains.values() for token in chain}
    lidars = {token: sensor for token, sensor in mounted_sensors(folder).items() if sensor.channel == channel}
    readings = {sample: there[channel] for sample, there in key_frame_readings(folder, lidars, wanted).items()}
    poses = usable_poses(folder, {reading.ego_pose_token for reading in readings.values()})
    boxes = _boxes(folder, wanted)
    key_frames: dict[str, list[KeyFrame]] = {}
    for name, chain in chains.items():
        key_frames[name] = []
        for token in chain:
            reading = readings.get(token)
            pose = None if reading is None else poses.get(reading.ego_pose_token)
            if reading is None or pose is None:
                lacking = f"no key-frame reading of {channel}" if reading is None else "no usable ego pose"
                raise InputError(f"has {lacking} for a key frame of {name}.", path=folder, row=f"sample {token}")
            translation: Any = tuple(pose.translation)
            rotation: Any = tuple(pose.rotation)
            key_frames[name].append(
                KeyFrame(reading.timestamp, reading.ego_pose_token, translation, rotation, boxes.get(token, []))
            )
    return key_frames


def _boxes(folder: Path, samples: Collection[str]) -> dict[str, list[RecordedBox]]:
    labels = {track: label_of(category or "") for track, category in category_names(folder).items()}
    boxes: dict[str, list[RecordedBox]] = {}
    for row in read_rows(folder, "sample_annotation", BoxRow):
        label = labels.get(row.instance_token)
        if row.sample_token in samples and label is not None and is_measurable(row):
            centre: Any = tuple(row.translation)
            box = RecordedBox(row.token, row.instance_token, label, centre, row.num_lidar_pts)
            boxes.setdefault(row.sample_token, []).append(box)
    refuse_repeated(
        folder / "sample_annotation.json", "token", (box.token for there in boxes.values() for box in there)
    )
    return boxes
