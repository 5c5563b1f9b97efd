"""Signals of camera-only data: objects as they were estimated, poses as they were recorded or integrated (App. A.1)."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from probe4d.benchmarks.stride.lines import Lines
from probe4d.benchmarks.stride.signals import LABELS_SCHEMA, TARGETS_SCHEMA, Signals
from probe4d.benchmarks.stride.thresholds import HISTORY_FRAMES
from probe4d.benchmarks.stride.waymo.driving import Driving
from probe4d.benchmarks.stride.waymo.situations import situations_of
from probe4d.benchmarks.stride.waymo.thresholds import (
    ESTIMATED_APPROACH_MPS,
    ESTIMATED_SPEED_CHANGE_MPS,
    ESTIMATED_STILL_MPS,
    ESTIMATED_TURN_DEG,
    LEAST_TARGET_PART,
    MOST_ESTIMATED_RANGE_M,
)
from probe4d.benchmarks.tracked_motion import OBJECTS_SCHEMA, ego_of, with_velocity, words_of
from probe4d.scenes.estimated.prediction import ego_poses, global_places
from probe4d.scenes.estimated.road_users import Kind, road_user
from probe4d.scenes.geometry import SE3
from probe4d.scenes.tables import Scenes

__all__ = ["ESTIMATED", "EstimatedSignals", "as_points", "estimated_signals", "standing_on"]

ESTIMATED = Lines(ESTIMATED_STILL_MPS, ESTIMATED_SPEED_CHANGE_MPS, ESTIMATED_TURN_DEG, ESTIMATED_APPROACH_MPS)
"""Where the motion of estimated objects is told apart."""

_MISPLACED = "detected objects that are nowhere on flat ground, or that a border of their image cuts off"
_KEY = ["scene", "frame", "track"]
_BOUNDS = {"left": "width", "top": "height", "right": "width", "bottom": "height"}
_GROUPS: dict[Kind, str] = {
    "vehicle": "vehicle",
    "two-wheeler": "vehicle",
    "pedestrian": "human",
    "thing": "movable_object",
}
"""First parts of nuScenes' categories, by which road users are told from other things."""


@dataclass(frozen=True, eq=False, kw_only=True)
class EstimatedSignals(Signals):
    """What scenes of WOD-E2E let the rules measure.

    Objects are where the lower edge of their box meets flat ground: they have a place and no size, heading, height or
    visibility, which are null. Those without a place, and those that a border of the image cuts off, which are
    misplaced, are in `boxes` alone.

    Attributes:
        boxes: Columns of `ESTIMATED_OBJECTS_SCHEMA`.
        driving: The tables of driving.
        clusters: The scenario clusters that SC-7 offers.
        positions: Future positions 0.5 s apart that TRJ-5 asks for.
    """

    boxes: pl.DataFrame
    driving: Driving
    clusters: tuple[str, ...]
    positions: int


def estimated_signals(
    scenes: Scenes,
    labels: pl.DataFrame | None = None,
    *,
    objects: pl.DataFrame,
    driving: Driving,
    clusters: tuple[str, ...],
    positions: int,
    seed: int = 42,
) -> EstimatedSignals:
    """Measure the signals of some scenes.

    Targets are placed objects up to `MOST_ESTIMATED_RANGE_M` away, placed in the query frame and all `HISTORY_FRAMES`
    before it, whose box is high enough in the query frame.

    Args:
        scenes: The scenes.
        labels: Columns of `LABELS_SCHEMA`; null where there are none.
        objects: Columns of `ESTIMATED_OBJECTS_SCHEMA`; those of other scenes are left out.
        driving: The tables of driving of these scenes or more.
        clusters: The scenario clusters that SC-7 offers.
        positions: Future positions that TRJ-5 asks for.
        seed: Seed of the draws that rules make.
    """
    ego = ego_of(scenes)
    boxes = objects.filter(pl.col("scene").is_in(pl.Series(scenes.names, dtype=pl.String).implode()))
    placed = _placed(boxes, scenes, ego)
    known = driving.of(scenes)
    given = pl.DataFrame(schema=LABELS_SCHEMA) if labels is None else labels
    return EstimatedSignals(
        ego=ego,
        objects=placed.select(*OBJECTS_SCHEMA),
        targets=_targets(placed),
        labels=given.filter(pl.col("scene").is_in(scenes.scenes["scene"].implode())),
        seed=seed,
        lines=ESTIMATED,
        told=situations_of(known.frames),
        dropped={_MISPLACED: boxes.height - placed.height},
        boxes=boxes,
        driving=known,
        clusters=clusters,
        positions=positions,
    )


def as_points(signals: EstimatedSignals) -> EstimatedSignals:
    """The same with objects as footprints without extent: what a rule of outlines can measure of a place."""
    point = {name: pl.lit(0.0) for name in ("length_m", "width_m", "yaw_rad")}
    return replace(
        signals, objects=signals.objects.with_columns(**point), targets=signals.targets.with_columns(**point)
    )


def standing_on(signals: EstimatedSignals, still_mps: float, frames: int) -> EstimatedSignals:
    """The same with objects that stand kept where they are for some key frames after they are seen last.

    A camera that looks ahead loses what the vehicle passes; what stands is still known to be there.

    Args:
        signals: The signals.
        still_mps: Speed below which an object stands.
        frames: Key frames for which it is kept.
    """
    last = pl.col("frame").max().over("scene", "track")
    speed = (pl.col("velocity_x_mps").pow(2) + pl.col("velocity_y_mps").pow(2)).sqrt()
    seen_last = signals.objects.filter((pl.col("frame") == last) & (speed < still_mps))
    if seen_last.is_empty():
        return signals
    kept = pl.concat(seen_last.with_columns(pl.col("frame") + step) for step in range(1, frames + 1)).drop(
        "ego_x_m", "ego_y_m", "range_m", "velocity_x_mps", "velocity_y_mps"
    )
    poses = kept.join(signals.ego, on=["scene", "frame"], how="inner", maintain_order="left", suffix="_ego")
    ego_SE3_global = SE3.from_quaternion(
        poses.select("qw", "qx", "qy", "qz").to_numpy(), poses.select("x_m_ego", "y_m_ego", "z_m_ego").to_numpy()
    ).inverse()
    places = ego_SE3_global.apply(poses.select("x_m", "y_m", "z_m").to_numpy())
    more = poses.with_columns(
        ego_x_m=pl.Series(places[:, 0], dtype=pl.Float64),
        ego_y_m=pl.Series(places[:, 1], dtype=pl.Float64),
        range_m=pl.Series(np.hypot(places[:, 0], places[:, 1]), dtype=pl.Float64),
        velocity_x_mps=pl.lit(0.0),
        velocity_y_mps=pl.lit(0.0),
    ).select(*OBJECTS_SCHEMA)
    return replace(signals, objects=pl.concat([signals.objects, more]).sort("scene", "track", "frame"))


def _placed(boxes: pl.DataFrame, scenes: Scenes, ego: pl.DataFrame) -> pl.DataFrame:
    """Objects with a place, columns of `OBJECTS_SCHEMA` and those of `TARGETS_SCHEMA`, sorted as signals are."""
    poses = (f"pose_{part}" for part in ("x", "y", "z", "qw", "qx", "qy", "qz"))
    readings = scenes.sensors.select("scene", "frame", "channel", "width", "height", *poses)
    known = (
        boxes.filter(pl.col("distance_m").is_not_null() & ~pl.col("is_cut_off"))
        .join(readings, on=["scene", "frame", "channel"], how="left", maintain_order="left")
        .join(
            ego.select("scene", "frame", "timestamp_us", "qw", "qx", "qy", "qz"),
            on=["scene", "frame"],
            how="left",
            maintain_order="left",
        )
        .sort("scene", "track", "frame")
    )
    places = global_places(known, ego_poses(known))
    words = {word: road_user(word) for word in known["category"].unique()}
    categories = {
        word: word if user is None or "." in word else f"{_GROUPS[user.kind]}.{word}" for word, user in words.items()
    }
    missing = {name: pl.lit(None, OBJECTS_SCHEMA[name]) for name in OBJECTS_SCHEMA if name not in _ESTIMATED}
    bounds = {side: pl.col(f"{side}_px") / pl.col(size) for side, size in _BOUNDS.items()}
    rows = known.with_columns(
        ego_x_m="x_m",
        ego_y_m="y_m",
        range_m="distance_m",
        x_m=pl.Series(places[:, 0], dtype=pl.Float64),
        y_m=pl.Series(places[:, 1], dtype=pl.Float64),
        z_m=pl.Series(places[:, 2], dtype=pl.Float64),
        category=pl.col("category").replace_strict(categories, return_dtype=pl.String),
        **missing,
        **bounds,
    )
    return with_velocity(rows.with_columns(words=words_of()), ["scene", "track"]).select(
        *(pl.col(name).cast(kind) for name, kind in TARGETS_SCHEMA.items())
    )


_ESTIMATED = (
    *("scene", "frame", "track", "category", "label", "words", "ego_x_m", "ego_y_m", "range_m"),
    *("x_m", "y_m", "z_m", "velocity_x_mps", "velocity_y_mps"),
)
"""Columns of objects that are estimated; the others are null."""


def _targets(placed: pl.DataFrame) -> pl.DataFrame:
    seen = placed.filter(pl.col("range_m") <= MOST_ESTIMATED_RANGE_M)
    before = [seen.select("scene", "track", pl.col("frame") + step) for step in range(1, HISTORY_FRAMES + 1)]
    targets = seen.filter(pl.col("bottom") - pl.col("top") >= LEAST_TARGET_PART)
    for earlier in before:
        targets = targets.join(earlier, on=_KEY, how="semi", maintain_order="left")
    return targets.sort("scene", "track", "frame")
