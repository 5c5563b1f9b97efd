"""Reads a dataset's JSON tables (the nuScenes schema) row by row as recorded, for audits alone.

With the adapter that builds read, this shares `store.json_tables`, which turns a JSON array into rows: what rows
mean, how they join and which of them count is decided here again.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Annotated, NamedTuple, TypeVar

import msgspec

from probe4d.errors import InputError
from probe4d.store.json_tables import read_table

__all__ = [
    "BoxRow",
    "CalibrationRow",
    "MountedSensor",
    "PoseRow",
    "ReadingRow",
    "are_finite",
    "category_names",
    "is_measurable",
    "key_frame_readings",
    "mounted_sensors",
    "read_rows",
    "refuse_repeated",
    "sample_chains",
    "scene_names",
    "usable_poses",
]

_Triple = Annotated[list[float | None], msgspec.Meta(min_length=3, max_length=3)]
_Quadruple = Annotated[list[float | None], msgspec.Meta(min_length=4, max_length=4)]

Row = TypeVar("Row")


class PoseRow(msgspec.Struct):
    """A row of ego_pose.json: the ego frame in the global one, metres, quaternion w-x-y-z."""

    token: str
    translation: _Triple
    rotation: _Quadruple


class ReadingRow(msgspec.Struct):
    """A row of sample_data.json: one reading of one sensor, the size of its image in pixels."""

    token: str
    sample_token: str
    ego_pose_token: str
    calibrated_sensor_token: str
    timestamp: Annotated[int, msgspec.Meta(ge=0)]
    is_key_frame: bool
    width: int | None = None
    height: int | None = None


class CalibrationRow(msgspec.Struct):
    """A row of calibrated_sensor.json: a sensor in the ego frame, metres, quaternion w-x-y-z; pixels."""

    token: str
    sensor_token: str
    translation: _Triple
    rotation: _Quadruple
    camera_intrinsic: list[list[float]] = []


class MountedSensor(NamedTuple):
    """A sensor and how it is mounted; `modality` is camera, lidar or radar."""

    channel: str
    modality: str
    calibration: CalibrationRow


class BoxRow(msgspec.Struct):
    """A row of sample_annotation.json: a box in the global frame, size width, length, height in metres."""

    token: str
    sample_token: str
    instance_token: str
    translation: _Triple
    size: _Triple
    rotation: _Quadruple
    num_lidar_pts: int | None = None
    visibility_token: str | None = None


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
    modality: str


class _Category(msgspec.Struct):
    token: str
    name: str


class _Instance(msgspec.Struct):
    token: str
    category_token: str


def read_rows(folder: Path, name: str, kind: type[Row]) -> Iterator[Row]:
    """Read a table.

    Args:
        folder: The folder of tables.
        name: Name of the table.
        kind: Type of a row.

    Raises:
        InputError: The table is missing or cannot be read.
    """
    path = folder / f"{name}.json"
    if not path.is_file():
        raise InputError("is missing.", path=path, remedy="Give the dataset that the benchmark was built from.")
    for block in read_table(path, kind):
        yield from block


def scene_names(folder: Path) -> set[str]:
    """Names of all scenes that the tables hold.

    Raises:
        InputError: The table of scenes cannot be read.
    """
    return {row.name for row in read_rows(folder, "scene", _Scene)}


def sample_chains(folder: Path, scenes: Collection[str]) -> dict[str, list[str]]:
    """Sample tokens of each of some scenes, in the order of the chain; scenes that the tables lack are absent.

    Raises:
        InputError: A table cannot be read, a token or name stands in two rows, or a chain is broken.
    """
    rows = list(read_rows(folder, "scene", _Scene))
    refuse_repeated(folder / "scene.json", "token", (row.token for row in rows))
    refuse_repeated(folder / "scene.json", "name", (row.name for row in rows))
    firsts = {row.name: row for row in rows if row.name in scenes}
    of_scene = {row.token for row in firsts.values()}
    samples = [row for row in read_rows(folder, "sample", _Sample) if row.scene_token in of_scene]
    refuse_repeated(folder / "sample.json", "token", (row.token for row in samples))
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


def mounted_sensors(folder: Path) -> dict[str, MountedSensor]:
    """Sensors as they are mounted, by the token of the calibration; those of no known sensor are left out.

    Raises:
        InputError: A table cannot be read.
    """
    sensors = {row.token: row for row in read_rows(folder, "sensor", _Sensor)}
    return {
        row.token: MountedSensor(sensor.channel, sensor.modality, row)
        for row in read_rows(folder, "calibrated_sensor", CalibrationRow)
        if (sensor := sensors.get(row.sensor_token)) is not None
    }


def key_frame_readings(
    folder: Path, sensors: Mapping[str, MountedSensor], samples: Collection[str]
) -> dict[str, dict[str, ReadingRow]]:
    """Readings of each of some samples by channel, of several of one channel the earliest.

    Args:
        folder: The folder of tables.
        sensors: The sensors whose readings are wanted, by the token of the calibration.
        samples: Tokens of the samples.

    Returns:
        Readings by sample token, then channel.

    Raises:
        InputError: A table cannot be read, or the token of a reading stands in two rows.
    """
    readings: dict[str, dict[str, ReadingRow]] = {}
    for row in read_rows(folder, "sample_data", ReadingRow):
        sensor = sensors.get(row.calibrated_sensor_token)
        if row.is_key_frame and sensor is not None and row.sample_token in samples:
            there = readings.setdefault(row.sample_token, {})
            other = there.get(sensor.channel)
            if other is not None and other.token == row.token:
                refuse_repeated(folder / "sample_data.json", "token", (other.token, row.token))
            if other is None or (row.timestamp, row.token) < (other.timestamp, other.token):
                there[sensor.channel] = row
    return readings


def usable_poses(folder: Path, tokens: Collection[str]) -> dict[str, PoseRow]:
    """Those of some ego poses that are numbers throughout, by token.

    Raises:
        InputError: The table cannot be read, or a token stands in two rows.
    """
    rows = [row for row in read_rows(folder, "ego_pose", PoseRow) if row.token in tokens]
    refuse_repeated(folder / "ego_pose.json", "token", (row.token for row in rows))
    return {
        row.token: row for row in rows if are_finite(row.translation) and are_finite(row.rotation) and any(row.rotation)
    }


def category_names(folder: Path) -> dict[str, str | None]:
    """Name of the category of each track, by instance token; null where the table of categories lacks it.

    Raises:
        InputError: A table cannot be read, or a token stands in two rows.
    """
    categories = list(read_rows(folder, "category", _Category))
    instances = list(read_rows(folder, "instance", _Instance))
    refuse_repeated(folder / "category.json", "token", (row.token for row in categories))
    refuse_repeated(folder / "instance.json", "token", (row.token for row in instances))
    names: Mapping[str, str] = {row.token: row.name for row in categories}
    return {row.token: names.get(row.category_token) for row in instances}


def is_measurable(row: BoxRow) -> bool:
    """Whether anything can be measured of a box: finite numbers, a positive size, a rotation that is not zero."""
    numbers = (*row.translation, *row.size, *row.rotation)
    return are_finite(numbers) and min(size or 0 for size in row.size) > 0 and any(row.rotation)


def are_finite(numbers: Collection[float | None]) -> bool:
    """Whether all numbers are there and finite."""
    return all(number is not None and math.isfinite(number) for number in numbers)


def refuse_repeated(path: Path, column: str, values: Iterable[str]) -> None:
    """Refuse a table in which a value of a column stands twice.

    Raises:
        InputError: One does.
    """
    repeated = sorted(value for value, n in Counter(values).items() if n > 1)
    if repeated:
        raise InputError(
            f"the {column} stands in more than one row.",
            path=path,
            row=f"{column} {repeated[0]}",
            remedy="Remove all of them but one.",
        )
