"""The rules of STRIDE: from signals to answers and the measures behind them, one for each template but the open ones.

Pure functions over columns. Everything is measured in the ego frame of a query frame (x forward, y left, metres)
with the whole pose, speeds by the real times of key frames; lines are those of `thresholds.py`.
"""

from __future__ import annotations

from collections.abc import Mapping

from probe4d.benchmarks.stride.rules import memory, perception, waypoints
from probe4d.benchmarks.stride.rules.answered import ANSWERED_SCHEMA, Rule

__all__ = ["ANSWERED_SCHEMA", "RULES", "Rule"]

RULES: Mapping[str, Rule] = {
    "SP-1": perception.direction_of_motion,
    "SP-2": perception.relative_position,
    "SP-3": perception.distance,
    "TM-2": memory.previous_position,
    "TRJ-5": waypoints.future_waypoints,
    "TRJ-6": waypoints.past_waypoints,
}
"""By template. Open templates have none: their references are composed of the answers of others."""
