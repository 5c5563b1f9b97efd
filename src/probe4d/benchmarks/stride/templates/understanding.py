"""SU: what objects mean for where the ego vehicle can go."""

from __future__ import annotations

from probe4d.benchmarks.stride.templates.options import RISK, UNSATISFACTORY, counts_between
from probe4d.benchmarks.stride.templates.template import Template
from probe4d.benchmarks.stride.thresholds import (
    BESIDE_AHEAD_M,
    BESIDE_BEHIND_M,
    DENSITY_BOUNDS,
    DENSITY_RANGE_M,
    FREE_AHEAD_M,
    LANE_CHANGE_AHEAD_M,
    LANE_CHANGE_BEHIND_M,
    LANE_CHANGE_LOOK_BACK_M,
    LANE_CHANGE_S,
    LANE_FAR_SIDE_M,
    PATH_AHEAD_M,
    PATH_HALF_WIDTH_M,
    RISK_APPROACH_M,
    RISK_BOUNDS_M,
    RISK_S,
)

__all__ = ["SPATIAL_UNDERSTANDING"]

SPATIAL_UNDERSTANDING = (
    Template(
        id="SU-1",
        relation="physical-constraint",
        measure=(
            f"Its footprint reaches into the way (to {PATH_AHEAD_M:g} m ahead, {PATH_HALF_WIDTH_M:g} m to "
            f"either side), which counts first, or into a strip beside it (to {LANE_FAR_SIDE_M:g} m aside, "
            f"from {BESIDE_BEHIND_M:g} m behind to {FREE_AHEAD_M:g} m ahead). One that lies across both "
            "strips behind is not asked about."
        ),
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
        measure=(
            f"No footprint of an annotated object reaches into the way to {FREE_AHEAD_M:g} m ahead, or into a "
            f"strip beside it from {BESIDE_BEHIND_M:g} m behind to {BESIDE_AHEAD_M:g} m ahead."
        ),
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
        measure=(
            f"Both outlines are moved on at constant velocity for {RISK_S:g} s. Their nearest gap is below "
            f"{RISK_BOUNDS_M[0]:g} m: high; {RISK_BOUNDS_M[1]:g} m: moderate; {RISK_BOUNDS_M[2]:g} m: low. A "
            f"target that comes nearer by less than {RISK_APPROACH_M:g} m is no risk."
        ),
        question="If {target} and the ego vehicle keep their velocities, how high is the risk that they meet?",
        options=RISK,
        option_count=4,
        statement="At constant velocities the risk from {target} is {answer}.",
        has_target=True,
        verdict="removed",
        removed_because=UNSATISFACTORY,
    ),
    Template(
        id="SU-4",
        relation="lane-change-clearance",
        measure=(
            f"No footprint reaches into the strip beside the way from {LANE_CHANGE_BEHIND_M:g} m behind to "
            f"{LANE_CHANGE_AHEAD_M:g} m ahead, and none in the strip up to {LANE_CHANGE_LOOK_BACK_M:g} m "
            f"behind comes up within {LANE_CHANGE_S:g} s at its relative velocity."
        ),
        question="On which side have road users left the ego vehicle room to move over by one lane?",
        options=("on both sides", "only on the left", "only on the right", "on neither side"),
        option_count=4,
        statement="There is room to move over by one lane {answer}.",
    ),
    Template(
        id="SU-5",
        relation="feasible-manoeuvre",
        measure="The regions of SU-2; asked where one of them, or none, is free.",
        question="Which manoeuvre is the only one that has free space?",
        options=("going straight on", "moving to the left", "moving to the right", "none but braking"),
        option_count=4,
        statement="The only manoeuvre with free space: {answer}.",
        verdict="removed",
        removed_because=UNSATISFACTORY,
    ),
    Template(
        id="SU-6",
        relation="density-around-ego",
        measure=f"Annotated objects of any kind whose centre is within {DENSITY_RANGE_M:g} m, seen or not.",
        question=f"How many objects are within {DENSITY_RANGE_M:g} m of the ego vehicle?",
        options=counts_between(DENSITY_BOUNDS),
        option_count=4,
        statement=f"The number of objects within {DENSITY_RANGE_M:g} m is {{answer}}.",
        verdict="removed",
        removed_because=UNSATISFACTORY,
    ),
    Template(
        id="SU-7",
        relation="spatial-situation",
        format="text",
        question=(
            "Describe the overall spatial situation of the ego vehicle in the scene, including existing physical "
            "constraints, available drivable space, risk level, and feasible maneuvers. Say also how {target} "
            "constrains it, and how high the risk is that they meet if both keep their velocities."
        ),
        has_target=True,
        parts=("SU-1", "SU-2", "SU-3", "SU-4"),
        wording="paper, extended",
    ),
)
