"""How something moves over a window of key frames: its speeds, and how they and its heading change."""

from __future__ import annotations

import numpy as np
import polars as pl
from numpy.typing import NDArray

from probe4d.benchmarks.stride.windows import Window

__all__ = ["MOTION_FACTS", "ego_turns_deg", "motion_of", "object_turns_deg"]

Array = NDArray[np.float64]

MOTION_FACTS = ("speeds_mps", "mean_speed_mps", "speed_change_mps", "heading_change_deg")

_HALF = 2
"""Steps in the first and in the last half of a window of four or five steps."""


def motion_of(window: Window, turns_deg: Array) -> pl.DataFrame:
    """Measure windows of four or five steps.

    Args:
        window: The windows, n of them.
        turns_deg: Change of heading over each, degrees to the left, NaN where it was not measured, shape (n,).

    Returns:
        `window.table` with the columns of `MOTION_FACTS`, first_speed_mps and last_speed_mps (of the first and of the
        last step); heading_change_deg is null where it was not measured.
    """
    speeds = window.speeds_mps
    first, last = _half_speeds_mps(window)
    elapsed_s = window.times_s[:, -1] - window.times_s[:, 0]
    return window.table.with_columns(
        speeds_mps=pl.Series(speeds.tolist(), dtype=pl.List(pl.Float64)),
        mean_speed_mps=pl.Series(window.lengths_m.sum(axis=1) / elapsed_s, dtype=pl.Float64),
        speed_change_mps=pl.Series(last - first, dtype=pl.Float64),
        heading_change_deg=pl.Series(turns_deg, dtype=pl.Float64).fill_nan(None),
        first_speed_mps=pl.Series(speeds[:, 0], dtype=pl.Float64),
        last_speed_mps=pl.Series(speeds[:, -1], dtype=pl.Float64),
    )


def object_turns_deg(window: Window, still_mps: float) -> Array:
    """Angle from the displacement of the first half to that of the last; NaN if either is slower than `still_mps`."""
    places = window.positions_m[..., :2]
    first, last = places[:, _HALF] - places[:, 0], places[:, -1] - places[:, -1 - _HALF]
    crossed = first[:, 0] * last[:, 1] - first[:, 1] * last[:, 0]
    turns: Array = np.degrees(np.arctan2(crossed, (first * last).sum(axis=1)))
    return np.where(np.minimum(*_half_speeds_mps(window)) >= still_mps, turns, np.nan)


def ego_turns_deg(window: Window, ego: pl.DataFrame) -> Array:
    """Change of the heading of the ego vehicle, (-180, 180]; `ego` is the table that the windows were taken from."""
    yaws = ego["yaw_rad"].to_numpy()
    turned = yaws[window.rows[:, -1]] - yaws[window.rows[:, 0]]
    turns: Array = np.degrees(np.arctan2(np.sin(turned), np.cos(turned)))
    return turns


def _half_speeds_mps(window: Window) -> tuple[Array, Array]:
    """Mean speeds along the way in the first and in the last half."""
    lengths, durations = window.lengths_m, np.diff(window.times_s, axis=1)
    halves = slice(None, _HALF), slice(-_HALF, None)
    first, last = (lengths[:, half].sum(axis=1) / durations[:, half].sum(axis=1) for half in halves)
    return first, last
