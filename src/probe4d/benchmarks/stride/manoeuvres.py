"""What the ego vehicle does after a query frame: manoeuvre and change of speed, each for itself (Fig. 3c)."""

from __future__ import annotations

import math

import polars as pl

from probe4d.benchmarks.stride.thresholds import EGO_TURN_DEG, FUTURE_POSITIONS, SPEED_CHANGE_MPS, STILL_MPS

__all__ = ["MANOEUVRES", "SPEED_CHANGES", "manoeuvres_of"]

MANOEUVRES = ("straight on", "left", "right", "still")
SPEED_CHANGES = ("speeds up", "steady", "slows down", "stops")


def manoeuvres_of(ego: pl.DataFrame) -> pl.DataFrame:
    """Manoeuvre and change of speed over the next `FUTURE_POSITIONS` key frames.

    Both are told apart, so that turning and slowing down is seen as both. Speeds are means of the first two and of the
    last two steps; the vehicle stops where it moves at first and is slower than `STILL_MPS` in the last step.

    Args:
        ego: Columns of `Signals.ego`, sorted by scene and frame.

    Returns:
        Columns scene, frame, manoeuvre (one of `MANOEUVRES`) and speed_change (one of `SPEED_CHANGES`), for the
        frames with as many later ones.
    """
    steps = [pl.col("speed_mps").shift(-step).over("scene") for step in range(1, FUTURE_POSITIONS + 1)]
    half_turn = pl.col("yaw_rad").shift(-FUTURE_POSITIONS).over("scene") - pl.col("yaw_rad")
    turn_deg = ((half_turn + math.pi) % (2 * math.pi) - math.pi).degrees()
    change_mps = (steps[-1] + steps[-2] - steps[0] - steps[1]) / 2
    measured = ego.select(
        "scene",
        "frame",
        turn_deg=turn_deg,
        change_mps=change_mps,
        mean_mps=pl.mean_horizontal(steps),
        first_mps=steps[0],
        last_mps=steps[-1],
    ).drop_nulls()
    still = pl.col("mean_mps") < STILL_MPS
    return measured.select(
        "scene",
        "frame",
        manoeuvre=pl.when(still)
        .then(pl.lit("still"))
        .when(pl.col("turn_deg") > EGO_TURN_DEG)
        .then(pl.lit("left"))
        .when(pl.col("turn_deg") < -EGO_TURN_DEG)
        .then(pl.lit("right"))
        .otherwise(pl.lit("straight on")),
        speed_change=pl.when((pl.col("first_mps") >= STILL_MPS) & (pl.col("last_mps") < STILL_MPS))
        .then(pl.lit("stops"))
        .when(pl.col("change_mps") > SPEED_CHANGE_MPS)
        .then(pl.lit("speeds up"))
        .when(pl.col("change_mps") < -SPEED_CHANGE_MPS)
        .then(pl.lit("slows down"))
        .otherwise(pl.lit("steady")),
    )
