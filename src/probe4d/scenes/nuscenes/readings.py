"""Sensor readings of key frames: files, times, the ego pose at each reading, extrinsics and intrinsics."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import compress
from operator import attrgetter
from pathlib import Path

import msgspec
import numpy as np
import polars as pl
from numpy.typing import NDArray

from probe4d.errors import InputError
from probe4d.scenes.nuscenes.key_frames import KeyFrames
from probe4d.scenes.nuscenes.reader import (
    TableReader,
    check_unique,
    gathered,
    number_array,
    passing,
    row_of_token,
    sorted_rows,
)
from probe4d.scenes.nuscenes.records import CalibratedSensor, EgoPose, Quaternion, SampleData, Sensor, Vector
from probe4d.scenes.tables import SENSORS_SCHEMA
from probe4d.wording import listed

__all__ = ["PREFERRED_REFERENCES", "Readings", "read_readings", "reference_channels"]

PREFERRED_REFERENCES = ("LIDAR_TOP", "CAM_FRONT", "FRONT")
"""Channels that are the reference where nobody names one: a LiDAR, or the front camera beside cameras alone."""

_VECTORS = msgspec.json.Decoder(list[Vector])
_QUATERNIONS = msgspec.json.Decoder(list[Quaternion])
_TOKEN = attrgetter("token")
_POSE_COLUMNS = ("x", "y", "z", "qw", "qx", "qy", "qz")


@dataclass(frozen=True)
class Readings:
    """Readings of all key frames.

    Attributes:
        table: Columns of `SENSORS_SCHEMA` and `key_frame`, sorted by key frame and channel.
        reference: Row of the reference sensor's reading in `table`, by key frame, shape (n,).
    """

    table: pl.DataFrame
    reference: NDArray[np.int64]

    def reference_poses(self) -> NDArray[np.float64]:
        """Ego poses x, y, z, qw, qx, qy, qz at the reference readings, shape (n, 7)."""
        columns = [self.table[f"pose_{name}"].to_numpy()[self.reference] for name in _POSE_COLUMNS]
        return np.stack(columns, axis=-1)


def reference_channels(modality_of: Mapping[str, str]) -> list[str]:
    """Channels that may be the reference, sorted: the LiDARs, or the cameras where there is nothing else.

    Beside a radar the lack of a LiDAR is taken for a fault.

    Args:
        modality_of: Modality of each channel.
    """
    lidars = [channel for channel, modality in modality_of.items() if modality == "lidar"]
    return sorted(modality_of if set(modality_of.values()) == {"camera"} else lidars)


def _reference_channel(sensors: list[Sensor], wanted: str | None, path: Path) -> str:
    """Channel of the reference sensor: the wanted one, else one of `PREFERRED_REFERENCES`, else the only one there is.

    Args:
        sensors: Rows of the sensor table.
        wanted: Channel asked for.
        path: The sensor table, for errors.

    Raises:
        InputError: The choice is not clear, or the wanted channel is none of `reference_channels`.
    """
    modality_of = {sensor.channel: sensor.modality for sensor in sensors}
    channels = reference_channels(modality_of)
    if not channels:
        what = "lists no LiDAR, from which key frames take their times and poses, and not cameras alone."
        raise InputError(what, path=path)
    names, noun = ", ".join(channels), "LiDAR" if modality_of[channels[0]] == "lidar" else "camera"
    if wanted is not None:
        if wanted not in channels:
            raise InputError(f"lists no {noun} named {wanted!r} (it has {names}).", path=path)
        return wanted
    for channel in (*PREFERRED_REFERENCES, *channels[: len(channels) == 1]):
        if channel in channels:
            return channel
    preferred = [channel for channel in PREFERRED_REFERENCES if channel.startswith("LIDAR") == (noun == "LiDAR")]
    raise InputError(
        f"lists several {noun}s ({names}) and none is {listed(preferred, 'or')}.",
        path=path,
        remedy="Name the one whose times and poses the key frames have with --reference-channel.",
    )


def read_readings(
    reader: TableReader, key_frames: KeyFrames, wanted_reference: str | None, dropped: Counter[str]
) -> tuple[str, Readings]:
    """Read sensors, calibrations, key-frame readings and their ego poses.

    Args:
        reader: The tables.
        key_frames: Key frames in order.
        wanted_reference: Channel of the reference sensor, where the user named one.
        dropped: Takes in how many readings could not be used, by reason.

    Returns:
        Channel of the reference sensor, and the readings.

    Raises:
        InputError: A key frame has no usable reading of the reference sensor.
    """
    sensors = reader.table("sensor", Sensor)
    row_of_token(sensors, reader.path("sensor"))
    channel = _reference_channel(sensors, wanted_reference, reader.path("sensor"))
    calibrations = reader.table("calibrated_sensor", CalibratedSensor)
    row_of_calibration = row_of_token(calibrations, reader.path("calibrated_sensor"))
    readings, code_of_pose = _key_frame_rows(reader, key_frames, row_of_calibration)
    check_unique(readings["token"], reader.path("sample_data"))
    poses = _ego_poses(reader, code_of_pose)
    by_calibration = _calibration_table(calibrations, sensors, reader.path("calibrated_sensor"))

    keep = passing(_checks(readings, poses, by_calibration["usable"]), dropped)
    if not keep.all():
        readings = readings.filter(pl.Series(keep))
    del code_of_pose, row_of_calibration  # a tenth of what is held here, and nothing looks up tokens any more
    readings = _in_order(readings, by_calibration["channel"], dropped)
    table = _sensor_table(readings, poses, by_calibration.drop("usable"), key_frames)
    return channel, Readings(table, _reference_rows(table, channel, key_frames, reader))


def _checks(readings: pl.DataFrame, poses: NDArray[np.float64], usable: pl.Series) -> dict[str, NDArray[np.bool_]]:
    """What each reading has to pass, by the reason for which it is left out otherwise."""
    usable_calibration = np.append(usable.to_numpy(), False)  # -1, unknown, takes the last
    return {
        "sensor readings of an unknown key frame": readings["key_frame"].to_numpy() >= 0,
        "sensor readings without a usable calibration": usable_calibration[readings["calibration"].to_numpy()],
        "sensor readings without a usable ego pose": _is_usable_pose(poses)[readings["pose"].to_numpy()],
    }


def _key_frame_rows(
    reader: TableReader, key_frames: KeyFrames, row_of_calibration: dict[str, int]
) -> tuple[pl.DataFrame, dict[str, int]]:
    """Key-frame readings as columns, and a number for each ego pose that they need."""
    number_of = key_frames.number_of_token
    code_of_pose: dict[str, int] = {}
    parts: list[pl.DataFrame] = []
    readings = reader.rows("sample_data", SampleData)
    for rows in gathered([row for row in some if row.is_key_frame] for some in readings):
        columns = {
            "key_frame": [number_of.get(row.sample_token, -1) for row in rows],
            "calibration": [row_of_calibration.get(row.calibrated_sensor_token, -1) for row in rows],
            "pose": [code_of_pose.setdefault(row.ego_pose_token, len(code_of_pose)) for row in rows],
            "token": [row.token for row in rows],
            "file": [row.filename for row in rows],
            "timestamp_us": [row.timestamp for row in rows],
            "pose_token": [row.ego_pose_token for row in rows],
            "width": [row.width or None for row in rows],
            "height": [row.height or None for row in rows],
        }
        parts.append(pl.DataFrame(columns, schema=_READING_SCHEMA))
    return pl.concat([pl.DataFrame(schema=_READING_SCHEMA), *parts]), code_of_pose


_READING_SCHEMA: dict[str, pl.DataType] = {
    "key_frame": pl.Int32(),
    "calibration": pl.Int32(),
    "pose": pl.Int32(),
    "token": pl.String(),
    "file": pl.String(),
    "timestamp_us": pl.Int64(),
    "pose_token": pl.String(),
    "width": pl.Int32(),
    "height": pl.Int32(),
}


def _ego_poses(reader: TableReader, code_of_pose: dict[str, int]) -> NDArray[np.float64]:
    """Ego poses by their number, shape (n, 7); NaN where the table lacks one."""
    poses = np.full((len(code_of_pose), 7), np.nan)
    found: list[NDArray[np.int64]] = []

    def needed(rows: list[EgoPose]) -> list[EgoPose]:
        # Most poses are those of sweeps; `map` and `compress` pass over them without a step of the interpreter each.
        return list(compress(rows, map(code_of_pose.__contains__, map(_TOKEN, rows))))

    for rows in gathered(map(needed, reader.rows("ego_pose", EgoPose))):
        codes = np.fromiter(map(code_of_pose.__getitem__, map(_TOKEN, rows)), np.int64, len(rows))
        poses[codes] = _pose_numbers(rows, reader.path("ego_pose"))
        found.append(codes)
    times_found = np.bincount(np.concatenate([np.zeros(0, np.int64), *found]), minlength=len(code_of_pose))
    if (times_found > 1).any():
        check_unique(pl.Series(np.repeat(list(code_of_pose), times_found)), reader.path("ego_pose"))
    return poses


def _pose_numbers(rows: list[EgoPose], path: Path) -> NDArray[np.float64]:
    """Numbers of ego poses, shape (n, 7)."""
    try:
        translations = _VECTORS.decode(b"[" + b",".join([row.translation for row in rows]) + b"]")
        rotations = _QUATERNIONS.decode(b"[" + b",".join([row.rotation for row in rows]) + b"]")
    except msgspec.ValidationError as error:
        if len(rows) > 1:
            return np.concatenate([_pose_numbers([row], path) for row in rows])
        what = f"translation or rotation is wrong: {str(error).partition(' - at')[0]}."
        raise InputError(what, path=path, row=f"token {rows[0].token}", remedy="Mend that row.") from error
    return np.hstack([number_array(translations, 3), number_array(rotations, 4)])


def _is_usable_pose(poses: NDArray[np.float64]) -> NDArray[np.bool_]:
    usable: NDArray[np.bool_] = np.isfinite(poses).all(axis=1) & (np.abs(poses[:, 3:]).sum(axis=1) > 0)
    return usable


def _calibration_table(calibrations: list[CalibratedSensor], sensors: list[Sensor], path: Path) -> pl.DataFrame:
    """Channel, modality, extrinsics and intrinsics of each calibration, and whether it is usable."""
    sensor_of_token = {sensor.token: sensor for sensor in sensors}
    of_calibration = [sensor_of_token.get(calibration.sensor_token) for calibration in calibrations]
    extrinsics = np.hstack(
        [
            number_array((calibration.translation for calibration in calibrations), 3),
            number_array((calibration.rotation for calibration in calibrations), 4),
        ]
    )
    known = np.array([sensor is not None for sensor in of_calibration], dtype=np.bool_)
    return pl.DataFrame(
        {
            "channel": [None if sensor is None else sensor.channel for sensor in of_calibration],
            "modality": [None if sensor is None else sensor.modality for sensor in of_calibration],
            **{f"sensor_{name}": extrinsics[:, index] for index, name in enumerate(_POSE_COLUMNS)},
            "intrinsics": [_intrinsics(calibration, path) for calibration in calibrations],
            "usable": known & _is_usable_pose(extrinsics),
        },
        schema_overrides={name: SENSORS_SCHEMA[name] for name in ("channel", "modality", "intrinsics")},
    )


def _intrinsics(calibration: CalibratedSensor, path: Path) -> list[float] | None:
    matrix = calibration.camera_intrinsic
    if not matrix:
        return None
    if [len(row) for row in matrix] != [3, 3, 3]:
        raise InputError(
            "camera_intrinsic is no 3 x 3 matrix.", path=path, row=f"token {calibration.token}", remedy="Mend that row."
        )
    return [number for row in matrix for number in row]


def _in_order(readings: pl.DataFrame, channels: pl.Series, dropped: Counter[str]) -> pl.DataFrame:
    """Sort readings by key frame and channel; of several in one channel and key frame keep the earliest."""
    number = channels.rank("dense").fill_null(0).cast(pl.Int32).gather(readings["calibration"]).alias("channel")
    readings = readings.with_columns(number)
    readings = readings[sorted_rows(readings, "key_frame", "channel", "timestamp_us")]
    steps = [np.diff(readings[name].to_numpy(), prepend=-1) != 0 for name in ("key_frame", "channel")]
    is_first = steps[0] | steps[1]
    if not is_first.all():
        dropped["further sensor readings of a channel in the same key frame"] += int((~is_first).sum())
        readings = readings.filter(pl.Series(is_first))
    return readings.drop("channel")


def _sensor_table(
    readings: pl.DataFrame, poses: NDArray[np.float64], by_calibration: pl.DataFrame, key_frames: KeyFrames
) -> pl.DataFrame:
    key_frame, pose = readings["key_frame"].to_numpy(), readings["pose"].to_numpy()
    names = pl.Series("scene", [scene.name for scene in key_frames.scenes], dtype=pl.String)
    columns = [
        *(readings[name] for name in ("key_frame", "token", "file", "timestamp_us", "pose_token", "width", "height")),
        names.gather(key_frames.scene[key_frame]),
        pl.Series("frame", key_frames.frame[key_frame], dtype=pl.Int32),
        *(pl.Series(f"pose_{name}", poses[pose, index]) for index, name in enumerate(_POSE_COLUMNS)),
        *(column.gather(readings["calibration"]) for column in by_calibration),
    ]
    return pl.DataFrame(columns).select("key_frame", *SENSORS_SCHEMA)


def _reference_rows(table: pl.DataFrame, channel: str, key_frames: KeyFrames, reader: TableReader) -> NDArray[np.int64]:
    rows = np.flatnonzero((table["channel"] == channel).to_numpy())
    numbers = table["key_frame"].to_numpy()[rows]
    missing = np.setdiff1d(np.arange(len(key_frames.samples)), numbers)
    if len(missing):
        number = int(missing[0])
        raise InputError(
            f"{key_frames.place(number)} has no usable key-frame reading of {channel}, whose pose it needs"
            f" ({len(missing)} of {len(key_frames.samples)} key frames lack one).",
            path=reader.path("sample_data"),
            row=f"sample {key_frames.samples[number].token}",
            remedy="Mend the tables, or name another sensor with --reference-channel.",
        )
    return rows
