"""The edition of STRIDE for Waymo's end-to-end data."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import cast

import polars as pl

from probe4d.benchmarks.stride.editions import Edition
from probe4d.benchmarks.stride.rules import Rule
from probe4d.benchmarks.stride.rules.ego_future import future_ego_position
from probe4d.benchmarks.stride.rules.memory import past_ego_manoeuvre
from probe4d.benchmarks.stride.templates.waymo import waymo_templates
from probe4d.benchmarks.stride.thresholds import FRAME_SPACING_S
from probe4d.benchmarks.stride.waymo import clusters, courses, objects
from probe4d.benchmarks.stride.waymo.card import WAYMO_CARD
from probe4d.benchmarks.stride.waymo.driving import read_driving
from probe4d.benchmarks.stride.waymo.signals import EstimatedSignals, estimated_signals
from probe4d.benchmarks.stride.waymo.thresholds import RATED_HORIZON_S
from probe4d.errors import InputError
from probe4d.scenes.estimated.objects_file import read_objects
from probe4d.scenes.estimated.schema import ESTIMATED_OBJECTS_SCHEMA
from probe4d.scenes.tables import Scenes

__all__ = ["WAYMO_RULES", "positions_of", "waymo_edition"]

_OF_ESTIMATES: dict[str, Callable[[EstimatedSignals], pl.DataFrame]] = {
    "SC-7": clusters.scene_class,
    "SC-8": objects.main_risk_source,
    "SC-9": courses.preferred_action,
    "SP-1": objects.direction_of_motion,
    "SP-3": objects.distance,
    "SP-5": objects.occlusion_proxy,
    "SU-1": objects.constraint_of_point,
    "TM-2": objects.earlier_place,
    "TM-3": objects.recent_motion,
    "TM-5": past_ego_manoeuvre,
    "TE-1": objects.future_motion,
    "TE-2": objects.time_to_collision,
    "TE-4": objects.ego_response,
    "TE-5": objects.next_event,
    "TRJ-1": courses.future_manoeuvre,
    "TRJ-2": future_ego_position,
    "TRJ-3": courses.best_rated,
    "TRJ-4": courses.consequence_by_rating,
    "TRJ-5": courses.future_waypoints,
}

WAYMO_RULES = cast(Mapping[str, Rule], _OF_ESTIMATES)
"""By template. The edition hands them its own signals and no others."""


def positions_of(horizon_s: float) -> int:
    """How many positions half a second apart a horizon has.

    Raises:
        InputError: It is no multiple of half a second, or beyond what ego states reach.
    """
    steps = horizon_s / FRAME_SPACING_S
    if not (1 <= steps <= RATED_HORIZON_S / FRAME_SPACING_S and steps == round(steps)):
        raise InputError(
            f"the horizon cannot be {horizon_s:g} s.",
            remedy=f"Give a multiple of {FRAME_SPACING_S:g} s up to {RATED_HORIZON_S:g} s.",
        )
    return round(steps)


def waymo_edition(scenes: Scenes, objects_file: Path | None, horizon_s: float | None) -> Edition:
    """What can be asked of converted WOD-E2E data.

    Args:
        scenes: All scenes of the converted folder.
        objects_file: File of estimated objects; without one there are none.
        horizon_s: How far ahead TRJ-5 asks; null for as far as ego states reach.

    Raises:
        InputError: The objects or the tables of driving cannot be read, or the horizon cannot be asked for.
    """
    positions = positions_of(RATED_HORIZON_S if horizon_s is None else horizon_s)
    driving = read_driving(scenes)
    none = pl.DataFrame(schema=ESTIMATED_OBJECTS_SCHEMA)
    found = none if objects_file is None else read_objects(objects_file, scenes)
    counted = pl.concat([found.select("scene"), driving.frames.select("scene")])
    return Edition(
        templates=waymo_templates(positions),
        rules=WAYMO_RULES,
        signals=partial(
            estimated_signals,
            objects=found,
            driving=driving,
            clusters=clusters.offered_clusters(driving.frames["cluster"]),
            positions=positions,
        ),
        card=WAYMO_CARD,
        measured=dict(counted.group_by("scene").len().iter_rows()),
        horizon_s=positions * FRAME_SPACING_S,
    )
