"""Simulated tables with cameras that took no pictures, labels for all of them, and STRIDE benchmarks of tables."""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from mutating import Row, Tables, keep_rows

from probe4d.benchmarks.benchmark import Benchmark
from probe4d.benchmarks.stride.build import build
from probe4d.benchmarks.stride.labels import LABEL_VALUES, OF_TRACKS
from probe4d.scenes.opening import open_scenes
from probe4d.scenes.simulator.camera import CAMERAS, HEIGHT, WIDTH

__all__ = ["SCENES", "built_of", "cut_short", "labels_of", "simulated_tables"]

SCENES = ("sim-0002", "sim-0003")
"""Simulated scenes in which there are questions of every template."""


def simulated_tables(folder: Path, scenes: Sequence[str]) -> Tables:
    """The tables of some simulated scenes, with readings of the simulator's six cameras at each key frame."""
    tables: Tables = {path.stem: json.loads(path.read_bytes()) for path in sorted(folder.glob("*.json"))}
    keep_rows(tables, "scene", "name", scenes)
    keep_rows(tables, "sample", "scene_token", {row["token"] for row in tables["scene"]})
    samples = {row["token"] for row in tables["sample"]}
    keep_rows(tables, "sample_data", "sample_token", samples)
    keep_rows(tables, "ego_pose", "token", {row["ego_pose_token"] for row in tables["sample_data"]})
    keep_rows(tables, "sample_annotation", "sample_token", samples)
    keep_rows(tables, "instance", "token", {row["instance_token"] for row in tables["sample_annotation"]})
    readings = list(tables["sample_data"])
    for channel, camera in CAMERAS.items():
        mounted = {"translation": list(camera.position), "rotation": camera.rotation}
        calibration = {"token": f"{channel}-mounted", "sensor_token": channel, "camera_intrinsic": camera.intrinsic}
        tables["sensor"].append({"token": channel, "channel": channel, "modality": "camera"})
        tables["calibrated_sensor"].append({**calibration, **mounted})
        tables["sample_data"] += [_picture(reading, channel) for reading in readings]
    return tables


def _picture(reading: Row, channel: str) -> Row:
    """A reading of a camera at the time of a reading of the LiDAR, of the same ego pose."""
    file = f"samples/{channel}/{reading['token']}.jpg"
    own = {"token": f"{channel}-{reading['token']}", "calibrated_sensor_token": f"{channel}-mounted", "filename": file}
    return {**reading, **own, "fileformat": "jpg", "width": WIDTH, "height": HEIGHT, "prev": "", "next": ""}


def labels_of(root: Path, path: Path) -> Path:
    """Write labels of all scenes, and of the lane of every track, one that holds at a single key frame among them."""
    scenes = open_scenes(root)
    rows: list[tuple[Any, ...]] = []
    for place, scene in enumerate(scenes.names):
        for name, values in LABEL_VALUES.items():
            if name not in OF_TRACKS:
                rows += [(scene, "", "", name, values[place % len(values)]), (scene, 9, "", name, values[-1])]
    tracks = scenes.boxes.select("scene", "track").unique().sort("scene", "track").rows()
    lanes = LABEL_VALUES["lane"]
    rows += [(scene, "", track, "lane", lanes[place % len(lanes)]) for place, (scene, track) in enumerate(tracks)]
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(("scene", "frame", "track", "name", "value"))
        writer.writerows(rows)
    return path


def built_of(root: Path, **options: Any) -> Benchmark:
    """STRIDE questions about the scenes of a folder of tables, of all templates if none are named."""
    return build(open_scenes(root), None, **{"templates": "all", **options})


def cut_short(tables: Tables, *, key_frames: int) -> Tables:
    """The first key frames of the first scene alone."""
    short: Tables = {name: [dict(row) for row in rows] for name, rows in tables.items()}
    keep_rows(short, "scene", "name", {short["scene"][0]["name"]})
    following = {row["token"]: row["next"] for row in short["sample"]}
    chain = [short["scene"][0]["first_sample_token"]]
    while len(chain) < key_frames:
        chain.append(following[chain[-1]])
    short["scene"][0] |= {"last_sample_token": chain[-1], "nbr_samples": key_frames}
    keep_rows(short, "sample", "token", chain)
    keep_rows(short, "sample_data", "sample_token", chain)
    keep_rows(short, "ego_pose", "token", {row["ego_pose_token"] for row in short["sample_data"]})
    keep_rows(short, "sample_annotation", "sample_token", chain)
    keep_rows(short, "instance", "token", {row["instance_token"] for row in short["sample_annotation"]})
    for name in ("sample", "sample_annotation"):
        there = {row["token"] for row in short[name]}
        for row in short[name]:
            row |= {side: row[side] if row[side] in there else "" for side in ("prev", "next")}
    return short
