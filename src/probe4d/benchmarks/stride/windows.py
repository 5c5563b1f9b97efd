"""Things over several key frames: where the ego vehicle or an object was at each step of a window."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from probe4d.benchmarks.stride.signals import Signals
from probe4d.benchmarks.stride.thresholds import HISTORY_FRAMES, MOST_SPACING_S
from probe4d.benchmarks.tracked_motion import ego_poses
from probe4d.scenes.geometry import SE3

__all__ = ["Window", "ego_window", "gapless", "in_ego_frame", "object_window", "objects_later"]

Array = NDArray[np.float64]


class Window(NamedTuple):
    """What n things did over k key frames, all of which they are in.

    Attributes:
        table: The row of each thing in its query frame, columns of the table that it was taken from.
        rows: Rows of that table at each step, shape (n, k).
        positions_m: Places in the global frame, shape (n, k, 3).
        times_s: Seconds since the query frame, shape (n, k).
    """

    table: pl.DataFrame
    rows: NDArray[np.int64]
    positions_m: Array
    times_s: Array

    @property
    def lengths_m(self) -> Array:
        """Distance covered along the global plane in each step, shape (n, k - 1)."""
        moved = np.diff(self.positions_m[..., :2], axis=1)
        return np.hypot(moved[..., 0], moved[..., 1])

    @property
    def speeds_mps(self) -> Array:
        """Mean speed in each step, shape (n, k - 1)."""
        with np.errstate(divide="ignore", invalid="ignore"):
            speeds: Array = self.lengths_m / np.diff(self.times_s, axis=1)
        return speeds


def ego_window(signals: Signals, first: int, last: int) -> Window:
    """The ego vehicle from `first` to `last` key frames after each query frame that has these and its history."""
    ego = signals.ego
    return _window(ego, np.arange(ego.height), ["scene"], ego, first, last)


def gapless(ego: pl.DataFrame, later: int) -> pl.DataFrame:
    """Query frames with a whole history, from which to `later` key frames on none is missing in time.

    Args:
        ego: Columns of `Signals.ego`.
        later: Key frames after the query frame; where the scene ends before, only those that there are.

    Returns:
        Columns scene and frame.
    """
    is_gap = (pl.col("timestamp_us").diff() * 1e-6 > MOST_SPACING_S).fill_null(value=False)
    counted = ego.select("scene", "frame", gaps=is_gap.cast(pl.Int32).cum_sum().over("scene"))
    before, after = (pl.col("gaps").shift(steps).over("scene") for steps in (HISTORY_FRAMES, -later))
    return counted.filter(before == after.fill_null(pl.col("gaps").last().over("scene"))).select("scene", "frame")


def object_window(signals: Signals, objects: pl.DataFrame, first: int, last: int) -> Window:
    """Objects from `first` to `last` key frames after the query frames that they are given at.

    Args:
        signals: The signals.
        objects: Rows of `signals.objects` or of `signals.targets`. Those are left out that have no box at one of the
            steps, or whose query frame has no whole history.
        first: First step, counted from the query frame.
        last: Last step.
    """
    keys = ["scene", "track", "frame"]
    own = objects.select(keys).join(
        signals.objects.select(keys).with_row_index("row"), on=keys, how="left", maintain_order="left"
    )
    times = signals.ego.select("scene", "frame", "timestamp_us")
    timed = signals.objects.join(times, on=["scene", "frame"], how="left", maintain_order="left")
    return _window(timed, own["row"].to_numpy().astype(np.int64), ["scene", "track"], objects, first, last)


def in_ego_frame(signals: Signals, queries: pl.DataFrame, points_m: Array) -> Array:
    """Points of the global frame in the ego frames of query frames, forward and left.

    Args:
        signals: The signals.
        queries: The query frames, by scene and frame, n of them.
        points_m: Points, shape (n, k, 3).

    Returns:
        Shape (n, k, 2).
    """
    keys = ["scene", "frame"]
    poses = ego_poses(queries.select(keys).join(signals.ego, on=keys, how="left", maintain_order="left"))
    ego_SE3_global: SE3 = poses.inverse().at((slice(None), None))
    return ego_SE3_global.apply(points_m)[..., :2]


def objects_later(signals: Signals, queries: pl.DataFrame, objects: pl.DataFrame, steps: range) -> pl.DataFrame:
    """Objects as they are some key frames after query frames, in the ego frames of these.

    Args:
        signals: The signals.
        queries: Rows of `signals.ego`.
        objects: Rows of `signals.objects`, or more columns.
        steps: Key frames after the query frame.

    Returns:
        The columns of the objects, `frame` being the query frame, with step, query_x_m, query_y_m (centre, forward and
        left) and query_yaw_rad (heading); a row for each object at each step.
    """
    keys = ["scene", "frame"]
    own = objects.join(
        signals.ego.select(*keys, heading_rad="yaw_rad"), on=keys, how="left", maintain_order="left"
    ).with_columns(global_yaw_rad=pl.col("yaw_rad") + pl.col("heading_rad"))
    later = pl.concat(own.with_columns(pl.col("frame") - step, step=pl.lit(step)) for step in steps).join(
        queries.select(*keys, query_heading_rad="yaw_rad"), on=keys, maintain_order="left"
    )
    places = in_ego_frame(signals, later, later.select("x_m", "y_m", "z_m").to_numpy()[:, None])[:, 0]
    return later.with_columns(
        query_x_m=pl.Series(places[:, 0], dtype=pl.Float64),
        query_y_m=pl.Series(places[:, 1], dtype=pl.Float64),
        query_yaw_rad=pl.col("global_yaw_rad") - pl.col("query_heading_rad"),
    ).drop("heading_rad", "global_yaw_rad", "query_heading_rad")


def _window(
    table: pl.DataFrame, own: NDArray[np.int64], thing: list[str], queries: pl.DataFrame, first: int, last: int
) -> Window:
    """Windows of rows `own` of a table that is sorted by thing and frame."""
    frames = table["frame"].to_numpy().astype(np.int64)
    things = table.select(pl.struct(thing).rle_id()).to_series().to_numpy().astype(np.int64)
    steps = np.arange(first, last + 1)
    rows = own[:, None] + steps
    inside = np.clip(rows, 0, max(table.height - 1, 0))
    there = (
        (rows == inside) & (things[inside] == things[own][:, None]) & (frames[inside] == frames[own][:, None] + steps)
    )
    kept = there.all(axis=1) & (frames[own] >= HISTORY_FRAMES)
    rows = rows[kept]
    times_us = table["timestamp_us"].to_numpy()
    return Window(
        table=queries.filter(pl.Series(kept, dtype=pl.Boolean)),
        rows=rows,
        positions_m=table.select("x_m", "y_m", "z_m").to_numpy()[rows],
        times_s=(times_us[rows] - times_us[own[kept]][:, None]) * 1e-6,
    )
