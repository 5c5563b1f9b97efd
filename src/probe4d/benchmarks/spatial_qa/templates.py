"""The wording of NuScenes-SpatialQA: its 38 templates letter for letter (App. D), and the form of each answer.

The paper prints no form of answers and no unit; those here are Probe4D's. Wording is columnar: a template becomes
an expression over the columns of a table of questions.
"""

from __future__ import annotations

from collections.abc import Sequence
from string import Formatter
from typing import NamedTuple

import polars as pl

from probe4d.benchmarks.question import LETTERS, Format
from probe4d.wording import listed

__all__ = ["LEVELS", "TEMPLATES", "Template", "answer_form", "full_text", "number_form", "option_lines", "stem"]

LEVELS: tuple[str, ...] = ("qualitative", "quantitative", "direct-reasoning", "situational")
"""The four levels of questions, in the order of the paper."""

_COLUMNS = {
    "object": "refer",
    "object_c": "refer",
    "object_1": "refer_1",
    "object_2": "refer_2",
    "camera": "channel",
    **{size: f"{size}_m" for size in ("spot_length", "spot_width", "clearance", "vehicle_width")},
}
"""Columns of the paper's placeholders. Its text gives no example of a camera's name."""

_ONE_CAMERA = "This image is captured by one of the onboard cameras mounted on a vehicle. "
_IN_THIS_IMAGE = "In this image captured by {camera}, "


class Template(NamedTuple):
    """A template of the paper.

    Attributes:
        name: Name, unique.
        level: One of `LEVELS`.
        text: The printed question, without options; placeholders as in the paper.
        format: Form of the answer.
        rule: Name of the rule that gives the answer.
        relation: Relation that it proposes (see `rules.RELATIONS`); null where it proposes none.
        unit: Unit of a number; null where the answer is none.
        options: How many options a choice question has.
    """

    name: str
    level: str
    text: str
    format: Format
    rule: str
    relation: str | None = None
    unit: str | None = None
    options: int = 0

    @property
    def placeholders(self) -> tuple[str, ...]:
        """Placeholders in the order of the text."""
        return tuple(name for _, name, _, _ in Formatter().parse(self.text) if name is not None)


def _relation(name: str, rule: str, text: str) -> Template:
    return Template(name, "qualitative", text, "yes-no", rule, relation=name)


def _quantity(name: str, text: str, unit: str = "meters") -> Template:
    return Template(name, "quantitative", text, "number", name, unit=unit)


def _choice(name: str, rule: str, options: int, text: str) -> Template:
    return Template(name, "direct-reasoning", text, "choice", rule, options=options)


def _judgment(name: str, level: str, text: str) -> Template:
    return Template(name, level, text, "yes-no", name)


_ALL = (
    _relation("above", "elevation-difference", "Is {object_1} above {object_2}?"),
    _relation("below", "elevation-difference", "Is {object_1} below {object_2}?"),
    _relation("left", "sideways-difference", "Is {object_1} to the left of {object_2}?"),
    _relation("right", "sideways-difference", "Is {object_1} to the right of {object_2}?"),
    _relation("in-front", "depth-difference", "Is {object_1} in front of {object_2}?"),
    _relation("behind", "depth-difference", "Is {object_1} behind {object_2}?"),
    _relation("larger", "volume-difference", "Is {object_1} larger than {object_2}?"),
    _relation("smaller", "volume-difference", "Is {object_1} smaller than {object_2}?"),
    _relation("longer", "length-difference", "Is {object_1} longer than {object_2} in length?"),
    _relation("shorter-in-length", "length-difference", "Is {object_1} shorter than {object_2} in length?"),
    _relation("taller", "height-difference", "Is {object_1} taller than {object_2} in height?"),
    _relation("shorter-in-height", "height-difference", "Is {object_1} shorter than {object_2} in height?"),
    _relation("wider", "width-difference", "Is {object_1} wider than {object_2}?"),
    _relation("thinner", "width-difference", "Is {object_1} thinner than {object_2}?"),
    _quantity("distance", _IN_THIS_IMAGE + "what is the distance between {object_1} and {object_2}?"),
    _quantity("ego-distance", _IN_THIS_IMAGE + "what is the distance between the ego vehicle and {object}?"),
    _quantity(
        "ego-longitudinal-offset",
        _IN_THIS_IMAGE + "what is the longitudinal offset between the ego vehicle and {object}?",
    ),
    _quantity(
        "longitudinal-offset", _IN_THIS_IMAGE + "what is the longitudinal offset between {object_1} and {object_2}?"
    ),
    _quantity(
        "ego-lateral-offset", _IN_THIS_IMAGE + "what is the lateral offset between the ego vehicle and {object}?"
    ),
    _quantity("lateral-offset", _IN_THIS_IMAGE + "what is the lateral offset between {object_1} and {object_2}?"),
    _quantity("length", "What is the length of {object} in the image?"),
    _quantity("width", "What is the width of {object} in the image?"),
    _quantity("height", "What is the height of {object} in the image?"),
    _quantity("bearing", "What is the relative bearing angle of {object_2} with respect to {object_1}?", "degrees"),
    _choice(
        "closest-to-object", "least-distance", 4, "From the given options, which object is the closest to {object}?"
    ),
    _choice(
        "closest-to-ego",
        "least-ego-distance",
        4,
        _ONE_CAMERA + "From the given options, which object is the closest to the ego vehicle?",
    ),
    _choice(
        "largest",
        "greatest-volume",
        4,
        "From the given options, which object is the largest in terms of overall size?",
    ),
    _choice("closer-to-object", "least-distance", 2, "Which object is closer to {object_c} in the image?"),
    _choice("closer-to-ego", "least-ego-distance", 2, _ONE_CAMERA + "Which object is closer to the ego vehicle?"),
    _judgment(
        "near-object",
        "direct-reasoning",
        "Are there any pedestrians or vehicles within 5 meters of {object} in the image?",
    ),
    _judgment(
        "near-ego",
        "direct-reasoning",
        _ONE_CAMERA + "Are there any pedestrians or vehicles within 10 meters of the ego vehicle?",
    ),
    _judgment(
        "wide-vehicle",
        "direct-reasoning",
        "Are there any vehicles in the image with a width greater than 2 meters?",
    ),
    _judgment(
        "pedestrian-risk",
        "situational",
        _ONE_CAMERA + "In autonomous driving, it is crucial to detect potential safety risks, especially when "
        "pedestrians are too close to vehicles. If a pedestrian is within 10 meters of a vehicle, it may indicate a "
        "potential hazard that requires caution. Given this, does the ego vehicle have a potential safety risk due to "
        "nearby pedestrians?",
    ),
    _judgment(
        "collision",
        "situational",
        "Assume the distance between {object_1} and {object_2} is decreasing at 2 meters per second. Will they collide "
        "within 5 seconds?",
    ),
    _judgment(
        "occlusion",
        "situational",
        _ONE_CAMERA + "Assume the ego vehicle is moving forward while all other objects remain stationary. Will there "
        "be a moment when {object_1} occludes {object_2}, causing {object_2} to become invisible from the ego "
        "vehicle’s perspective?",
    ),
    _judgment(
        "bridge",
        "situational",
        "Assume there is a bridge ahead with a maximum clearance height of 2 meters. Any vehicle taller than this "
        "cannot safely pass under. Given this assumption, is there any vehicle in the current scene unable to pass "
        "under the bridge?",
    ),
    _judgment(
        "parking",
        "situational",
        "Assume there is a parking spot measuring {spot_length} meters in length and {spot_width} meters in width. "
        "Considering that a vehicle needs at least {clearance} meters of clearance on both the front/back and "
        "left/right sides, can {object} in the image fit into this parking spot?",
    ),
    _judgment(
        "passing",
        "situational",
        "Given the current distance between {object_1} and {object_2}, can a vehicle with a width of {vehicle_width} "
        "meters safely pass between them?",
    ),
)

TEMPLATES: dict[str, Template] = {template.name: template for template in _ALL}
"""The templates by name, in the order of the paper."""


def stem(template: Template) -> pl.Expr:
    """The question without options and answer form, for each row of a table.

    The row's words for the objects come from `refer_1` and `refer_2`, or `refer` where the template speaks of one
    object or measures options against it; the camera's name from `channel`; numbers from columns that are called
    like the placeholder with `_m` behind it, as short as they can be written. A row that lacks one of them has no
    question (null).
    """
    parts = Formatter().parse(template.text)
    pattern = "".join(text if name is None else text + "{}" for text, name, _, _ in parts)
    return pl.format(pattern, *map(_words, template.placeholders))


def answer_form(template: Template) -> str:
    """The sentence that says how to answer, the last line of every prompt."""
    if template.format == "yes-no":
        return "Answer with yes or no."
    if template.format == "choice":
        return f"Answer with one letter: {listed(list(LETTERS[: template.options].lower()), 'or')}."
    return f"Answer with {number_form(template)}."


def number_form(template: Template) -> str:
    """What an answer that is a number has to be, in words."""
    if template.unit == "degrees":
        return (
            "one number in degrees, between -180 and 180: 0 is the direction in which the ego vehicle heads, and "
            "angles are positive to its left"
        )
    return f"one number in {template.unit}"


def full_text(template: Template, question: str, options: Sequence[str] = ()) -> str:
    """Stem, options with their letters as the paper prints them, and answer form: the whole text of a question."""
    return "\n".join([question, *option_lines(options), answer_form(template)])


def option_lines(options: Sequence[str]) -> list[str]:
    """Options with their letters, as the paper prints them."""
    return [f"({letter}) {option}" for letter, option in zip(LETTERS.lower(), options, strict=False)]


def _words(placeholder: str) -> pl.Expr:
    column = _COLUMNS[placeholder]
    return pl.col(column).cast(pl.String).str.strip_suffix(".0") if column.endswith("_m") else pl.col(column)
