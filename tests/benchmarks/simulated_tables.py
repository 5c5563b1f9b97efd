"""Tables of simulated scenes with cameras that took no pictures, whole or cut short."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from mutating import Row, Tables, keep_rows

from probe4d.scenes.simulator.camera import CAMERAS, HEIGHT, WIDTH

__all__ = ["SIMULATED_SCENES", "cut_short", "simulated_tables"]

SIMULATED_SCENES = ("sim-0002", "sim-0003")
"""Simulated scenes in which there are questions of every template of STRIDE."""


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
