"""Scenes of one camera that looks ahead, level, 2 m above flat ground, and boxes in its images."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
from PIL import Image

from making import scenes_of
from probe4d.scenes.estimated.schema import DETECTIONS_SCHEMA
from probe4d.scenes.tables import Scenes

WIDTH_PX, HEIGHT_PX, FOCAL_PX, CAMERA_HEIGHT_M = 1920, 1280, 2000.0, 2.0

SKEWED_US = 20_000
"""How much later than the key frame its image is taken."""

_AXES = ("x", "y", "z", "qw", "qx", "qy", "qz")
_MOUNTED = (0.0, 0.0, CAMERA_HEIGHT_M, 0.5, -0.5, 0.5, -0.5)
"""x right, y down, z forward, in an ego frame x forward, y left, z up."""


def camera_scenes(
    root: Path,
    frames: dict[str, int],
    *,
    channel: str = "CAM_FRONT",
    period_us: int = 500_000,
    speed_mps: float = 0.0,
    images: bool = False,
) -> Scenes:
    """Scenes by name with their number of key frames; with images, one is written for each key frame.

    The ego frame's origin lies on the ground below the camera, which looks along x; the vehicle drives along x.
    """
    times_us = {
        (scene, frame): 1_000_000 + frame * period_us for scene, count in frames.items() for frame in range(count)
    }
    sensors = [
        _reading(channel, speed_mps, time_us + SKEWED_US)
        | {"scene": scene, "frame": frame, "file": f"{scene}-{frame}.jpg"}
        for (scene, frame), time_us in times_us.items()
    ]
    if images:
        root.mkdir(parents=True, exist_ok=True)
        for number, reading in enumerate(sensors):
            noise = np.random.default_rng(number).integers(0, 255, (90, 160, 3), dtype=np.uint8)
            Image.fromarray(noise).resize((WIDTH_PX, HEIGHT_PX)).save(root / str(reading["file"]), quality=30)
    return scenes_of(
        [{"scene": scene, "keyframes": count} for scene, count in frames.items()],
        [{"scene": scene, "frame": frame, "timestamp_us": time_us} for (scene, frame), time_us in times_us.items()],
        sensors=sensors,
        root=root,
    )


def _reading(channel: str, speed_mps: float, time_us: int) -> dict[str, object]:
    driven = (speed_mps * time_us / 1e6, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)
    return {
        "channel": channel,
        "modality": "camera",
        "timestamp_us": time_us,
        **{f"pose_{axis}": value for axis, value in zip(_AXES, driven, strict=True)},
        **{f"sensor_{axis}": value for axis, value in zip(_AXES, _MOUNTED, strict=True)},
        "intrinsics": [FOCAL_PX, 0.0, WIDTH_PX / 2, 0.0, FOCAL_PX, HEIGHT_PX / 2, 0.0, 0.0, 1.0],
        "width": WIDTH_PX,
        "height": HEIGHT_PX,
    }


def standing(x_m: float, y_m: float, *, width_m: float = 2.0, height_m: float = 1.5) -> dict[str, float]:
    """The box of something flat that stands on the ground at a place of the ego frame and faces the camera."""
    u = WIDTH_PX / 2 - FOCAL_PX * y_m / x_m
    v = HEIGHT_PX / 2 + FOCAL_PX * CAMERA_HEIGHT_M / x_m
    half, height = FOCAL_PX * width_m / x_m / 2, FOCAL_PX * height_m / x_m
    return {"left_px": u - half, "top_px": v - height, "right_px": u + half, "bottom_px": v}


def detections(*rows: dict[str, object]) -> pl.DataFrame:
    """Rows of detections; what a row leaves out is usual: a car of scene a, key frame 0, sure by 0.9."""
    usual: dict[str, object] = {"scene": "a", "frame": 0, "channel": "CAM_FRONT", "category": "car", "confidence": 0.9}
    usual |= {"mask_quality": None, "area_px": None}
    return pl.DataFrame([usual | row for row in rows], schema=DETECTIONS_SCHEMA)
