"""Rules about times, in microseconds: of key frames, readings and poses."""

from __future__ import annotations

import polars as pl

from probe4d.scenes.sanity.dataset import Dataset
from probe4d.scenes.sanity.rule import Severity, rule

__all__ = ["in_microseconds"]

KEYFRAME_INTERVAL_S = 0.5
INTERVAL_TOLERANCE_S = 0.25
"""nuScenes annotates at 2 Hz, give or take 0.1 s (nuScenes, Sec. 3)."""

MAX_READING_OFFSET_MS = 100
"""Readings of a key frame belong to one turn of the LiDAR, which takes 50 to 100 ms."""

MAX_POSE_OFFSET_MS = 5
"""nuScenes gives each reading the ego pose of its very time."""

_YEAR_2000_US, _YEAR_2100_US = 946_684_800_000_000, 4_102_444_800_000_000


@rule(
    "TIM001",
    "keyframes-unordered",
    Severity.ERROR,
    "A key frame is older than the one before it in its scene.",
    "Mend timestamps, or prev and next, in sample.",
    needs=("sample", "scene"),
)
def _keyframes_unordered(data: Dataset) -> pl.Series:
    return _older_than_previous(data, "sample")["token"]


@rule(
    "TIM002",
    "keyframe-times-equal",
    Severity.ERROR,
    "Two key frames of a scene have the same timestamp.",
    "Remove one of them, or mend its timestamp.",
    needs=("sample", "scene"),
)
def _keyframe_times_equal(data: Dataset) -> pl.Series:
    known = data["sample"].filter(pl.col("scene").is_not_null())
    return known.filter(~pl.struct("scene", "timestamp").is_first_distinct())["token"]


@rule(
    "TIM003",
    "keyframe-interval-odd",
    Severity.WARNING,
    f"The time from one key frame to the next is not {KEYFRAME_INTERVAL_S:g} s give or take "
    f"{INTERVAL_TOLERANCE_S:g} s.",
    "Nothing, if the dataset is annotated at another rate; else fetch the sample table again.",
    needs=("sample", "scene"),
    whole=("sample",),
)
def _keyframe_interval_odd(data: Dataset) -> pl.Series:
    faulty = pl.concat([_older_than_previous(data, "sample")["token"], _keyframe_times_equal(data)])
    sample = data["sample"].filter(pl.col("scene").is_not_null() & in_microseconds("timestamp"))
    sample = sample.filter(~pl.col("token").is_in(faulty.implode()).any().over("scene"))
    seconds = pl.col("timestamp").diff().over("scene") / 1e6
    return sample.sort("scene", "timestamp").filter((seconds - KEYFRAME_INTERVAL_S).abs() > INTERVAL_TOLERANCE_S)[
        "token"
    ]


@rule(
    "TIM004",
    "reading-far-from-keyframe",
    Severity.WARNING,
    f"A key-frame reading is more than {MAX_READING_OFFSET_MS} ms away from its key frame.",
    "Check its timestamp and sample_token.",
    needs=("sample_data", "sample", "calibrated_sensor", "sensor"),
)
def _reading_far_from_keyframe(data: Dataset) -> pl.Series:
    readings = data.readings.filter(in_microseconds("timestamp") & in_microseconds("sample_timestamp"))
    offset_us = (pl.col("timestamp") - pl.col("sample_timestamp")).abs()
    return readings.filter(offset_us > MAX_READING_OFFSET_MS * 1000)["token"]


@rule(
    "TIM005",
    "pose-time-differs",
    Severity.WARNING,
    f"The ego pose of a reading is of a time more than {MAX_POSE_OFFSET_MS} ms away.",
    "Check its ego_pose_token and the timestamps of both.",
    needs=("sample_data", "ego_pose"),
)
def _pose_time_differs(data: Dataset) -> pl.Series:
    readings = data["sample_data"].select("token", "timestamp", "ego_pose")
    pose_time = data["ego_pose"]["timestamp"].gather(readings["ego_pose"]).alias("pose_time")
    readings = readings.with_columns(pose_time).filter(in_microseconds("timestamp") & in_microseconds("pose_time"))
    return readings.filter((pl.col("timestamp") - pl.col("pose_time")).abs() > MAX_POSE_OFFSET_MS * 1000)["token"]


@rule(
    "TIM006",
    "readings-unordered",
    Severity.WARNING,
    "A reading is older than the one before it in the chain of its sensor.",
    "Mend timestamps, or prev and next, in sample_data.",
    needs=("sample_data", "sample", "scene", "calibrated_sensor", "sensor"),
)
def _readings_unordered(data: Dataset) -> pl.Series:
    return _older_than_previous(data, "sample_data")["token"]


@rule(
    "TIM007",
    "timestamp-unit",
    Severity.ERROR,
    "A key frame's timestamp is not in microseconds since 1970: it falls outside the years 2000 to 2100.",
    "Convert the timestamps of sample, sample_data and ego_pose to microseconds.",
    needs=("sample",),
)
def _timestamp_unit(data: Dataset) -> pl.Series:
    return data["sample"].filter(~in_microseconds("timestamp"))["token"]


def in_microseconds(column: str) -> pl.Expr:
    """Whether a column of timestamps can be in microseconds since 1970; TIM007 says so where it cannot."""
    return pl.col(column).is_between(_YEAR_2000_US, _YEAR_2100_US)


def _older_than_previous(data: Dataset, table: str) -> pl.DataFrame:
    chain = data.links(table)
    frame = data[table]
    previous = pl.Series(chain.prev, dtype=pl.Int64)
    follows = pl.Series(chain.sound, dtype=pl.Boolean) & (previous >= 0)
    before = frame["timestamp"].gather(previous.set(~follows, None))
    return frame.filter((frame["timestamp"] < before).fill_null(value=False))
