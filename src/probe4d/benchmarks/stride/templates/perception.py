"""SP: where a target is, and how it moves."""

from __future__ import annotations

from probe4d.benchmarks.stride.templates.options import LANES, SECTORS, UNSATISFACTORY, label_between
from probe4d.benchmarks.stride.templates.template import Template
from probe4d.benchmarks.stride.thresholds import DIRECTION_DEG, DISTANCE_BOUNDS_M, PLANE_M, STILL_MPS

__all__ = ["SPATIAL_PERCEPTION"]

SPATIAL_PERCEPTION = (
    Template(
        id="SP-1",
        relation="direction-of-motion",
        measure=(
            "Displacement over ground of the last second, in the ego frame of the query frame. Slower than "
            f"{STILL_MPS:g} m/s is standing still; up to {DIRECTION_DEG:g}° off the heading is along, up to "
            f"{DIRECTION_DEG:g}° off its opposite is against it. Asked of what can move."
        ),
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
        measure="Bearing of its centre from the ego origin, in sectors of 45°; front is from -22.5° to 22.5°.",
        question="What is the spatial relationship between {target} and the ego vehicle?",
        options=SECTORS,
        option_count=8,
        statement="Seen from the ego vehicle, {target} is to the {answer}.",
        has_target=True,
        wording="paper",
    ),
    Template(
        id="SP-3",
        relation="distance",
        measure="Distance in the plane from the ego origin to its centre; a lower bound belongs to its bin.",
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
        measure="The label `lane` of the target at the query frame.",
        question="In which lane is {target}?",
        options=LANES,
        option_count=5,
        statement="{target} is in {answer}.",
        needs=("boxes", "lane"),
        has_target=True,
        verdict="removed",
        removed_because=UNSATISFACTORY,
    ),
    Template(
        id="SP-5",
        relation="occlusion-state",
        measure=(
            "The visibility level that the dataset gives. The one template that may ask about an occluded target."
        ),
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
        measure=(
            "Height of the lower side of its box above the plane of the ego vehicle's wheels; up to "
            f"{PLANE_M:g} m either way is on the plane."
        ),
        question="Does {target} stand on the plane that the ego vehicle drives on?",
        options=("on the plane", "above the plane", "below the plane"),
        option_count=3,
        statement="{target} is {answer} that the ego vehicle drives on.",
        has_target=True,
        verdict="removed",
        removed_because=UNSATISFACTORY,
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
