"""TE: what comes after the query frame."""

from __future__ import annotations

from probe4d.benchmarks.stride.templates.options import AHEAD_S, LANES, MOTION_S, PATTERN, UNSATISFACTORY, label_between
from probe4d.benchmarks.stride.templates.template import Template
from probe4d.benchmarks.stride.thresholds import (
    APPROACH_MPS,
    DIRECTION_DEG,
    FUTURE_POSITIONS,
    MOTION_FRAMES,
    SPEED_CHANGE_MPS,
    STILL_MPS,
    TIME_TO_COLLISION_BOUNDS_S,
)

__all__ = ["TEMPORAL_EXTRAPOLATION"]

TEMPORAL_EXTRAPOLATION = (
    Template(
        id="TE-1",
        relation="future-motion",
        measure=(
            f"As TM-3, in the next {MOTION_FRAMES} steps; a turn is measured where their first two and their last two "
            f"are at least {STILL_MPS:g} m/s fast."
        ),
        question=f"How will {{target}} move in the next {MOTION_S:g} s?",
        options=PATTERN,
        option_count=6,
        statement=f"In the next {MOTION_S:g} s {{target}} {{answer}}.",
        needs=("boxes", "future"),
        has_target=True,
        future_frames=MOTION_FRAMES,
    ),
    Template(
        id="TE-2",
        relation="time-to-collision",
        measure=(
            "Its range divided by the speed at which it shrinks, from relative velocity; less than "
            f"{APPROACH_MPS:g} m/s is no approach."
        ),
        question="If {target} and the ego vehicle keep their velocities, how long until they would meet?",
        options=(*label_between(TIME_TO_COLLISION_BOUNDS_S, "s"), "they do not approach each other"),
        option_count=5,
        statement="At constant velocities the time to collision with {target} is: {answer}.",
        has_target=True,
        verdict="removed",
        removed_because=UNSATISFACTORY,
    ),
    Template(
        id="TE-3",
        relation="future-lane",
        measure=f"The label `lane` of the target {MOTION_FRAMES} key frames later.",
        question=f"In which lane will {{target}} be in {MOTION_S:g} s?",
        options=LANES,
        option_count=5,
        statement=f"In {MOTION_S:g} s {{target}} is in {{answer}}.",
        needs=("boxes", "future", "lane"),
        has_target=True,
        future_frames=MOTION_FRAMES,
        verdict="removed",
        removed_because="The frames do not provide enough lane information.",
    ),
    Template(
        id="TE-4",
        relation="ego-response",
        measure=(
            "The manoeuvre of the ego vehicle as in TRJ-1, for targets that block the way (SU-1) or would "
            f"meet it within {TIME_TO_COLLISION_BOUNDS_S[-1]:g} s (TE-2). A vehicle that stands all along or "
            "speeds up is not asked about."
        ),
        question=f"How does the ego vehicle respond to {{target}} in the next {AHEAD_S:g} s?",
        options=(
            "it stops",
            "it slows down",
            "it steers to the left",
            "it steers to the right",
            "it keeps its course and speed",
        ),
        option_count=5,
        statement=f"In the next {AHEAD_S:g} s the ego vehicle responds: {{answer}}.",
        needs=("boxes", "future"),
        has_target=True,
        future_frames=FUTURE_POSITIONS,
        verdict="removed",
        removed_because="Ground truth is incorrect.",
    ),
    Template(
        id="TE-5",
        relation="next-event",
        measure=(
            "The first key frame at which one of these is so, the upper one of two: a road user has come "
            f"into the way of the query frame (SU-1), moving more than {DIRECTION_DEG:g}° across; one in it "
            f"at the query frame is slower by more than {SPEED_CHANGE_MPS:g} m/s; one has come into it moving "
            "along; the centre of a standing one in a strip beside has fallen behind the ego origin."
        ),
        question=f"Which of these happens first in the next {AHEAD_S:g} s?",
        options=(
            "a road user crosses the way of the ego vehicle",
            "a road user ahead slows down or stops",
            "a road user moves into the way of the ego vehicle",
            "the ego vehicle passes a standing road user",
            "none of these",
        ),
        option_count=5,
        statement=f"What happens first in the next {AHEAD_S:g} s: {{answer}}.",
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
            f"Describe how the scene evolves in the next {AHEAD_S:g} s: how {{target}} moves, and what the ego "
            "vehicle does."
        ),
        needs=("boxes", "future"),
        has_target=True,
        future_frames=FUTURE_POSITIONS,
        parts=("TE-1", "TE-2", "TE-5", "TRJ-1"),
    ),
)
