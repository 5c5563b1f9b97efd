"""What words for things mean in the categories of the annotations: which surely are meant, and which may be."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

__all__ = ["LONGEST_NOUN", "NOUNS", "Meaning", "matches", "meaning_of"]


class Meaning(NamedTuple):
    """What a word stands for.

    Attributes:
        word: The word as sentences here have it, singular.
        sure: Categories, or the beginnings of such, of which every object is called so.
        possible: Those of which an object may be called so; `sure` is among them.
        open: Whether there may be such things that nothing annotates, so that none is ever known to be absent.
        ridden: Whether an object is surely meant only while someone rides it.
    """

    word: str
    sure: tuple[str, ...]
    possible: tuple[str, ...]
    open: bool = False
    ridden: bool = False


_PEOPLE = (
    "human.pedestrian.adult",
    "human.pedestrian.child",
    "human.pedestrian.construction_worker",
    "human.pedestrian.police_officer",
)
_EMERGENCY = ("vehicle.emergency",)
_CYCLES = ("vehicle.bicycle", "vehicle.motorcycle", "static_object.bicycle_rack", "human.pedestrian.personal_mobility")
_MOTOR = ("vehicle.car", "vehicle.truck", "vehicle.bus", "vehicle.construction", *_EMERGENCY)
_SMALL = ("movable_object",)

_WAYMO = ("human.pedestrian",)
"""Where a dataset does not tell kinds of people apart, its category is the branch itself, and is the whole name."""


def _meaning(word: str, sure: tuple[str, ...], more: tuple[str, ...] = (), **about: bool) -> Meaning:
    return Meaning(word, sure, (*sure, *more), **about)


_MEANINGS: tuple[tuple[str, Meaning], ...] = (
    ("car cars automobile automobiles", _meaning("car", ("vehicle.car",), ("vehicle.truck", *_EMERGENCY))),
    (
        "truck trucks lorry lorries",
        _meaning("truck", ("vehicle.truck",), ("vehicle.trailer", "vehicle.construction", *_EMERGENCY)),
    ),
    ("bus buses busses", _meaning("bus", ("vehicle.bus",))),
    ("trailer trailers", _meaning("trailer", ("vehicle.trailer",), ("vehicle.truck", "vehicle.construction"))),
    (
        "construction_vehicle construction_vehicles excavator excavators",
        _meaning("construction vehicle", ("vehicle.construction",), ("vehicle.truck", "vehicle.trailer")),
    ),
    ("construction constructions", _meaning("construction", ("vehicle.construction",), open=True)),
    ("pedestrian pedestrians", _meaning("pedestrian", _PEOPLE, ("human",))),
    (
        "person persons people individual individuals human humans",
        _meaning("person", _PEOPLE, ("human", "vehicle.bicycle", "vehicle.motorcycle")),
    ),
    ("adult adults man men woman women", _meaning("adult", (), ("human", "vehicle.bicycle", "vehicle.motorcycle"))),
    ("child children kid kids boy girl", _meaning("child", ("human.pedestrian.child",), ("human",))),
    (
        "construction_worker construction_workers worker workers",
        _meaning("construction worker", ("human.pedestrian.construction_worker",), ("human",)),
    ),
    (
        "police_officer police_officers policeman policemen",
        _meaning("police officer", ("human.pedestrian.police_officer",), ("human",)),
    ),
    ("bicycle bicycles pushbike pushbikes bike bikes", _meaning("bicycle", ("vehicle.bicycle",), _CYCLES)),
    (
        "motorcycle motorcycles motor_cycle motor_cycles motorbike motorbikes",
        _meaning("motorcycle", ("vehicle.motorcycle",), _CYCLES),
    ),
    ("scooter scooters moped mopeds", _meaning("scooter", (), _CYCLES)),
    ("cyclist cyclists bicyclist bicyclists", _meaning("cyclist", ("vehicle.bicycle",), _CYCLES, ridden=True)),
    (
        "motorcyclist motorcyclists",
        _meaning("motorcyclist", ("vehicle.motorcycle",), _CYCLES, ridden=True),
    ),
    (
        "traffic_cone traffic_cones trafficcone trafficcones cone cones",
        _meaning("traffic cone", ("movable_object.trafficcone",), _SMALL),
    ),
    ("barrier barriers", _meaning("barrier", ("movable_object.barrier",), _SMALL, open=True)),
    ("debris", _meaning("debris", ("movable_object.debris",), _SMALL, open=True)),
    ("animal animals dog dogs", _meaning("animal", ("animal",), open=True)),
    (
        "stroller strollers baby_stroller baby_strollers pram prams pushchair pushchairs",
        _meaning("stroller", ("human.pedestrian.stroller",), ("human", "movable_object.pushable"), open=True),
    ),
    (
        "wheelchair wheelchairs wheel_chair wheel_chairs",
        _meaning("wheelchair", ("human.pedestrian.wheelchair",), ("human", "movable_object.pushable"), open=True),
    ),
    (
        "suv suvs sport_utility_vehicle sport_utility_vehicles sports_utility_vehicle sports_utility_vehicles "
        "sedan sedans taxi taxis hatchback",
        _meaning("SUV", (), ("vehicle.car", "vehicle.truck", *_EMERGENCY)),
    ),
    (
        "pickup pickups pickup_truck pickup_trucks",
        _meaning("pickup", (), ("vehicle.car", "vehicle.truck", *_EMERGENCY)),
    ),
    ("van vans minivan minivans", _meaning("van", (), ("vehicle.car", "vehicle.truck", "vehicle.bus", *_EMERGENCY))),
    (
        "emergency_vehicle emergency_vehicles ambulance ambulances police_car police_cars fire_truck fire_trucks",
        _meaning("emergency vehicle", (), _MOTOR),
    ),
    ("vehicle vehicles", _meaning("vehicle", _MOTOR, ("vehicle",))),
)

NOUNS: dict[str, Meaning] = {name: meaning for names, meaning in _MEANINGS for name in names.split()}
"""Meanings by noun, lower case, both numbers; words of a longer noun are joined by `_`."""
LONGEST_NOUN = 3
"""Words of the longest noun."""

_TOLD_APART = (
    *_PEOPLE,
    "human.pedestrian.stroller",
    "human.pedestrian.wheelchair",
    "human.pedestrian.personal_mobility",
    "vehicle.car",
    "vehicle.truck",
    "vehicle.bus",
    "vehicle.trailer",
    "vehicle.construction",
    "vehicle.bicycle",
    "vehicle.motorcycle",
    "vehicle.emergency",
    "movable_object",
    "static_object",
    "animal",
)
"""Categories that say what a thing is; a thing of any other may be called anything."""


def meaning_of(name: str) -> Meaning:
    """What a class of the list that answers are of means."""
    return NOUNS[name.replace(" ", "_")]


@cache
def matches(meaning: Meaning, category: str) -> tuple[bool, bool]:
    """Whether a category surely is, and whether it may be, what a word means."""
    sure = _begins(category, meaning.sure) or (category in _WAYMO and meaning.word in ("pedestrian", "person"))
    told = _begins(category, _TOLD_APART)
    return sure or (category == "vehicle" and meaning.word == "vehicle"), sure or not told or _begins(
        category, meaning.possible
    )


def _begins(category: str, branches: tuple[str, ...]) -> bool:
    return any(category == branch or category.startswith(f"{branch}.") for branch in branches)
