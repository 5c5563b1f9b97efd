"""What would come of it if the ego vehicle and the objects around kept their velocities (App. A.4)."""

from __future__ import annotations

import numpy as np
import polars as pl

from probe4d.benchmarks.stride.signals import Signals
from probe4d.benchmarks.stride.thresholds import RISK_S, RISK_STEP_S
from probe4d.benchmarks.stride.zones import ego_footprints, footprints_of
from probe4d.scenes.footprints import gaps_m

__all__ = ["nearest_gaps", "with_relative_velocity"]

_ALL_AT_ONCE = 1 << 14  # objects, so that what lies between stays small


def with_relative_velocity(signals: Signals, objects: pl.DataFrame) -> pl.DataFrame:
    """Add relative_x_mps and relative_y_mps: velocity of each object over ground minus that of the ego vehicle.

    In the axes of the ego frame of the key frame; null where either has none.
    """
    ego = signals.ego.select("scene", "frame", own_x="velocity_x_mps", own_y="velocity_y_mps")
    return (
        objects.join(ego, on=["scene", "frame"], how="left", maintain_order="left")
        .with_columns(
            relative_x_mps=pl.col("velocity_x_mps") - pl.col("own_x"),
            relative_y_mps=pl.col("velocity_y_mps") - pl.col("own_y"),
        )
        .drop("own_x", "own_y")
    )


def nearest_gaps(signals: Signals, objects: pl.DataFrame) -> pl.DataFrame:
    """Move objects and the ego vehicle on at constant velocity for `RISK_S`, and compare their outlines.

    Returns:
        The objects whose velocity and size are known, with the columns of `with_relative_velocity`, gap_now_m,
        nearest_gap_m (over places `RISK_STEP_S` apart; 0 where outlines overlap) and nearest_after_s.
    """
    measured = with_relative_velocity(signals, objects).drop_nulls(
        ["relative_x_mps", "relative_y_mps", "length_m", "width_m"]
    )
    times_s = np.arange(0.0, RISK_S + RISK_STEP_S / 2, RISK_STEP_S)
    gaps = np.empty((measured.height, times_s.size))
    for start in range(0, measured.height, _ALL_AT_ONCE):
        some = slice(start, min(start + _ALL_AT_ONCE, measured.height))
        rows = measured[some]
        own = ego_footprints(np.zeros((rows.height, 2)), np.zeros(rows.height))
        objects_now, velocity = footprints_of(rows), rows.select("relative_x_mps", "relative_y_mps").to_numpy()
        for at, time_s in enumerate(times_s):
            gaps[some, at] = gaps_m(own, objects_now._replace(centre=objects_now.centre + velocity * time_s))
    return measured.with_columns(
        gap_now_m=pl.Series(gaps[:, 0], dtype=pl.Float64),
        nearest_gap_m=pl.Series(gaps.min(axis=1), dtype=pl.Float64),
        nearest_after_s=pl.Series(times_s[gaps.argmin(axis=1)], dtype=pl.Float64),
    )
