"""Reads what an audit needs from a dataset's JSON tables (the nuScenes schema), row by row as recorded.

Tables become key frames in order, each with the ego pose at the reference LiDAR's time and the boxes annotated
there, all still in the global frame. With the adapter that builds read, this shares `store.json_tables` alone,
which turns a JSON array into rows: what rows mean, how they join and which of them count is decided here again.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import msgspec

from probe4d.errors import InputError
from probe4d.store.json_tables import read_table

__all__ = ["KeyFrame", "RecordedBox", "read_key_frames", "scene_names"]

_LABEL_OF_PREFIX = {
    "vehicle.car": "car",
    "vehicle.truck": "truck",
    "vehicle.bus": "bus",
    "human.pedestrian": "pedestrian",
    "vehicle.bicycle": "bicycle",
    "vehicle.motorcycle": "motorcycle",
    "vehicle.trailer": "trailer",
    "vehicle.construction": "construction vehicle",
}
_LABEL_OF_NAME = {"movable_object.barrier": "barrier", "movable_object.trafficcone": "traffic cone"}

_Triple = Annotated[list[float | None], msgspec.Meta(min_length=3, max_length=3)]
_Quadruple = Annotated[list[float | None], msgspec.Meta(min_length=4, max_length=4)]


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


class _Scene(msgspec.Struct):
    token: str
    name: str
    first_sample_token: str


class _Sample(msgspec.Struct):
    token: str
    next: str
    scene_token: str
    timestamp: Annotated[int, msgspec.Meta(ge=0)]


class _Sensor(msgspec.Struct):
    token: str
    channel: str


class _Calibration(msgspec.Struct):
    token: str
    sensor_token: str


class _Reading(msgspec.Struct):
    token: str
    sample_token: str
    ego_pose_token: str
    calibrated_sensor_token: str
    timestamp: Annotated[int, msgspec.Meta(ge=0)]
    is_key_frame: bool


class _Pose(msgspec.Struct):
    token: str
    translation: _Triple
    rotation: _Quadruple


class _Category(msgspec.Struct):
    token: str
    name: str


class _Instance(msgspec.Struct):
    token: str
    category_token: str


class _Box(msgspec.Struct):
    token: str
    sample_token: str
    instance_token: str
    translation: _Triple
    size: _Triple
    rotation: _Quadruple
    num_lidar_pts: int | None = None


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
    chains = _chains(folder, scenes)
    wanted = {token for chain in chains.values() for token in chain}
    readings = _readings(folder, channel, wanted)
    poses = _poses(folder, {reading.ego_pose_token for reading in readings.values()})
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
            key_frames[name].append(KeyFrame(reading.timestamp, reading.ego_pose_token, *pose, boxes.get(token, [])))
    return key_frames


def scene_names(folder: Path) -> set[str]:
    """Names of all scenes that the tables hold.

    Raises:
        InputError: The table of scenes cannot be read.
    """
    return {row.name for row in _rows(folder, "scene", _Scene)}


def _rows(folder: Path, name: str, kind: type[Any]) -> Iterator[Any]:
    path = folder / f"{name}.json"
    if not path.is_file():
        raise InputError("is missing.", path=path, remedy="Give the dataset that the benchmark was built from.")
    for block in read_table(path, kind):
        yield from block


def _chains(folder: Path, scenes: Collection[str]) -> dict[str, list[str]]:
    """Sample tokens of each scene, in the order of the chain."""
    rows = list(_rows(folder, "scene", _Scene))
    _refuse_repeated(folder / "scene.json", "token", (row.token for row in rows))
    _refuse_repeated(folder / "scene.json", "name", (row.name for row in rows))
    firsts = {row.name: row for row in rows if row.name in scenes}
    of_scene = {row.token for row in firsts.values()}
    samples = [row for row in _rows(folder, "sample", _Sample) if row.scene_token in of_scene]
    _refuse_repeated(folder / "sample.json", "token", (row.token for row in samples))
    following = {row.token: row.next for row in samples}
    chains: dict[str, list[str]] = {}
    for name, scene in firsts.items():
        chain: dict[str, None] = {}
        token = scene.first_sample_token
        while token:
            if token not in following or token in chain:
                raise InputError(
                    f"the chain of key frames of {name} is broken.",
                    path=folder / "sample.json",
                    row=f"token {token}",
                    remedy="Let `next` lead from the scene's first key frame to its last, through each once.",
                )
            chain[token] = None
            token = following[token]
        chains[name] = list(chain)
    return chains


def _readings(folder: Path, channel: str, samples: Collection[str]) -> dict[str, _Reading]:
    """The reference LiDAR's reading of each sample, the earliest where there are several."""
    sensors = {row.token for row in _rows(folder, "sensor", _Sensor) if row.channel == channel}
    calibrations = {
        row.token for row in _rows(folder, "calibrated_sensor", _Calibration) if row.sensor_token in sensors
    }
    readings: dict[str, _Reading] = {}
    for row in _rows(folder, "sample_data", _Reading):
        if row.is_key_frame and row.sample_token in samples and row.calibrated_sensor_token in calibrations:
            other = readings.get(row.sample_token)
            if other is not None and other.token == row.token:
                _refuse_repeated(folder / "sample_data.json", "token", (other.token, row.token))
            if other is None or (row.timestamp, row.token) < (other.timestamp, other.token):
                readings[row.sample_token] = row
    return readings


def _poses(folder: Path, tokens: Collection[str]) -> dict[str, tuple[Any, Any]]:
    rows = [row for row in _rows(folder, "ego_pose", _Pose) if row.token in tokens]
    _refuse_repeated(folder / "ego_pose.json", "token", (row.token for row in rows))
    return {
        row.token: (tuple(row.translation), tuple(row.rotation))
        for row in rows
        if _finite(row.translation) and _finite(row.rotation) and any(row.rotation)
    }


def _boxes(folder: Path, samples: Collection[str]) -> dict[str, list[RecordedBox]]:
    categories = list(_rows(folder, "category", _Category))
    instances = list(_rows(folder, "instance", _Instance))
    for table, rows in (("category", categories), ("instance", instances)):
        _refuse_repeated(folder / f"{table}.json", "token", (row.token for row in rows))
    names = {row.token: row.name for row in categories}
    labels = {row.token: _label(names.get(row.category_token, "")) for row in instances}
    boxes: dict[str, list[RecordedBox]] = {}
    for row in _rows(folder, "sample_annotation", _Box):
        label = labels.get(row.instance_token)
        if row.sample_token in samples and label is not None and _is_measurable(row):
            x, y, z = row.translation
            box = RecordedBox(row.token, row.instance_token, label, (x, y, z), row.num_lidar_pts)
            boxes.setdefault(row.sample_token, []).append(box)
    _refuse_repeated(
        folder / "sample_annotation.json", "token", (box.token for there in boxes.values() for box in there)
    )
    return boxes


def _refuse_repeated(path: Path, column: str, values: Iterable[str]) -> None:
    repeated = sorted(value for value, n in Counter(values).items() if n > 1)
    if repeated:
        raise InputError(
            f"the {column} stands in more than one row.",
            path=path,
            row=f"{column} {repeated[0]}",
            remedy="Remove all of them but one.",
        )


def _label(category: str) -> str | None:
    """Class of a category (LiDAR-Hallu, Sec. III-A): by its first two parts, or its whole name."""
    return _LABEL_OF_NAME.get(category) or _LABEL_OF_PREFIX.get(".".join(category.split(".", 2)[:2]))


def _is_measurable(row: _Box) -> bool:
    numbers = (*row.translation, *row.size, *row.rotation)
    return _finite(numbers) and min(size or 0 for size in row.size) > 0 and any(row.rotation)


def _finite(numbers: Collection[float | None]) -> bool:
    return all(number is not None and math.isfinite(number) for number in numbers)
