"""The rules of STRIDE: from signals to answers and the measures behind them, one for each template but the open ones.

Pure functions over columns. Everything is measured in the ego frame of a query frame (x forward, y left, metres)
with the whole pose, speeds by the real times of key frames; lines are those of `thresholds.py`.
"""

from __future__ import annotations

from collections.abc import Mapping

from probe4d.benchmarks.stride.rules import (
    counting,
    courses,
    ego_future,
    events,
    extrapolation,
    labelled,
    memory,
    perception,
    risk,
    room,
    waypoints,
)
from probe4d.benchmarks.stride.rules.answered import ANSWERED_SCHEMA, Rule

__all__ = ["ANSWERED_SCHEMA", "RULES", "Rule"]

RULES: Mapping[str, Rule] = {
    "SC-1": labelled.weather,
    "SC-2": labelled.time_of_day,
    "SC-3": labelled.road_type,
    "SC-4": counting.traffic_density,
    "SC-5": risk.scene_risk,
    "SP-1": perception.direction_of_motion,
    "SP-2": perception.relative_position,
    "SP-3": perception.distance,
    "SP-4": labelled.lane,
    "SP-5": perception.occlusion_state,
    "SP-6": perception.ground_contact,
    "SU-1": room.physical_constraint,
    "SU-2": room.drivable_region,
    "SU-3": risk.target_risk,
    "SU-4": room.lane_change_clearance,
    "SU-5": room.feasible_manoeuvre,
    "SU-6": counting.density_around_ego,
    "TM-1": counting.no_longer_visible,
    "TM-2": memory.previous_position,
    "TM-3": memory.recent_motion,
    "TM-4": counting.currently_occluded,
    "TM-5": memory.past_ego_manoeuvre,
    "TE-1": extrapolation.future_motion,
    "TE-2": risk.time_to_collision,
    "TE-3": labelled.future_lane,
    "TE-4": extrapolation.ego_response,
    "TE-5": events.next_event,
    "TRJ-1": ego_future.future_ego_manoeuvre,
    "TRJ-2": ego_future.future_ego_position,
    "TRJ-3": courses.best_trajectory,
    "TRJ-4": courses.alternative_consequence,
    "TRJ-5": waypoints.future_waypoints,
    "TRJ-6": waypoints.past_waypoints,
}
"""By template. Open templates have none: their references are composed of the answers of others."""
