"""Ways to break a question of the level quantitative, and what an audit says of each."""

from __future__ import annotations

from mutating import changed, dropped, fact, fields, nudged
from spatial_changes import Mutations, large, reworded

__all__ = ["QUANTITATIVE"]

QUANTITATIVE: Mutations = {
    # Answers of a wrong form.
    "number of one decimal": ("ego-distance", bool, fields(answer="12.3"), "the answer is '12.3'"),
    "number with its unit": ("distance", bool, fields(answer="12.30 m"), "the answer is '12.30 m'"),
    "zero below zero": ("lateral-offset", bool, fields(answer="-0.00"), "the answer is '-0.00'"),
    "bearing of the other side": ("bearing", large, lambda q: changed(q, answer=f"{-float(q.answer):.2f}"), "answer: "),
    "bearing a turn on": (
        "bearing",
        lambda q: float(q.answer) > 1,
        lambda q: changed(q, answer=f"{float(q.answer) - 360:.2f}"),
        "lies beyond half a turn",
    ),
    "number a cent off": (
        "height",
        bool,
        lambda q: changed(q, answer=f"{float(q.answer) + 0.02:.2f}"),
        "answer: stored ",
    ),
    # What a template fixes.
    "prompt": ("width", bool, fields(prompt="How wide is it?"), "fixes no prompt"),
    # Where and when.
    "camera in the text": (
        "ego-lateral-offset",
        lambda q: q.channel == "CAM_FRONT",
        reworded("CAM_FRONT", "CAM_BACK"),
        "the text names CAM_BACK, and the question is of CAM_FRONT",
    ),
    # Words.
    "another object in the text": (
        "length",
        bool,
        lambda q: changed(q, question=(q.question or "").replace(q.entities[0], "the lorry")),
        "derived 'the lorry'",
    ),
    "entity": ("width", bool, fields(entities=("the lorry",)), "entities[0]: stored 'the lorry'"),
    # What follows from the objects.
    "margin of a number": ("ego-distance", bool, fields(margin=1.0), "margin: stored a number, derived null"),
    "unknown returns": ("distance", bool, fields(lidar_points=None), "lidar_points: stored None"),
    # Facts that all rules note.
    "position y": ("distance", bool, fact("objects.1.y", nudged(-1e-4)), "facts.objects[1].y: stored "),
    "words in the facts": (
        "height",
        bool,
        fact("objects.0", lambda one: {**one, "label": "the lorry"}),
        "and the facts tell of ",
    ),
    "unit of a number": ("bearing", bool, fact("unit", lambda unit: "metres"), "facts.unit: stored 'metres'"),
    "unit of a distance": ("ego-distance", bool, fact("unit", lambda unit: "feet"), "facts.unit: stored 'feet'"),
    "no unit": ("width", bool, dropped("unit"), "missing required field `unit`"),
    # Facts of single rules.
    "distance": ("distance", bool, fact("distance_m", lambda number: number * 1.02), "facts.distance_m: stored "),
    "bearing": ("bearing", bool, fact("bearing_deg", nudged(0.01)), "facts.bearing_deg: stored "),
    "size": ("length", bool, fact("length_m", nudged(0.001)), "facts.length_m: stored "),
}
