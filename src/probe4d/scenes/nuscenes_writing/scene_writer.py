"""Writes the sensor files of one scene, and collects its rows of the nuScenes tables."""

from __future__ import annotations

import re
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from probe4d.scenes.geometry import SE3
from probe4d.scenes.nuscenes_writing.rows import TABLES, Row, Rows, encode_rows, linked, token
from probe4d.scenes.nuscenes_writing.scene_records import SceneRecord
from probe4d.store.hashing import digest

__all__ = ["Box", "Reading", "SceneWriter", "file_stem"]

_PLAIN_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,99}")


@dataclass(frozen=True)
class Reading:
    """What a sensor read at a key frame.

    Attributes:
        file: Name of its file, without folders.
        content: Bytes of the file.
        timestamp_us: Its own time.
        global_SE3_ego: The vehicle's pose at that time.
        ego_SE3_sensor: Extrinsics.
        intrinsics: Camera matrix in pixels, shape (3, 3); null of other sensors.
        distortion: k1, k2, p1, p2, k3 as OpenCV has them; null where there is none. It stands in the calibration
            under `camera_distortion`, which is no field of nuScenes.
        width: Of the image, pixels; null where it is not known.
        height: Of the image, pixels; null where it is not known.
    """

    file: str
    content: bytes
    timestamp_us: int
    global_SE3_ego: SE3
    ego_SE3_sensor: SE3
    intrinsics: NDArray[np.float64] | None = None
    distortion: NDArray[np.float64] | None = None
    width: int | None = None
    height: int | None = None


@dataclass(frozen=True)
class Box:
    """An annotated box of a key frame.

    Attributes:
        track: Id of the object, in the scene.
        category: Dotted name.
        global_SE3_box: Its pose, x along the length.
        size: Length, width, height, metres.
        lidar_points: LiDAR returns on it; null where it is not known.
        attributes: Names of attributes.
    """

    track: str
    category: str
    global_SE3_box: SE3
    size: tuple[float, float, float]
    lidar_points: int | None
    attributes: tuple[str, ...] = ()


class SceneWriter:
    """Writes the files of a scene below a dataset's folder; `finish` gives its record.

    Args:
        folder: The dataset's folder.
        dataset: Its name, part of every token.
        name: The scene's name.
        vehicle: What recorded it.
    """

    def __init__(self, folder: Path, dataset: str, name: str, *, vehicle: str) -> None:
        self._folder, self._dataset, self._name = folder, dataset, name
        self._description = ""
        self._rows: Rows = {table: [] for table in TABLES}
        self._files: dict[str, int] = {}
        self._readings: dict[str, list[Row]] = {}
        self._calibrations: dict[str, str] = {}
        self._boxes: dict[str, list[Row]] = {}
        self._categories: dict[str, str] = {}
        log = {"token": log_token(dataset, name), "logfile": name, "vehicle": vehicle, "date_captured": ""}
        self._rows["log"].append(log | {"location": ""})

    def describe(self, location: str | None, description: str) -> None:
        """Say where the scene was recorded, null where that is not known, and what there is to say of it."""
        self._rows["log"][0]["location"] = location or ""
        self._description = description

    def key_frame(self, timestamp_us: int) -> int:
        """Begin a key frame; key frames come in the order of their times.

        Returns:
            Its index in the scene.
        """
        frame = len(self._rows["sample"])
        row = {"token": self._token("sample", frame), "timestamp": timestamp_us, "scene_token": self._token("scene")}
        self._rows["sample"].append(row)
        return frame

    def reading(self, frame: int, channel: str, reading: Reading) -> None:
        """Write a sensor's file of a key frame, and add its row, pose and calibration."""
        path = f"samples/{channel}/{reading.file}"
        target = self._folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(reading.content)  # no temporary name: nothing refers to it until the scene's record exists
        self._files[path] = zlib.crc32(reading.content)
        own = self._token("sample_data", channel, frame)
        pose = {"token": own, "timestamp": reading.timestamp_us} | _transform(reading.global_SE3_ego)
        self._rows["ego_pose"].append(pose)
        self._readings.setdefault(channel, []).append(
            {
                "token": own,
                "sample_token": self._token("sample", frame),
                "ego_pose_token": own,
                "calibrated_sensor_token": self._calibration(channel, reading),
                "timestamp": reading.timestamp_us,
                "fileformat": "jpg" if reading.intrinsics is not None else "pcd",
                "is_key_frame": True,
                "height": reading.height or 0,
                "width": reading.width or 0,
                "filename": path,
            }
        )

    def boxes(self, frame: int, boxes: Sequence[Box]) -> None:
        """Add the boxes of a key frame, each track once."""
        for box in boxes:
            self._categories.setdefault(box.track, box.category)
            length, width, height = box.size
            self._boxes.setdefault(box.track, []).append(
                {
                    "token": self._token("sample_annotation", box.track, frame),
                    "sample_token": self._token("sample", frame),
                    "instance_token": self._token("instance", box.track),
                    "visibility_token": "",
                    "attribute_tokens": [token("attribute", name) for name in box.attributes],
                    **_transform(box.global_SE3_box),
                    "size": [width, length, height],
                    "num_lidar_pts": box.lidar_points,
                    "num_radar_pts": None,
                }
            )

    def finish(self, columns: dict[str, bytes]) -> SceneRecord:
        """The scene's record.

        Args:
            columns: Tables beside those of nuScenes, as Arrow IPC, by name.
        """
        samples = linked(self._rows["sample"])
        if samples:
            self._rows["scene"].append(
                {
                    "token": self._token("scene"),
                    "log_token": self._rows["log"][0]["token"],
                    "nbr_samples": len(samples),
                    "first_sample_token": samples[0]["token"],
                    "last_sample_token": samples[-1]["token"],
                    "name": self._name,
                    "description": self._description,
                }
            )
        else:
            self._rows["log"].clear()  # a scene without key frames is none
        for readings in self._readings.values():
            self._rows["sample_data"] += linked(readings)
        for track, boxes in self._boxes.items():
            self._rows["sample_annotation"] += linked(boxes)
            self._rows["instance"].append(self._instance(track, boxes))
        return SceneRecord(self._files, {name: encode_rows(rows) for name, rows in self._rows.items()}, columns)

    def _instance(self, track: str, boxes: list[Row]) -> Row:
        return {
            "token": self._token("instance", track),
            "category_token": token("category", self._categories[track]),
            "nbr_annotations": len(boxes),
            "first_annotation_token": boxes[0]["token"],
            "last_annotation_token": boxes[-1]["token"],
        }

    def _calibration(self, channel: str, reading: Reading) -> str:
        """Token of a sensor's calibration, of which there is a row for every different one."""
        row: Row = {"sensor_token": token("sensor", channel)} | _transform(reading.ego_SE3_sensor)
        row["camera_intrinsic"] = [] if reading.intrinsics is None else reading.intrinsics.tolist()
        if reading.distortion is not None:
            row["camera_distortion"] = reading.distortion.tolist()
        key = digest(row)
        if key not in self._calibrations:
            self._calibrations[key] = self._token("calibrated_sensor", channel, key)
            self._rows["calibrated_sensor"].append({"token": self._calibrations[key]} | row)
        return self._calibrations[key]

    def _token(self, *key: object) -> str:
        return token(self._dataset, self._name, *key)


def log_token(dataset: str, scene: str) -> str:
    """Token of the log of a scene."""
    return token("log", dataset, scene)


def file_stem(scene: str) -> str:
    """What the names of a scene's files begin with: its name where that is a plain word, else a digest of it."""
    return scene if _PLAIN_NAME.fullmatch(scene) else token("file", scene)


def _quaternion(rotation: NDArray[np.float64]) -> list[float]:
    """Quaternion w-x-y-z of a rotation matrix, shape (3, 3), with w not negative."""
    x, y, z, w = Rotation.from_matrix(rotation).as_quat(canonical=True)
    return [float(w), float(x), float(y), float(z)]


def _transform(target_SE3_source: SE3) -> Row:
    return {
        "translation": [float(value) for value in target_SE3_source.translation],
        "rotation": _quaternion(target_SE3_source.rotation),
    }
