"""A drive in shards of WOD-E2E whose ego states, ratings, clusters and detections follow from a few ways."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
import polars as pl

from probe4d.exchange.detections import read_detections
from probe4d.scenes.estimated.estimating import estimate_objects
from probe4d.scenes.estimated.objects_file import write_objects
from probe4d.scenes.opening import open_scenes
from probe4d.scenes.tables import Scenes
from probe4d.scenes.wod_e2e.clusters import read_clusters
from probe4d.scenes.wod_e2e.conversion import convert_indexed
from probe4d.scenes.wod_e2e.index import index_frames
from waymo_making import (
    calibration,
    end_to_end,
    field,
    image,
    planar,
    record,
    small_frame,
    small_jpeg,
    states,
    transform,
    write_shard,
)

START_US = 1_700_000_000_000_000
FRAMES = 121
"""Of ten a second, of which every fifth becomes a key frame."""
FOCAL_PX, WIDTH_PX, HEIGHT_PX, CAMERA_M = 2000.0, 1920.0, 1280.0, 2.0
CAMERAS = {1: 0.0, 2: 45.0, 3: -45.0, 4: 90.0, 5: -90.0, 6: 135.0, 7: 180.0, 8: -135.0}
RATED_AT = 60
SCENES = {"drive-a": "Cut-ins", "drive-b": "Pedestrians"}

Thing = tuple[str, float, float, float, float]
"""Class, x and y in the global frame at time 0 in metres, and velocity along x and y in m/s."""


def ego_at(scene: str, time_s: float) -> tuple[float, float, float]:
    """Place and heading: one drives at 8 m/s and brakes from 8 s on, one at 6 m/s and turns left from 7 s on."""
    if scene == "drive-a":
        braking = max(time_s - 8.0, 0.0)
        braking = min(braking, 4.0)
        return 8.0 * min(time_s, 8.0) + 8.0 * braking - braking**2, 0.0, 0.0
    if time_s <= 7.0:
        return 6.0 * time_s, 0.0, 0.0
    radius, angle = 12.0, min((time_s - 7.0) * 6.0 / 12.0, 1.5)
    return 42.0 + radius * np.sin(angle), radius * (1 - np.cos(angle)), angle


THINGS: dict[str, tuple[Thing, ...]] = {
    "drive-a": (
        ("car", 30.0, 0.2, 8.0, 0.0),  # drives ahead, at the same speed
        ("car", 45.0, -4.5, 0.0, 0.0),  # stands on the right
        ("pedestrian", 100.0, -12.0, 0.0, 1.4),  # crosses
        ("truck", 120.0, 4.0, -8.0, 0.0),  # comes towards
    ),
    "drive-b": (
        ("car", 14.0, 0.0, 6.0, 0.0),
        ("car", 17.5, 0.8, 6.0, 0.0),  # half hidden behind it
        ("cyclist", 20.0, -5.0, 4.0, 0.0),
        ("pedestrian", 55.0, 3.5, 0.0, 0.0),
    ),
}


def in_ego(pose: tuple[float, float, float], x_m: float, y_m: float) -> tuple[float, float]:
    dx, dy, cosine, sine = x_m - pose[0], y_m - pose[1], np.cos(pose[2]), np.sin(pose[2])
    return cosine * dx + sine * dy, cosine * dy - sine * dx


def positions(scene: str, time_s: float, times_s: Iterable[float]) -> list[tuple[float, float]]:
    """Where the vehicle is at other times, in its frame at a time."""
    return [in_ego(ego_at(scene, time_s), *ego_at(scene, time_s + each)[:2]) for each in times_s]


def rated_positions(
    scene: str, time_s: float, *, from_now: bool
) -> list[tuple[float, Sequence[float], Sequence[float]]]:
    """Three trajectories with their scores: the driven one, half as far, and on to the left."""
    first = 0 if from_now else 1
    times = [step / 4 for step in range(first, 21)]
    driven = np.array(positions(scene, time_s, times))
    aside = driven + np.stack([np.zeros(len(times)), 0.8 * np.array(times)], axis=-1)
    return [(9.0, *driven.T.tolist()), (5.0, *(0.5 * driven).T.tolist()), (2.0, *aside.T.tolist())]


def frame_data(scene: str, number: int, *, has_pose: bool) -> bytes:
    time_s = number / 10
    pose, time_us = ego_at(scene, time_s), START_US + 100_000 * number
    images, calibrations = [], []
    for camera, bearing_deg in CAMERAS.items():
        posed = field(3, transform(planar(*pose))) if has_pose else b""
        images.append(image(camera, small_jpeg(number)) + posed + field(5, time_us / 1e6))
        mounted = planar(0.0, 0.0, float(np.radians(bearing_deg)), CAMERA_M)
        calibrations.append(calibration(camera, mounted, (FOCAL_PX, FOCAL_PX, 960.0, 640.0, 0, 0, 0, 0, 0)))
    past = np.array(positions(scene, time_s, [step / 4 for step in range(-15, 1)]))
    future = np.array(positions(scene, time_s, [step / 4 for step in range(1, 21)]))
    rated = [states(score=-1.0)]
    if number == RATED_AT:
        rated = [
            states(x, y, score=score) for score, x, y in rated_positions(scene, time_s, from_now=scene == "drive-b")
        ]
    return end_to_end(
        f"{scene}-{number:03d}",
        time_us,
        frame=small_frame(images, calibrations),
        past=states(*past.T),
        future=states(*future.T),
        intent=1,
        rated=rated,
    )


def converted_drives(folder: Path, *, has_pose: bool = True, left_out: Iterable[int] = ()) -> Scenes:
    """Shards of both scenes, converted and opened; frames that are left out leave gaps."""
    numbers = [number for number in range(FRAMES) if number not in {*left_out}]
    records = [record(frame_data(scene, number, has_pose=has_pose)) for scene in SCENES for number in numbers]
    write_shard(folder / "shards", "val-00000-of-00002", *records[::2])
    write_shard(folder / "shards", "val-00001-of-00002", *records[1::2])
    (folder / "shards" / "clusters.json").write_text(json.dumps(SCENES))
    convert_indexed(
        index_frames(folder / "shards"), folder / "data", clusters=read_clusters(folder / "shards" / "clusters.json")
    )
    return open_scenes(folder / "data")


def detections(scenes: Scenes) -> pl.DataFrame:
    """Boxes of what stands on the ground in the front camera's images, wholly in them and before the camera."""
    rows = []
    for scene, frame, time_us in scenes.keyframes.select("scene", "frame", "timestamp_us").iter_rows():
        time_s = (time_us - START_US) / 1e6
        for category, x_m, y_m, along, across in THINGS[scene]:
            x, y = in_ego(ego_at(scene, time_s), x_m + along * time_s, y_m + across * time_s)
            width, height = (0.8, 1.7) if category in ("pedestrian", "cyclist") else (2.0, 1.6)
            if x < 4 or x > 70:
                continue
            u, v = WIDTH_PX / 2 - FOCAL_PX * y / x, HEIGHT_PX / 2 + FOCAL_PX * CAMERA_M / x
            half = FOCAL_PX * width / x / 2
            box = {"left_px": u - half, "top_px": v - FOCAL_PX * height / x, "right_px": u + half, "bottom_px": v}
            if box["left_px"] > 1 and box["right_px"] < WIDTH_PX - 1 and box["top_px"] > 1 and v < HEIGHT_PX - 1:
                rows.append({"scene": scene, "frame": frame, "category": category, "confidence": 0.9} | box)
    return pl.DataFrame(rows)


def objects_file(scenes: Scenes, folder: Path) -> Path:
    """Detections as a file, and the objects that are estimated from them."""
    detections(scenes).write_csv(folder / "found.csv")
    found = read_detections(folder / "found.csv", scenes)
    write_objects(estimate_objects(scenes, found, detector="found.csv"), folder / "objects.parquet")
    return folder / "objects.parquet"
