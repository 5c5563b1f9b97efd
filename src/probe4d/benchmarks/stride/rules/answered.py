"""What a rule gives: the answers that scenes allow, with the measures behind them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

import polars as pl
from polars.datatypes import DataTypeClass

from probe4d.benchmarks.stride.signals import Signals
from probe4d.benchmarks.stride.thresholds import FIXED_CATEGORIES, HISTORY_FRAMES, LEAST_MARGIN, SEEN_LEVEL

__all__ = ["ANSWERED_SCHEMA", "Margin", "Rule", "answered", "movable_targets", "queries", "visible_targets"]

ANSWERED_SCHEMA: dict[str, pl.DataType] = {
    "scene": pl.String(),
    "frame": pl.Int32(),  # the query frame
    "track": pl.String(),  # of the target; null where the question has none
    "answer": pl.String(),  # text of the right option, or the waypoints as JSON
    "options": pl.List(pl.String()),  # where the template has none of its own; the order says nothing
    "trajectory": pl.String(),  # that the question speaks of
    "margin": pl.Float64(),  # from the line that is nearest, counted in its least margin; null where no line is drawn
    "margin_unit": pl.String(),  # of that line, a key of LEAST_MARGIN
    "too_close": pl.Boolean(),  # whether a line is nearer than its least margin
    "facts": pl.String(),  # what was measured, a JSON object
}

Rule = Callable[[Signals], pl.DataFrame]
"""Gives columns of `ANSWERED_SCHEMA`: a row for each question that scenes allow, too close or not."""

_DECIMALS = 6


class Margin(NamedTuple):
    """How far a measure is from a line at which the answer would change.

    Attributes:
        distance: In `unit`, 0 or more; null where the line does not matter to a row.
        unit: A key of `LEAST_MARGIN`.
        least: Nearer than this is too close; null for the usual one of the unit.
    """

    distance: pl.Expr
    unit: str
    least: float | None = None


def answered(
    table: pl.DataFrame,
    answer: pl.Expr,
    facts: Mapping[str, pl.Expr],
    *margins: Margin,
    options: pl.Expr | None = None,
    trajectory: pl.Expr | None = None,
) -> pl.DataFrame:
    """Answers as a table of `ANSWERED_SCHEMA`, sorted by scene, frame and track.

    Args:
        table: A row a question: columns scene, frame and, where there are targets, track.
        answer: Text of the answer; null where there is none, which leaves the row out.
        facts: What was measured, by name; numbers are rounded to a millionth.
        margins: The lines that the answers rest on. That of which a row is nearest, in units of its least margin,
            gives the row its margin.
        options: Texts of the options, where each question has its own.
        trajectory: The trajectory that the question speaks of.
    """
    least = [LEAST_MARGIN[margin.unit] if margin.least is None else margin.least for margin in margins]
    # Rounded, so that of two lines that are equally near the first counts, on every machine.
    relative = [(margin.distance / each).round(_DECIMALS) for margin, each in zip(margins, least, strict=True)]
    nearest = pl.min_horizontal(relative) if margins else pl.lit(None, pl.Float64)
    deciding = pl.coalesce(
        pl.lit(None, pl.Struct({"margin": pl.Float64, "margin_unit": pl.String})),
        *(
            pl.when(ratio == nearest).then(pl.struct(margin=margin.distance, margin_unit=pl.lit(margin.unit)))
            for margin, ratio in zip(margins, relative, strict=True)
        ),
    )
    given = table.with_columns(
        track=pl.col("track") if "track" in table.columns else pl.lit(None, pl.String),
        answer=answer,
        options=pl.lit(None, pl.List(pl.String)) if options is None else options,
        trajectory=pl.lit(None, pl.String) if trajectory is None else trajectory,
        too_close=(nearest < 1).fill_null(value=False),
        deciding=deciding,
    )
    return (
        given.with_columns(facts=_as_json(table.select(**facts)))
        .filter(pl.col("answer").is_not_null())
        .with_columns(
            margin=pl.col("deciding").struct.field("margin"), margin_unit=pl.col("deciding").struct.field("margin_unit")
        )
        .sort("scene", "frame", "track", "trajectory")
        .select(pl.col(name).cast(dtype) for name, dtype in ANSWERED_SCHEMA.items())
    )


def queries(signals: Signals) -> pl.DataFrame:
    """The rows of `signals.ego` that can be query frames: those with a whole history."""
    return signals.ego.filter(pl.col("frame") >= HISTORY_FRAMES)


def visible_targets(signals: Signals) -> pl.DataFrame:
    """The targets that are not occluded: what they do can be seen (visibility of `SEEN_LEVEL`, or unknown)."""
    return signals.targets.filter(pl.col("visibility").is_null() | (pl.col("visibility") >= SEEN_LEVEL))


def movable_targets(signals: Signals) -> pl.DataFrame:
    """The visible targets that can move by themselves (not of `FIXED_CATEGORIES`)."""
    return visible_targets(signals).filter(~pl.col("category").is_in(FIXED_CATEGORIES))


def _as_json(facts: pl.DataFrame) -> pl.Series:
    """Each row as a JSON object, numbers rounded and never -0."""
    columns = [_rounded(pl.col(name), dtype).alias(name) for name, dtype in facts.schema.items()]
    return facts.select(pl.struct(columns).struct.json_encode()).to_series()


def _rounded(values: pl.Expr, dtype: pl.DataType | DataTypeClass) -> pl.Expr:
    """Numbers, or those in lists, rounded; other values as they are."""
    if isinstance(dtype, pl.List):
        return values.list.eval(_rounded(pl.element(), dtype.inner))
    if dtype != pl.Float64:
        return values
    rounded = values.round(_DECIMALS)
    return pl.when(rounded == 0).then(0.0).otherwise(rounded)
