"""What a dataset records of scenes, as arrays: boxes in the global frame, and every camera at every key frame."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from probe4d.benchmarks.auditing.raw_tables import (
    BoxRow,
    CalibrationRow,
    MountedSensor,
    PoseRow,
    ReadingRow,
    are_finite,
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

__all__ = ["RecordedBoxes", "RecordedCameras", "RecordedScene", "read_scenes"]

Array = NDArray[np.float64]

_LEVELS = {"v0-40": 1, "v40-60": 2, "v60-80": 3, "v80-100": 4, "none": 1, "partial": 2, "most": 3, "full": 4}
"""Visibility levels by their names in nuScenes and in Tier IV's T4."""

_NO_POSE = (np.nan,) * 7


class RecordedBoxes(NamedTuple):
    """The boxes of a scene, B of them, in the global frame.

    Attributes:
        tokens: Tokens.
        tracks: Instance tokens.
        categories: Names of categories; null where the tables lack it.
        frame: Key frame of each, shape (B,).
        visibility: Visibility level, 0 where it is unknown, shape (B,).
        lidar_points: LiDAR returns, -1 where they are unknown, shape (B,).
        centre: Metres, shape (B, 3).
        size: Length, width and height, metres, shape (B, 3).
        quaternion: Rotation x-y-z-w of any length, shape (B, 4).
    """

    tokens: Sequence[str]
    tracks: Sequence[str]
    categories: Sequence[str | None]
    frame: NDArray[np.int64]
    visibility: NDArray[np.int64]
    lidar_points: NDArray[np.int64]
    centre: Array
    size: Array
    quaternion: Array


class RecordedCameras(NamedTuple):
    """Cameras at the F key frames of a scene, C of them; NaN where one has no usable reading.

    Attributes:
        channels: Their channels.
        ego_pose: Ego pose at the camera's own time: x, y, z in the global frame, quaternion x-y-z-w, shape (F, C, 7).
        mounting: The camera in the ego frame, likewise, shape (F, C, 7).
        intrinsics: Camera matrices in pixels, shape (F, C, 3, 3).
        size_px: Width and height of the image, shape (F, C, 2).
    """

    channels: Sequence[str]
    ego_pose: Array
    mounting: Array
    intrinsics: Array
    size_px: Array


class RecordedScene(NamedTuple):
    """A scene as recorded.

    Attributes:
        ego_pose: Ego poses of its F key frames at the reference LiDAR's times, shape (F, 7).
        boxes: The boxes.
        cameras: The cameras.
        times_us: The reference LiDAR's times, shape (F,).
    """

    ego_pose: Array
    boxes: RecordedBoxes
    cameras: RecordedCameras
    times_us: NDArray[np.int64]


class _Visibility(msgspec.Struct):
    token: str
    level: str


def read_scenes(folder: Path, *, reference_channel: str, scenes: Sequence[str]) -> Iterator[RecordedScene | None]:
    """Read some scenes, and give them one at a time.

    Tables have their rows in any order, so that those of all the scenes are read before the first is given; the boxes
    and readings of each are let go with it. Boxes that nothing can be measured of (a number that is not finite, a size
    that is not positive, a zero quaternion) are left out, as documented for builds.

    Args:
        folder: The folder of tables.
        reference_channel: Channel of the LiDAR whose poses the key frames have.
        scenes: Names of the scenes wanted.

    Yields:
        The scenes in that order; null for one that the tables do not have.

    Raises:
        InputError: A table cannot be read, a token that counts stands in two rows, a chain of key frames is
            broken, or a key frame lacks its pose.
    """
    chains = sample_chains(folder, set(scenes))
    samples = {token for chain in chains.values() for token in chain}
    sensors = {
        token: sensor
        for token, sensor in mounted_sensors(folder).items()
        if sensor.channel == reference_channel or sensor.modality == "camera"
    }
    cameras = sorted({sensor.channel for sensor in sensors.values() if sensor.modality == "camera"})
    readings = key_frame_readings(folder, sensors, samples)
    poses = usable_poses(folder, {row.ego_pose_token for there in readings.values() for row in there.values()})
    lidar = {sample: there[reference_channel] for sample, there in readings.items() if reference_channel in there}
    reference = {sample: poses[row.ego_pose_token] for sample, row in lidar.items() if row.ego_pose_token in poses}
    _refuse_lacking(chains, reference, folder, reference_channel)
    boxes = _boxes(folder, samples)
    for name in scenes:
        chain = chains.get(name)
        if chain is None:
            yield None
            continue
        yield RecordedScene(
            np.array([_numbers(reference[sample]) for sample in chain]).reshape(-1, 7),
            _boxes_of([boxes.pop(sample, []) for sample in chain]),
            _cameras_of(cameras, [readings.pop(sample, {}) for sample in chain], poses, sensors),
            np.array([lidar[sample].timestamp for sample in chain], dtype=np.int64),
        )


def _refuse_lacking(
    chains: Mapping[str, Sequence[str]], reference: Mapping[str, PoseRow], folder: Path, channel: str
) -> None:
    """Refuse key frames without the pose that places them."""
    for name, chain in chains.items():
        for sample in chain:
            if sample not in reference:
                raise InputError(
                    f"has no usable ego pose of {channel} for a key frame of {name}.",
                    path=folder,
                    row=f"sample {sample}",
                )


class _Annotated(NamedTuple):
    row: BoxRow
    category: str | None
    visibility: int


def _boxes(folder: Path, samples: Collection[str]) -> dict[str, list[_Annotated]]:
    """Boxes of each sample."""
    categories = category_names(folder)
    levels: dict[str, int] = {}
    if (folder / "visibility.json").is_file():  # other datasets of this schema have none
        levels = {row.token: _LEVELS.get(row.level, 0) for row in read_rows(folder, "visibility", _Visibility)}
    boxes: dict[str, list[_Annotated]] = {}
    for row in read_rows(folder, "sample_annotation", BoxRow):
        if row.sample_token in samples and row.instance_token in categories and is_measurable(row):
            category = categories[row.instance_token]
            found = _Annotated(row, category, levels.get(row.visibility_token or "", 0))
            boxes.setdefault(row.sample_token, []).append(found)
    tokens = (box.row.token for there in boxes.values() for box in there)
    refuse_repeated(folder / "sample_annotation.json", "token", tokens)
    return boxes


def _boxes_of(key_frames: Iterable[Sequence[_Annotated]]) -> RecordedBoxes:
    placed = [(frame, box) for frame, boxes in enumerate(key_frames) for box in boxes]
    rows = [box.row for _, box in placed]
    points = [row.num_lidar_pts for row in rows]
    sizes = np.array([row.size for row in rows], dtype=np.float64).reshape(-1, 3)
    rotations = np.array([row.rotation for row in rows], dtype=np.float64).reshape(-1, 4)
    return RecordedBoxes(
        tokens=[row.token for row in rows],
        tracks=[row.instance_token for row in rows],
        categories=[box.category for _, box in placed],
        frame=np.array([frame for frame, _ in placed], dtype=np.int64),
        visibility=np.array([box.visibility for _, box in placed], dtype=np.int64),
        lidar_points=np.array([-1 if count is None else count for count in points], dtype=np.int64),
        centre=np.array([row.translation for row in rows], dtype=np.float64).reshape(-1, 3),
        size=sizes[:, [1, 0, 2]],  # recorded as width, length, height
        quaternion=rotations[:, [1, 2, 3, 0]],
    )


def _cameras_of(
    channels: Sequence[str],
    readings: Sequence[Mapping[str, ReadingRow]],
    poses: Mapping[str, PoseRow],
    sensors: Mapping[str, MountedSensor],
) -> RecordedCameras:
    shape = (len(readings), len(channels))
    ego_pose, mounting = np.full((*shape, 7), np.nan), np.full((*shape, 7), np.nan)
    intrinsics, size_px = np.full((*shape, 3, 3), np.nan), np.full((*shape, 2), np.nan)
    for frame, there in enumerate(readings):
        for place, channel in enumerate(channels):
            row = there.get(channel)
            pose = None if row is None else poses.get(row.ego_pose_token)
            if row is None or pose is None:
                continue
            calibration = sensors[row.calibrated_sensor_token].calibration
            ego_pose[frame, place] = _numbers(pose)
            mounting[frame, place] = _numbers(calibration)
            if [len(line) for line in calibration.camera_intrinsic] == [3, 3, 3]:
                intrinsics[frame, place] = calibration.camera_intrinsic
            size_px[frame, place] = row.width or np.nan, row.height or np.nan
    return RecordedCameras(channels, ego_pose, mounting, intrinsics, size_px)


def _numbers(place: PoseRow | CalibrationRow) -> Sequence[float | None]:
    """Translation and quaternion x-y-z-w."""
    if not (are_finite(place.translation) and are_finite(place.rotation) and any(place.rotation)):
        return _NO_POSE
    w, x, y, z = place.rotation
    return *place.translation, x, y, z, w
