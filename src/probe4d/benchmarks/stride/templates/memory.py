"""TM: what was before the query frame."""

from __future__ import annotations

from probe4d.benchmarks.stride.templates.options import BACK_S, HOW_MANY, PAST_PATTERN, SECTORS, UNSATISFACTORY
from probe4d.benchmarks.stride.templates.template import Template
from probe4d.benchmarks.stride.thresholds import (
    EGO_TURN_DEG,
    HISTORY_FRAMES,
    MEMORY_RANGE_M,
    SEEN_LEVEL,
    SPEED_CHANGE_MPS,
    STILL_MPS,
    TURN_DEG,
    WELL_VISIBLE_LEVEL,
)

__all__ = ["TEMPORAL_MEMORY"]

TEMPORAL_MEMORY = (
    Template(
        id="TM-1",
        relation="no-longer-visible",
        measure=(
            f"Tracks of visibility level {SEEN_LEVEL} or more within {MEMORY_RANGE_M:g} m in one of the "
            f"{HISTORY_FRAMES} frames before that have no box at the query frame."
        ),
        question=(
            f"How many objects that were visible within {MEMORY_RANGE_M:g} m in the earlier frames are gone in the "
            "last one?"
        ),
        options=HOW_MANY,
        option_count=4,
        statement="The number of objects that are gone is {answer}.",
        needs=("boxes", "visibility"),
        verdict="removed",
        removed_because=UNSATISFACTORY,
    ),
    Template(
        id="TM-2",
        relation="previous-position",
        measure=f"As SP-2, {HISTORY_FRAMES} key frames earlier, in the ego frame of then.",
        question=f"Where was {{target}} {BACK_S:g} s ago, seen from where the ego vehicle was then?",
        options=SECTORS,
        option_count=8,
        statement=f"{BACK_S:g} s ago {{target}} was to the {{answer}}, seen from where the ego vehicle was then.",
        has_target=True,
    ),
    Template(
        id="TM-3",
        relation="recent-motion",
        measure=(
            f"Motion over ground in the last {HISTORY_FRAMES} steps, the first that fits: mean speed below "
            f"{STILL_MPS:g} m/s: stood still; displacement of the last two steps more than {TURN_DEG:g}° off "
            f"that of the first two: turned, measured where both are at least {STILL_MPS:g} m/s fast; their speeds "
            f"more than {SPEED_CHANGE_MPS:g} m/s apart: sped up, slowed down. Asked of what can move."
        ),
        question=f"How has {{target}} moved in the last {BACK_S:g} s?",
        options=PAST_PATTERN,
        option_count=6,
        statement=f"In the last {BACK_S:g} s {{target}} {{answer}}.",
        has_target=True,
    ),
    Template(
        id="TM-4",
        relation="currently-occluded",
        measure=(
            f"Tracks of visibility level {WELL_VISIBLE_LEVEL} or more within {MEMORY_RANGE_M:g} m in one of "
            f"the {HISTORY_FRAMES} frames before that are of level 1 at the query frame."
        ),
        question=(
            f"How many objects that were well visible within {MEMORY_RANGE_M:g} m in the earlier frames are occluded "
            "in the last one?"
        ),
        options=HOW_MANY,
        option_count=4,
        statement="The number of objects that are occluded now is {answer}.",
        needs=("boxes", "visibility"),
    ),
    Template(
        id="TM-5",
        relation="past-ego-manoeuvre",
        measure=f"As TM-3, but turns by the heading of the poses, by more than {EGO_TURN_DEG:g}°, at any speed.",
        question=f"What has the ego vehicle done in the last {BACK_S:g} s?",
        options=PAST_PATTERN,
        option_count=6,
        statement=f"In the last {BACK_S:g} s the ego vehicle {{answer}}.",
    ),
    Template(
        id="TM-6",
        relation="motion-description",
        format="text",
        question=f"Describe how {{target}} and the ego vehicle have moved in the last {BACK_S:g} s.",
        has_target=True,
        parts=("TM-2", "TM-3", "TM-5"),
        verdict="removed",
        removed_because="Its descriptions of recent motion were inaccurate.",
    ),
)
