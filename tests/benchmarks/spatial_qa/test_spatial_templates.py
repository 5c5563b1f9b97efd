"""The printed templates letter for letter, and Probe4D's own forms of answers."""

from __future__ import annotations

from collections import Counter
from typing import Any

import polars as pl
import pytest

from probe4d.benchmarks.spatial_qa.rules import RELATIONS
from probe4d.benchmarks.spatial_qa.templates import LEVELS, TEMPLATES, answer_form, full_text, stem

# NuScenes-SpatialQA, App. D, in the order of the paper.
PRINTED = """\
Is {object_1} above {object_2}?
Is {object_1} below {object_2}?
Is {object_1} to the left of {object_2}?
Is {object_1} to the right of {object_2}?
Is {object_1} in front of {object_2}?
Is {object_1} behind {object_2}?
Is {object_1} larger than {object_2}?
Is {object_1} smaller than {object_2}?
Is {object_1} longer than {object_2} in length?
Is {object_1} shorter than {object_2} in length?
Is {object_1} taller than {object_2} in height?
Is {object_1} shorter than {object_2} in height?
Is {object_1} wider than {object_2}?
Is {object_1} thinner than {object_2}?
In this image captured by {camera}, what is the distance between {object_1} and {object_2}?
In this image captured by {camera}, what is the distance between the ego vehicle and {object}?
In this image captured by {camera}, what is the longitudinal offset between the ego vehicle and {object}?
In this image captured by {camera}, what is the longitudinal offset between {object_1} and {object_2}?
In this image captured by {camera}, what is the lateral offset between the ego vehicle and {object}?
In this image captured by {camera}, what is the lateral offset between {object_1} and {object_2}?
What is the length of {object} in the image?
What is the width of {object} in the image?
What is the height of {object} in the image?
What is the relative bearing angle of {object_2} with respect to {object_1}?
From the given options, which object is the closest to {object}?
This image is captured by one of the onboard cameras mounted on a vehicle. From the given options, which object \
is the closest to the ego vehicle?
From the given options, which object is the largest in terms of overall size?
Which object is closer to {object_c} in the image?
This image is captured by one of the onboard cameras mounted on a vehicle. Which object is closer to the ego \
vehicle?
Are there any pedestrians or vehicles within 5 meters of {object} in the image?
This image is captured by one of the onboard cameras mounted on a vehicle. Are there any pedestrians or vehicles \
within 10 meters of the ego vehicle?
Are there any vehicles in the image with a width greater than 2 meters?
This image is captured by one of the onboard cameras mounted on a vehicle. In autonomous driving, it is crucial \
to detect potential safety risks, especially when pedestrians are too close to vehicles. If a pedestrian is \
within 10 meters of a vehicle, it may indicate a potential hazard that requires caution. Given this, does the \
ego vehicle have a potential safety risk due to nearby pedestrians?
Assume the distance between {object_1} and {object_2} is decreasing at 2 meters per second. Will they collide \
within 5 seconds?
This image is captured by one of the onboard cameras mounted on a vehicle. Assume the ego vehicle is moving \
forward while all other objects remain stationary. Will there be a moment when {object_1} occludes {object_2}, \
causing {object_2} to become invisible from the ego vehicle’s perspective?
Assume there is a bridge ahead with a maximum clearance height of 2 meters. Any vehicle taller than this cannot \
safely pass under. Given this assumption, is there any vehicle in the current scene unable to pass under the \
bridge?
Assume there is a parking spot measuring {spot_length} meters in length and {spot_width} meters in width. \
Considering that a vehicle needs at least {clearance} meters of clearance on both the front/back and left/right \
sides, can {object} in the image fit into this parking spot?
Given the current distance between {object_1} and {object_2}, can a vehicle with a width of {vehicle_width} \
meters safely pass between them?
"""

ROW: dict[str, Any] = {
    "refer": "the bus",
    "refer_1": "the man in {blue}",
    "refer_2": "box 2.0",
    "channel": "CAM_FRONT",
    "spot_length_m": 5.0,
    "spot_width_m": 2.35,
    "clearance_m": 0.3,
    "vehicle_width_m": 2.0,
}


def asked(name: str, **changed: Any) -> str | None:
    table = pl.DataFrame([ROW | changed], schema_overrides={"vehicle_width_m": pl.Float64})
    question = table.select(stem(TEMPLATES[name])).item()
    assert question is None or isinstance(question, str)
    return question


def test_the_templates_are_those_of_the_paper_in_its_order() -> None:
    assert [template.text for template in TEMPLATES.values()] == PRINTED.splitlines()
    assert Counter(template.level for template in TEMPLATES.values()) == dict(zip(LEVELS, (14, 10, 8, 6), strict=True))


def test_qualitative_templates_propose_the_relations_that_there_are() -> None:
    assert [template.relation for template in TEMPLATES.values() if template.relation] == list(RELATIONS)
    assert all((template.relation is not None) == (template.level == "qualitative") for template in TEMPLATES.values())
    by_measure: dict[str, set[str]] = {}
    for template in TEMPLATES.values():
        if template.relation is not None:
            by_measure.setdefault(RELATIONS[template.relation].measure, set()).add(template.rule)
    assert all(len(rules) == 1 for rules in by_measure.values())
    assert len(set.union(*by_measure.values())) == 7


def test_numbers_have_a_unit_and_choices_have_options() -> None:
    for template in TEMPLATES.values():
        assert (template.unit is not None) == (template.format == "number")
        assert (template.options > 0) == (template.format == "choice")


@pytest.mark.parametrize(
    ("name", "question"),
    [
        ("above", "Is the man in {blue} above box 2.0?"),
        (
            "longitudinal-offset",
            "In this image captured by CAM_FRONT, what is the longitudinal offset between the man in {blue} and "
            "box 2.0?",
        ),
        ("bearing", "What is the relative bearing angle of box 2.0 with respect to the man in {blue}?"),
        ("closest-to-object", "From the given options, which object is the closest to the bus?"),
        ("closer-to-object", "Which object is closer to the bus in the image?"),
        (
            "parking",
            "Assume there is a parking spot measuring 5 meters in length and 2.35 meters in width. Considering that a "
            "vehicle needs at least 0.3 meters of clearance on both the front/back and left/right sides, can the bus "
            "in the image fit into this parking spot?",
        ),
        (
            "passing",
            "Given the current distance between the man in {blue} and box 2.0, can a vehicle with a width of 2 meters "
            "safely pass between them?",
        ),
    ],
)
def test_placeholders_are_filled_from_columns_and_nothing_else_changes(name: str, question: str) -> None:
    assert asked(name) == question


def test_a_question_that_lacks_a_word_or_number_is_none() -> None:
    assert asked("above", refer_2=None) is None
    assert asked("passing", vehicle_width_m=None) is None


@pytest.mark.parametrize("name", TEMPLATES)
def test_every_template_is_worded_without_placeholders_left(name: str) -> None:
    question = asked(name, refer_1="the man")
    assert question is not None
    assert "{" not in question
    assert question.endswith("?")


def test_prompts_letter_the_options_and_end_with_the_form_of_the_answer() -> None:
    template = TEMPLATES["closest-to-ego"]
    assert full_text(template, "Which?", ("a bus", "a car", "the man", "a van")) == (
        "Which?\n(a) a bus\n(b) a car\n(c) the man\n(d) a van\nAnswer with one letter: a, b, c or d."
    )
    assert full_text(TEMPLATES["closer-to-ego"], "Which?", ("a bus", "a car")).endswith(
        "\n(b) a car\nAnswer with one letter: a or b."
    )
    assert full_text(TEMPLATES["occlusion"], "Does it?") == "Does it?\nAnswer with yes or no."
    assert full_text(TEMPLATES["width"], "How wide?") == "How wide?\nAnswer with one number in meters."
    assert answer_form(TEMPLATES["bearing"]) == (
        "Answer with one number in degrees, between -180 and 180: 0 is the direction in which the ego vehicle heads, "
        "and angles are positive to its left."
    )
