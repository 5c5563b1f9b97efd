"""How the ego vehicle and the objects around it move from key frame to key frame, as tables that suites share."""

from __future__ import annotations

import numpy as np
import polars as pl

from probe4d.scenes.geometry import SE3, rotation_of_quaternion, yaw_of_rotation
from probe4d.scenes.tables import Scenes

__all__ = ["EGO_SCHEMA", "OBJECTS_SCHEMA", "ego_of", "ego_poses", "objects_of", "with_velocity", "words_of"]

EGO_SCHEMA: dict[str, pl.DataType] = {
    "scene": pl.String(),
    "frame": pl.Int32(),
    "timestamp_us": pl.Int64(),
    "x_m": pl.Float64(),  # global
    "y_m": pl.Float64(),
    "z_m": pl.Float64(),
    "qw": pl.Float64(),  # global_SE3_ego
    "qx": pl.Float64(),
    "qy": pl.Float64(),
    "qz": pl.Float64(),
    "yaw_rad": pl.Float64(),  # global
    "speed_mps": pl.Float64(),  # along the global plane, from the previous key frame to this; null at the first
    "velocity_x_mps": pl.Float64(),  # over ground, from the previous key frame, in the axes of this one's ego frame
    "velocity_y_mps": pl.Float64(),
}

OBJECTS_SCHEMA: dict[str, pl.DataType] = {
    "scene": pl.String(),
    "frame": pl.Int32(),
    "track": pl.String(),
    "box": pl.String(),  # token
    "category": pl.String(),
    "label": pl.String(),  # one of probe4d.scenes.classes.CLASSES, or null
    "words": pl.String(),  # what a sentence calls it
    "ego_x_m": pl.Float64(),  # centre in the ego frame of its key frame
    "ego_y_m": pl.Float64(),
    "bottom_m": pl.Float64(),  # of its lower side above the plane of the ego vehicle's wheels
    "yaw_rad": pl.Float64(),  # heading in the ego frame
    "length_m": pl.Float64(),
    "width_m": pl.Float64(),
    "x_m": pl.Float64(),  # centre, global
    "y_m": pl.Float64(),
    "z_m": pl.Float64(),
    "velocity_x_mps": pl.Float64(),  # over ground, from the previous key frame, in the axes of this one's ego frame
    "velocity_y_mps": pl.Float64(),
    "lidar_points": pl.Int32(),
    "visibility": pl.UInt8(),
    "range_m": pl.Float64(),  # of its centre from the ego origin, in the plane
}

_WORDS = {"vehicle.emergency.police": "police vehicle", "movable_object.pushable_pullable": "pushable object"}
"""Where the last part of a category says too little."""


def ego_poses(ego: pl.DataFrame) -> SE3:
    """Poses `global_SE3_ego` of rows of `EGO_SCHEMA`, n of them."""
    return SE3.from_quaternion(
        ego.select("qw", "qx", "qy", "qz").to_numpy(), ego.select("x_m", "y_m", "z_m").to_numpy()
    )


def ego_of(scenes: Scenes) -> pl.DataFrame:
    """The ego vehicle at every key frame, columns of `EGO_SCHEMA`."""
    poses = scenes.keyframes.select(
        "scene",
        "frame",
        "timestamp_us",
        **{f"{axis}_m": pl.col(f"pose_{axis}") for axis in "xyz"},
        **{name: pl.col(f"pose_{name}") for name in ("qw", "qx", "qy", "qz")},
    ).sort("scene", "frame")
    return with_velocity(
        poses.with_columns(yaw_rad=pl.Series(yaw_of_rotation(ego_poses(poses).rotation), dtype=pl.Float64)), ["scene"]
    ).select(*EGO_SCHEMA)


def objects_of(scenes: Scenes, ego: pl.DataFrame) -> pl.DataFrame:
    """The annotated objects, columns of `OBJECTS_SCHEMA`: one row a track and key frame, sorted by scene, track, frame.

    Args:
        scenes: The scenes.
        ego: What `ego_of` gives for them.
    """
    boxes = scenes.boxes.select(
        "scene",
        "frame",
        "track",
        "category",
        "label",
        "lidar_points",
        "visibility",
        box="token",
        words=pl.col("label").fill_null(words_of()),
        ego_x_m="ego_x",
        ego_y_m="ego_y",
        bottom_m=pl.col("ego_z") - pl.col("height") / 2,
        yaw_rad="ego_yaw",
        length_m="length",
        width_m="width",
        x_m="x",
        y_m="y",
        z_m="z",
        range_m=(pl.col("ego_x").pow(2) + pl.col("ego_y").pow(2)).sqrt(),
    )
    # A track has one place at a key frame: where a dataset annotates it there more than once, the nearest.
    single = boxes.sort("scene", "track", "frame", "range_m", "box").unique(
        ["scene", "track", "frame"], keep="first", maintain_order=True
    )
    times = ego.select("scene", "frame", "timestamp_us", "qw", "qx", "qy", "qz")
    timed = single.join(times, on=["scene", "frame"], how="left", maintain_order="left")
    return with_velocity(timed, ["scene", "track"]).select(*OBJECTS_SCHEMA)


def words_of() -> pl.Expr:
    """What a sentence calls an object by its category: the last part in words, or more where that says too little."""
    last_part = pl.col("category").str.split(".").list.last().str.replace_all("_", " ")
    return pl.col("category").replace_strict(_WORDS, default=last_part, return_dtype=pl.String)


def with_velocity(rows: pl.DataFrame, thing: list[str]) -> pl.DataFrame:
    """Add speed and velocity from the row before, of the same thing and the previous key frame.

    Args:
        rows: Rows sorted by thing and frame: columns frame, timestamp_us, x_m, y_m, z_m, and the rotation of the ego
            frame of each: qw, qx, qy, qz.
        thing: Columns that tell things apart.
    """
    follows = pl.all_horizontal(pl.col(name) == pl.col(name).shift(1) for name in thing) & (
        pl.col("frame") == pl.col("frame").shift(1) + 1
    )
    elapsed_s = (pl.col("timestamp_us") - pl.col("timestamp_us").shift(1)) * 1e-6
    moved = rows.select(
        pl.when(follows & (elapsed_s > 0)).then((pl.col(name) - pl.col(name).shift(1)) / elapsed_s).alias(name)
        for name in ("x_m", "y_m", "z_m")
    ).to_numpy()
    rotation = rotation_of_quaternion(rows.select("qw", "qx", "qy", "qz").to_numpy())
    velocity = np.einsum("nji,nj->ni", rotation, moved)  # turned back
    return rows.with_columns(
        speed_mps=pl.Series(np.hypot(moved[:, 0], moved[:, 1]), dtype=pl.Float64).fill_nan(None),
        velocity_x_mps=pl.Series(velocity[:, 0], dtype=pl.Float64).fill_nan(None),
        velocity_y_mps=pl.Series(velocity[:, 1], dtype=pl.Float64).fill_nan(None),
    )
