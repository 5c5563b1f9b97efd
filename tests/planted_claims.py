"""Streets placed by hand, with falsehoods of many kinds about them, and beside each what is true."""

from __future__ import annotations

import math
from typing import NamedTuple

import polars as pl

from placed_streets import Place, Thing, driving, moving, still, street
from probe4d.benchmarks.b4dl.pairs import PAIRS_SCHEMA
from probe4d.benchmarks.b4dl.sequences import SEQUENCES_SCHEMA
from probe4d.scenes.tables import Scenes

__all__ = ["PLANTED", "STREETS", "Planted", "pairs_about", "sequence_of"]

WINDOW = (0, 8)
"""Frames of the one sequence of each street, which has ten key frames."""


class Planted(NamedTuple):
    """A falsehood.

    Attributes:
        kind: What is wrong with it.
        street: Name of the street that it is about.
        task: Task of the pair.
        question: The question.
        false: The answer that is wrong.
        true: The answer that is right; null where there is none, since it never happens.
    """

    kind: str
    street: str
    task: str
    question: str
    false: str
    true: str | None


def _turning() -> list[Place]:
    """Straight on at 6 m/s, a left turn of 90 degrees between frames 2 and 6, straight on."""
    places: list[Place] = [(0.0, 0.0, 0.0)]
    for frame in range(1, 10):
        x, y, heading = places[-1]
        heading += 22.5 if 2 < frame <= 6 else 0.0
        places.append((x + 3 * math.cos(math.radians(heading)), y + 3 * math.sin(math.radians(heading)), heading))
    return places


def _starting(x: float, y: float) -> list[Place | None]:
    """Still until frame 4, then off at 4 m/s along x."""
    return [(x + 2.0 * max(frame - 4, 0), y, 0.0) for frame in range(10)]


def _turning_right(x: float, y: float) -> list[Place | None]:
    """A right turn of 90 degrees at 6 m/s, towards the ego vehicle and off to its left."""
    places: list[Place | None] = []
    heading = 180.0
    for frame in range(10):
        places.append((x, y, heading))
        heading -= 22.5 if 2 <= frame < 6 else 0.0
        x, y = x + 3 * math.cos(math.radians(heading)), y + 3 * math.sin(math.radians(heading))
    return places


_PERSON, _TRUCK, _BUS = "human.pedestrian.adult", "vehicle.truck", "vehicle.bus.rigid"
_SMALL, _LONG = (0.6, 0.6, 1.7), (10.0, 2.6, 3.2)
_CONE = "movable_object.trafficcone"

STREETS: dict[str, Scenes] = {
    # The ego vehicle stands; a car ahead, a person on the right, three cones on the left.
    "standing": street(
        [
            Thing("car", still(20, 0), attributes=("vehicle.parked",)),
            Thing("person", still(-4, -8), size=_SMALL, category=_PERSON),
            *(Thing(f"cone {n}", still(6.0 + n, 8), size=(0.4, 0.4, 0.8), category=_CONE) for n in range(3)),
        ],
        scene="standing",
    ),
    # It drives at 8 m/s past a bus on the left; a truck ahead pulls away, a motorcycle overtakes.
    "driving": street(
        [
            Thing("truck", moving(30, 0, (14, 0), at=0), category=_TRUCK, size=(8.0, 2.5, 3.0)),
            Thing("bus", still(22, 7), category=_BUS, size=_LONG),
            Thing("motorcycle", moving(-12, 3.5, (15, 0), at=0), category="vehicle.motorcycle", size=(2.0, 0.8, 1.5)),
        ],
        driving([8.0] * 9),
        scene="driving",
    ),
    # It brakes to a stop behind a car.
    "stopping": street(
        [Thing("car", still(34, 0))],
        driving([10.0, 10.0, 8.0, 6.0, 4.0, 2.0, 0.0, 0.0, 0.0]),
        scene="stopping",
    ),
    "turning": street([Thing("car", still(60, 40))], _turning(), scene="turning"),
    # It stands; a person crosses to the right, a bus comes, a truck starts, a car turns right.
    "crossing": street(
        [
            Thing("person", moving(10, 0, (0, -4)), size=_SMALL, category=_PERSON),
            Thing("bus", moving(38, 4, (-5, 0), 180.0, at=0), category=_BUS, size=_LONG),
            Thing("truck", _starting(-30, -4), category=_TRUCK, size=(8.0, 2.5, 3.0)),
            Thing("car", _turning_right(25, 12)),
        ],
        scene="crossing",
    ),
    # It stands; ahead a bus on the left and a person on the right; behind, a truck and then a motorcycle.
    "abreast": street(
        [
            Thing("bus", still(24, 7), category=_BUS, size=_LONG),
            Thing("person", still(24, -7), size=_SMALL, category=_PERSON),
            Thing("truck", still(-10, 0), category=_TRUCK, size=(8.0, 2.5, 3.0)),
            Thing("motorcycle", still(-24, 0.5), category="vehicle.motorcycle", size=(2.0, 0.8, 1.5)),
        ],
        scene="abreast",
    ),
    # It stands; a truck is there in the first three frames, a bicycle all the time.
    "leaving": street(
        [
            Thing("truck", [(15.0, 5.0, 0.0)] * 3, category=_TRUCK, size=(8.0, 2.5, 3.0)),
            Thing("bicycle", still(8, -6), category="vehicle.bicycle", size=(1.8, 0.6, 1.3)),
        ],
        scene="leaving",
    ),
}
"""Streets by name; each is one scene."""

_ALL = "from frame 000 to frame 008"


def _yes(kind: str, place: str, question: str, task: str = "binary") -> Planted:
    """A wrong yes."""
    return Planted(kind, place, task, question, "Yes.", "No.")


def _no(kind: str, place: str, question: str, task: str = "binary") -> Planted:
    """A wrong no."""
    return Planted(kind, place, task, question, "No.", "Yes.")


def _when(kind: str, place: str, question: str, false: tuple[int, int], true: tuple[int, int] | None) -> Planted:
    """A wrong interval."""
    right = None if true is None else _interval(*true)
    return Planted(kind, place, "time-grounding", question, _interval(*false), right)


def _interval(start: int, end: int) -> str:
    return f"from frame {start:03d} to frame {end:03d}."


def _which(kind: str, place: str, question: str, false: str, true: str) -> Planted:
    return Planted(kind, place, "existence", question, f"{false}.", f"{true}.")


PLANTED: tuple[Planted, ...] = (
    _yes("a class that is absent from a frame", "standing", "Is there a bus in frame 004?", "existence"),
    _yes("a class that is absent from a range", "standing", f"Are there any bicycles {_ALL}?", "existence"),
    _yes("a class that is absent from the sequence", "standing", "Is a motorcycle visible?", "existence"),
    _no("a class that is there, denied", "standing", f"Is there a car {_ALL}?", "existence"),
    _yes("the wrong side", "standing", "Is there a pedestrian to the left of the ego vehicle in frame 004?"),
    _no("the right side, denied", "standing", "Is a pedestrian present on the right side of the ego vehicle?"),
    _yes("behind, of what is ahead", "standing", f"Is there a car behind the ego vehicle {_ALL}?"),
    _no("ahead, denied", "standing", "Can a car be seen in front of the ego vehicle in frame 002?"),
    _yes("the wrong sector", "standing", "Is there a pedestrian at the front left of the ego vehicle?"),
    _yes("the place of a known object", "standing", "Is the car behind the ego vehicle in frame 006?"),
    _which("a class answered that is absent", "standing", "Which object is straight ahead in frame 004?", "BUS", "CAR"),
    _which("a class answered that is elsewhere", "standing", "What object is ahead?", "PEDESTRIAN", "CAR"),
    _which(
        "a class answered that does not move so",
        "crossing",
        "Which object crosses from left to right?",
        "BUS",
        "PEDESTRIAN",
    ),
    _yes("too many at least", "standing", "Are there at least two cars in frame 004?"),
    _yes("too few exactly", "standing", "Is there exactly one traffic cone in frame 004?"),
    _yes("several of one", "standing", f"Are there multiple pedestrians visible {_ALL}?"),
    _no("a number, denied", "standing", "Are there three traffic cones on the left in frame 004?"),
    _yes("at most, of more", "standing", "Are there fewer than 2 traffic cones?"),
    _yes("none, of what is there", "standing", "Are there no cars in the sequence?"),
    _yes("a distance too near", "standing", "Is there a car within 5 meters of the ego vehicle?"),
    _yes("a distance too far", "standing", "Is the car more than 30 meters away from the ego vehicle?"),
    _yes("the nearest object", "standing", "Is the car the closest object to the ego vehicle in frame 004?"),
    _yes("nearer than what is nearer", "standing", "Is the car closer to the ego vehicle than the pedestrian?"),
    _yes("farther than what is farther", "standing", "Is the pedestrian farther from the ego vehicle than the car?"),
    _yes("an approach of what pulls away", "driving", f"Does the truck ahead approach the ego vehicle {_ALL}?"),
    _no("moving away, denied", "driving", f"Does the truck ahead move away from the ego vehicle {_ALL}?"),
    _no("an approach, denied", "crossing", "Does a bus approach the ego vehicle?"),
    _yes("motion of what stands", "standing", "Is the car moving between frame 2 and frame 6?"),
    _no("standing, denied", "standing", "Does the pedestrian remain stationary?"),
    _yes("standing of what moves", "driving", f"Does the truck remain stationary {_ALL}?"),
    _yes("parked, of what moves", "driving", "Is there a parked truck?"),
    _yes("a stop of what drives on", "driving", "Does the truck come to a stop?"),
    _no("a start, denied", "crossing", "Does the truck start moving?"),
    _yes("an overtaking of what stands", "standing", "Does the car overtake the ego vehicle?"),
    _no("an overtaking, denied", "driving", f"Does a motorcycle overtake the ego vehicle {_ALL}?"),
    _no("a passing, denied", "driving", "Does the ego vehicle pass the bus?"),
    _yes("a crossing the other way", "crossing", "Does the pedestrian cross from right to left?"),
    _no("a crossing, denied", "crossing", "Does the pedestrian cross in front of the ego vehicle?"),
    _yes("a move to the wrong side", "crossing", "Does the pedestrian move to the left?"),
    _yes("a turn the other way", "crossing", "Does the bus turn left?"),
    _yes("a distance kept that grows", "driving", "Does the truck keep a constant distance from the ego vehicle?"),
    _yes("a speeding up at constant speed", "driving", "Does the truck accelerate?"),
    _yes("motion of an ego vehicle that stands", "standing", f"Is the ego vehicle moving {_ALL}?"),
    _yes("standing of an ego vehicle that drives", "driving", "Does the ego vehicle remain stationary?"),
    _yes("a stop of an ego vehicle that drives on", "driving", f"Does the ego vehicle stop {_ALL}?"),
    _no("a stop of the ego vehicle, denied", "stopping", f"Does the ego vehicle come to a stop {_ALL}?"),
    _yes("a start of an ego vehicle that stands", "standing", "Does the ego vehicle start moving?"),
    _yes("a turn of an ego vehicle that goes straight", "driving", "Does the ego vehicle turn left?"),
    _yes("a turn of the ego vehicle the other way", "turning", "Is the ego vehicle turning right?"),
    _no("a turn of the ego vehicle, denied", "turning", f"Does the ego vehicle turn left {_ALL}?"),
    _yes("speeding up of an ego vehicle that brakes", "stopping", "Does the ego vehicle accelerate?"),
    _no("braking of the ego vehicle, denied", "stopping", "Does the ego vehicle slow down?"),
    _yes("straight on, of an ego vehicle that turns", "turning", "Does the ego vehicle go straight?"),
    _yes("reversing of an ego vehicle that goes ahead", "driving", "Is the ego vehicle reversing?"),
    _no("driving up to what is ahead, denied", "stopping", "Does the ego vehicle approach the car?"),
    _yes("always there, of what leaves", "leaving", "Is there a truck visible throughout the sequence?"),
    _yes("to the left of what is on its left", "abreast", "Is the pedestrian to the left of the bus in frame 004?"),
    _no("to the right of what is on its left, denied", "abreast", f"Is the pedestrian to the right of the bus {_ALL}?"),
    _no("to the left, denied", "abreast", "Is the bus on the left side of the pedestrian?"),
    _yes("in front of what is before it", "abreast", "Is the motorcycle in front of the truck in frame 002?"),
    _no("in front of what is behind it, denied", "abreast", "Is the truck ahead of the motorcycle?"),
    _no("behind, denied", "abreast", "Is a motorcycle located behind the truck?"),
    _yes("behind what is behind it", "abreast", "Is the truck directly behind the motorcycle?"),
    _yes("and, of which the first is absent", "standing", "Is there a bus and a car in frame 004?", "existence"),
    _yes("and, of which the second is absent", "standing", "Is there a car ahead and a bus behind?"),
    _no("and, denied of two that are there", "standing", "Are there a car and a pedestrian in frame 004?"),
    _no("and, denied of a place each", "standing", "Is there a car ahead and is there a pedestrian on the right?"),
    _yes("and, of two subjects of which one stands", "driving", "Are the truck and the bus moving?"),
    _no("and, denied of two that stand", "standing", f"Are the car and the pedestrian stationary {_ALL}?"),
    _yes("and, of a verb each, one wrong", "crossing", "Is the bus approaching and the pedestrian parked?"),
    _yes("and, of two things that the ego vehicle does", "stopping", "Does the ego vehicle slow down and turn left?"),
    _no("and, denied of what the ego vehicle does at once", "driving", "Is the ego vehicle moving and going straight?"),
    _yes("and, of an object that does one of two", "crossing", f"Does the truck start moving and turn right {_ALL}?"),
    _yes(
        "and, of an object and the ego vehicle",
        "standing",
        "In frame 004, is there a car ahead, and is there a bus behind the ego vehicle?",
    ),
    _no(
        "and, denied of an object and the ego vehicle",
        "stopping",
        f"Is there a car ahead and does the ego vehicle come to a stop {_ALL}?",
    ),
    _yes("or, of two that are absent", "standing", "Is there a bus or a bicycle in frame 004?", "existence"),
    _no("or, denied, and the first is there", "standing", "Is there a car or a bus in frame 004?", "existence"),
    _no("or, denied, and the second is there", "standing", "Are there any buses or cars in frame 004?", "existence"),
    _yes("or, of two that stand", "standing", "Is the car or the pedestrian moving?"),
    _no("or, denied of two of which one moves", "driving", "Is the bus or the truck moving?"),
    _yes("or, of what the ego vehicle does neither", "driving", "Does the ego vehicle turn left or come to a stop?"),
    _no("or, denied of what the ego vehicle does", "stopping", "Does the ego vehicle slow down or reverse?"),
    _yes("or, of a question each", "driving", "Is there a pedestrian or does the ego vehicle turn right?"),
    _no("or, denied of a question each", "turning", "Is there a bus or does the ego vehicle turn left?"),
    _when("an interval of what is never there", "standing", "When is a bus visible?", (0, 8), None),
    _when("an interval in which it is gone", "leaving", "During which frames is a truck visible?", (6, 8), (0, 2)),
    _when("an interval that is too long", "leaving", "When is a truck ahead?", (0, 8), (0, 2)),
    _when("an interval that is too short", "leaving", "During which frames is a bicycle visible?", (2, 3), (0, 8)),
    _when("an interval after a turn", "turning", "When does the ego vehicle turn left?", (7, 8), (2, 6)),
    _when(
        "an interval of the other turn",
        "turning",
        "When does the ego vehicle turn right?",
        (2, 6),
        None,
    ),
    _when(
        "an interval of what never happens",
        "driving",
        "When is the ego vehicle stationary?",
        (2, 6),
        None,
    ),
    _when(
        "an interval outside of the sequence",
        "turning",
        "In which frames does the ego vehicle turn left?",
        (12, 16),
        (2, 6),
    ),
    _when("an interval before a stop", "stopping", "When is the ego vehicle stationary?", (0, 4), (6, 8)),
    _when("an interval before a start", "crossing", "When is the truck moving?", (0, 2), (4, 8)),
)
"""Falsehoods, each of a kind of its own."""


def sequence_of(name: str) -> pl.DataFrame:
    """The one sequence of a street, which has its name with `/0`."""
    frames = list(range(WINDOW[0], WINDOW[1] + 1, 2))
    return pl.DataFrame([(name, f"{name}/0", frames, *WINDOW)], schema=SEQUENCES_SCHEMA, orient="row")


def pairs_about(sequence: str, asked: list[tuple[str, str, str]]) -> pl.DataFrame:
    """Pairs of task, question and answer about a sequence."""
    return pl.DataFrame(
        [(sequence, task, number, question, answer) for number, (task, question, answer) in enumerate(asked)],
        schema=PAIRS_SCHEMA,
        orient="row",
    )
