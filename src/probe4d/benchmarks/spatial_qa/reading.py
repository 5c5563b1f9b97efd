"""Reads a question of NuScenes-SpatialQA back from its text: the words for objects, the camera, the drawn numbers.

What a question asks is what its text says, so an audit starts from here. The 38 texts are those that the paper prints
(App. D). Imports nothing of Probe4D, least of all the templates that word questions: a fault there would be read back
as if it were right.
"""

from __future__ import annotations

import re
from typing import NamedTuple

__all__ = ["OPTIONS", "PRINTED", "Asked", "names_objects", "read_stem"]

_CAPTURED = "This image is captured by one of the onboard cameras mounted on a vehicle. "
_OFFSET = "In this image captured by {camera}, what is the "
_OPTIONS_GIVEN = "From the given options, which object is the "

PRINTED: dict[str, str] = {
    "above": "Is {object_1} above {object_2}?",
    "below": "Is {object_1} below {object_2}?",
    "left": "Is {object_1} to the left of {object_2}?",
    "right": "Is {object_1} to the right of {object_2}?",
    "in-front": "Is {object_1} in front of {object_2}?",
    "behind": "Is {object_1} behind {object_2}?",
    "larger": "Is {object_1} larger than {object_2}?",
    "smaller": "Is {object_1} smaller than {object_2}?",
    "longer": "Is {object_1} longer than {object_2} in length?",
    "shorter-in-length": "Is {object_1} shorter than {object_2} in length?",
    "taller": "Is {object_1} taller than {object_2} in height?",
    "shorter-in-height": "Is {object_1} shorter than {object_2} in height?",
    "wider": "Is {object_1} wider than {object_2}?",
    "thinner": "Is {object_1} thinner than {object_2}?",
    "distance": _OFFSET + "distance between {object_1} and {object_2}?",
    "ego-distance": _OFFSET + "distance between the ego vehicle and {object}?",
    "ego-longitudinal-offset": _OFFSET + "longitudinal offset between the ego vehicle and {object}?",
    "longitudinal-offset": _OFFSET + "longitudinal offset between {object_1} and {object_2}?",
    "ego-lateral-offset": _OFFSET + "lateral offset between the ego vehicle and {object}?",
    "lateral-offset": _OFFSET + "lateral offset between {object_1} and {object_2}?",
    "length": "What is the length of {object} in the image?",
    "width": "What is the width of {object} in the image?",
    "height": "What is the height of {object} in the image?",
    "bearing": "What is the relative bearing angle of {object_2} with respect to {object_1}?",
    "closest-to-object": _OPTIONS_GIVEN + "closest to {object}?",
    "closest-to-ego": _CAPTURED + _OPTIONS_GIVEN + "closest to the ego vehicle?",
    "largest": _OPTIONS_GIVEN + "largest in terms of overall size?",
    "closer-to-object": "Which object is closer to {object} in the image?",
    "closer-to-ego": _CAPTURED + "Which object is closer to the ego vehicle?",
    "near-object": "Are there any pedestrians or vehicles within 5 meters of {object} in the image?",
    "near-ego": _CAPTURED + "Are there any pedestrians or vehicles within 10 meters of the ego vehicle?",
    "wide-vehicle": "Are there any vehicles in the image with a width greater than 2 meters?",
    "pedestrian-risk": _CAPTURED
    + "In autonomous driving, it is crucial to detect potential safety risks, especially when pedestrians are too "
    "close to vehicles. If a pedestrian is within 10 meters of a vehicle, it may indicate a potential hazard that "
    "requires caution. Given this, does the ego vehicle have a potential safety risk due to nearby pedestrians?",
    "collision": "Assume the distance between {object_1} and {object_2} is decreasing at 2 meters per second. Will "
    "they collide within 5 seconds?",
    "occlusion": _CAPTURED
    + "Assume the ego vehicle is moving forward while all other objects remain stationary. Will there be a moment "
    "when {object_1} occludes {object_2}, causing {object_2} to become invisible from the ego vehicle’s perspective?",
    "bridge": "Assume there is a bridge ahead with a maximum clearance height of 2 meters. Any vehicle taller than "
    "this cannot safely pass under. Given this assumption, is there any vehicle in the current scene unable to pass "
    "under the bridge?",
    "parking": "Assume there is a parking spot measuring {spot_length_m} meters in length and {spot_width_m} meters in "
    "width. Considering that a vehicle needs at least {clearance_m} meters of clearance on both the front/back and "
    "left/right sides, can {object} in the image fit into this parking spot?",
    "passing": "Given the current distance between {object_1} and {object_2}, can a vehicle with a width of "
    "{vehicle_width_m} meters safely pass between them?",
}
"""What each template prints. `{object}` and `{object_N}` are words, `{camera}` is a channel, others are numbers."""

OPTIONS: dict[str, int] = {
    "closest-to-object": 4,
    "closest-to-ego": 4,
    "largest": 4,
    "closer-to-object": 2,
    "closer-to-ego": 2,
}
"""How many options the choice questions have; all other templates have none."""


class Asked(NamedTuple):
    """What a stem asks.

    Attributes:
        words: Words for the objects that it names, object 1 first.
        camera: Channel of the camera that it names; null where it names none.
        numbers: Numbers that it gives, metres, by name.
    """

    words: tuple[str, ...]
    camera: str | None
    numbers: dict[str, float]


_PLACEHOLDER = re.compile(r"\\\{(\w+)\\\}")
_NUMBER = r"\d+(?:\.\d+)?"


def _pattern(printed: str, words: tuple[str, ...] | None = None) -> re.Pattern[str]:
    """The text with groups for its placeholders; with words, theirs are taken literally."""
    seen: set[str] = set()

    def group(found: re.Match[str]) -> str:
        name = found[1]
        if name.startswith("object"):
            if words is not None:
                return re.escape(words[int(name[-1]) - 1 if name[-1].isdigit() else 0])
            what = ".+?"
        else:
            what = r"\S+" if name == "camera" else _NUMBER
        if name in seen:
            return f"(?P={name})"
        seen.add(name)
        return f"(?P<{name}>{what})"

    return re.compile(_PLACEHOLDER.sub(group, re.escape(printed)))


_PATTERNS = {template: _pattern(printed) for template, printed in PRINTED.items()}


def read_stem(template: str, stem: str) -> Asked | None:
    """Read a stem; null if this template prints no such text.

    Words may themselves hold what the template prints between them; then the first reading is given (see
    `names_objects`).

    Args:
        template: Name of the template, such as `in-front`.
        stem: The question without options and answer form.
    """
    match = _PATTERNS[template].fullmatch(stem)
    if match is None:
        return None
    named = match.groupdict()
    words = tuple(named.pop(name) for name in ("object", "object_1", "object_2") if name in named)
    camera = named.pop("camera", None)
    return Asked(words, camera, {name: float(number) for name, number in named.items()})


def names_objects(template: str, stem: str, words: tuple[str, ...]) -> bool:
    """Whether a stem can be read as naming its objects by these words, object 1 first."""
    return _pattern(PRINTED[template], words).fullmatch(stem) is not None
