"""Ways to break a question of the level situational, and what an audit says of each."""

from __future__ import annotations

from mutating import answered, changed, fact, fields, nudged
from spatial_changes import Mutations, reworded

from probe4d.benchmarks.question import Evidence

__all__ = ["SITUATIONAL"]

SITUATIONAL: Mutations = {
    # What a template fixes.
    "rule": ("collision", bool, fields(rule="crash"), "rule: stored 'crash', derived 'collision'"),
    "relation of none": ("passing", bool, fields(relation="left"), "relation: stored 'left', derived None"),
    # Where and when.
    "key frames": ("bridge", bool, lambda q: changed(q, keyframes=(q.keyframes or 0) + 1), "keyframes: stored "),
    "evidence of another key frame": (
        "parking",
        bool,
        lambda q: changed(q, evidence=Evidence(frames=(q.frames[0] + 1,), views=q.evidence.views)),
        "evidence: stored ",
    ),
    "evidence of another camera": (
        "pedestrian-risk",
        bool,
        lambda q: changed(q, evidence=Evidence(frames=q.frames, views=("CAM_TOP",))),
        "evidence: stored ",
    ),
    # What follows from the objects.
    "margin of an occlusion": ("occlusion", bool, fields(margin=1.0), "margin: stored a number, derived null"),
    "context of another template": ("collision", bool, lambda q: changed(q, context="passing"), "context: stored "),
    # Facts that all rules note.
    "object too few": ("passing", bool, fact("objects", lambda objects: objects[:1]), "facts.objects: stored 1"),
    # Facts of single rules.
    "gap": ("collision", bool, fact("gap_m", nudged(0.01)), "facts.gap_m: stored "),
    "distance of a collision": ("collision", bool, fact("distance_m", nudged(0.01)), "facts.distance_m: stored "),
    "gap of a passage": ("passing", bool, fact("gap_m", lambda number: number + 1), "facts.gap_m: stored "),
    "width of the passing vehicle": (
        "passing",
        bool,
        fact("vehicle_width_m", nudged(0.1)),
        "facts.vehicle_width_m: stored ",
    ),
    "width of the passing vehicle in the text": (
        "passing",
        bool,
        lambda q: reworded(f"width of {q.facts['vehicle_width_m']:g} ", "width of 99 ")(q),
        "facts.vehicle_width_m: stored ",
    ),
    "length of the spot": ("parking", bool, fact("spot_length_m", nudged(0.1)), "facts.spot_length_m: stored "),
    "width of the vehicle": ("parking", bool, fact("width_m", nudged(0.1)), "facts.width_m: stored "),
    "clearance in the text": (
        "parking",
        bool,
        lambda q: reworded(f"at least {q.facts['clearance_m']:g} ", "at least 0.05 ")(q),
        "facts.clearance_m: stored ",
    ),
    "when it is hidden": ("occlusion", answered("Yes"), fact("hidden_after_m", nudged(0.25)), "facts.hidden_after_m"),
    "never hidden": ("occlusion", answered("Yes"), fact("hidden_after_m", lambda _: None), "facts.hidden_after_m"),
    "hidden after all": ("occlusion", answered("No"), fact("hidden_after_m", lambda _: 1.0), "facts.hidden_after_m"),
}
