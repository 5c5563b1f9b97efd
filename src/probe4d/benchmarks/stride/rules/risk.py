"""SU-3, SC-5 and TE-2: what would come of constant velocities (Sec. 3.1 and App. A.4)."""

from __future__ import annotations

import polars as pl

from probe4d.benchmarks.stride.encounters import nearest_gaps, with_relative_velocity
from probe4d.benchmarks.stride.rules.answered import Margin, answered, queries, visible_targets
from probe4d.benchmarks.stride.signals import Signals
from probe4d.benchmarks.stride.templates import TEMPLATES
from probe4d.benchmarks.stride.thresholds import (
    HISTORY_FRAMES,
    LEAST_ROOM_M,
    RISK_APPROACH_M,
    RISK_BOUNDS_M,
    TIME_TO_COLLISION_BOUNDS_S,
)

__all__ = ["scene_risk", "target_risk", "time_to_collision", "with_time_to_collision"]

_FRAME = ["scene", "frame"]
_LEVELS = TEMPLATES["SU-3"].options
_GAPS = ("gap_now_m", "nearest_gap_m", "nearest_after_s")


def target_risk(signals: Signals) -> pl.DataFrame:
    """SU-3: how near the outlines of the target and of the ego vehicle come within `RISK_S`.

    A target that comes nearer by less than `RISK_APPROACH_M` is no risk, however near it is now.
    """
    table = nearest_gaps(signals, visible_targets(signals))
    relative = ("relative_x_mps", "relative_y_mps")
    return answered(table, _level(), {name: pl.col(name) for name in (*relative, *_GAPS)}, *_margins())


def scene_risk(signals: Signals) -> pl.DataFrame:
    """SC-5: the risk of that object of the key frame which comes nearest of those that approach (see `target_risk`).

    Objects whose velocity is unknown, as in the first key frame of a track, are left out.
    """
    near = nearest_gaps(signals, signals.objects.filter(pl.col("frame") >= HISTORY_FRAMES))
    deciding = (
        near.filter(_approaches())
        .sort("nearest_gap_m", "track")
        .unique(_FRAME, keep="first", maintain_order=True)
        .select(*_FRAME, *_GAPS, "words", decided_by="track")
    )
    table = queries(signals).join(deciding, on=_FRAME, how="left", maintain_order="left")
    facts = {name: pl.col(name) for name in (*_GAPS, "words", "decided_by")}
    return answered(table, _level(), facts, *_margins())


def time_to_collision(signals: Signals) -> pl.DataFrame:
    """TE-2: the range of the target by the speed at which it shrinks, from centre to ego origin."""
    closes = pl.col("closing_speed_mps") >= signals.lines.approach_mps
    seconds = pl.col("time_to_collision_s")
    *names, never = TEMPLATES["TE-2"].options
    number = pl.sum_horizontal((seconds >= bound).cast(pl.Int32) for bound in TIME_TO_COLLISION_BOUNDS_S)
    in_time = number.replace_strict(dict(enumerate(names)), return_dtype=pl.String)
    off_bounds = pl.min_horizontal((seconds - bound).abs() for bound in TIME_TO_COLLISION_BOUNDS_S)
    return answered(
        with_time_to_collision(signals, visible_targets(signals)),
        pl.when(closes).then(in_time).when(~closes).then(pl.lit(never)),
        {name: pl.col(name) for name in ("range_m", "closing_speed_mps", "time_to_collision_s")},
        Margin((pl.col("closing_speed_mps") - signals.lines.approach_mps).abs(), "metres per second"),
        Margin(off_bounds, "seconds"),
    )


def with_time_to_collision(signals: Signals, objects: pl.DataFrame) -> pl.DataFrame:
    """Add closing_speed_mps, and time_to_collision_s where an object approaches fast enough."""
    outwards = pl.col("ego_x_m") * pl.col("relative_x_mps") + pl.col("ego_y_m") * pl.col("relative_y_mps")
    closing = pl.col("closing_speed_mps")
    return (
        with_relative_velocity(signals, objects)
        .with_columns(closing_speed_mps=pl.when(pl.col("range_m") > 0).then(-outwards / pl.col("range_m")))
        .with_columns(
            time_to_collision_s=pl.when(closing >= signals.lines.approach_mps).then(pl.col("range_m") / closing)
        )
    )


def _approaches() -> pl.Expr:
    return pl.col("gap_now_m") - pl.col("nearest_gap_m") >= RISK_APPROACH_M


def _level() -> pl.Expr:
    """Level of risk; the last, none, where nothing approaches."""
    number = pl.sum_horizontal((pl.col("nearest_gap_m") >= bound).cast(pl.Int32) for bound in RISK_BOUNDS_M)
    level = number.replace_strict(dict(enumerate(_LEVELS)), return_dtype=pl.String)
    return pl.when(_approaches()).then(level).otherwise(pl.lit(_LEVELS[-1]))


def _margins() -> tuple[Margin, ...]:
    """From the bounds, and from where an object that comes near enough to be a risk counts as approaching."""
    gap, closer = pl.col("nearest_gap_m"), pl.col("gap_now_m") - pl.col("nearest_gap_m")
    off_bounds = pl.min_horizontal((gap - bound).abs() for bound in RISK_BOUNDS_M)
    matters = gap < RISK_BOUNDS_M[-1]
    return (
        Margin(pl.when(_approaches()).then(off_bounds), "metres", least=LEAST_ROOM_M),
        Margin(pl.when(matters).then((closer - RISK_APPROACH_M).abs()), "metres", least=LEAST_ROOM_M),
    )
