"""Rules of the ego vehicle's own way: SC-9, TRJ-1, TRJ-3, TRJ-4 and TRJ-5, by ego states, poses and ratings."""

from __future__ import annotations

from itertools import groupby
from operator import attrgetter
from typing import Any

import numpy as np
import polars as pl

from probe4d.benchmarks.stride.lines import EGO
from probe4d.benchmarks.stride.rules.answered import Margin, answered, queries
from probe4d.benchmarks.stride.rules.ego_future import EGO_FACTS, with_future_motion
from probe4d.benchmarks.stride.rules.patterns import pattern, pattern_margins
from probe4d.benchmarks.stride.rules.waypoints import positions_as_text
from probe4d.benchmarks.stride.templates.waymo import WAYMO_TEMPLATES
from probe4d.benchmarks.stride.thresholds import FRAME_SPACING_S, SPEED_CHANGE_MPS, STILL_MPS
from probe4d.benchmarks.stride.waymo.signals import EstimatedSignals
from probe4d.benchmarks.stride.waymo.thresholds import (
    ACTION_ASIDE_M,
    LEAST_RATING_LEAD,
    LEAST_RATING_POINTS,
    RATING_BOUNDS,
)
from probe4d.benchmarks.stride.waymo.trajectories import (
    HORIZON_POSITIONS,
    Rated,
    future_positions,
    rated_trajectories,
)

__all__ = ["best_rated", "consequence_by_rating", "future_manoeuvre", "future_waypoints", "preferred_action"]

_FRAME = ["scene", "frame"]
_TEXT_DECIMALS, _WAYPOINT_DECIMALS = 1, 2
_POSITIONS = pl.List(pl.List(pl.Float64))
_STOP, _TO_LEFT, _TO_RIGHT, _SLOW_DOWN, _GO_ON = WAYMO_TEMPLATES["SC-9"].options
_STATES = "ego states"


def preferred_action(signals: EstimatedSignals) -> pl.DataFrame:
    """SC-9: what the best rated trajectory does, where people rated any, else the driven one.

    Not answered where no rated one leads, or where it cannot be told when their positions are.
    """
    rated = signals.driving.frames.filter(pl.col("rated").list.eval(pl.element().struct.field("score")).list.max() >= 0)
    driven = future_positions(signals, HORIZON_POSITIONS).join(rated, on=_FRAME, how="anti", maintain_order="left")
    best = [trajectories[0] for trajectories in _by_frame(signals) if _leads(trajectories)]
    of_rated = pl.DataFrame(
        [(one.scene, one.frame, one.positions_m) for one in best],
        schema={"scene": pl.String, "frame": pl.Int32, "positions_m": _POSITIONS},
        orient="row",
    )
    ways = pl.concat([driven.with_columns(by=pl.lit("driven")), of_rated.with_columns(by=pl.lit("best rated"))])
    table = _with_speeds(queries(signals).select(*_FRAME).join(ways, on=_FRAME, maintain_order="left"))
    first, last, aside = pl.col("first_speed_mps"), pl.col("last_speed_mps"), pl.col("end_y_m")
    stops, turns = last < STILL_MPS, aside.abs() > ACTION_ASIDE_M
    answer = (
        pl.when(stops)
        .then(pl.lit(_STOP))
        .when(turns & (aside > 0))
        .then(pl.lit(_TO_LEFT))
        .when(turns)
        .then(pl.lit(_TO_RIGHT))
        .when(first - last > SPEED_CHANGE_MPS)
        .then(pl.lit(_SLOW_DOWN))
        .otherwise(pl.lit(_GO_ON))
    )
    facts = ("by", "positions_m", "first_speed_mps", "last_speed_mps", "end_y_m")
    return answered(
        table,
        answer,
        {name: pl.col(name) for name in facts},
        Margin((last - STILL_MPS).abs(), "metres per second"),
        Margin(pl.when(~stops).then((aside.abs() - ACTION_ASIDE_M).abs()), "metres"),
        Margin(pl.when(~stops & ~turns).then((first - last - SPEED_CHANGE_MPS).abs()), "metres per second"),
    )


def future_manoeuvre(signals: EstimatedSignals) -> pl.DataFrame:
    """TRJ-1: the pattern of motion over the next key frames; coming to a stop is slowing down."""
    return answered(
        with_future_motion(signals),
        pattern(WAYMO_TEMPLATES["TRJ-1"].options, EGO),
        {name: pl.col(name) for name in EGO_FACTS},
        *pattern_margins(EGO),
    )


def best_rated(signals: EstimatedSignals) -> pl.DataFrame:
    """TRJ-3: the highest rated of three trajectories whose texts differ, where it leads."""
    count = WAYMO_TEMPLATES["TRJ-3"].option_count
    rows = []
    for trajectories in _by_frame(signals):
        texts = _texts(trajectories)
        if len(trajectories) == count == len(set(texts)):
            candidates = [
                {"trajectory": text, "score": one.score} for text, one in zip(texts, trajectories, strict=True)
            ]
            rows.append(_about(trajectories) | {"texts": texts, "candidates": candidates})
    schema = {"scene": pl.String, "frame": pl.Int32, "first_position": pl.String, "lead": pl.Float64}
    candidate = pl.Struct({"trajectory": pl.String, "score": pl.Float64})
    table = pl.DataFrame(rows, schema=schema | {"texts": pl.List(pl.String), "candidates": pl.List(candidate)})
    return answered(
        _asked(signals, table),
        pl.when(pl.col("lead") > 0).then(pl.col("texts").list.first()),
        {name: pl.col(name) for name in ("candidates", "first_position")},
        Margin(pl.col("lead"), "points", least=LEAST_RATING_LEAD),
        options=pl.col("texts"),
    )


def consequence_by_rating(signals: EstimatedSignals) -> pl.DataFrame:
    """TRJ-4: the class of the score of each rated trajectory; those whose text is another's are left out."""
    rows = []
    for trajectories in _by_frame(signals):
        texts = _texts(trajectories)
        rows += [
            _about(trajectories) | {"text": text, "score": one.score}
            for text, one in zip(texts, trajectories, strict=True)
            if texts.count(text) == 1
        ]
    schema = {"scene": pl.String, "frame": pl.Int32, "first_position": pl.String, "lead": pl.Float64}
    table = pl.DataFrame(rows, schema=schema | {"text": pl.String, "score": pl.Float64})
    score = pl.col("score")
    number = pl.sum_horizontal((score >= bound).cast(pl.Int32) for bound in RATING_BOUNDS)
    names = dict(enumerate(WAYMO_TEMPLATES["TRJ-4"].options))
    off_bounds = pl.min_horizontal((score - bound).abs() for bound in RATING_BOUNDS)
    return answered(
        _asked(signals, table),
        number.replace_strict(names, return_dtype=pl.String),
        {name: pl.col(name) for name in ("score", "first_position")},
        Margin(off_bounds, "points", least=LEAST_RATING_POINTS),
        trajectory=pl.col("text"),
    )


def future_waypoints(signals: EstimatedSignals) -> pl.DataFrame:
    """TRJ-5: the positions that the ego states of the key frame have of its future."""
    ahead = future_positions(signals, signals.positions)
    table = queries(signals).join(ahead, on=_FRAME, maintain_order="left")
    return answered(
        table.with_columns(text=positions_as_text(table["positions_m"].to_list(), _WAYPOINT_DECIMALS)),
        pl.col("text"),
        {
            "waypoints_m": pl.col("positions_m"),
            "spacing_s": pl.lit(FRAME_SPACING_S),
            "direction": pl.lit("future"),
            "speed_mps": pl.col("speed_mps"),
            "positions_from": pl.lit(_STATES),
        },
    )


def _asked(signals: EstimatedSignals, table: pl.DataFrame) -> pl.DataFrame:
    return queries(signals).select(*_FRAME).join(table, on=_FRAME, maintain_order="left")


def _by_frame(signals: EstimatedSignals) -> list[list[Rated]]:
    """Rated trajectories of each key frame, the best first."""
    groups = groupby(rated_trajectories(signals), key=attrgetter("scene", "frame"))
    return [sorted(trajectories, key=lambda one: -one.score) for _, trajectories in groups]


def _leads(trajectories: list[Rated]) -> bool:
    return len(trajectories) == 1 or trajectories[0].score - trajectories[1].score >= LEAST_RATING_LEAD


def _texts(trajectories: list[Rated]) -> list[str]:
    return positions_as_text([one.positions_m for one in trajectories], _TEXT_DECIMALS).to_list()


def _about(trajectories: list[Rated]) -> dict[str, Any]:
    best = trajectories[0]
    lead = best.score - trajectories[1].score if len(trajectories) > 1 else None
    first = "present" if best.is_from_now else "0.25 s later"
    return {"scene": best.scene, "frame": best.frame, "first_position": first, "lead": lead}


def _with_speeds(ways: pl.DataFrame) -> pl.DataFrame:
    """Add the mean speeds of the first and the last second, and how far aside the last position is."""
    measured = []
    for positions in ways["positions_m"]:
        places = np.vstack([np.zeros(2), np.array(positions.to_list())])
        speeds = np.hypot(*np.diff(places, axis=0).T) / FRAME_SPACING_S
        measured.append((float(speeds[:2].mean()), float(speeds[-2:].mean()), float(places[-1, 1])))
    columns = ("first_speed_mps", "last_speed_mps", "end_y_m")
    return ways.hstack(pl.DataFrame(measured, schema=dict.fromkeys(columns, pl.Float64), orient="row"))
