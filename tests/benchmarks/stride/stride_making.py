"""Simulated scenes with cameras that took no pictures, and candidates of a template, for tests of STRIDE."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import polars as pl

from probe4d.scenes.simulator.camera import CAMERAS, HEIGHT, WIDTH
from probe4d.scenes.tables import SENSORS_SCHEMA, Scenes

__all__ = ["pool_of", "shuffled", "with_cameras"]


def with_cameras(scenes: Scenes) -> Scenes:
    """The scenes with readings of the simulator's six cameras at each key frame; there are no image files."""
    poses = [name for name in SENSORS_SCHEMA if name.startswith("pose_")]
    readings = [
        scenes.keyframes.select(
            "scene",
            "frame",
            "timestamp_us",
            *poses,
            channel=pl.lit(channel),
            modality=pl.lit("camera"),
            token=pl.format(f"{channel}-{{}}-{{}}", "scene", "frame"),
            file=pl.format(f"samples/{channel}/{{}}-{{}}.jpg", "scene", "frame"),
            **{f"sensor_{axis}": pl.lit(value) for axis, value in zip("xyz", camera.position, strict=True)},
            **{f"sensor_q{axis}": pl.lit(value) for axis, value in zip("wxyz", camera.rotation, strict=True)},
            intrinsics=pl.lit([value for row in camera.intrinsic for value in row]),
            width=pl.lit(WIDTH),
            height=pl.lit(HEIGHT),
        )
        for channel, camera in CAMERAS.items()
    ]
    sensors = pl.concat(readings).select(pl.col(name).cast(kind) for name, kind in SENSORS_SCHEMA.items())
    return replace(scenes, sensors=pl.concat([scenes.sensors, sensors]).sort("scene", "frame", "channel"))


def shuffled(scenes: Scenes, seed: int) -> Scenes:
    """The same scenes, the rows of boxes in another order."""
    return replace(scenes, boxes=scenes.boxes.sample(fraction=1, shuffle=True, seed=seed))


def pool_of(rows: Iterable[Mapping[str, Any]]) -> pl.DataFrame:
    """Candidates (see `Candidates.pools`) of which a test says only what it is about."""
    usual: dict[str, Any] = {
        "scene": "a",
        "frame": 4,
        "track": None,
        "answer": "front",
        "options": None,
        "trajectory": None,
        "margin": None,
        "margin_unit": None,
        "facts": "{}",
        "challenge": 1.0,
        "tags": [],
        "manoeuvre": "straight on",
        "speed_change": "steady",
    }
    schema = {
        "scene": pl.String,
        "frame": pl.Int32,
        "track": pl.String,
        "answer": pl.String,
        "options": pl.List(pl.String),
        "trajectory": pl.String,
        "margin": pl.Float64,
        "margin_unit": pl.String,
        "facts": pl.String,
        "challenge": pl.Float64,
        "tags": pl.List(pl.String),
        "manoeuvre": pl.String,
        "speed_change": pl.String,
        "rank": pl.UInt64,
    }
    return pl.DataFrame([usual | {"rank": place} | dict(row) for place, row in enumerate(rows)], schema=schema)
