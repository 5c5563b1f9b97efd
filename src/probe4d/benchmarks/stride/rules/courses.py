"""TRJ-3 and TRJ-4: which course is the best, and what would follow from another one (Sec. 3.1)."""

from __future__ import annotations

import polars as pl

from probe4d.benchmarks.sampling import ranks
from probe4d.benchmarks.stride.courses import COURSE_DECIMALS, DRIVEN, courses_of
from probe4d.benchmarks.stride.rules.answered import ANSWERED_SCHEMA, Margin, answered
from probe4d.benchmarks.stride.rules.waypoints import positions_as_text
from probe4d.benchmarks.stride.signals import Signals
from probe4d.benchmarks.stride.templates import TEMPLATES
from probe4d.benchmarks.stride.thresholds import COURSE_M, LEAST_ROOM_M, NEAR_MISS_M

__all__ = ["alternative_consequence", "best_trajectory"]

_FRAME = ["scene", "frame"]
_WRONG = TEMPLATES["TRJ-3"].option_count - 1
_HIT, _NEAR_MISS, _ELSEWHERE, _THERE = TEMPLATES["TRJ-4"].options
_MEASURES = ("ade_m", "end_distance_m", "clearance_m")


def best_trajectory(signals: Signals) -> pl.DataFrame:
    """TRJ-3: the driven course among three wrong ones that end elsewhere, drawn by seed, scene and frame.

    Not answered where there are fewer of these, as where the vehicle stands. No line is measured: the driven course is
    the nearest to itself.
    """
    courses = _told(signals)
    driven = courses.filter(pl.col("course") == DRIVEN)
    drawn = (
        courses.filter((pl.col("course") != DRIVEN) & (pl.col("end_distance_m") >= COURSE_M))
        .unique([*_FRAME, "text"], keep="first", maintain_order=True)
        .pipe(_ranked, signals, "TRJ-3", "course")
        .sort(*_FRAME, "rank")
        .group_by(_FRAME, maintain_order=True)
        .head(_WRONG)
    )
    options = (
        pl.concat([driven, drawn.select(driven.columns)])
        .group_by(_FRAME, maintain_order=True)
        .agg(
            options=pl.col("text"),
            candidates=pl.struct(pl.col("text").alias("trajectory"), "course", pl.col(_MEASURES).round(6)),
        )
        .filter(pl.col("options").list.len() == 1 + _WRONG)
    )
    table = driven.select(*_FRAME, "text").join(options, on=_FRAME)
    return answered(table, pl.col("text"), {"candidates": pl.col("candidates")}, options=pl.col("options"))


def alternative_consequence(signals: Signals) -> pl.DataFrame:
    """TRJ-4: what would follow from a course that was not driven, while all others move as they did.

    One course a key frame: consequences are put into an order drawn by seed, scene and frame, and the first that a
    course has without being too close to a line is asked for, so that none is rare where it need not be.
    """
    clearance, apart = pl.col("clearance_m"), pl.col("end_distance_m")
    answer = (
        pl.when(clearance <= 0)
        .then(pl.lit(_HIT))
        .when(clearance < NEAR_MISS_M)
        .then(pl.lit(_NEAR_MISS))
        .when(apart > COURSE_M)
        .then(pl.lit(_ELSEWHERE))
        .otherwise(pl.lit(_THERE))
    )
    clear = (clearance >= NEAR_MISS_M).fill_null(value=True)
    all_of = answered(
        _told(signals).filter(pl.col("course") != DRIVEN),
        answer,
        {name: pl.col(name) for name in ("course", *_MEASURES, "nearest_track", "nearest_words")},
        Margin(pl.min_horizontal(clearance.abs(), (clearance - NEAR_MISS_M).abs()), "metres", least=LEAST_ROOM_M),
        Margin(pl.when(clear).then((apart - COURSE_M).abs()), "metres"),
        trajectory=pl.col("text"),
    )
    return (
        all_of.pipe(_ranked, signals, "TRJ-4", "answer")
        .pipe(_ranked, signals, "TRJ-4/course", "trajectory", name="rank_of_course")
        .sort(*_FRAME, "too_close", "rank", "rank_of_course")
        .unique(_FRAME, keep="first", maintain_order=True)
        .select(*ANSWERED_SCHEMA)
    )


def _told(signals: Signals) -> pl.DataFrame:
    """Courses with their text, of query frames in which the driven one keeps clear of every box.

    Where it does not, boxes or poses are wrong, and nothing can be said of other courses either.
    """
    courses = courses_of(signals)
    touching = courses.filter((pl.col("course") == DRIVEN) & (pl.col("clearance_m") <= 0))
    clear = courses.join(touching, on=_FRAME, how="anti", maintain_order="left")
    return clear.with_columns(text=positions_as_text(clear["positions_m"].to_list(), COURSE_DECIMALS))


def _ranked(table: pl.DataFrame, signals: Signals, draw: str, what: str, *, name: str = "rank") -> pl.DataFrame:
    keys = table.select(pl.format("{}/{}/{}", "scene", "frame", what)).to_series()
    return table.with_columns(ranks(keys, seed=signals.seed, family=f"stride/{draw}").alias(name))
