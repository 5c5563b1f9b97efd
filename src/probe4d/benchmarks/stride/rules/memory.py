"""TM: what was where, and how it moved, in the frames before the query frame (Sec. 3.1)."""

from __future__ import annotations

import polars as pl

from probe4d.benchmarks.stride.rules.answered import visible_targets
from probe4d.benchmarks.stride.rules.perception import sector_answers
from probe4d.benchmarks.stride.signals import Signals
from probe4d.benchmarks.stride.thresholds import HISTORY_FRAMES

__all__ = ["previous_position"]

_KEYS = ["scene", "track", "frame"]


def previous_position(signals: Signals) -> pl.DataFrame:
    """TM-2: the sector of the target in the first frame of the history, seen from where the ego vehicle was then."""
    then = signals.objects.select("scene", "track", "ego_x_m", "ego_y_m", frame=pl.col("frame") + HISTORY_FRAMES)
    return sector_answers(visible_targets(signals).select(_KEYS).join(then, on=_KEYS))
