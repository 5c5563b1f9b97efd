"""The answer rules of LiDAR-Hallu: from scenes to candidate tables with answers and the facts behind them.

Pure functions over columns (Sec. III-A and III-B of the paper). Objects are boxes of the ten classes with
enough LiDAR returns, in the ego frame at the reference LiDAR's time (x forward, y left, z up; Eq. 2);
distance and bearing are those of the box centre in the ground plane. Of two objects of one class at the
same distance the one with the smaller track token is the nearest; of two classes, the first in class order.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import polars as pl

from probe4d.benchmarks.annotated_sector import AnnotatedSector
from probe4d.scenes.classes import CLASSES
from probe4d.scenes.geometry import SECTORS, sector_index, sector_margin_deg
from probe4d.scenes.tables import Scenes

__all__ = [
    "INTERVAL_FRAMES",
    "MEASURED_OBJECT",
    "Objects",
    "class_presence",
    "measured_object",
    "measured_objects",
    "motion_pairs",
    "nearest_objects",
    "predicate_answers",
]

INTERVAL_FRAMES = 8
"""Key frames between the endpoints of a motion question, about 4 s."""

DISTANCE_STEP_M = 2.0
LATERAL_STEP_M = 1.0
SIMILAR_DISTANCE_M = 1.0
SIMILAR_LATERAL_M = 0.5

_CLASSES = pl.DataFrame(
    {"label": CLASSES, "class_order": range(len(CLASSES))}, schema_overrides={"class_order": pl.UInt8}
)
"""The ten classes in the order that breaks ties."""

MEASURED_OBJECT = pl.Struct(
    {
        "frame": pl.Int32(),
        "label": pl.String(),
        "track": pl.String(),
        "box": pl.String(),
        "x": pl.Float64(),
        "y": pl.Float64(),
        "distance_m": pl.Float64(),
        "lidar_points": pl.Int32(),
    }
)
"""A measured box as it goes into `facts`."""


class Objects(NamedTuple):
    """Measured boxes.

    Attributes:
        everywhere: All boxes that count, with columns scene, frame, label, class_order, track, box, x, y,
            distance_m, bearing_deg, sector, lidar_points; sorted by scene, frame, class_order, distance_m, track.
        annotated: Those of them inside the annotated sector; all of them without one.
        exclusions: Boxes that do not count, by reason.
    """

    everywhere: pl.DataFrame
    annotated: pl.DataFrame
    exclusions: dict[str, int]


def measured_object(suffix: str = "") -> pl.Expr:
    """The box of a row as a `MEASURED_OBJECT`; with a suffix the one at the end of a motion (see `motion_pairs`)."""
    unchanged = {"label", "track"}
    return pl.struct(
        pl.col(field.name if field.name in unchanged else field.name + suffix).alias(field.name)
        for field in MEASURED_OBJECT.fields
    )


def measured_objects(
    scenes: Scenes, *, min_lidar_points: int = 1, annotated_sector: AnnotatedSector | None = None
) -> Objects:
    """Measure every box that counts.

    A track has one place at a key frame: where a dataset annotates it there more than once with one class, the
    nearest of those boxes counts, of equally near ones the one with the smaller token.

    Args:
        scenes: The scenes.
        min_lidar_points: Fewest LiDAR returns of a box that counts; boxes whose returns are unknown count.
        annotated_sector: Bearings in which the dataset is annotated; null for all around.
    """
    boxes = scenes.boxes.select("scene", "frame", "label", "track", "lidar_points", box="token", x="ego_x", y="ego_y")
    enough = pl.col("lidar_points").is_null() | (pl.col("lidar_points") >= min_lidar_points)
    of_classes = boxes.join(_CLASSES, on="label", how="inner")
    seen = (
        of_classes.filter(enough)
        .with_columns(
            distance_m=(pl.col("x").pow(2) + pl.col("y").pow(2)).sqrt(),
            bearing_deg=pl.arctan2("y", "x").degrees(),
        )
        .sort("scene", "frame", "class_order", "distance_m", "track", "box")
    )
    everywhere = seen.unique(["scene", "frame", "class_order", "track"], keep="first", maintain_order=True)
    everywhere = everywhere.with_columns(sector=pl.Series(np.array(SECTORS)[sector_index(everywhere["bearing_deg"])]))
    annotated = everywhere
    exclusions = {
        "boxes of other categories": boxes.height - of_classes.height,
        f"boxes with fewer than {min_lidar_points} LiDAR returns": of_classes.height - seen.height,
        "boxes of a track that has a nearer box of its class at the key frame": seen.height - everywhere.height,
    }
    if annotated_sector is not None:
        annotated = everywhere.filter(annotated_sector.contains(pl.col("bearing_deg")))
        exclusions["boxes outside the annotated sector"] = everywhere.height - annotated.height
    return Objects(everywhere, annotated, {reason: n for reason, n in exclusions.items() if n})


def nearest_objects(objects: pl.DataFrame) -> pl.DataFrame:
    """The nearest object of each class at each key frame, sorted by scene, frame and distance (then class order).

    Adds `margin`: degrees from its bearing to the nearest sector border.
    """
    nearest = (
        objects.group_by("scene", "frame", "class_order", maintain_order=True)
        .first()
        .sort("scene", "frame", "distance_m", "class_order")
        .select(objects.columns)
    )
    return nearest.with_columns(margin=pl.Series(sector_margin_deg(nearest["bearing_deg"])))


def class_presence(keyframes: pl.DataFrame, nearest: pl.DataFrame, told: Sequence[str] = CLASSES) -> pl.DataFrame:
    """Whether each of the ten classes is present at each key frame.

    Args:
        keyframes: The key frames.
        nearest: The nearest objects (see `nearest_objects`).
        told: Classes that the dataset's annotations tell apart; others are never said to be absent.

    Returns:
        Columns scene, frame, present and absent (lists of labels in class order); one row a key frame.
    """
    found = nearest.select("scene", "frame", "label", present=pl.lit(True))
    return (
        keyframes.select("scene", "frame")
        .join(_CLASSES, how="cross")
        .join(found, on=["scene", "frame", "label"], how="left")
        .sort("scene", "frame", "class_order")
        .group_by("scene", "frame", maintain_order=True)
        .agg(
            present=pl.col("label").filter(pl.col("present").is_not_null()),
            absent=pl.col("label").filter(pl.col("present").is_null() & pl.col("label").is_in(list(told))),
        )
    )


def motion_pairs(nearest: pl.DataFrame, objects: pl.DataFrame) -> pl.DataFrame:
    """Follow the nearest object of each class for `INTERVAL_FRAMES` key frames.

    Args:
        nearest: The nearest objects at the start (see `nearest_objects`).
        objects: All objects; the same track and class has to be among them at the end.

    Returns:
        The columns of `nearest`, those of the end with suffix `_end`, distance_delta_m and lateral_delta_m
        (end minus start, each in its own ego frame).
    """
    ends = objects.select(
        "scene", "track", "label", pl.exclude("scene", "track", "label").name.suffix("_end")
    ).with_columns(frame=pl.col("frame_end") - INTERVAL_FRAMES)
    return nearest.join(ends, on=["scene", "track", "label", "frame"], how="inner", maintain_order="left").with_columns(
        distance_delta_m=pl.col("distance_m_end") - pl.col("distance_m"),
        lateral_delta_m=pl.col("y_end") - pl.col("y"),
    )


def predicate_answers(pairs: pl.DataFrame) -> pl.DataFrame:
    """Judge the five motion predicates, each for itself (Eq. 3).

    Returns:
        Five rows a pair, with the columns of `pairs` and: predicate, holds, margin (metres in the plane of
        distance change and lateral change from the measurement to the nearest point where the answer flips),
        below_threshold (it does not hold, though the change has the right sign).
    """
    distance, lateral = pl.col("distance_delta_m"), pl.col("lateral_delta_m")
    towards = {"closer": -distance, "farther": distance, "left": lateral, "right": -lateral}
    threshold = {"closer": DISTANCE_STEP_M, "farther": DISTANCE_STEP_M, "left": LATERAL_STEP_M, "right": LATERAL_STEP_M}
    judged = [
        pairs.with_columns(
            predicate=pl.lit(predicate),
            holds=change >= threshold[predicate],
            margin=(change - threshold[predicate]).abs(),
            below_threshold=(change > 0) & (change < threshold[predicate]),
        )
        for predicate, change in towards.items()
    ]
    inside = pl.min_horizontal(SIMILAR_DISTANCE_M - distance.abs(), SIMILAR_LATERAL_M - lateral.abs())
    beyond = [(distance.abs() - SIMILAR_DISTANCE_M).clip(0), (lateral.abs() - SIMILAR_LATERAL_M).clip(0)]
    similar = (distance.abs() < SIMILAR_DISTANCE_M) & (lateral.abs() < SIMILAR_LATERAL_M)
    judged.append(
        pairs.with_columns(
            predicate=pl.lit("similar"),
            holds=similar,
            margin=pl.when(similar).then(inside).otherwise((beyond[0].pow(2) + beyond[1].pow(2)).sqrt()),
            below_threshold=pl.lit(False),
        )
    )
    return pl.concat(judged)
