"""Rules about tracks (instances): the boxes of one object over time."""

from __future__ import annotations

import polars as pl

from probe4d.scenes.sanity.dataset import Dataset
from probe4d.scenes.sanity.rule import Severity, rule
from probe4d.scenes.sanity.times import in_microseconds

MAX_SPEED_M_PER_S = 70.0
"""Faster than any road user; such a step joins two objects or has a wrong time."""

MAX_SIZE_CHANGE = 0.5
"""Share by which a side may change from box to box of a rigid object."""

_NEEDS = ("sample_annotation", "instance", "sample", "scene")
_SIZE = ("length", "width", "height")


def _steps(data: Dataset) -> pl.DataFrame:
    """Boxes with what lies between them and the next box of their track, by time, in their scene."""
    per_track = ("instance", "scene")
    boxes = data.boxes.drop_nulls((*per_track, "frame")).sort(*per_track, "frame", "box")
    later = (pl.col(column).shift(-1).over(per_track) for column in ("frame", "timestamp", "x", "y", "z", *_SIZE))
    return boxes.with_columns(column.name.prefix("next_") for column in later)


@rule(
    "TRK001",
    "track-gap",
    Severity.INFO,
    "A track is not annotated at every key frame between its first and its last: after this box one is missing.",
    "Nothing, if the object was hidden; questions about it ask only frames where it is annotated.",
    needs=_NEEDS,
    whole=("sample", "sample_annotation"),
)
def _track_gap(data: Dataset) -> pl.Series:
    return _steps(data).filter(pl.col("next_frame") > pl.col("frame") + 1)["token"]


@rule(
    "TRK002",
    "track-twice-in-keyframe",
    Severity.ERROR,
    "A track has two boxes in one key frame.",
    "Remove one of them, or give it a track of its own.",
    needs=("sample_annotation", "instance", "sample"),
)
def _track_twice_in_keyframe(data: Dataset) -> pl.Series:
    boxes = data["sample_annotation"].drop_nulls(("instance", "sample"))
    return boxes.filter(~pl.struct("instance", "sample").is_first_distinct())["token"]


@rule(
    "TRK003",
    "track-in-two-scenes",
    Severity.ERROR,
    "A track has boxes in more than one scene.",
    "Give the boxes of each scene an instance of their own.",
    needs=_NEEDS,
)
def _track_in_two_scenes(data: Dataset) -> pl.Series:
    scenes = data.boxes.drop_nulls(("instance", "scene")).group_by("instance").agg(pl.col("scene").n_unique())
    return data["instance"]["token"].gather(scenes.filter(pl.col("scene") > 1)["instance"].sort())


@rule(
    "TRK004",
    "track-unordered",
    Severity.ERROR,
    "A box is of an earlier key frame than the box before it in its track.",
    "Mend prev and next in sample_annotation.",
    needs=_NEEDS,
)
def _track_unordered(data: Dataset) -> pl.Series:
    chain = data.links("sample_annotation")
    previous = pl.Series(chain.prev, dtype=pl.Int64)
    follows = pl.Series(chain.sound, dtype=pl.Boolean) & (previous >= 0)
    before = data.boxes.select("scene", "timestamp")[previous.set(~follows, 0)] if len(previous) else data.boxes
    same_scene = data.boxes["scene"] == before["scene"]
    is_earlier = follows & same_scene & (data.boxes["timestamp"] < before["timestamp"])
    return data.boxes.filter(is_earlier.fill_null(value=False))["token"]


@rule(
    "TRK005",
    "track-speed-implausible",
    Severity.WARNING,
    f"From this box to the next of its track the object moves faster than {MAX_SPEED_M_PER_S:g} m/s.",
    "Check whether the track joins two objects.",
    needs=_NEEDS,
)
def _track_speed_implausible(data: Dataset) -> pl.Series:
    metres = pl.sum_horizontal((pl.col(f"next_{axis}") - pl.col(axis)) ** 2 for axis in ("x", "y", "z")).sqrt()
    seconds = (pl.col("next_timestamp") - pl.col("timestamp")) / 1e6
    is_step = (seconds > 0) & metres.is_finite() & in_microseconds("timestamp")
    return _steps(data).filter(is_step & (metres > MAX_SPEED_M_PER_S * seconds))["token"]


@rule(
    "TRK006",
    "track-size-jumps",
    Severity.WARNING,
    f"From this box to the next of its track a side changes by more than {MAX_SIZE_CHANGE:.0%}.",
    "Check whether the track joins two objects, or sizes are stored in two orders.",
    needs=_NEEDS,
)
def _track_size_jumps(data: Dataset) -> pl.Series:
    changes = [(pl.col(f"next_{side}") - pl.col(side)).abs() / pl.col(side) for side in _SIZE]
    is_sound = pl.all_horizontal(
        pl.col(side).is_finite() & (pl.col(side) > 0) for size in _SIZE for side in (size, f"next_{size}")
    )
    return _steps(data).filter(is_sound & (pl.max_horizontal(changes) > MAX_SIZE_CHANGE))["token"]


@rule(
    "TRK007",
    "box-annotated-twice",
    Severity.WARNING,
    "Two tracks of one category have the same box, centre and size, in one key frame.",
    "Remove one of them; counts and nearest objects take both.",
    needs=("sample_annotation", "instance", "sample", "category"),
)
def _box_annotated_twice(data: Dataset) -> pl.Series:
    category = data["instance"]["category"].gather(data["sample_annotation"]["instance"]).alias("category")
    boxes = data["sample_annotation"].with_columns(category).drop_nulls(("sample", "instance", "category"))
    same_box = pl.struct("sample", "category", "x", "y", "z", *_SIZE)
    same_track = pl.struct("sample", "instance")
    return boxes.filter(same_track.is_first_distinct()).filter(~same_box.is_first_distinct())["token"]
