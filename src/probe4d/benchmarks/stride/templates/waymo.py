"""The templates of STRIDE on Waymo's end-to-end data (Sec. 3.3, 5.2 and 5.4, App. A.1): 18 choice, 6 open.

The paper names some of the 24 and counts the others. Where it is the same question as on annotated scenes it keeps its
number; SC-7, SC-8 and SC-9 are ours for what the paper names without one. The numbers of options give the published
baseline, 0.203241 over the 18 choice templates (App. C.4).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import pairwise
from typing import Any

from probe4d.benchmarks.stride.templates.extrapolation import TEMPORAL_EXTRAPOLATION
from probe4d.benchmarks.stride.templates.memory import TEMPORAL_MEMORY
from probe4d.benchmarks.stride.templates.options import AHEAD_S, BACK_S, PATTERN, label_between
from probe4d.benchmarks.stride.templates.perception import SPATIAL_PERCEPTION
from probe4d.benchmarks.stride.templates.template import Need, Template
from probe4d.benchmarks.stride.templates.trajectory import TRAJECTORY
from probe4d.benchmarks.stride.templates.understanding import SPATIAL_UNDERSTANDING
from probe4d.benchmarks.stride.thresholds import (
    EGO_TURN_DEG,
    FRAME_SPACING_S,
    LANE_FAR_SIDE_M,
    PATH_AHEAD_M,
    PATH_HALF_WIDTH_M,
    SPEED_CHANGE_MPS,
    STILL_MPS,
    TIME_TO_COLLISION_BOUNDS_S,
)
from probe4d.benchmarks.stride.waymo.thresholds import (
    ACTION_ASIDE_M,
    EARLIER_BEARING_DEG,
    EARLIER_NEAR_M,
    ESTIMATED_APPROACH_MPS,
    ESTIMATED_DISTANCE_BOUNDS_M,
    ESTIMATED_SPEED_CHANGE_MPS,
    ESTIMATED_STILL_MPS,
    ESTIMATED_TURN_DEG,
    MOST_ESTIMATED_RANGE_M,
    MOST_MOVING_RANGE_M,
    MOST_SLOPE_MPS,
    OCCLUSION_BOUNDS,
    RATED_HORIZON_S,
    RATING_BOUNDS,
    SLOPE_DEG,
)

__all__ = ["WAYMO_TEMPLATES", "waymo_templates"]

_ANNOTATED = {
    template.id: template
    for template in (
        *SPATIAL_PERCEPTION,
        *SPATIAL_UNDERSTANDING,
        *TEMPORAL_MEMORY,
        *TEMPORAL_EXTRAPOLATION,
        *TRAJECTORY,
    )
}
_OBJECTS: tuple[Need, ...] = ("estimated objects",)
_BOX: tuple[Need, ...] = ("estimated box",)
_LATER: tuple[Need, ...] = ("estimated objects", "future")
_ON_GROUND = "where the lower edge of its box meets flat ground"
_MOVES = (
    f"estimated places over ground, for targets up to {MOST_MOVING_RANGE_M:g} m away, where a slope of {SLOPE_DEG:g}° "
    f"would make up no more than {MOST_SLOPE_MPS:g} m/s"
)


def _as_annotated(name: str, **changes: Any) -> Template:
    """A template of annotated scenes as it is asked here; retained where the paper names it on Waymo."""
    return replace(_ANNOTATED[name], **{"verdict": "retained", "removed_because": "", **changes})


_PATTERN = (
    f"The pattern of {_MOVES}: mean speed below {ESTIMATED_STILL_MPS:g} m/s is standing still; displacement of the "
    f"last two steps more than {ESTIMATED_TURN_DEG:g}° off that of the first two is a turn, measured where both are at "
    f"least {ESTIMATED_STILL_MPS:g} m/s fast; their speeds more than {ESTIMATED_SPEED_CHANGE_MPS:g} m/s apart are a "
    "change of speed."
)

_SCENE = (
    Template(
        id="SC-6",
        relation="scene-risk-action",
        format="text",
        question=(
            "Explain the scene: what kind of driving scenario it is, what the main risk to the ego vehicle is, and "
            "which action the ego vehicle should take next. The last frame is the present."
        ),
        needs=("cluster", "estimated objects", "ego states"),
        shows_scene=True,
        parts=("SC-7", "SC-8", "SC-9"),
    ),
    Template(
        id="SC-7",
        relation="scene-class",
        measure=(
            "The released scenario cluster of the key frame or its sequence; seven others are drawn. `Others` is "
            "neither asked about nor offered."
        ),
        question="Which kind of driving scenario is this?",
        option_count=8,
        statement="The kind of driving scenario is: {answer}.",
        needs=("cluster",),
    ),
    Template(
        id="SC-8",
        relation="main-risk-source",
        measure=(
            f"Of the estimated objects that stand on the way ahead ({PATH_AHEAD_M:g} m, {PATH_HALF_WIDTH_M:g} m to "
            f"either side) or come nearer within {LANE_FAR_SIDE_M:g} m to either side, to be met in less than "
            f"{TIME_TO_COLLISION_BOUNDS_S[-1]:g} s: the one that would be met first, else the nearest on the way. "
            f"Nobody where no road user is that near to the way up to {MOST_ESTIMATED_RANGE_M:g} m ahead. Not asked "
            f"where a border of the image cuts off something within {PATH_AHEAD_M:g} m."
        ),
        question="What is the main source of risk ahead of the ego vehicle?",
        options=(
            "a car",
            "a truck, bus, trailer or construction vehicle",
            "an emergency vehicle",
            "a cyclist or motorcyclist",
            "a pedestrian",
            "no road user",
        ),
        option_count=6,
        statement="The main source of risk ahead is {answer}.",
        needs=_OBJECTS,
    ),
    Template(
        id="SC-9",
        relation="preferred-action",
        measure=(
            f"What the trajectory that people rated best does in {RATED_HORIZON_S:g} s, else the driven one, the first "
            f"that fits: last second slower than {STILL_MPS:g} m/s: stop; end more than {ACTION_ASIDE_M:g} m aside: "
            f"move; last second slower than the first by {SPEED_CHANGE_MPS:g} m/s: slow down."
        ),
        question=f"What should the ego vehicle do in the next {RATED_HORIZON_S:g} s?",
        options=(
            "stop, or stay where it is",
            "move to the left",
            "move to the right",
            "go straight on and slow down",
            "go straight on without slowing down",
        ),
        option_count=5,
        statement=f"In the next {RATED_HORIZON_S:g} s the ego vehicle should {{answer}}.",
        needs=("ego states",),
    ),
)

_SPACE = (
    _as_annotated(
        "SP-1",
        measure=f"As on annotated scenes, of {_MOVES}; slower than {ESTIMATED_STILL_MPS:g} m/s is standing still.",
        needs=_OBJECTS,
        verdict="ours",
    ),
    _as_annotated(
        "SP-3",
        measure=f"Distance from the ego origin to {_ON_GROUND}.",
        options=label_between(ESTIMATED_DISTANCE_BOUNDS_M, "m"),
        needs=_BOX,
    ),
    _as_annotated(
        "SP-5",
        measure=(
            "A proxy: the share of its box in the front camera that boxes cover which end lower in the image, and so "
            "stand nearer."
        ),
        question="How much of {target} do other road users cover in the front camera?",
        options=(
            f"less than {OCCLUSION_BOUNDS[0]:.0%}",
            *(f"{low:.0%} to {high:.0%}" for low, high in pairwise(OCCLUSION_BOUNDS)),
            f"more than {OCCLUSION_BOUNDS[-1]:.0%}",
        ),
        statement="Of {target}, other road users cover {answer} in the front camera.",
        needs=_OBJECTS,
        verdict="ours",
    ),
    Template(
        id="SP-7",
        relation="distance-description",
        format="text",
        question=(
            "Describe how far {target} is from the ego vehicle, in which direction it moves, and how long until they "
            "would meet if both keep their velocities."
        ),
        needs=_OBJECTS,
        has_target=True,
        parts=("SP-3", "SP-1", "TE-2"),
    ),
    _as_annotated(
        "SU-1",
        measure=f"The zones of SU-1 on annotated scenes, reached by {_ON_GROUND}, a point without extent.",
        needs=_BOX,
        verdict="ours",
    ),
    Template(
        id="SU-7",
        relation="spatial-situation",
        format="text",
        question=(
            "Describe the spatial situation ahead of the ego vehicle: how {target} constrains it, what the main source "
            "of risk is, and how long until the ego vehicle and {target} would meet if both keep their velocities."
        ),
        needs=_OBJECTS,
        has_target=True,
        parts=("SU-1", "SC-8", "TE-2"),
        verdict="ours",
    ),
)

_SIDES = ("ahead", "to the left", "to the right")
_TIME = (
    Template(
        id="TM-2",
        relation="previous-position",
        measure=(
            f"{_ON_GROUND.capitalize()} four key frames earlier, in the ego frame of then: up to "
            f"{EARLIER_BEARING_DEG:g}° to either side is ahead; and whether nearer than {EARLIER_NEAR_M:g} m."
        ),
        question=f"Where was {{target}} {BACK_S:g} s ago, seen from where the ego vehicle was then?",
        options=tuple(
            f"{side}, {near} {EARLIER_NEAR_M:g} m" for near in ("nearer than", "farther than") for side in _SIDES
        ),
        option_count=6,
        statement=f"{BACK_S:g} s ago {{target}} was {{answer}}, seen from where the ego vehicle was then.",
        needs=_OBJECTS,
        has_target=True,
    ),
    _as_annotated("TM-3", measure=_PATTERN, needs=_OBJECTS),
    _as_annotated(
        "TM-5",
        measure=(
            f"Motion of the poses, the first that fits: mean speed below {STILL_MPS:g} m/s: stood still; heading "
            f"changed by more than {EGO_TURN_DEG:g}°: turned; speeds of the first and of the last two steps more than "
            f"{SPEED_CHANGE_MPS:g} m/s apart: sped up, slowed down."
        ),
        needs=(),
    ),
    _as_annotated("TE-1", measure=f"As TM-3, in the next {BACK_S:g} s.", needs=_LATER),
    _as_annotated(
        "TE-2",
        measure=(
            f"Distance by the speed at which it shrinks, for targets up to {MOST_MOVING_RANGE_M:g} m away, where a "
            f"slope of {SLOPE_DEG:g}° would change no answer; less than {ESTIMATED_APPROACH_MPS:g} m/s is no approach."
        ),
        needs=_OBJECTS,
        verdict="ours",
    ),
    _as_annotated(
        "TE-4",
        measure="As on annotated scenes, for targets that are on the way ahead, or would be met in time.",
        needs=_LATER,
    ),
    _as_annotated(
        "TE-5",
        measure=(
            "As on annotated scenes, of estimated places without extent. What stands is kept where it was seen last, "
            "since the front camera loses what the ego vehicle passes."
        ),
        needs=_LATER,
    ),
    _as_annotated("TE-6", needs=_LATER, verdict="ours"),
)

_NAMED = "an unsafe or unlawful way to drive", "worse than a careful driver would do", "acceptable", "good driving"
_RATED = "Each lists its positions 0.5 s apart, as [x, y] in metres: x ahead and y to the left of where it is now."
_COURSES = (
    _as_annotated(
        "TRJ-1",
        measure=f"The pattern of TM-5 over the next {AHEAD_S:g} s; coming to a stop is slowing down.",
        options=PATTERN,
        option_count=6,
        needs=("future",),
        verdict="ours",
    ),
    _as_annotated("TRJ-2", needs=("future",)),
    _as_annotated(
        "TRJ-3",
        measure="The highest rated of three trajectories that people rated, where it leads by a point.",
        question=f"Which trajectory of the next seconds is the best for the ego vehicle? {_RATED}",
        option_count=3,
        needs=("ratings",),
        future_frames=0,
    ),
    _as_annotated(
        "TRJ-4",
        measure=(
            "The score that people gave to the trajectory, 0 to 10, in four classes with lines at "
            f"{', '.join(f'{bound:g}' for bound in RATING_BOUNDS)}."
        ),
        question=(
            "How would people who see the scene judge the ego vehicle for taking this trajectory: {trajectory}? It "
            "lists its positions 0.5 s apart, as [x, y] in metres: x ahead and y to the left of where it is now."
        ),
        options=_NAMED,
        statement="The trajectory {trajectory} would be judged {answer}.",
        needs=("ratings",),
        future_frames=0,
    ),
    _as_annotated(
        "TRJ-5",
        measure="The ego states of the future, which come with the key frame, in its ego frame.",
        needs=("ego states",),
        future_frames=0,
    ),
    _as_annotated(
        "TRJ-7",
        question=(
            f"What should the ego vehicle do in the next {RATED_HORIZON_S:g} s, and why? Say also how it drives in the "
            f"first {AHEAD_S:g} s, where it will be then, and what the main source of risk ahead is."
        ),
        needs=("ego states", "estimated objects", "future"),
        parts=("SC-9", "TRJ-1", "TRJ-2", "SC-8"),
    ),
)


def waymo_templates(positions: int) -> Mapping[str, Template]:
    """All 24, by number.

    Args:
        positions: How many future positions, half a second apart, TRJ-5 asks for.
    """
    question = (
        f"Give the next {positions} positions of the ego vehicle, {FRAME_SPACING_S:g} s apart, up to "
        f"{positions * FRAME_SPACING_S:g} s ahead, the nearest in time first, as [x, y] in metres in the frame of the "
        "ego vehicle at the last picture: x ahead, y to the left."
    )
    return {
        template.id: replace(template, question=question) if template.id == "TRJ-5" else template
        for template in (*_SCENE, *_SPACE, *_TIME, *_COURSES)
    }


WAYMO_TEMPLATES: Mapping[str, Template] = waymo_templates(round(RATED_HORIZON_S / FRAME_SPACING_S))
"""All 24 with the usual horizon of TRJ-5."""
