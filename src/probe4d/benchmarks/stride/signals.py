"""The signals that the rules of STRIDE measure: ego motion, objects around, and who may be asked about (App. A.1).

Tables of one kind for every dataset; what a dataset does not say is null, and the rules that need it give no answer.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import polars as pl

from probe4d.benchmarks.stride.lines import ANNOTATED, Lines
from probe4d.benchmarks.stride.thresholds import (
    COUNTED_IMAGE_HEIGHT_PX,
    HISTORY_FRAMES,
    LEAST_TARGET_HEIGHT_PX,
    MOST_RANGE_M,
)
from probe4d.benchmarks.tracked_motion import OBJECTS_SCHEMA, ego_of, objects_of
from probe4d.scenes.image_boxes import image_boxes
from probe4d.scenes.tables import Scenes

__all__ = ["LABELS_SCHEMA", "TARGETS_SCHEMA", "Signals", "signals_of"]

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


@dataclass(frozen=True, eq=False)  # the same only as itself: what is made of them can be kept for the next rule
class Signals:
    """What some scenes let the rules measure.

    Attributes:
        ego: Columns of `tracked_motion.EGO_SCHEMA`, a row a key frame, sorted by scene and frame; the frames of a
            scene have no gap.
        objects: Columns of `tracked_motion.OBJECTS_SCHEMA`, one row a track and key frame, sorted by scene, track and
            frame.
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
    objects = objects_of(scenes, ego)
    given = pl.DataFrame(schema=LABELS_SCHEMA) if labels is None else labels
    return Signals(
        ego=ego,
        objects=objects,
        targets=_targets(objects, scenes),
        labels=given.filter(pl.col("scene").is_in(scenes.scenes["scene"].implode())),
        seed=seed,
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
