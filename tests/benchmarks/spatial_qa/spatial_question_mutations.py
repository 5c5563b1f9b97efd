"""Ways to break a question of spatial-qa, and what an audit says of each."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from mutating import SCENES, answered, changed, with_facts
from spatial_mutating import fact, objects_in_order

from probe4d.benchmarks.question import Evidence, Question
from probe4d.benchmarks.spatial_qa.templates import TEMPLATES

__all__ = ["QUESTIONS"]

Change = Callable[[Question], Question]
Keep = Callable[[Question], bool]


def other_answer(question: Question) -> Question:
    """Another answer of the right form: a number is 2 % off."""
    if question.format == "number":
        return changed(question, answer=f"{float(question.answer) * 1.02:.2f}")
    if question.format == "choice":
        letters = "ABCD"[: len(question.options)]
        return changed(question, answer=letters[(letters.index(question.answer) + 1) % len(letters)])
    return changed(question, answer="No" if question.answer == "Yes" else "Yes")


def large(question: Question) -> bool:
    """Whether 2 % off is another number."""
    return question.format != "number" or abs(float(question.answer)) > 1


def fields(**values: Any) -> Change:
    return lambda question: changed(question, **values)


def reworded(old: str, new: str, **values: Any) -> Change:
    def change(question: Question, /) -> Question:
        assert question.question is not None
        assert old in question.question
        return changed(question, question=question.question.replace(old, new), **values)

    return change


def moved_to(channel: str) -> Change:
    return lambda q: changed(q, channel=channel, evidence=Evidence(frames=q.evidence.frames, views=(channel,)))


def next_frame(question: Question) -> Question:
    (frame,) = question.frames
    moved = (frame + 1 if frame + 1 < (question.keyframes or 0) else frame - 1,)
    asked = with_facts(question, lambda facts: [one.update(frame=moved[0]) for one in facts["objects"]])
    return changed(asked, frames=moved, evidence=Evidence(frames=moved, views=question.evidence.views))


def swapped_measures(question: Question) -> Question:
    return with_facts(question, lambda facts: facts["distances_m"].reverse())


def dropped(name: str) -> Change:
    return lambda question: with_facts(question, lambda facts: facts.pop(name))


def added(name: str, value: Any) -> Change:
    return lambda question: with_facts(question, lambda facts: facts.update({name: value}))


def same_box_twice(question: Question) -> Question:
    def change(facts: dict[str, Any]) -> None:
        facts["objects"][1]["box"] = facts["objects"][0]["box"]

    return with_facts(question, change)


def exchanged_boxes(question: Question) -> Question:
    def change(facts: dict[str, Any]) -> None:
        first, second = facts["objects"]
        first["box"], second["box"] = second["box"], first["box"]

    return with_facts(question, change)


def exchanged_words(question: Question) -> Question:
    """The same two objects the other way round, in the text alone."""
    first, second = question.entities
    assert question.question is not None
    text = question.question.replace(first, "\0").replace(second, first).replace("\0", second)
    return changed(question, question=text)


def exchanged_objects(question: Question) -> Question:
    """The same two objects the other way round, everywhere but in what was measured."""
    turned = exchanged_words(question)
    context = "|".join((question.template, *reversed(question.context.split("|")[1:])))
    facts = with_facts(turned, lambda told: told["objects"].reverse())
    return changed(facts, entities=question.entities[::-1], context=context)


def opposite(question: Question) -> Question:
    """The opposite relation, with what belongs to it, but not its answer."""
    text = (question.question or "").replace("to the left of", "to the right of")
    return changed(question, template="right", relation="right", question=text)


def first_to_last(question: Question) -> Question:
    return changed(question, options=(*question.options[1:], question.options[0]))


def turned_options(question: Question) -> Question:
    places = range(len(question.options))
    return objects_in_order(question, (*places[1:], 0))


def doubled_option(question: Question) -> Question:
    return changed(question, options=(question.options[1], *question.options[1:]))


def nudged(by: float) -> Callable[[float], float]:
    return lambda number: number + by


OF_A_VIEW = ("near-ego", "wide-vehicle", "pedestrian-risk", "bridge")
QUESTIONS: dict[str, tuple[str, Keep, Change, str]] = {
    **{f"answer, {name}": (name, large, other_answer, "answer: stored ") for name in TEMPLATES},
    **{
        f"place of an object, {name}": (name, bool, fact("objects.0.x", nudged(1e-4)), "facts.objects[0].x: stored ")
        for name in TEMPLATES
        if name not in OF_A_VIEW
    },
    **{
        f"margin, {name}": (
            name,
            lambda q: q.margin is not None,
            lambda q: changed(q, margin=(q.margin or 0) + 1e-4),
            "margin: stored ",
        )
        for name in OF_A_VIEW
    },
    # Answers of a wrong form.
    "answer in small letters": ("behind", bool, fields(answer="yes"), "the answer is 'yes'"),
    "letter beyond the options": ("closer-to-ego", bool, fields(answer="C"), "the answer is 'C'"),
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
    "suite": ("above", bool, fields(suite="lidar-hallu"), "the suite is 'lidar-hallu'"),
    "family": ("below", bool, fields(family="situational"), "is no template of family 'situational'"),
    "format": ("near-object", bool, fields(format="number"), "in format 'number'"),
    "template": (
        "wider",
        bool,
        fields(template="larger"),
        "rule: stored 'width-difference', derived 'volume-difference'",
    ),
    "unknown template": ("longer", bool, fields(template="heavier"), "'heavier' is no template"),
    "rule": ("collision", bool, fields(rule="crash"), "rule: stored 'crash', derived 'collision'"),
    "relation": ("taller", bool, fields(relation="shorter-in-height"), "relation: stored 'shorter-in-height'"),
    "relation of none": ("passing", bool, fields(relation="left"), "relation: stored 'left', derived None"),
    "opposite relation": ("left", bool, opposite, "answer: stored "),
    "needs": ("near-ego", bool, fields(needs=("boxes",)), "needs: stored ['boxes']"),
    "links": ("smaller", bool, fields(links=("0" * 16,)), "links: stored "),
    "prompt": ("width", bool, fields(prompt="How wide is it?"), "fixes no prompt"),
    # Where and when.
    "key frames": ("bridge", bool, lambda q: changed(q, keyframes=(q.keyframes or 0) + 1), "keyframes: stored "),
    "another scene": (
        "shorter-in-length",
        bool,
        lambda q: changed(q, scene=next(name for name in SCENES if name != q.scene)),
        "the scene has no box ",
    ),
    "unknown scene": ("largest", bool, fields(scene="scene-9999"), "the dataset has no scene 'scene-9999'"),
    "next key frame": ("shorter-in-height", bool, next_frame, "and the question of "),
    "key frame beyond the scene": ("wide-vehicle", bool, fields(frames=(400,)), "frame 400 lies outside the scene's "),
    "two key frames": ("thinner", bool, lambda q: changed(q, frames=(*q.frames, 99)), "asks of key frames "),
    "no key frame": ("near-ego", bool, fields(frames=()), "asks of key frames []"),
    "another camera": (
        "behind",
        lambda q: q.channel == "CAM_FRONT",
        moved_to("CAM_BACK"),
        "CAM_BACK does not show box ",
    ),
    "unknown camera": ("in-front", bool, moved_to("CAM_TOP"), "no camera of the dataset has the channel"),
    "no camera": ("right", bool, fields(channel=None), "and camera None"),
    "camera in the text": (
        "ego-lateral-offset",
        lambda q: q.channel == "CAM_FRONT",
        reworded("CAM_FRONT", "CAM_BACK"),
        "the text names CAM_BACK, and the question is of CAM_FRONT",
    ),
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
    "evidence of all cameras": (
        "closest-to-ego",
        bool,
        lambda q: changed(q, evidence=Evidence(frames=q.frames)),
        "evidence: stored ",
    ),
    # Words.
    "wording": ("below", bool, reworded("Is ", "Are "), "is not how below is worded"),
    "words exchanged in the text": ("longer", bool, exchanged_words, "and the facts tell of "),
    "another object in the text": (
        "length",
        bool,
        lambda q: changed(q, question=(q.question or "").replace(q.entities[0], "the lorry")),
        "the text names the lorry, and the facts tell of ",
    ),
    "entity": ("width", bool, fields(entities=("the lorry",)), "entities[0]: stored 'the lorry'"),
    "one entity too few": (
        "taller",
        bool,
        lambda q: changed(q, entities=q.entities[:1]),
        "the question names 2 objects",
    ),
    "an entity of none": ("near-ego", bool, fields(entities=("the car",)), "the question names 0 objects"),
    "objects exchanged": ("larger", bool, exchanged_objects, "answer: stored "),
    "option in another place": ("closest-to-object", bool, first_to_last, "options: stored "),
    "options turned": ("closest-to-ego", bool, turned_options, "answer: stored "),
    "options turned, largest": ("largest", bool, turned_options, "answer: stored "),
    "options turned, of two": ("closer-to-object", bool, turned_options, "answer: stored "),
    "option twice": ("closest-to-object", bool, doubled_option, "the options are not 4 different ones"),
    "option too few": (
        "closest-to-ego",
        lambda q: q.answer != "D",
        lambda q: changed(q, options=q.options[:-1]),
        "the options are not 4 different ones",
    ),
    "option without a word": (
        "largest",
        bool,
        lambda q: changed(q, options=("", *q.options[1:])),
        "the options are not 4 different ones",
    ),
    "option of none": ("near-object", bool, fields(options=("the car",)), "the options are not 0 different ones"),
    # What follows from the objects.
    "margin": ("above", bool, lambda q: changed(q, margin=(q.margin or 0) + 1e-4), "margin: stored "),
    "no margin": ("smaller", bool, fields(margin=None), "margin: stored null"),
    "negative margin": ("right", bool, lambda q: changed(q, margin=-(q.margin or 0)), "margin: stored "),
    "margin of a choice": (
        "closer-to-ego",
        bool,
        lambda q: changed(q, margin=(q.margin or 0) * 1.02),
        "margin: stored ",
    ),
    "margin that is no number": ("near-object", bool, fields(margin=math.nan), "margin: stored nan"),
    "margin of a number": ("ego-distance", bool, fields(margin=1.0), "margin: stored a number, derived null"),
    "margin of an occlusion": ("occlusion", bool, fields(margin=1.0), "margin: stored a number, derived null"),
    "returns": (
        "in-front",
        bool,
        lambda q: changed(q, lidar_points=(q.lidar_points or 0) + 1),
        "lidar_points: stored ",
    ),
    "unknown returns": ("distance", bool, fields(lidar_points=None), "lidar_points: stored None"),
    "returns of none": ("wide-vehicle", bool, fields(lidar_points=3), "lidar_points: stored 3, derived None"),
    "context": ("thinner", bool, lambda q: changed(q, context=f"{q.context}|vehicle.car"), "context: stored "),
    "context of another template": ("collision", bool, lambda q: changed(q, context="passing"), "context: stored "),
    "feature": (
        "largest",
        bool,
        lambda q: changed(q, features=("animal", *q.features[1:])),
        "features: stored ",
    ),
    "feature too few": ("closer-to-ego", bool, lambda q: changed(q, features=q.features[1:]), "features: stored "),
    # Facts that all rules note.
    "position x": ("left", bool, fact("objects.0.x", nudged(1e-4)), "facts.objects[0].x: stored "),
    "position y": ("distance", bool, fact("objects.1.y", nudged(-1e-4)), "facts.objects[1].y: stored "),
    "position z": ("closest-to-object", bool, fact("objects.3.z", nudged(0.1)), "facts.objects[3].z: stored "),
    "key frame of an object": (
        "below",
        bool,
        fact("objects.0.frame", lambda frame: frame + 1),
        "facts.objects[0].frame",
    ),
    "unknown box": ("behind", bool, fact("objects.1.box", lambda token: token[::-1]), "the scene has no box "),
    "same box twice": ("shorter-in-length", bool, same_box_twice, "a box stands for two objects"),
    "boxes exchanged": ("smaller", bool, exchanged_boxes, "answer: stored "),
    "words in the facts": (
        "height",
        bool,
        fact("objects.0.label", lambda words: f"{words} x"),
        "and the facts tell of ",
    ),
    "object too few": ("passing", bool, fact("objects", lambda objects: objects[:1]), "facts.objects: stored 1"),
    "object without its box": (
        "above",
        bool,
        fact("objects.0", lambda one: {key: value for key, value in one.items() if key != "box"}),
        "missing required field `box`",
    ),
    "unit of a number": ("bearing", bool, fact("unit", lambda unit: "metres"), "facts.unit: stored 'metres'"),
    "unit of a distance": ("ego-distance", bool, fact("unit", lambda unit: "feet"), "facts.unit: stored 'feet'"),
    "unit of a margin": (
        "larger",
        bool,
        fact("margin_unit", lambda unit: "metres"),
        "facts.margin_unit: stored 'metres'",
    ),
    "no unit of a margin": ("taller", bool, dropped("margin_unit"), "facts.margin_unit: stored None"),
    "no unit": ("width", bool, dropped("unit"), "missing required field `unit`"),
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
    "distance": ("distance", bool, fact("distance_m", lambda number: number * 1.02), "facts.distance_m: stored "),
    "bearing": ("bearing", bool, fact("bearing_deg", nudged(0.01)), "facts.bearing_deg: stored "),
    "size": ("length", bool, fact("length_m", nudged(0.001)), "facts.length_m: stored "),
    "distance of an option": (
        "closest-to-object",
        bool,
        fact("distances_m.2", lambda number: number * 1.02),
        "facts.distances_m[2]: stored ",
    ),
    "distances of options exchanged": ("closer-to-object", bool, swapped_measures, "facts.distances_m[0]: stored "),
    "distance too few": ("closer-to-ego", bool, fact("distances_m", lambda some: some[1:]), "and there are 2 options"),
    "volume of an option": ("largest", bool, fact("volumes_m3.0", nudged(0.1)), "facts.volumes_m3[0]: stored "),
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
    "no witness": ("near-object", answered("Yes"), fact("witness", lambda _: None), "facts.witness: stored None"),
    "unknown witness": (
        "near-ego",
        answered("Yes"),
        fact("witness", lambda token: token[::-1]),
        "facts.witness: stored ",
    ),
    "object itself as witness": (
        "near-object",
        answered("Yes"),
        lambda q: with_facts(q, lambda facts: facts.update(witness=facts["objects"][0]["box"])),
        "facts.witness: stored ",
    ),
}
"""By name: the template, which of its questions, how it is broken, and what the finding says."""
