"""Converts Waymo's perception data into a folder in the schema of nuScenes, with two key frames a second."""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path

import polars as pl

from probe4d.origins import WAYMO_VERSIONS
from probe4d.scenes.nuscenes_writing.conversion import Conversion, Converted, Target, as_columns, convert_scenes
from probe4d.scenes.nuscenes_writing.scene_records import SceneRecord
from probe4d.scenes.nuscenes_writing.scene_writer import Box, Reading, SceneWriter, file_stem
from probe4d.scenes.nuscenes_writing.watching import Stages, unwatched
from probe4d.scenes.waymo.frames import CATEGORIES, RIDDEN, Frame, LaserLabel, Segment
from probe4d.scenes.waymo.index import PERCEPTION, index_frames
from probe4d.scenes.waymo.reading import frame_at
from probe4d.scenes.waymo_format.cameras import CHANNELS
from probe4d.scenes.waymo_format.index import FrameIndex
from probe4d.scenes.waymo_format.reading import Place, place_of
from probe4d.scenes.waymo_format.resampling import RATE_HZ
from probe4d.scenes.waymo_format.values import Unfit
from probe4d.scenes.waymo_format.writing import camera_reading, chosen_frames, faults_of, left_out, own_time_us

__all__ = ["LIDAR", "VERSION", "convert_indexed", "convert_waymo"]

VERSION = WAYMO_VERSIONS["perception"]
LIDAR = "LIDAR_TOP"
_FRONT = "FRONT"
_WITH_RIDER = "cycle.with_rider"

_README = f"""\
# Waymo's perception data in the schema of nuScenes

Converted by Probe4D (`probe4d convert waymo`) from shards of the Waymo Open Dataset, whose licence binds this folder
too: https://waymo.com/open/terms/ (non-commercial). One scene a segment, {RATE_HZ:g} key frames a second; the images in
`samples/` are the recorded JPEGs, byte for byte, and the points of {LIDAR} come from the recorded range images, where
there are any. `left_out.csv` lists what could not be read.
"""

_CATEGORIES = {
    CATEGORIES[1]: "Waymo's vehicle: a car, truck, bus, motorcycle or another, which Waymo does not say.",
    CATEGORIES[2]: "Waymo's pedestrian.",
    CATEGORIES[3]: "Waymo's sign.",
    CATEGORIES[4]: "Waymo's cyclist: a cycle with its rider, in one box.",
    CATEGORIES[0]: "An object of no type.",
}
_ATTRIBUTES = {_WITH_RIDER: "Somebody rides the cycle."}

_NO_FRONT = f"has no image of the camera {_FRONT}, whose time and pose the key frame takes"
_NO_POINTS = "has no range image of the roof LiDAR, and the first frame of the data has"


def convert_waymo(shards: Path | str, out: Path | str, *, workers: int = 1, stages: Stages = unwatched) -> Converted:
    """Write a folder of Waymo's perception shards as a dataset in the schema of nuScenes (see `convert_indexed`).

    Args:
        shards: Folder of TFRecord files, of which any subset will do.
        out: Folder of the dataset: new, empty, or with what an earlier call of the same conversion left.
        workers: Number of processes.
        stages: Begins each of the two stages, for progress bars.

    Raises:
        InputError: As `convert_indexed` and `index_frames` say.
        RunError: A file could not be written to the end.
    """
    with stages("Shards read") as done:
        index = index_frames(shards, workers=workers, found=done.expect, done=done)
    with stages("Segments converted") as done:
        return convert_indexed(index, out, workers=workers, found=done.expect, done=done)


def convert_indexed(
    index: FrameIndex,
    out: Path | str,
    *,
    workers: int = 1,
    found: Callable[[int, int], None] | None = None,
    done: Callable[[str], None] | None = None,
) -> Converted:
    """Write the segments of a folder of perception shards as a dataset that `open_scenes` opens.

    Key frames are half a second apart, counted from a segment's first frame. Where the first frame of the data has a
    range image of the roof LiDAR, key frames take their times and poses from that LiDAR, and a frame without is left
    out; else from the front camera. A frame that cannot be read is left out and listed.

    Args:
        index: The folder's frames.
        out: Folder of the dataset: new, empty, or with what an earlier call of the same conversion left.
        workers: Number of processes.
        found: Told, before anything is written, how many segments there are, and how many earlier calls finished.
        done: Told of each segment that was written.

    Raises:
        InputError: `out` holds something else or a conversion of other shards, no frame can be used, or a shard has
            changed since it was indexed.
        RunError: A file could not be written to the end.
    """
    segments = index.frames.group_by("sequence", maintain_order=True)
    return convert_scenes(
        out,
        Conversion(data=PERCEPTION.title, shards=index.fingerprint),
        Target(
            dataset=PERCEPTION.name,
            version=VERSION,
            modalities={LIDAR: "lidar"} | dict.fromkeys(CHANNELS.values(), "camera"),
            readme=_README,
            categories=_CATEGORIES,
            attributes=_ATTRIBUTES,
        ),
        {str(name): chosen_frames(frames) for (name,), frames in segments},
        functools.partial(_record, shards=index.root, has_points=_has_points(index)),
        faults=faults_of(index),
        workers=workers,
        found=found,
        done=done,
    )


def _has_points(index: FrameIndex) -> bool:
    """Whether the first frame that can be read has points."""
    for place in place_of(index.frames):
        try:
            return frame_at(index.root, place).points is not None
        except Unfit:
            continue
    return False


def _record(
    scene: str, segment: tuple[pl.DataFrame, pl.DataFrame], root: Path, *, shards: Path, has_points: bool
) -> SceneRecord:
    """Write the files of a segment, of which `chosen_frames` gave frames and what is left out, and give its rows."""
    frames, without = segment
    lost: list[tuple[Place, str]] = []
    writer = SceneWriter(root, PERCEPTION.name, scene, vehicle="Waymo")
    for place in place_of(frames):
        try:
            frame = frame_at(shards, place)
            if has_points and frame.points is None:
                raise Unfit(_NO_POINTS)
            if not has_points and _FRONT not in frame.cameras:
                raise Unfit(_NO_FRONT)
        except Unfit as unfit:
            lost.append((place, str(unfit)))
        else:
            writer.describe(frame.segment.location, _description(frame.segment))
            _key_frame(writer, f"{file_stem(scene)}-{place.frame:03d}", frame, has_points=has_points)
    return writer.finish({"left_out": as_columns(pl.concat([without, left_out(lost)]))})


def _key_frame(writer: SceneWriter, stem: str, frame: Frame, *, has_points: bool) -> None:
    own_us = frame.timestamp_us
    index = writer.key_frame(own_us if has_points else own_time_us(frame.cameras[_FRONT], own_us))
    if has_points and frame.points is not None:
        scan = Reading(
            file=f"{stem}__{LIDAR}.pcd.bin",
            content=frame.points.values.astype("<f4").tobytes(),
            timestamp_us=frame.timestamp_us,
            global_SE3_ego=frame.global_SE3_ego,
            ego_SE3_sensor=frame.points.ego_SE3_lidar,
        )
        writer.reading(index, LIDAR, scan)
    for channel, camera in frame.cameras.items():
        pose = frame.global_SE3_ego if camera.global_SE3_ego is None else camera.global_SE3_ego
        file = f"{stem}__{channel}.jpg"
        writer.reading(index, channel, camera_reading(camera, file, own_time_us(camera, own_us), pose))
    writer.boxes(index, [_box(label, frame) for label in frame.labels])


def _box(label: LaserLabel, frame: Frame) -> Box:
    return Box(
        track=label.track,
        category=label.category,
        global_SE3_box=frame.global_SE3_ego.compose(label.ego_SE3_box),
        size=label.size,
        lidar_points=label.lidar_points,
        attributes=(_WITH_RIDER,) if label.category == RIDDEN else (),
    )


def _description(segment: Segment) -> str:
    """Time of day and weather, as far as they are known."""
    return ", ".join(word for word in (segment.time_of_day, segment.weather) if word)
