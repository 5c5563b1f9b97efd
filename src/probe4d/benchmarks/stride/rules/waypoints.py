"""TRJ-5 and TRJ-6: the positions of the ego vehicle after and before the query frame (App. C.3)."""

from __future__ import annotations

import msgspec
import polars as pl

from probe4d.benchmarks.stride.rules.answered import answered
from probe4d.benchmarks.stride.signals import Signals
from probe4d.benchmarks.stride.thresholds import FRAME_SPACING_S, FUTURE_POSITIONS, PAST_POSITIONS
from probe4d.benchmarks.stride.windows import ego_window, in_ego_frame

__all__ = ["future_waypoints", "past_waypoints", "positions_as_text"]

_DECIMALS = 2


def future_waypoints(signals: Signals) -> pl.DataFrame:
    """TRJ-5: the next positions in the ego frame of the query frame, the nearest in time first."""
    return _waypoints(signals, 1, FUTURE_POSITIONS, "future")


def past_waypoints(signals: Signals) -> pl.DataFrame:
    """TRJ-6: the last positions in the ego frame of the query frame, the oldest first."""
    return _waypoints(signals, -PAST_POSITIONS, -1, "past")


def positions_as_text(positions_m: list[list[list[float]]], decimals: int) -> pl.Series:
    """Lists of positions as JSON text, such as `[[1.5, 0.0], [3.1, 0.2]]`; rounded, and never -0."""
    rounded = [[[round(value, decimals) + 0.0 for value in position] for position in row] for row in positions_m]
    return pl.Series([msgspec.json.encode(row).decode().replace(",", ", ") for row in rounded], dtype=pl.String)


def _waypoints(signals: Signals, first: int, last: int, direction: str) -> pl.DataFrame:
    window = ego_window(signals, first, last)
    positions = in_ego_frame(signals, window.table, window.positions_m).tolist()
    nested = pl.List(pl.List(pl.Float64))
    table = window.table.with_columns(
        answer=positions_as_text(positions, _DECIMALS), waypoints_m=pl.Series(positions, dtype=nested)
    )
    facts = {
        "waypoints_m": pl.col("waypoints_m"),
        "spacing_s": pl.lit(FRAME_SPACING_S),
        "direction": pl.lit(direction),
        "speed_mps": pl.col("speed_mps"),
    }
    return answered(table, pl.col("answer"), facts)
