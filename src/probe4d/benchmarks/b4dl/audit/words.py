"""Reads from the words of a question what the audit needs: classes, frames, places, and what turns a claim round."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

__all__ = ["Asked", "Noun", "Number", "asked_of", "connectives_in", "frames_in", "named_classes", "noun_of_class"]


class Noun(NamedTuple):
    """What a word for a thing stands for, as `docs/b4dl-grounding.md` has it.

    Attributes:
        sure: Beginnings of categories of which every object is called so.
        possible: Those of which one may be; `sure` is among them.
        ridden: Whether an object is called so only while someone rides it.
    """

    sure: tuple[str, ...]
    possible: tuple[str, ...]
    ridden: bool = False

    def surely(self, category: str) -> bool:
        """Whether each object of a category is called so."""
        whole = (category == "human.pedestrian" and self.sure == _PEOPLE) or (
            category == "vehicle" and self.sure == _MOTOR
        )
        return whole or _begins(category, self.sure)

    def possibly(self, category: str) -> bool:
        """Whether an object of a category may be called so; of one that says nothing it may."""
        return self.surely(category) or _begins(category, self.possible) or not _begins(category, _TELLING)


def _begins(category: str, branches: tuple[str, ...]) -> bool:
    return any(f"{category}.".startswith(f"{branch}.") for branch in branches)


_PEOPLE = tuple(f"human.pedestrian.{kind}" for kind in ("adult", "child", "construction_worker", "police_officer"))
_RESCUE = "vehicle.emergency"
_MOTOR = ("vehicle.car", "vehicle.truck", "vehicle.bus", "vehicle.construction", _RESCUE)
_CYCLES = ("vehicle.bicycle", "vehicle.motorcycle")
_LIKE_CYCLES = (*_CYCLES, "static_object.bicycle_rack", "human.pedestrian.personal_mobility")
_TELLING = (
    *_PEOPLE,
    *(f"human.pedestrian.{kind}" for kind in ("stroller", "wheelchair", "personal_mobility")),
    *_MOTOR,
    "vehicle.trailer",
    *_CYCLES,
    "movable_object",
    "static_object",
    "animal",
)


def _noun(sure: tuple[str, ...], also: tuple[str, ...] = (), *, ridden: bool = False) -> Noun:
    return Noun(sure, (*sure, *also), ridden)


_CAR_LIKE = _noun((), ("vehicle.car", "vehicle.truck", _RESCUE))
_WHEELED = ("human", "movable_object.pushable")
_MAY_BE_PEOPLE = ("human", *_CYCLES)

_NOUNS: tuple[tuple[str, Noun], ...] = (
    (r"construction vehicles?|excavators?", _noun(("vehicle.construction",), ("vehicle.truck", "vehicle.trailer"))),
    (r"construction workers?|workers?", _noun(("human.pedestrian.construction_worker",), ("human",))),
    (r"police (?:officers?|man|men)|police(?:man|men)", _noun(("human.pedestrian.police_officer",), ("human",))),
    (r"police cars?|fire trucks?|ambulances?|emergency vehicles?", _noun((), _MOTOR)),
    (r"pickup trucks?|pickups?|suvs?|sports? utility vehicles?|sedans?|taxis?|hatchback", _CAR_LIKE),
    (r"mini ?vans?|vans?", _noun((), (*_CAR_LIKE.possible, "vehicle.bus"))),
    (r"traffic ?cones?|cones?", _noun(("movable_object.trafficcone",), ("movable_object",))),
    (r"barriers?", _noun(("movable_object.barrier",), ("movable_object",))),
    (r"debris", _noun(("movable_object.debris",), ("movable_object",))),
    (r"cars?|automobiles?", _noun(("vehicle.car",), ("vehicle.truck", _RESCUE))),
    (
        r"trucks?|lorry|lorries",
        _noun(("vehicle.truck",), ("vehicle.trailer", "vehicle.construction", _RESCUE)),
    ),
    (r"bus|buses|busses", _noun(("vehicle.bus",))),
    (r"trailers?", _noun(("vehicle.trailer",), ("vehicle.truck", "vehicle.construction"))),
    (r"pedestrians?", _noun(_PEOPLE, ("human",))),
    (r"persons?|people|individuals?|humans?", _noun(_PEOPLE, _MAY_BE_PEOPLE)),
    (r"adults?|man|men|woman|women", _noun((), _MAY_BE_PEOPLE)),
    (r"child|children|kids?|boy|girl", _noun(("human.pedestrian.child",), ("human",))),
    (r"motorcyclists?", _noun(("vehicle.motorcycle",), _LIKE_CYCLES, ridden=True)),
    (r"cyclists?|bicyclists?", _noun(("vehicle.bicycle",), _LIKE_CYCLES, ridden=True)),
    (r"motor ?cycles?|motorbikes?", _noun(("vehicle.motorcycle",), _LIKE_CYCLES)),
    (r"(?:push)?bikes?|bicycles?", _noun(("vehicle.bicycle",), _LIKE_CYCLES)),
    (r"scooters?|mopeds?", _noun((), _LIKE_CYCLES)),
    (r"animals?|dogs?", _noun(("animal",))),
    (r"(?:baby )?strollers?|prams?|pushchairs?", _noun(("human.pedestrian.stroller",), _WHEELED)),
    (r"wheel ?chairs?", _noun(("human.pedestrian.wheelchair",), _WHEELED)),
    (r"constructions?", _noun(("vehicle.construction",))),
    (r"vehicles?", _noun(_MOTOR, ("vehicle",))),
)
"""Words, those before others that they begin with, and what they stand for."""

_NOUN_PATTERNS = tuple((re.compile(rf"\b(?:{words})\b"), noun) for words, noun in _NOUNS)

_CLASSES: dict[str, str] = {
    "animal": "animals?",
    "pedestrian": "pedestrians?",
    "stroller": "(?:baby[-_ ])?strollers?|prams?|pushchairs?",
    "wheelchair": "wheel[-_ ]?chairs?",
    "barrier": "barriers?",
    "debris": "debris",
    "traffic cone": "(?:traffic[-_ ]?)?cones?",
    "construction": "constructions?",
    "motorcycle": "motor[-_ ]?cycles?|motorbikes?",
    "bicycle": "bicycles?|pushbikes?",
    "car": "cars?",
    "bus": "bus|busses|buses",
    "trailer": "trailers?",
    "truck": "trucks?|lorry|lorries",
    "suv": "suvs?|sports?[-_ ]utility[-_ ]vehicles?",
}
"""How texts write the classes that a question may name (Table 7)."""

_CLASS_PATTERNS = {name: re.compile(rf"\b(?:{words})\b", re.IGNORECASE) for name, words in _CLASSES.items()}

_EGO = re.compile(r"\b(?:ego|self-driving|host|autonomous)[- ]?(?:vehicle|car)\b|\bego\b")
_FRAMES = re.compile(
    r"\bframes? #?(\d{1,9})(?: ?(?:to|and|until|till|through|up to|[-\u2013\u2014]) ?(?:the )?(?:frames? )?#?(\d+))?"
)
_TURNED = re.compile(r"\b(?:not|no|zero)\b")
_UNCLEAR = re.compile(r"n't\b|\b(?:none|never|without|absent|nor|neither)\b")
_LASTING = re.compile(r"\b(?:throughout|always|every|each|all|whole|entire|remains?|stays?|continues?|keeps?)\b")
_PLACES = {
    "front": r"ahead|front",
    "back": r"behind|rear|back",
    "left": r"left",
    "right": r"right",
}
_PLACE_PATTERNS = {name: re.compile(rf"\b(?:{words})\b") for name, words in _PLACES.items()}
_NUMBERS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_N = rf"(\d{{1,3}}|{'|'.join(_NUMBERS[1:])})\b"
_COUNTS: tuple[tuple[re.Pattern[str], Callable[[int], Number]], ...] = (
    (re.compile(r"\bat least one\b"), lambda _: Number(least=1)),
    (re.compile(rf"\b(?:at least|no fewer than|no less than) {_N}"), lambda n: Number(least=n)),
    (re.compile(rf"\b(?:at most|no more than|up to) {_N}"), lambda n: Number(most=n, surely_most=n)),
    (re.compile(rf"\b(?:more than|over) {_N}"), lambda n: Number(least=n + 1)),
    (re.compile(rf"\b(?:fewer than|less than) {_N}"), lambda n: Number(most=n - 1, surely_most=n - 1)),
    (re.compile(rf"\b(?:exactly|precisely) {_N}"), lambda n: Number(n, n, n)),
    (re.compile(r"\b(?:only one|just one|a single)\b"), lambda _: Number(1, 1, 1)),
    (re.compile(r"\b(?:multiple|several|many|a group of|numerous|a number of)\b"), lambda _: Number(least=2)),
    (re.compile(rf"\b{_N}"), lambda n: Number(least=n, surely_most=n)),
)
"""How questions say how many; what is not among them, such as a couple, is not read."""
_METRES = re.compile(r"\b(\d+(?:\.\d+)?) ?(?:m|met(?:er|re)s?)\b")


class Number(NamedTuple):
    """How many things a question says that there are; null bounds nothing.

    Attributes:
        least: At least so many.
        most: At most so many.
        surely_most: More may be as true, yet not surely: `two cars` where there are three.
    """

    least: int | None = None
    most: int | None = None
    surely_most: int | None = None


class Asked(NamedTuple):
    """What a question's words say.

    Attributes:
        nouns: What its words for things stand for, each once.
        frames: The first and last key frame that it names; null where it names none.
        negations: How often it says no.
        is_clear: Whether nothing else in it may turn it round.
        lasts: Whether it asks about all of some time.
        places: Places that it names, among them words that mean something else.
        metres: Distances that it names.
        number: How many things it names; null where it names no number, or several.
    """

    nouns: tuple[Noun, ...]
    frames: tuple[int, int] | None
    negations: int
    is_clear: bool
    lasts: bool
    places: tuple[str, ...]
    metres: tuple[float, ...]
    number: Number | None


def asked_of(question: str) -> Asked:
    """Read a question."""
    text = _EGO.sub(" ", " ".join(question.lower().split()))
    named = frames_in(text)
    numbers, rest = _numbers_in(_METRES.sub(" ", _FRAMES.sub(" ", text)))
    return Asked(
        nouns=_nouns_in(_FRAMES.sub(" ", text)),
        frames=named,
        negations=len(_TURNED.findall(rest)),
        is_clear=_UNCLEAR.search(text) is None,
        lasts=_LASTING.search(text) is not None,
        places=tuple(name for name, pattern in _PLACE_PATTERNS.items() if pattern.search(text)),
        metres=tuple(float(number) for number in _METRES.findall(text)),
        number=numbers[0] if len(numbers) == 1 else None,
    )


def connectives_in(question: str) -> list[str]:
    """Each `and` and `or` of a question that stands between no two frames."""
    return re.findall(r"\b(?:and|or)\b", _FRAMES.sub(" ", question.lower()))


def frames_in(text: str) -> tuple[int, int] | None:
    """The first and last key frame that a text names; null where it names none."""
    found = [int(number) for match in _FRAMES.finditer(text.lower()) for number in match.groups() if number]
    return (min(found), max(found)) if found else None


def named_classes(text: str) -> tuple[str, ...]:
    """Classes of the list that a text names, in its order."""
    first = {name: found.start() for name, pattern in _CLASS_PATTERNS.items() if (found := pattern.search(text))}
    return tuple(sorted(first, key=first.__getitem__))


def noun_of_class(answer: str) -> Noun | None:
    """What a class that is an answer stands for; null where it is none."""
    found = _nouns_in(answer.lower())
    return found[0] if len(found) == 1 else None


def _numbers_in(text: str) -> tuple[list[Number], str]:
    """Numbers of things, and the text without them."""
    found: list[Number] = []
    for pattern, number in _COUNTS:

        def taken(match: re.Match[str], number: Callable[[int], Number] = number) -> str:
            said = match[1] if match.lastindex else "0"
            found.append(number(int(said) if said.isdecimal() else _NUMBERS.index(said)))
            return " "

        text = pattern.sub(taken, text)
    return found, text


def _nouns_in(text: str) -> tuple[Noun, ...]:
    text = text.replace("_", " ").replace("-", " ")
    found: dict[Noun, None] = {}
    for pattern, noun in _NOUN_PATTERNS:
        text, times = pattern.subn(" ", text)
        if times:
            found[noun] = None
    return tuple(found)
