"""The templates of STRIDE on annotated driving scenes: wording, options, and what a template rests on (Sec. 3, App. A).

The paper numbers 39 templates in six families. Its text prints few of their wordings and none of their thresholds;
`wording` says which are its own. Numbers of options are fixed, so that a guess is right as often as the paper says:
0.197991 over the 16 choice templates that are retained on nuScenes (App. C.4).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from probe4d.benchmarks.stride.thresholds import (
    DENSITY_BOUNDS,
    DISTANCE_BOUNDS_M,
    FUTURE_POSITIONS,
    HISTORY_FRAMES,
    MOTION_FRAMES,
    PAST_POSITIONS,
    TIME_TO_COLLISION_BOUNDS_S,
    TRAFFIC_BOUNDS,
)

__all__ = ["CODES", "FAMILIES", "TEMPLATES", "Need", "Template", "Verdict", "label_between"]

Need = Literal["boxes", "visibility", "future", "weather", "time_of_day", "road_type", "lane"]
"""Annotation that an answer rests on; the last four come from a file of labels, since no box tells them."""

Verdict = Literal["retained", "removed"]

CODES: dict[str, str] = {
    "SC": "scene-context",
    "SP": "spatial-perception",
    "SU": "spatial-understanding",
    "TM": "temporal-memory",
    "TE": "temporal-extrapolation",
    "TRJ": "trajectory",
}
"""Families by the letters that the paper's template numbers begin with."""

FAMILIES: tuple[str, ...] = tuple(CODES.values())


@dataclass(frozen=True, kw_only=True)
class Template:
    """A template.

    Attributes:
        id: The paper's number, such as `SP-3`.
        relation: What it asks about, in words.
        format: Form of the answer.
        question: Its wording; `{target}` stands for the words for the object in the red box.
        options: Texts of the options in their natural order; empty where they are made for each question.
        option_count: How many options a choice question has; 0 for other forms.
        statement: The answer as a sentence of a reference, with `{answer}` and perhaps `{target}`; empty where it
            is part of none.
        needs: Annotations that it rests on.
        has_target: Whether it asks about an object, which is shown in a red box.
        future_frames: Key frames after the query frame that its answer is measured in.
        parts: Templates whose answers an open reference is composed of.
        wording: Whether the paper prints the wording, or it is ours.
        verdict: What the paper's reviewers decided on nuScenes (App. A.6).
        removed_because: Why they removed it, as the paper says; empty where it was retained.
    """

    id: str
    relation: str
    format: Literal["choice", "text", "waypoints"] = "choice"
    question: str
    options: tuple[str, ...] = ()
    option_count: int = 0
    statement: str = ""
    needs: tuple[Need, ...] = ("boxes",)
    has_target: bool = False
    future_frames: int = 0
    parts: tuple[str, ...] = ()
    wording: Literal["paper", "ours"] = "ours"
    verdict: Verdict = "retained"
    removed_because: str = ""

    @property
    def family(self) -> str:
        """The family that its number names."""
        return CODES[self.id.split("-")[0]]


def label_between(bounds: tuple[float, ...], unit: str) -> tuple[str, ...]:
    """Names of the bins that ascending bounds make: `less than 10 m`, `10 to 20 m`, `more than 20 m`."""
    inner = [f"{low:g} to {high:g} {unit}" for low, high in pairwise(bounds)]
    return (f"less than {bounds[0]:g} {unit}", *inner, f"more than {bounds[-1]:g} {unit}")


def _counts(bounds: tuple[int, ...]) -> tuple[str, ...]:
    inner = [f"{low} to {high - 1}" for low, high in pairwise(bounds)]
    return (f"fewer than {bounds[0]}", *inner, f"{bounds[-1]} or more")


_SECTORS = ("front", "front-left", "left", "rear-left", "rear", "rear-right", "right", "front-right")
_PATTERN = (
    "stands still",
    "moves straight on at a steady speed",
    "speeds up",
    "slows down",
    "turns left",
    "turns right",
)
_PAST_PATTERN = (
    "stood still",
    "moved straight on at a steady speed",
    "sped up",
    "slowed down",
    "turned left",
    "turned right",
)
_HOW_MANY = ("none", "one", "two", "three or more")
_RISK = ("high", "moderate", "low", "none")
_LANES = (
    "the lane of the ego vehicle",
    "the next lane to the left",
    "the next lane to the right",
    "a lane farther off",
    "no lane",
)
_UNSATISFACTORY = "Rejected in manual review for insufficient or unsatisfactory evidence."
_AHEAD_S = FUTURE_POSITIONS / 2
_MOTION_S = MOTION_FRAMES / 2
_BACK_S = HISTORY_FRAMES / 2

_SCENE_CONTEXT = (
    Template(
        id="SC-1",
        relation="weather",
        question="What are the weather and the environmental conditions?",
        options=("clear", "overcast", "rain", "fog", "snow"),
        option_count=5,
        statement="The weather is {answer}.",
        needs=("weather",),
        verdict="removed",
        removed_because="No suitable choice for dark scenes.",
    ),
    Template(
        id="SC-2",
        relation="time-of-day",
        question="What time of day is it?",
        options=("day", "dawn or dusk", "night"),
        option_count=3,
        statement="It is {answer}.",
        needs=("time_of_day",),
        verdict="removed",
        removed_because="Samples are mostly daytime, so the label is not reliable.",
    ),
    Template(
        id="SC-3",
        relation="road-type",
        question="What kind of road is the ego vehicle on?",
        options=("urban street", "highway", "intersection", "parking lot", "rural road"),
        option_count=5,
        statement="The road is of the kind: {answer}.",
        needs=("road_type",),
        verdict="removed",
        removed_because="Parked cars do not imply a parking lot, and the sample contains no highway.",
    ),
    Template(
        id="SC-4",
        relation="traffic-density",
        question="How many road users are within 50 m of the ego vehicle?",
        options=_counts(TRAFFIC_BOUNDS),
        option_count=4,
        statement="The number of road users within 50 m is {answer}.",
        verdict="removed",
        removed_because=_UNSATISFACTORY,
    ),
    Template(
        id="SC-5",
        relation="scene-risk",
        question="If every road user and the ego vehicle keep their velocities, how high is the risk of the scene?",
        options=_RISK,
        option_count=4,
        statement="At constant velocities the risk of the scene is {answer}.",
        verdict="removed",
        removed_because=_UNSATISFACTORY,
    ),
    Template(
        id="SC-6",
        relation="scene-description",
        format="text",
        question=(
            "Describe the scene: how dense the traffic is, how much room the ego vehicle has, how risky the scene is, "
            "and how the ego vehicle moves."
        ),
        needs=("boxes", "future"),
        future_frames=FUTURE_POSITIONS,
        parts=("SC-1", "SC-2", "SC-3", "SC-4", "SC-5", "SU-6", "TM-5", "TRJ-1"),
    ),
)

_SPATIAL_PERCEPTION = (
    Template(
        id="SP-1",
        relation="direction-of-motion",
        question="In which direction does {target} move, compared with the heading of the ego vehicle?",
        options=(
            "in the same direction",
            "in the opposite direction",
            "across, from left to right",
            "across, from right to left",
            "it stands still",
        ),
        option_count=5,
        statement="Compared with the heading of the ego vehicle, {target} moves: {answer}.",
        has_target=True,
    ),
    Template(
        id="SP-2",
        relation="relative-position",
        question="What is the spatial relationship between {target} and the ego vehicle?",
        options=_SECTORS,
        option_count=8,
        statement="Seen from the ego vehicle, {target} is to the {answer}.",
        has_target=True,
        wording="paper",
    ),
    Template(
        id="SP-3",
        relation="distance",
        question="What is the approximate distance between {target} and the ego vehicle?",
        options=label_between(DISTANCE_BOUNDS_M, "m"),
        option_count=5,
        statement="The distance to {target} is {answer}.",
        has_target=True,
        wording="paper",
    ),
    Template(
        id="SP-4",
        relation="lane",
        question="In which lane is {target}?",
        options=_LANES,
        option_count=5,
        statement="{target} is in {answer}.",
        needs=("boxes", "lane"),
        has_target=True,
        verdict="removed",
        removed_because=_UNSATISFACTORY,
    ),
    Template(
        id="SP-5",
        relation="occlusion-state",
        question="How much of {target} is visible over all cameras?",
        options=("less than 40 %", "40 to 60 %", "60 to 80 %", "more than 80 %"),
        option_count=4,
        statement="Of {target}, {answer} is visible.",
        needs=("boxes", "visibility"),
        has_target=True,
    ),
    Template(
        id="SP-6",
        relation="ground-contact",
        question="Does {target} stand on the plane that the ego vehicle drives on?",
        options=("on the plane", "above the plane", "below the plane"),
        option_count=3,
        statement="{target} is {answer} that the ego vehicle drives on.",
        has_target=True,
        verdict="removed",
        removed_because=_UNSATISFACTORY,
    ),
    Template(
        id="SP-7",
        relation="target-description",
        format="text",
        question=(
            "Describe the position of {target} relative to the ego vehicle, its direction of motion, and its "
            "approximate distance to the ego vehicle."
        ),
        has_target=True,
        parts=("SP-2", "SP-1", "SP-3"),
        wording="paper",
    ),
)

_SPATIAL_UNDERSTANDING = (
    Template(
        id="SU-1",
        relation="physical-constraint",
        question="How does {target} constrain the ego vehicle?",
        options=(
            "it blocks the way straight ahead",
            "it limits the room on the left side",
            "it limits the room on the right side",
            "it does not constrain the ego vehicle",
        ),
        option_count=4,
        statement="Of {target}: {answer}.",
        has_target=True,
    ),
    Template(
        id="SU-2",
        relation="drivable-region",
        question="Which regions beside and ahead of the ego vehicle are free of objects?",
        options=(
            "straight ahead, left and right",
            "straight ahead and left",
            "straight ahead and right",
            "left and right",
            "only straight ahead",
            "only left",
            "only right",
            "none of them",
        ),
        option_count=8,
        statement="Regions free of objects: {answer}.",
    ),
    Template(
        id="SU-3",
        relation="target-risk",
        question="If {target} and the ego vehicle keep their velocities, how high is the risk that they meet?",
        options=_RISK,
        option_count=4,
        statement="At constant velocities the risk from {target} is {answer}.",
        has_target=True,
        verdict="removed",
        removed_because=_UNSATISFACTORY,
    ),
    Template(
        id="SU-4",
        relation="lane-change-clearance",
        question="On which side have road users left the ego vehicle room to move over by one lane?",
        options=("on both sides", "only on the left", "only on the right", "on neither side"),
        option_count=4,
        statement="There is room to move over by one lane {answer}.",
    ),
    Template(
        id="SU-5",
        relation="feasible-manoeuvre",
        question="Which manoeuvre is the only one that has free space?",
        options=("going straight on", "moving to the left", "moving to the right", "none but braking"),
        option_count=4,
        statement="The only manoeuvre with free space: {answer}.",
        verdict="removed",
        removed_because=_UNSATISFACTORY,
    ),
    Template(
        id="SU-6",
        relation="density-around-ego",
        question="How many objects are within 20 m of the ego vehicle?",
        options=_counts(DENSITY_BOUNDS),
        option_count=4,
        statement="The number of objects within 20 m is {answer}.",
        verdict="removed",
        removed_because=_UNSATISFACTORY,
    ),
    Template(
        id="SU-7",
        relation="spatial-situation",
        format="text",
        question=(
            "Describe the overall spatial situation of the ego vehicle in the scene, including existing physical "
            "constraints, available drivable space, risk level, and feasible maneuvers."
        ),
        has_target=True,
        parts=("SU-1", "SU-2", "SU-3", "SU-4"),
        wording="paper",
    ),
)

_TEMPORAL_MEMORY = (
    Template(
        id="TM-1",
        relation="no-longer-visible",
        question="How many objects that were visible in the earlier frames are gone in the last one?",
        options=_HOW_MANY,
        option_count=4,
        statement="The number of objects that are gone is {answer}.",
        needs=("boxes", "visibility"),
        verdict="removed",
        removed_because=_UNSATISFACTORY,
    ),
    Template(
        id="TM-2",
        relation="previous-position",
        question=f"Where was {{target}} {_BACK_S:g} s ago, seen from where the ego vehicle was then?",
        options=_SECTORS,
        option_count=8,
        statement=f"{_BACK_S:g} s ago {{target}} was to the {{answer}}, seen from where the ego vehicle was then.",
        has_target=True,
    ),
    Template(
        id="TM-3",
        relation="recent-motion",
        question=f"How has {{target}} moved in the last {_BACK_S:g} s?",
        options=_PAST_PATTERN,
        option_count=6,
        statement=f"In the last {_BACK_S:g} s {{target}} {{answer}}.",
        has_target=True,
    ),
    Template(
        id="TM-4",
        relation="currently-occluded",
        question="How many objects that were well visible in the earlier frames are occluded in the last one?",
        options=_HOW_MANY,
        option_count=4,
        statement="The number of objects that are occluded now is {answer}.",
        needs=("boxes", "visibility"),
    ),
    Template(
        id="TM-5",
        relation="past-ego-manoeuvre",
        question=f"What has the ego vehicle done in the last {_BACK_S:g} s?",
        options=_PAST_PATTERN,
        option_count=6,
        statement=f"In the last {_BACK_S:g} s the ego vehicle {{answer}}.",
    ),
    Template(
        id="TM-6",
        relation="motion-description",
        format="text",
        question=f"Describe how {{target}} and the ego vehicle have moved in the last {_BACK_S:g} s.",
        has_target=True,
        parts=("TM-2", "TM-3", "TM-5"),
        verdict="removed",
        removed_because="Its descriptions of recent motion were inaccurate.",
    ),
)

_TEMPORAL_EXTRAPOLATION = (
    Template(
        id="TE-1",
        relation="future-motion",
        question=f"How will {{target}} move in the next {_MOTION_S:g} s?",
        options=_PATTERN,
        option_count=6,
        statement=f"In the next {_MOTION_S:g} s {{target}} {{answer}}.",
        needs=("boxes", "future"),
        has_target=True,
        future_frames=MOTION_FRAMES,
    ),
    Template(
        id="TE-2",
        relation="time-to-collision",
        question="If {target} and the ego vehicle keep their velocities, how long until they would meet?",
        options=(*label_between(TIME_TO_COLLISION_BOUNDS_S, "s"), "they do not approach each other"),
        option_count=5,
        statement="At constant velocities the time to collision with {target} is: {answer}.",
        has_target=True,
        verdict="removed",
        removed_because=_UNSATISFACTORY,
    ),
    Template(
        id="TE-3",
        relation="future-lane",
        question=f"In which lane will {{target}} be in {_MOTION_S:g} s?",
        options=_LANES,
        option_count=5,
        statement=f"In {_MOTION_S:g} s {{target}} is in {{answer}}.",
        needs=("boxes", "future", "lane"),
        has_target=True,
        future_frames=MOTION_FRAMES,
        verdict="removed",
        removed_because="The frames do not provide enough lane information.",
    ),
    Template(
        id="TE-4",
        relation="ego-response",
        question=f"How does the ego vehicle respond to {{target}} in the next {_AHEAD_S:g} s?",
        options=(
            "it stops",
            "it slows down",
            "it steers to the left",
            "it steers to the right",
            "it keeps its course and speed",
        ),
        option_count=5,
        statement=f"In the next {_AHEAD_S:g} s the ego vehicle responds: {{answer}}.",
        needs=("boxes", "future"),
        has_target=True,
        future_frames=FUTURE_POSITIONS,
        verdict="removed",
        removed_because="Ground truth is incorrect.",
    ),
    Template(
        id="TE-5",
        relation="next-event",
        question=f"Which of these happens first in the next {_AHEAD_S:g} s?",
        options=(
            "a road user crosses the way of the ego vehicle",
            "a road user ahead slows down or stops",
            "a road user moves into the way of the ego vehicle",
            "the ego vehicle passes a standing road user",
            "none of these",
        ),
        option_count=5,
        statement=f"What happens first in the next {_AHEAD_S:g} s: {{answer}}.",
        needs=("boxes", "future"),
        future_frames=FUTURE_POSITIONS,
        verdict="removed",
        removed_because="Ground truth is incorrect and the question requires lane identification.",
    ),
    Template(
        id="TE-6",
        relation="scene-evolution",
        format="text",
        question=(
            f"Describe how the scene evolves in the next {_AHEAD_S:g} s: how {{target}} moves, and what the ego "
            "vehicle does."
        ),
        needs=("boxes", "future"),
        has_target=True,
        future_frames=FUTURE_POSITIONS,
        parts=("TE-1", "TE-2", "TE-5", "TRJ-1"),
    ),
)

_TRAJECTORY = (
    Template(
        id="TRJ-1",
        relation="future-ego-manoeuvre",
        question=f"What will the ego vehicle do in the next {_AHEAD_S:g} s?",
        options=(*_PATTERN, "comes to a stop"),
        option_count=7,
        statement=f"In the next {_AHEAD_S:g} s the ego vehicle {{answer}}.",
        needs=("boxes", "future"),
        future_frames=FUTURE_POSITIONS,
    ),
    Template(
        id="TRJ-2",
        relation="future-ego-position",
        question=f"Where will the ego vehicle be in {_AHEAD_S:g} s, seen from where it is now?",
        options=("straight ahead", "ahead to the left", "ahead to the right", "near where it is now"),
        option_count=4,
        statement=f"In {_AHEAD_S:g} s the ego vehicle will be {{answer}}.",
        needs=("boxes", "future"),
        future_frames=FUTURE_POSITIONS,
    ),
    Template(
        id="TRJ-3",
        relation="best-trajectory",
        question=(
            f"Which trajectory of the next {_AHEAD_S:g} s is the best for the ego vehicle? Each lists its positions "
            "0.5 s apart, as [x, y] in metres: x ahead and y to the left of where it is now."
        ),
        option_count=4,
        statement="The best trajectory is {answer}.",
        needs=("boxes", "future"),
        future_frames=FUTURE_POSITIONS,
    ),
    Template(
        id="TRJ-4",
        relation="alternative-consequence",
        question=(
            "What would follow if the ego vehicle took this trajectory instead: {trajectory}? It lists its positions "
            "0.5 s apart, as [x, y] in metres: x ahead and y to the left of where it is now."
        ),
        options=(
            "it would hit another object",
            "it would pass an object by less than 1 m",
            "it would keep clear, and end more than 2 m from where it really went",
            "it would keep clear, and end within 2 m of where it really went",
        ),
        option_count=4,
        statement="With the trajectory {trajectory}, {answer}.",
        needs=("boxes", "future"),
        future_frames=FUTURE_POSITIONS,
    ),
    Template(
        id="TRJ-5",
        relation="future-waypoints",
        format="waypoints",
        question=(
            f"Give the next {FUTURE_POSITIONS} positions of the ego vehicle, 0.5 s apart, the nearest in time first, "
            "as [x, y] in metres in the frame of the ego vehicle at the last picture: x ahead, y to the left."
        ),
        needs=("future",),
        future_frames=FUTURE_POSITIONS,
    ),
    Template(
        id="TRJ-6",
        relation="past-waypoints",
        format="waypoints",
        question=(
            f"Give the last {PAST_POSITIONS} positions of the ego vehicle before the last picture, 0.5 s apart, the "
            "oldest first, as [x, y] in metres in the frame of the ego vehicle at the last picture: x ahead, y to the "
            "left."
        ),
        needs=(),
    ),
    Template(
        id="TRJ-7",
        relation="trajectory-justification",
        format="text",
        question=(
            f"What should the ego vehicle do in the next {_AHEAD_S:g} s, and why? Name the objects and the free space "
            "that decide."
        ),
        needs=("boxes", "future"),
        future_frames=FUTURE_POSITIONS,
        parts=("TRJ-1", "TRJ-2", "SU-2", "SC-5"),
    ),
)

TEMPLATES: Mapping[str, Template] = {
    template.id: template
    for template in (
        *_SCENE_CONTEXT,
        *_SPATIAL_PERCEPTION,
        *_SPATIAL_UNDERSTANDING,
        *_TEMPORAL_MEMORY,
        *_TEMPORAL_EXTRAPOLATION,
        *_TRAJECTORY,
    )
}
"""All 39, by number."""
