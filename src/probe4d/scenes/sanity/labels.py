"""Rules about what is said of boxes beside their geometry."""

from __future__ import annotations

import polars as pl

from probe4d.scenes.sanity.dataset import Dataset
from probe4d.scenes.sanity.rule import Severity, rule

CATEGORIES = frozenset(
    {
        "animal",
        "human.pedestrian.adult",
        "human.pedestrian.child",
        "human.pedestrian.construction_worker",
        "human.pedestrian.personal_mobility",
        "human.pedestrian.police_officer",
        "human.pedestrian.stroller",
        "human.pedestrian.wheelchair",
        "movable_object.barrier",
        "movable_object.debris",
        "movable_object.pushable_pullable",
        "movable_object.trafficcone",
        "static_object.bicycle_rack",
        "vehicle.bicycle",
        "vehicle.bus.bendy",
        "vehicle.bus.rigid",
        "vehicle.car",
        "vehicle.construction",
        "vehicle.emergency.ambulance",
        "vehicle.emergency.police",
        "vehicle.motorcycle",
        "vehicle.trailer",
        "vehicle.truck",
    }
)
"""The 23 categories of nuScenes (Sec. 3)."""

ATTRIBUTES = frozenset(
    {
        "cycle.with_rider",
        "cycle.without_rider",
        "pedestrian.moving",
        "pedestrian.sitting_lying_down",
        "pedestrian.standing",
        "vehicle.moving",
        "vehicle.parked",
        "vehicle.stopped",
    }
)
"""The eight attributes of nuScenes."""

LEVELS = frozenset({"v0-40", "v40-60", "v60-80", "v80-100"})
"""The four levels of visibility of nuScenes, in per cent seen by all cameras together."""


def _others(names: pl.Series, known: frozenset[str]) -> pl.Series:
    return names.filter(~names.is_in(list(known)))


@rule(
    "ANN001",
    "visibility-missing",
    Severity.WARNING,
    "A box has no visibility.",
    "Nothing, if the dataset has none; rules that need visibility leave such boxes out.",
    needs=("sample_annotation", "visibility"),
)
def _visibility_missing(data: Dataset) -> pl.Series:
    return data["sample_annotation"].filter(pl.col("visibility") < 0)["token"]


@rule(
    "ANN002",
    "visibility-level-unknown",
    Severity.WARNING,
    "A level of visibility is none of v0-40, v40-60, v60-80, v80-100.",
    "Nothing; boxes of this level count as of unknown visibility.",
    needs=("visibility",),
)
def _visibility_level_unknown(data: Dataset) -> pl.Series:
    return _others(data["visibility"]["level"], LEVELS)


@rule(
    "ANN003",
    "category-unknown",
    Severity.WARNING,
    "A category of a track is none of the 23 of nuScenes.",
    "Nothing, if it is meant; its objects belong to none of the ten classes unless its name starts like theirs.",
    needs=("instance", "category"),
)
def _category_unknown(data: Dataset) -> pl.Series:
    used = data["category"]["name"].gather(data["instance"]["category"].drop_nulls().unique().sort())
    return _others(used, CATEGORIES)


@rule(
    "ANN004",
    "attribute-unknown",
    Severity.INFO,
    "An attribute is none of the eight of nuScenes.",
    "Nothing, if it is meant; rules that need attributes look for the eight.",
    needs=("attribute",),
)
def _attribute_unknown(data: Dataset) -> pl.Series:
    return _others(data["attribute"]["name"], ATTRIBUTES)


@rule(
    "ANN005",
    "box-without-lidar-points",
    Severity.INFO,
    "A box holds no LiDAR return.",
    "Nothing; questions leave such boxes out (--min-lidar-points).",
    needs=("sample_annotation",),
)
def _box_without_lidar_points(data: Dataset) -> pl.Series:
    return data["sample_annotation"].filter(pl.col("num_lidar_pts") == 0)["token"]


@rule(
    "ANN006",
    "lidar-points-not-counted",
    Severity.WARNING,
    "A box does not say how many LiDAR returns it holds.",
    "Count them; until then such boxes are kept whether the LiDAR saw them or not.",
    needs=("sample_annotation",),
)
def _lidar_points_not_counted(data: Dataset) -> pl.Series:
    return data["sample_annotation"].filter(pl.col("num_lidar_pts").is_null())["token"]


@rule(
    "ANN007",
    "keyframe-without-boxes",
    Severity.INFO,
    "A key frame of an annotated dataset has no box.",
    "Check that it was annotated; questions take it that nothing was there.",
    needs=("sample", "sample_annotation"),
    whole=("sample_annotation",),
)
def _keyframe_without_boxes(data: Dataset) -> pl.Series:
    used = data["sample_annotation"]["sample"].drop_nulls().unique()
    frames = data.frames.filter(~pl.col("sample").is_in(used.implode()))
    return frames["token"] if len(used) else frames["token"].clear()
