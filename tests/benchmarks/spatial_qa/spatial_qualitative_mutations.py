"""Ways to break a question of the level qualitative, and what an audit says of each."""

from __future__ import annotations

from mutating import SCENES, added, changed, dropped, fact, fields, nudged
from spatial_changes import (
    Mutations,
    exchanged_boxes,
    exchanged_objects,
    exchanged_words,
    moved_to,
    next_frame,
    opposite,
    reworded,
    same_box_twice,
)

__all__ = ["QUALITATIVE"]

QUALITATIVE: Mutations = {
    # Answers of a wrong form.
    "answer in small letters": ("behind", bool, fields(answer="yes"), "the answer is 'yes'"),
    # What a template fixes.
    "suite": ("above", bool, fields(suite="lidar-hallu"), "the suite is 'lidar-hallu'"),
    "family": ("below", bool, fields(family="situational"), "is no template of family 'situational'"),
    "template": (
        "wider",
        bool,
        fields(template="larger"),
        "rule: stored 'width-difference', derived 'volume-difference'",
    ),
    "unknown template": ("longer", bool, fields(template="heavier"), "'heavier' is no template"),
    "relation": ("taller", bool, fields(relation="shorter-in-height"), "relation: stored 'shorter-in-height'"),
    "opposite relation": ("left", bool, opposite, "answer: stored "),
    "links": ("smaller", bool, fields(links=("0" * 16,)), "links: stored "),
    # Where and when.
    "another scene": (
        "shorter-in-length",
        bool,
        lambda q: changed(q, scene=next(name for name in SCENES if name != q.scene)),
        "the scene has no box ",
    ),
    "next key frame": ("shorter-in-height", bool, next_frame, "and the question of "),
    "two key frames": ("thinner", bool, lambda q: changed(q, frames=(*q.frames, 99)), "asks of key frames "),
    "another camera": (
        "behind",
        lambda q: q.channel == "CAM_FRONT",
        moved_to("CAM_BACK"),
        "CAM_BACK does not show box ",
    ),
    "unknown camera": ("in-front", bool, moved_to("CAM_TOP"), "no camera of the dataset has the channel"),
    "no camera": ("right", bool, fields(channel=None), "and camera None"),
    # Words.
    "wording": ("below", bool, reworded("Is ", "Are "), "is not how below is worded"),
    "words exchanged in the text": ("longer", bool, exchanged_words, "entities[0]: stored "),
    "one entity too few": (
        "taller",
        bool,
        lambda q: changed(q, entities=q.entities[:1]),
        "the question names 2 objects",
    ),
    "objects exchanged": ("larger", bool, exchanged_objects, "answer: stored "),
    # What follows from the objects.
    "margin": ("above", bool, lambda q: changed(q, margin=(q.margin or 0) + 1e-4), "margin: stored "),
    "no margin": ("smaller", bool, fields(margin=None), "margin: stored null"),
    "negative margin": ("right", bool, lambda q: changed(q, margin=-(q.margin or 0)), "margin: stored "),
    "returns": (
        "in-front",
        bool,
        lambda q: changed(q, lidar_points=(q.lidar_points or 0) + 1),
        "lidar_points: stored ",
    ),
    "context": ("thinner", bool, lambda q: changed(q, context=f"{q.context}|vehicle.car"), "context: stored "),
    # Facts that all rules note.
    "position x": ("left", bool, fact("objects.0.x", nudged(1e-4)), "facts.objects[0].x: stored "),
    "key frame of an object": (
        "below",
        bool,
        fact("objects.0", lambda one: {**one, "frame": 400}),
        "facts.objects[0].frame",
    ),
    "unknown box": ("behind", bool, fact("objects.1.box", lambda token: token[::-1]), "the scene has no box "),
    "same box twice": ("shorter-in-length", bool, same_box_twice, "a box stands for two objects"),
    "boxes exchanged": ("smaller", bool, exchanged_boxes, "answer: stored "),
    "object without its box": (
        "above",
        bool,
        fact("objects.0", lambda one: {key: value for key, value in one.items() if key != "box"}),
        "missing required field `box`",
    ),
    "unit of a margin": (
        "larger",
        bool,
        fact("margin_unit", lambda unit: "metres"),
        "facts.margin_unit: stored 'metres'",
    ),
    "no unit of a margin": ("taller", bool, dropped("margin_unit"), "facts.margin_unit: stored None"),
    "unknown fact": ("wider", bool, added("colour", "red"), "unknown field `colour`"),
    "fact of another type": ("in-front", bool, fact("depth_difference_m", str), "Expected `float`, got `str`"),
    "no facts": ("thinner", bool, fields(facts={}), "missing required field `objects`"),
    # Facts of single rules.
    "difference": ("longer", bool, fact("length_difference_m", nudged(0.01)), "facts.length_difference_m: stored "),
    "sign of a difference": (
        "shorter-in-height",
        bool,
        fact("height_difference_m", lambda number: -number),
        "facts.height_difference_m: stored ",
    ),
    "no difference": (
        "right",
        bool,
        dropped("sideways_difference_m"),
        "missing required field `sideways_difference_m`",
    ),
}
