"""Rules about sensors and what they read at key frames."""

from __future__ import annotations

import polars as pl

from probe4d.scenes.nuscenes.readings import PREFERRED_REFERENCES
from probe4d.scenes.sanity.dataset import Dataset
from probe4d.scenes.sanity.rule import Severity, rule
from probe4d.wording import listed

MAX_MOUNT_DISTANCE_M = 30.0
"""Farther from the ego origin no sensor is mounted, on no truck."""

_MODALITIES = ("camera", "lidar", "radar")
_NEEDS = ("sample_data", "sample", "calibrated_sensor", "sensor")


def _has_reference(data: Dataset) -> bool:
    """Whether the reference channel is one that can be; SEN002 says so where it is not."""
    return data.reference_channel is not None and data.reference_channel in data.references


@rule(
    "SEN001",
    "sensor-implausibly-mounted",
    Severity.WARNING,
    f"A sensor is mounted more than {MAX_MOUNT_DISTANCE_M:g} m from the ego origin.",
    "Check that its translation is in metres and in the ego frame.",
    needs=("calibrated_sensor",),
)
def _implausibly_mounted(data: Dataset) -> pl.Series:
    distance = pl.sum_horizontal(pl.col(axis) ** 2 for axis in ("x", "y", "z")).sqrt()
    return data["calibrated_sensor"].filter(distance.is_finite() & (distance > MAX_MOUNT_DISTANCE_M))["token"]


@rule(
    "SEN002",
    "no-reference-sensor",
    Severity.ERROR,
    "No sensor is the reference that gives key frames their time and pose: a LiDAR, or a camera beside cameras alone.",
    "Name a LiDAR of the sensor table with --reference-channel; its modality has to be lidar.",
    needs=("sensor",),
    whole=("sensor",),
)
def _no_reference_sensor(data: Dataset) -> pl.Series:
    return pl.Series("channel", [] if _has_reference(data) else [data.wanted_channel or "lidar"], dtype=pl.String)


@rule(
    "SEN003",
    "keyframe-without-reference",
    Severity.ERROR,
    "A key frame has no reading of the reference sensor, so that its ego pose is not known.",
    "Fetch the sample_data table again, or name another sensor with --reference-channel.",
    needs=_NEEDS,
    whole=("sample_data", "calibrated_sensor"),
)
def _keyframe_without_reference(data: Dataset) -> pl.Series:
    if not _has_reference(data):
        return data["sample"]["token"].clear()
    seen = data.readings.filter(pl.col("channel") == data.reference_channel)["sample"].drop_nulls().unique()
    return data.frames.filter(~pl.col("sample").is_in(seen.implode()))["token"]


@rule(
    "SEN004",
    "reading-missing",
    Severity.WARNING,
    "A key frame lacks the reading of a sensor that other key frames of its scene have.",
    "Fetch the sample_data table again; questions that show this sensor leave the key frame out.",
    needs=(*_NEEDS, "scene"),
    whole=("sample_data", "sample", "calibrated_sensor"),
)
def _reading_missing(data: Dataset) -> pl.Series:
    pairs = data.readings.drop_nulls(("scene", "sample", "channel")).select("scene", "sample", "channel").unique()
    pairs = pairs.filter(pl.col("channel").ne_missing(data.reference_channel))
    expected = (
        pairs.select("scene", "channel").unique().join(data.frames.select("scene", "sample", "token"), on="scene")
    )
    absent = expected.join(pairs, on=("scene", "sample", "channel"), how="anti").sort("sample", "channel")
    return absent.select(pl.format("{} {}", "token", "channel"))["token"]


@rule(
    "SEN005",
    "reading-twice",
    Severity.ERROR,
    "A key frame has two key-frame readings of one sensor.",
    "Set is_key_frame to false for all but one of them.",
    needs=_NEEDS,
)
def _reading_twice(data: Dataset) -> pl.Series:
    readings = data.readings.drop_nulls(("sample", "channel"))
    return readings.filter(~pl.struct("sample", "channel").is_first_distinct())["token"]


@rule(
    "SEN006",
    "modality-unknown",
    Severity.WARNING,
    "The modality of a sensor is none of camera, lidar, radar.",
    "Mend the sensor table; until then the sensor is not used.",
    needs=("sensor",),
)
def _modality_unknown(data: Dataset) -> pl.Series:
    return data["sensor"].filter(~pl.col("modality").is_in(_MODALITIES))["channel"]


@rule(
    "SEN007",
    "channel-twice",
    Severity.ERROR,
    "Two sensors have the same channel, and sensors are told apart by channel.",
    "Rename one of them.",
    needs=("sensor",),
)
def _channel_twice(data: Dataset) -> pl.Series:
    return data["sensor"].filter(~pl.col("channel").is_first_distinct())["token"]


@rule(
    "SEN008",
    "calibration-changes",
    Severity.INFO,
    "A sensor has more than one calibration within a scene.",
    "Nothing; each reading is taken with its own.",
    needs=(*_NEEDS, "scene"),
)
def _calibration_changes(data: Dataset) -> pl.Series:
    readings = data.readings.drop_nulls(("scene", "channel", "calibrated_sensor"))
    counts = readings.group_by("scene", "channel").agg(pl.col("calibrated_sensor").n_unique().alias("calibrations"))
    several = counts.filter(pl.col("calibrations") > 1).sort("scene", "channel")
    names = data["scene"]["name"].gather(several["scene"])
    return several.with_columns(names).select(pl.format("{} {}", "name", "channel").alias("name"))["name"]


@rule(
    "SEN009",
    "reference-sensor-unclear",
    Severity.ERROR,
    f"Several sensors could be the reference, none is {listed(PREFERRED_REFERENCES, 'or')}, and none was named.",
    "Name the one whose times and poses the key frames have with --reference-channel.",
    needs=("sensor",),
    whole=("sensor",),
)
def _reference_sensor_unclear(data: Dataset) -> pl.Series:
    channels = pl.Series("channel", data.references, dtype=pl.String)
    preferred = any(channel in PREFERRED_REFERENCES for channel in data.references)
    is_clear = data.wanted_channel is not None or len(channels) < 2 or preferred
    return channels.clear() if is_clear else channels
