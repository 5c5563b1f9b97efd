"""TRJ-1 and TRJ-2: what the ego vehicle does, and where it is, after the query frame (Sec. 3.1)."""

from __future__ import annotations

import numpy as np
import polars as pl

from probe4d.benchmarks.stride.lines import EGO
from probe4d.benchmarks.stride.motion import MOTION_FACTS, ego_turns_deg, motion_of
from probe4d.benchmarks.stride.rules.answered import Margin, answered
from probe4d.benchmarks.stride.rules.patterns import pattern, pattern_margins, stops
from probe4d.benchmarks.stride.signals import Signals
from probe4d.benchmarks.stride.templates import TEMPLATES
from probe4d.benchmarks.stride.thresholds import ASIDE_M, FUTURE_POSITIONS, MOVED_M
from probe4d.benchmarks.stride.windows import ego_window, in_ego_frame

__all__ = [
    "EGO_FACTS",
    "future_ego_manoeuvre",
    "future_ego_position",
    "manoeuvre",
    "manoeuvre_margins",
    "with_future_motion",
]

_STRAIGHT, _LEFT, _RIGHT, _NEAR = TEMPLATES["TRJ-2"].options
_SPEEDS = ("first_speed_mps", "last_speed_mps")
EGO_FACTS = (*MOTION_FACTS, *_SPEEDS)


def future_ego_manoeuvre(signals: Signals) -> pl.DataFrame:
    """TRJ-1: the pattern of the ego vehicle's motion over the next positions; coming to a stop counts first."""
    return answered(
        with_future_motion(signals),
        manoeuvre(TEMPLATES["TRJ-1"].options),
        {name: pl.col(name) for name in EGO_FACTS},
        *manoeuvre_margins(),
    )


def future_ego_position(signals: Signals) -> pl.DataFrame:
    """TRJ-2: where the last of the next positions is, in the ego frame of the query frame.

    Not answered where the vehicle has gone backwards.
    """
    window = ego_window(signals, 0, FUTURE_POSITIONS)
    ends = in_ego_frame(signals, window.table, window.positions_m[:, -1:])[:, 0]
    table = window.table.with_columns(
        end_x_m=pl.Series(ends[:, 0], dtype=pl.Float64),
        end_y_m=pl.Series(ends[:, 1], dtype=pl.Float64),
        end_distance_m=pl.Series(np.hypot(ends[:, 0], ends[:, 1]), dtype=pl.Float64),
    )
    distance, aside = pl.col("end_distance_m"), pl.col("end_y_m")
    answer = (
        pl.when(distance < MOVED_M)
        .then(pl.lit(_NEAR))
        .when(pl.col("end_x_m") <= 0)
        .then(None)
        .when(aside.abs() <= ASIDE_M)
        .then(pl.lit(_STRAIGHT))
        .when(aside > 0)
        .then(pl.lit(_LEFT))
        .otherwise(pl.lit(_RIGHT))
    )
    return answered(
        table,
        answer,
        {name: pl.col(name) for name in ("end_x_m", "end_y_m", "end_distance_m")},
        Margin((distance - MOVED_M).abs(), "metres"),
        Margin(pl.when(distance >= MOVED_M).then((aside.abs() - ASIDE_M).abs()), "metres"),
    )


def with_future_motion(signals: Signals) -> pl.DataFrame:
    """Query frames with the motion of the ego vehicle over the next `FUTURE_POSITIONS` (see `motion.motion_of`)."""
    window = ego_window(signals, 0, FUTURE_POSITIONS)
    return motion_of(window, ego_turns_deg(window, signals.ego))


def manoeuvre(names: tuple[str | None, ...]) -> pl.Expr:
    """The manoeuvre of `with_future_motion`; names as in TRJ-1, null for one that there is no word for."""
    *patterns, coming_to_stop = names
    stopped, _ = stops()
    return pl.when(stopped).then(pl.lit(coming_to_stop)).otherwise(pattern(tuple(patterns), EGO))


def manoeuvre_margins() -> tuple[Margin, ...]:
    """Margins of `manoeuvre`."""
    stopped, margin = stops()
    return (margin, *pattern_margins(EGO, where=~stopped))
