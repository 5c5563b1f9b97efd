"""Scenes of one camera that looks ahead, level, 2 m above flat ground, and boxes in its images."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
from PIL import Image

from probe4d.scenes.estimated.schema import DETECTIONS_SCHEMA
from probe4d.scenes.tables import BOXES_SCHEMA, KEYFRAMES_SCHEMA, SCENES_SCHEMA, SENSORS_SCHEMA, Scenes

WIDTH_PX, HEIGHT_PX, FOCAL_PX, CAMERA_HEIGHT_M = 1920, 1280, 2000.0, 2.0
_AXES = ("x", "y", "z", "qw", "qx", "qy", "qz")

SKEWED_US = 20_000
"""How much later than the key frame its image is taken."""


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
    keys = [(scene, frame) for scene in sorted(frames) for frame in range(frames[scene])]
    files = [f"samples/{channel}/{scene}-{frame}.jpg" for scene, frame in keys]
    if images:
        for number, file in enumerate(files):
            (root / file).parent.mkdir(parents=True, exist_ok=True)
            noise = np.random.default_rng(number).integers(0, 255, (90, 160, 3), dtype=np.uint8)
            Image.fromarray(noise).resize((WIDTH_PX, HEIGHT_PX)).save(root / file, quality=30)
    poses = {f"pose_{axis}": value for axis, value in zip(_AXES, (0, 0, 0, 1, 0, 0, 0), strict=True)}
    # x right, y down, z forward, of an ego frame x forward, y left, z up
    mounted = dict(zip(_AXES, (0, 0, CAMERA_HEIGHT_M, 0.5, -0.5, 0.5, -0.5), strict=True))
    frame_columns = pl.DataFrame(keys, schema={"scene": pl.String(), "frame": pl.Int32()}, orient="row")
    keyframes = frame_columns.with_columns(
        timestamp_us=1_000_000 + pl.col("frame").cast(pl.Int64) * period_us,
        **{name: pl.lit(float(value)) for name, value in poses.items()},
    )
    sensors = keyframes.with_columns(
        pl.lit(channel).alias("channel"),
        pl.lit("camera").alias("modality"),
        pl.Series("file", files, dtype=pl.String),
        pl.col("timestamp_us") + SKEWED_US,
        *(pl.lit(float(value)).alias(f"sensor_{axis}") for axis, value in mounted.items()),
        pl.lit([FOCAL_PX, 0.0, WIDTH_PX / 2, 0.0, FOCAL_PX, HEIGHT_PX / 2, 0.0, 0.0, 1.0]).alias("intrinsics"),
        pose_x=(pl.col("timestamp_us") + SKEWED_US) / 1e6 * speed_mps,
        width=WIDTH_PX,
        height=HEIGHT_PX,
    )
    scenes = pl.DataFrame({"scene": sorted(frames), "keyframes": [frames[name] for name in sorted(frames)]})
    return Scenes(
        root=root,
        version="v1.0-made",
        adapter="made",
        reference_channel=channel,
        fingerprint="f" * 64,
        licence="none",
        scenes=_filled(scenes, SCENES_SCHEMA),
        keyframes=_filled(keyframes, KEYFRAMES_SCHEMA),
        boxes=pl.DataFrame(schema=BOXES_SCHEMA),
        sensors=_filled(sensors, SENSORS_SCHEMA),
    )


def _filled(table: pl.DataFrame, schema: dict[str, pl.DataType]) -> pl.DataFrame:
    missing = [pl.lit(None, kind).alias(name) for name, kind in schema.items() if name not in table.columns]
    return table.with_columns(missing).select(list(schema)).cast(dict(schema))  # type: ignore[arg-type]


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
