"""The signals that the rules of STRIDE measure: ego motion, objects around, and who may be asked about (App. A.1).

Tables of one kind for every dataset; what a dataset does not say is null, and the rules that need it give no answer.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import polars as pl

from probe4d.benchmarks.stride.lines import ANNOTATED, Lines
from probe4d.benchmarks.stride.thresholds import (
    COUNTED_IMAGE_HEIGHT_PX,
    HISTORY_FRAMES,
    LEAST_TARGET_HEIGHT_PX,
    MOST_RANGE_M,
)
from probe4d.scenes.geometry import SE3, rotation_of_quaternion, yaw_of_rotation
from probe4d.scenes.image_boxes import image_boxes
from probe4d.scenes.tables import Scenes

__all__ = [
    "EGO_SCHEMA",
    "LABELS_SCHEMA",
    "OBJECTS_SCHEMA",
    "TARGETS_SCHEMA",
    "Signals",
    "ego_of",
    "ego_poses",
    "signals_of",
    "with_velocity",
    "words_of",
]

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

TARGETS_SCHEMA: dict[str, pl.DataType] = {
    **OBJECTS_SCHEMA,
    "channel": pl.String(),  # camera whose image shows it largest
    "left": pl.Float64(),  # bounds in that image, as parts of its width and height
    "top": pl.Float64(),
    "right": pl.Float64(),
    "bottom": pl.Float64(),
}

LABELS_SCHEMA: dict[str, pl.DataType] = {
    "scene": pl.String(),
    "frame": pl.Int32(),  # null: all
    "track": pl.String(),  # null: the scene itself
    "name": pl.String(),  # weather, time_of_day, road_type or lane
    "value": pl.String(),
}

_WORDS = {"vehicle.emergency.police": "police vehicle", "movable_object.pushable_pullable": "pushable object"}
"""Where the last part of a category says too little."""


@dataclass(frozen=True, eq=False)  # the same only as itself: what is made of them can be kept for the next rule
class Signals:
    """What some scenes let the rules measure.

    Attributes:
        ego: Columns of `EGO_SCHEMA`, a row a key frame, sorted by scene and frame; the frames of a scene have no gap.
        objects: Columns of `OBJECTS_SCHEMA`, one row a track and key frame, sorted by scene, track and frame.
        targets: Columns of `TARGETS_SCHEMA`: the objects that questions may be asked about, in the same order.
        labels: Columns of `LABELS_SCHEMA`: what people or other tools say of scenes and objects.
        seed: Seed of the draws that rules make.
        lines: Where the motion of objects is told apart.
        told: Columns of `tags.TOLD_SCHEMA`: situations that the data itself gives to key frames; null without.
        dropped: Number of objects of the data that are not among them, by reason.
    """

    ego: pl.DataFrame
    objects: pl.DataFrame
    targets: pl.DataFrame
    labels: pl.DataFrame
    seed: int = 42
    lines: Lines = ANNOTATED
    told: pl.DataFrame | None = None
    dropped: Mapping[str, int] = field(default_factory=dict)


def signals_of(scenes: Scenes, labels: pl.DataFrame | None = None, *, seed: int = 42) -> Signals:
    """Measure the signals of annotated scenes; a few scenes at a time, since all boxes meet all cameras.

    Targets are objects with at least one LiDAR return, or an unknown number, at most `MOST_RANGE_M` away, annotated in
    the query frame and all `HISTORY_FRAMES` before it, that show in an image, `LEAST_TARGET_HEIGHT_PX` high or more.

    Args:
        scenes: The scenes. Without camera readings there are no targets, since no picture could show them.
        labels: Columns of `LABELS_SCHEMA` (see `labels.read_labels`); null where there are none.
        seed: Seed of the draws that rules make.

    Raises:
        InputError: A camera reading has no image size, or no intrinsics of a pinhole camera.
    """
    ego = ego_of(scenes)
    objects = _objects(scenes, ego)
    given = pl.DataFrame(schema=LABELS_SCHEMA) if labels is None else labels
    return Signals(
        ego=ego,
        objects=objects,
        targets=_targets(objects, scenes),
        labels=given.filter(pl.col("scene").is_in(scenes.scenes["scene"].implode())),
        seed=seed,
    )


def ego_poses(ego: pl.DataFrame) -> SE3:
    """Poses `global_SE3_ego` of rows of `Signals.ego`, n of them."""
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


def _objects(scenes: Scenes, ego: pl.DataFrame) -> pl.DataFrame:
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


def _targets(objects: pl.DataFrame, scenes: Scenes) -> pl.DataFrame:
    thing = ["scene", "track"]
    whole_history = pl.all_horizontal(pl.col(name) == pl.col(name).shift(HISTORY_FRAMES) for name in thing) & (
        pl.col("frame") == pl.col("frame").shift(HISTORY_FRAMES) + HISTORY_FRAMES
    )
    eligible = objects.filter(
        whole_history.fill_null(value=False)
        & (pl.col("range_m") <= MOST_RANGE_M)
        & (pl.col("lidar_points").is_null() | (pl.col("lidar_points") >= 1))
    )
    return (
        eligible.join(_largest_views(scenes), left_on=["scene", "frame", "box"], right_on=["scene", "frame", "token"])
        .sort("scene", "track", "frame")
        .select(*TARGETS_SCHEMA)
    )


def _largest_views(scenes: Scenes) -> pl.DataFrame:
    """Where each box shows largest: its camera, and its bounds as parts of the image."""
    sizes = scenes.sensors.select("scene", "frame", "channel", "width", "height")
    shown = (
        image_boxes(scenes)
        .join(sizes, on=["scene", "frame", "channel"])
        .select(
            "scene",
            "frame",
            "token",
            "channel",
            left=pl.col("left_px") / pl.col("width"),
            top=pl.col("top_px") / pl.col("height"),
            right=pl.col("right_px") / pl.col("width"),
            bottom=pl.col("bottom_px") / pl.col("height"),
        )
    )
    height, width = pl.col("bottom") - pl.col("top"), pl.col("right") - pl.col("left")
    return (
        shown.filter(height * COUNTED_IMAGE_HEIGHT_PX >= LEAST_TARGET_HEIGHT_PX)
        .sort(height * width, "channel", descending=[True, False])
        .unique(["scene", "frame", "token"], keep="first", maintain_order=True)
    )
