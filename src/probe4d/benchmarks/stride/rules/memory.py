"""TM-2, TM-3 and TM-5: where a target was, and how it and the ego vehicle have moved (Sec. 3.1)."""

from __future__ import annotations

import polars as pl

from probe4d.benchmarks.stride.lines import EGO
from probe4d.benchmarks.stride.motion import MOTION_FACTS, ego_turns_deg, motion_of, object_turns_deg
from probe4d.benchmarks.stride.rules.answered import answered, movable_targets, visible_targets
from probe4d.benchmarks.stride.rules.patterns import pattern, pattern_margins
from probe4d.benchmarks.stride.rules.perception import sector_answers
from probe4d.benchmarks.stride.signals import Signals
from probe4d.benchmarks.stride.templates import TEMPLATES
from probe4d.benchmarks.stride.thresholds import HISTORY_FRAMES
from probe4d.benchmarks.stride.windows import ego_window, object_window

__all__ = ["past_ego_manoeuvre", "previous_position", "recent_motion"]

_KEYS = ["scene", "track", "frame"]


def previous_position(signals: Signals) -> pl.DataFrame:
    """TM-2: the sector of the target in the first frame of the history, seen from where the ego vehicle was then."""
    then = signals.objects.select("scene", "track", "ego_x_m", "ego_y_m", frame=pl.col("frame") + HISTORY_FRAMES)
    return sector_answers(visible_targets(signals).select(_KEYS).join(then, on=_KEYS))


def recent_motion(signals: Signals) -> pl.DataFrame:
    """TM-3: the pattern of the target's motion over ground in the history."""
    window = object_window(signals, movable_targets(signals), -HISTORY_FRAMES, 0)
    return answered(
        motion_of(window, object_turns_deg(window, signals.lines.still_mps)),
        pattern(TEMPLATES["TM-3"].options, signals.lines),
        {name: pl.col(name) for name in MOTION_FACTS},
        *pattern_margins(signals.lines),
    )


def past_ego_manoeuvre(signals: Signals) -> pl.DataFrame:
    """TM-5: the pattern of the ego vehicle's motion in the history, turns by the heading of its poses."""
    window = ego_window(signals, -HISTORY_FRAMES, 0)
    return answered(
        motion_of(window, ego_turns_deg(window, signals.ego)),
        pattern(TEMPLATES["TM-5"].options, EGO),
        {name: pl.col(name) for name in MOTION_FACTS},
        *pattern_margins(EGO),
    )
