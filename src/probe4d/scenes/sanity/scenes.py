"""Rules about scenes as wholes."""

from __future__ import annotations

import polars as pl

from probe4d.scenes.sanity.dataset import Dataset
from probe4d.scenes.sanity.rule import Severity, rule
from probe4d.scenes.splits import official_split

_RELEASED = ("v1.0-mini", "v1.0-trainval", "v1.0-test")
"""Versions whose scenes are all in an official split."""


@rule(
    "SCN001",
    "scene-without-keyframes",
    Severity.ERROR,
    "A scene has no key frame.",
    "Remove the scene, or fetch the sample table again.",
    needs=("scene", "sample"),
    whole=("sample",),
)
def _scene_without_keyframes(data: Dataset) -> pl.Series:
    used = data["sample"]["scene"].unique().drop_nulls()
    scenes = data["scene"].with_row_index("row").cast({"row": pl.Int64})
    return scenes.filter(~pl.col("row").is_in(used.implode()))["token"]


@rule(
    "SCN002",
    "duplicate-scene-name",
    Severity.ERROR,
    "Two scenes have the same name, and scenes are told apart by name.",
    "Rename one of them.",
    needs=("scene",),
)
def _duplicate_scene_name(data: Dataset) -> pl.Series:
    return data["scene"].filter(~pl.col("name").is_first_distinct())["token"]


@rule(
    "SCN003",
    "scenes-overlap",
    Severity.WARNING,
    "A scene overlaps in time with another of the same log.",
    "Keep both in one split; a model trained on one has seen the other.",
    needs=("scene", "sample", "log"),
)
def _scenes_overlap(data: Dataset) -> pl.Series:
    spans = (
        data["sample"]
        .drop_nulls("scene")
        .group_by("scene")
        .agg(pl.col("timestamp").min().alias("start"), pl.col("timestamp").max().alias("end"))
    )
    scenes = data["scene"].with_row_index("scene").cast({"scene": pl.Int64}).drop_nulls("log").join(spans, on="scene")
    latest = pl.col("end").cum_max().shift().over("log")
    return scenes.sort("log", "start", "scene").filter(pl.col("start") < latest)["token"]


@rule(
    "SCN004",
    "scene-in-no-split",
    Severity.INFO,
    "A scene of a released version of nuScenes is in none of its official splits.",
    "Check the name of the scene and of the version; --split leaves such scenes out.",
    needs=("scene",),
)
def _scene_in_no_split(data: Dataset) -> pl.Series:
    if data.version not in _RELEASED:
        return data["scene"]["name"].clear()
    is_official = [official_split(name, data.version) is not None for name in data["scene"]["name"]]
    return data["scene"]["name"].filter(~pl.Series(is_official, dtype=pl.Boolean))
