"""SC: the scene as a whole."""

from __future__ import annotations

from probe4d.benchmarks.stride.templates.options import RISK, UNSATISFACTORY, counts_between
from probe4d.benchmarks.stride.templates.template import Template
from probe4d.benchmarks.stride.thresholds import FUTURE_POSITIONS, TRAFFIC_BOUNDS, TRAFFIC_RANGE_M

__all__ = ["SCENE_CONTEXT"]

SCENE_CONTEXT = (
    Template(
        id="SC-1",
        relation="weather",
        measure="The label `weather` of the scene.",
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
        measure="The label `time_of_day` of the scene.",
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
        measure="The label `road_type` of the scene.",
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
        measure=f"Vehicles, pedestrians and cycles whose centre is within {TRAFFIC_RANGE_M:g} m, seen or not.",
        question=f"How many road users are within {TRAFFIC_RANGE_M:g} m of the ego vehicle?",
        options=counts_between(TRAFFIC_BOUNDS),
        option_count=4,
        statement=f"The number of road users within {TRAFFIC_RANGE_M:g} m is {{answer}}.",
        verdict="removed",
        removed_because=UNSATISFACTORY,
    ),
    Template(
        id="SC-5",
        relation="scene-risk",
        measure=(
            "The object that comes nearest of those that approach, judged as in SU-3; those without a "
            "velocity are left out."
        ),
        question="If every road user and the ego vehicle keep their velocities, how high is the risk of the scene?",
        options=RISK,
        option_count=4,
        statement="At constant velocities the risk of the scene is {answer}.",
        verdict="removed",
        removed_because=UNSATISFACTORY,
    ),
    Template(
        id="SC-6",
        relation="scene-description",
        format="text",
        question=(
            "Describe the scene at {moment}: how dense the traffic is, which regions beside and ahead of the ego "
            "vehicle are free of objects, how risky the scene is, and how the ego vehicle moves."
        ),
        needs=("boxes", "future"),
        future_frames=FUTURE_POSITIONS,
        shows_scene=True,
        parts=("SC-1", "SC-2", "SC-3", "SC-4", "SC-5", "SU-6", "SU-2", "TM-5", "TRJ-1"),
    ),
)
