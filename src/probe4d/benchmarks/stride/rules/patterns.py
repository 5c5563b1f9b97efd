"""Names for how something moves over a window: still, steadily, faster, slower, turning, stopping (Sec. 3.1)."""

from __future__ import annotations

import polars as pl

from probe4d.benchmarks.stride.lines import Lines
from probe4d.benchmarks.stride.rules.answered import Margin
from probe4d.benchmarks.stride.thresholds import STILL_MPS

__all__ = ["pattern", "pattern_margins", "stops"]


def pattern(names: tuple[str | None, ...], lines: Lines) -> pl.Expr:
    """Name of the pattern: the first of still, turn, change of speed, steady that fits; no turn where none is measured.

    Args:
        names: Words for standing still, steady speed, speeding up, slowing down, turning left and turning right; null
            where there is none.
        lines: Where motion is told apart.
    """
    still, steady, faster, slower, left, right = (pl.lit(name) for name in names)
    turn, change = pl.col("heading_change_deg"), pl.col("speed_change_mps")
    return (
        pl.when(pl.col("mean_speed_mps") < lines.still_mps)
        .then(still)
        .when(turn > lines.turn_deg)
        .then(left)
        .when(turn < -lines.turn_deg)
        .then(right)
        .when(change > lines.speed_change_mps)
        .then(faster)
        .when(change < -lines.speed_change_mps)
        .then(slower)
        .otherwise(steady)
    )


def pattern_margins(lines: Lines, where: pl.Expr | None = None) -> tuple[Margin, ...]:
    """Margins of `pattern`, from those lines that its order comes to.

    Args:
        lines: As for `pattern`.
        where: Rows that the pattern decides; all without it.
    """
    asked = pl.lit(value=True) if where is None else where
    moves = asked & (pl.col("mean_speed_mps") >= lines.still_mps)
    off_turn = (pl.col("heading_change_deg").abs() - lines.turn_deg).abs()
    straight = moves & (pl.col("heading_change_deg").abs() <= lines.turn_deg).fill_null(value=True)
    off_change = (pl.col("speed_change_mps").abs() - lines.speed_change_mps).abs()
    return (
        Margin(pl.when(asked).then((pl.col("mean_speed_mps") - lines.still_mps).abs()), "metres per second"),
        Margin(pl.when(moves).then(off_turn), "degrees"),
        Margin(pl.when(straight).then(off_change), "metres per second"),
    )


def stops() -> tuple[pl.Expr, Margin]:
    """Whether something moves in the first step and stands in the last, and how far that is from changing."""
    started, stands = pl.col("first_speed_mps") - STILL_MPS, STILL_MPS - pl.col("last_speed_mps")
    stopped = (started >= 0) & (stands > 0)
    missing = pl.max_horizontal(-started, -stands)
    return stopped, Margin(
        pl.when(stopped).then(pl.min_horizontal(started, stands)).otherwise(missing.abs()), "metres per second"
    )
