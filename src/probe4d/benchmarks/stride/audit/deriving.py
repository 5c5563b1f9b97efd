"""Which template is derived by what, and for which of its questions that can be done."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from probe4d.benchmarks.stride.audit import counts, encounters, events, motion, places, room
from probe4d.benchmarks.stride.audit.derived import Derived, Line
from probe4d.benchmarks.stride.audit.measuring import Array, Drive, Flags, Rows
from probe4d.benchmarks.stride.templates import TEMPLATES
from probe4d.benchmarks.stride.thresholds import HISTORY_FRAMES

__all__ = ["LABELS", "MEASURED", "derive", "may_be_target"]

MEASURED: Mapping[str, Callable[[Drive, Rows, Rows], Derived]] = {
    "SC-4": counts.traffic_density,
    "SC-5": encounters.scene_risk,
    "SP-1": places.direction_of_motion,
    "SP-2": places.sector,
    "SP-3": places.distance,
    "SP-5": places.occlusion_state,
    "SP-6": places.ground_contact,
    "SU-1": room.physical_constraint,
    "SU-2": room.drivable_region,
    "SU-3": encounters.target_risk,
    "SU-4": room.lane_change_clearance,
    "SU-5": room.feasible_manoeuvre,
    "SU-6": counts.density_around_ego,
    "TM-1": counts.no_longer_visible,
    "TM-2": places.previous_position,
    "TM-3": motion.recent_motion,
    "TM-4": counts.currently_occluded,
    "TM-5": motion.past_ego_manoeuvre,
    "TE-1": motion.future_motion,
    "TE-2": encounters.time_to_collision,
    "TE-4": motion.ego_response,
    "TE-5": events.next_event,
    "TRJ-1": motion.future_ego_manoeuvre,
    "TRJ-2": motion.future_ego_position,
}
"""Templates whose answers follow from query frame and target alone."""

LABELS: Mapping[str, str] = {
    "SC-1": "weather",
    "SC-2": "time_of_day",
    "SC-3": "road_type",
    "SP-4": "lane",
    "TE-3": "lane",
}
"""Templates that ask for a label, which is in no table of the dataset, and its name."""

_OF_OCCLUDED = ("SP-5",)
"""Templates that may ask about an occluded target."""
_OF_MOVING = ("SP-1", "TM-3", "TE-1")
"""Templates that ask how a target moves, and so only about those that can."""


def _has_window(drive: Drive, template: str, frame: Rows) -> Flags:
    """Whether key frames have the history and the future that a template is measured in, shape (n,)."""
    last = drive.key_frames - 1 - TEMPLATES[template].future_frames
    flags: Flags = (frame >= HISTORY_FRAMES) & (frame <= last)
    return flags


def may_be_target(drive: Drive, template: str, target: Rows) -> Flags:
    """Whether a template may ask about boxes, shape (n,)."""
    allowed: Flags = drive.is_target[target]
    if template not in _OF_OCCLUDED:
        allowed = allowed & drive.is_clear[target]
    return allowed & ~drive.is_fixed[target] if template in _OF_MOVING else allowed


def derive(template: str, drive: Drive, frame: Rows, target: Rows) -> Derived:
    """Derive the answers of a template of `MEASURED`.

    Args:
        template: Its id.
        drive: The scene.
        frame: Query frames, shape (n,).
        target: Rows of the targets, shape (n,); not looked at where the template has none.

    Returns:
        What was derived; no answer where the window reaches beyond the scene, or the target may not be asked about.
    """
    can = _has_window(drive, template, frame)
    if TEMPLATES[template].has_target:
        can &= may_be_target(drive, template, target)
    at = np.flatnonzero(can)
    derived = MEASURED[template](drive, frame[at], target[at])
    return derived if len(at) == len(frame) else _spread(derived, at, len(frame))


def _spread(derived: Derived, at: Rows, n: int) -> Derived:
    """What was derived of some of n questions, nothing of the others."""
    where = {int(place): number for number, place in enumerate(at)}
    numbers = [where.get(place) for place in range(n)]
    return Derived(
        [None if number is None else derived.answers[number] for number in numbers],
        {
            name: [None if number is None else column[number] for number in numbers]
            for name, column in derived.facts.items()
        },
        tuple(Line(_filled(line.distance, at, n), line.unit, line.least) for line in derived.lines),
    )


def _filled(distance: Array, at: Rows, n: int) -> Array:
    filled = np.full(n, np.nan)
    filled[at] = distance
    return filled
