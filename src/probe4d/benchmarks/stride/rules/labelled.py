"""SC-1 to SC-3, SP-4 and TE-3: what no box tells, and a file of labels says."""

from __future__ import annotations

import polars as pl

from probe4d.benchmarks.stride.rules.answered import answered, queries, visible_targets
from probe4d.benchmarks.stride.signals import Signals
from probe4d.benchmarks.stride.thresholds import MOTION_FRAMES

__all__ = ["future_lane", "lane", "road_type", "time_of_day", "weather"]


def weather(signals: Signals) -> pl.DataFrame:
    """SC-1: the label `weather` of the scene at the query frame."""
    return _of_scenes(signals, "weather")


def time_of_day(signals: Signals) -> pl.DataFrame:
    """SC-2: the label `time_of_day`."""
    return _of_scenes(signals, "time_of_day")


def road_type(signals: Signals) -> pl.DataFrame:
    """SC-3: the label `road_type`."""
    return _of_scenes(signals, "road_type")


def lane(signals: Signals) -> pl.DataFrame:
    """SP-4: the label `lane` of the target at the query frame."""
    return _of_targets(signals, "lane", 0)


def future_lane(signals: Signals) -> pl.DataFrame:
    """TE-3: the label `lane` of the target `MOTION_FRAMES` later, at a key frame that there is."""
    return _of_targets(signals, "lane", MOTION_FRAMES)


def _of_scenes(signals: Signals, name: str) -> pl.DataFrame:
    labels = signals.labels.filter((pl.col("name") == name) & pl.col("track").is_null())
    return _answered(queries(signals).with_columns(at=pl.col("frame")), labels, name, ["scene"])


def _of_targets(signals: Signals, name: str, later: int) -> pl.DataFrame:
    labels = signals.labels.filter((pl.col("name") == name) & pl.col("track").is_not_null())
    targets = visible_targets(signals).with_columns(at=pl.col("frame") + later)
    there = targets.join(signals.ego.select("scene", at="frame"), on=["scene", "at"], how="semi", maintain_order="left")
    return _answered(there, labels, name, ["scene", "track"])


def _answered(table: pl.DataFrame, labels: pl.DataFrame, name: str, thing: list[str]) -> pl.DataFrame:
    """Answers by the label at the frame `at`, else by the one for all frames."""
    at_frame = labels.filter(pl.col("frame").is_not_null()).select(*thing, at="frame", of_frame="value")
    always = labels.filter(pl.col("frame").is_null()).select(*thing, of_all="value")
    found = table.join(at_frame, on=[*thing, "at"], how="left", maintain_order="left").join(
        always, on=thing, how="left", maintain_order="left"
    )
    value = pl.coalesce("of_frame", "of_all")
    return answered(found, value, {"label": pl.lit(name), "value": value, "labelled_frame": pl.col("at")})
