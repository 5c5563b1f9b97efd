"""TRJ: the way of the ego vehicle."""

from __future__ import annotations

from probe4d.benchmarks.stride.templates.options import AHEAD_S, PATTERN
from probe4d.benchmarks.stride.templates.template import Template
from probe4d.benchmarks.stride.thresholds import (
    ASIDE_M,
    COURSE_M,
    FUTURE_POSITIONS,
    MOVED_M,
    NEAR_MISS_M,
    PAST_POSITIONS,
    STILL_MPS,
    STOP_WITHIN_S,
    SWERVE_M,
)

__all__ = ["TRAJECTORY"]

TRAJECTORY = (
    Template(
        id="TRJ-1",
        relation="future-ego-manoeuvre",
        measure=(
            f"As TM-5, over the next {FUTURE_POSITIONS} steps. Coming to a stop counts first: at least "
            f"{STILL_MPS:g} m/s in the first step and less in the last."
        ),
        question=f"What will the ego vehicle do in the next {AHEAD_S:g} s?",
        options=(*PATTERN, "comes to a stop"),
        option_count=7,
        statement=f"In the next {AHEAD_S:g} s the ego vehicle {{answer}}.",
        needs=("boxes", "future"),
        future_frames=FUTURE_POSITIONS,
    ),
    Template(
        id="TRJ-2",
        relation="future-ego-position",
        measure=(
            f"The ego origin {FUTURE_POSITIONS} key frames later, in the ego frame of the query frame: less "
            f"than {MOVED_M:g} m away is near; up to {ASIDE_M:g} m aside is straight ahead. Driving backwards "
            "is not asked about."
        ),
        question=f"Where will the ego vehicle be in {AHEAD_S:g} s, seen from where it is now?",
        options=("straight ahead", "ahead to the left", "ahead to the right", "near where it is now"),
        option_count=4,
        statement=f"In {AHEAD_S:g} s the ego vehicle will be {{answer}}.",
        needs=("boxes", "future"),
        future_frames=FUTURE_POSITIONS,
    ),
    Template(
        id="TRJ-3",
        relation="best-trajectory",
        measure=(
            "The driven positions are the best. Three of six wrong courses are drawn that end at least "
            f"{COURSE_M:g} m from them: at half or one and a half times the speed, {SWERVE_M:g} m aside to "
            "the left or right, on at the velocity of the query frame, braking to a stop within "
            f"{STOP_WITHIN_S:g} s."
        ),
        question=(
            f"Which trajectory of the next {AHEAD_S:g} s is the best for the ego vehicle? Each lists its positions "
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
        measure=(
            "A wrong course of TRJ-3, the outline of the ego vehicle on it against all boxes as they really "
            f"moved: it touches one; comes nearer than {NEAR_MISS_M:g} m; else whether it ends more than "
            f"{COURSE_M:g} m from the driven end."
        ),
        question=(
            "What would follow if the ego vehicle took this trajectory instead: {trajectory}? It lists its positions "
            "0.5 s apart, as [x, y] in metres: x ahead and y to the left of where it is now."
        ),
        options=(
            "it would hit another object",
            f"it would pass an object by less than {NEAR_MISS_M:g} m",
            f"it would keep clear, and end more than {COURSE_M:g} m from where it really went",
            f"it would keep clear, and end within {COURSE_M:g} m of where it really went",
        ),
        option_count=4,
        statement="With the trajectory {trajectory}, {answer}.",
        needs=("boxes", "future"),
        future_frames=FUTURE_POSITIONS,
    ),
    Template(
        id="TRJ-5",
        relation="future-waypoints",
        measure="The ego origins of the next key frames, in the ego frame of the query frame.",
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
        measure="The ego origins of the key frames before, in the ego frame of the query frame.",
        format="waypoints",
        question=(
            f"Give the last {PAST_POSITIONS} positions of the ego vehicle before the last picture, 0.5 s apart, the "
            "oldest first, as [x, y] in metres in the frame of the ego vehicle at the last picture: x ahead, y to the "
            "left."
        ),
        needs=(),
        asks_for_past=True,
    ),
    Template(
        id="TRJ-7",
        relation="trajectory-justification",
        format="text",
        question=(
            f"What should the ego vehicle do in the next {AHEAD_S:g} s, and where will it be then? Justify it by which "
            "regions beside and ahead of it are free of objects, and by how high the risk of the scene is if every "
            "road user and the ego vehicle keep their velocities."
        ),
        needs=("boxes", "future"),
        future_frames=FUTURE_POSITIONS,
        parts=("TRJ-1", "TRJ-2", "SU-2", "SC-5"),
    ),
)
