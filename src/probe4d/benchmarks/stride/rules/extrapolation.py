"""TE-1 and TE-4: how a target moves on, and what the ego vehicle does then (Sec. 3.1)."""

from __future__ import annotations

import polars as pl

from probe4d.benchmarks.stride.motion import MOTION_FACTS, motion_of, object_turns_deg
from probe4d.benchmarks.stride.rules.answered import answered, movable_targets, visible_targets
from probe4d.benchmarks.stride.rules.ego_future import EGO_FACTS, manoeuvre, manoeuvre_margins, with_future_motion
from probe4d.benchmarks.stride.rules.patterns import pattern, pattern_margins
from probe4d.benchmarks.stride.rules.risk import with_time_to_collision
from probe4d.benchmarks.stride.signals import Signals
from probe4d.benchmarks.stride.templates import TEMPLATES
from probe4d.benchmarks.stride.thresholds import MOTION_FRAMES, PATH_AHEAD_M, TIME_TO_COLLISION_BOUNDS_S
from probe4d.benchmarks.stride.windows import object_window
from probe4d.benchmarks.stride.zones import ahead, footprints_of

__all__ = ["ego_response", "future_motion"]

_STOPS, _SLOWS, _LEFT, _RIGHT, _KEEPS = TEMPLATES["TE-4"].options


def future_motion(signals: Signals) -> pl.DataFrame:
    """TE-1: the pattern of the target's motion over ground in the next `MOTION_FRAMES`."""
    window = object_window(signals, movable_targets(signals), 0, MOTION_FRAMES)
    return answered(
        motion_of(window, object_turns_deg(window, signals.lines.still_mps)),
        pattern(TEMPLATES["TE-1"].options, signals.lines),
        {name: pl.col(name) for name in MOTION_FACTS},
        *pattern_margins(signals.lines),
    )


def ego_response(signals: Signals) -> pl.DataFrame:
    """TE-4: the manoeuvre of the ego vehicle after the query frame, as TRJ-1 has it, for targets that call for one.

    These block the way ahead, or would meet the ego vehicle in less than the last bound of TE-2. A vehicle that stands
    all along or speeds up has no answer: no option says so.
    """
    targets = with_time_to_collision(signals, visible_targets(signals)).select(
        "scene",
        "frame",
        "track",
        "time_to_collision_s",
        "ego_x_m",
        "ego_y_m",
        "yaw_rad",
        "length_m",
        "width_m",
    )
    way = ahead(PATH_AHEAD_M).separations_m(footprints_of(targets))
    relevant = (pl.col("way_separation_m") <= 0) | (pl.col("time_to_collision_s") < TIME_TO_COLLISION_BOUNDS_S[-1])
    table = targets.with_columns(way_separation_m=way).filter(relevant)
    return answered(
        table.join(with_future_motion(signals), on=["scene", "frame"]),
        manoeuvre((None, _KEEPS, None, _SLOWS, _LEFT, _RIGHT, _STOPS)),
        {name: pl.col(name) for name in ("time_to_collision_s", "way_separation_m", *EGO_FACTS)},
        *manoeuvre_margins(),
    )
