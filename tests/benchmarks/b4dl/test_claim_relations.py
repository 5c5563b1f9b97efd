"""Where one thing is of another: sure where every sense of the words agrees, and undecided where one does not."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from placed_streets import Thing, street
from planted_claims import pairs_about, sequence_of
from probe4d.benchmarks.b4dl.claims import verdicts_of
from probe4d.benchmarks.b4dl.claims.claim import Claim
from probe4d.benchmarks.b4dl.claims.reading import Read, Unread, read_pair
from probe4d.benchmarks.b4dl.replies.answer_forms import canonical_answer

YES = canonical_answer("binary", "Yes.")
BUS, PERSON, CONE = "vehicle.bus.rigid", "human.pedestrian.adult", "movable_object.trafficcone"
Place = tuple[float, float, float]
"""Ahead and to the left of the ego vehicle, which stands; heading in degrees from its own."""


def asked(first: Place, second: Place, *questions: str, category: str = BUS) -> list[str]:
    """Verdicts on a yes about a pedestrian and a bus (or a traffic cone)."""
    scenes = street(
        [
            Thing("person", [first] * 10, size=(0.6, 0.6, 1.7), category=PERSON),
            Thing("other", [second] * 10, size=(1.0, 1.0, 1.0), category=category),
        ],
        scene="two",
    )
    pairs = pairs_about("two/0", [("binary", question, "Yes.") for question in questions])
    return verdicts_of(pairs, sequence_of("two"), scenes)["verdict"].to_list()


LEFT, RIGHT = "Is the pedestrian to the left of the bus?", "Is the pedestrian to the right of the bus?"
FRONT, BEHIND = "Is the pedestrian in front of the bus?", "Is the pedestrian behind the bus?"


@pytest.mark.parametrize(
    ("first", "second", "left", "right"),
    [
        ((20, 6, 0), (20, 0, 0), "supported", "contradicted"),
        ((20, -6, 0), (20, 0, 0), "contradicted", "supported"),
        ((20, 6, 0), (20, 0, 180), "undecided", "undecided"),  # it comes: its own left is the other one
        ((20, 6, 0), (20, 0, 90), "undecided", "undecided"),
        ((60, 8, 0), (20, 5, 0), "undecided", "undecided"),  # farther to the left, and seen to the right of it
        ((20, 1, 0), (20, 0, 0), "undecided", "undecided"),  # not clear of it
        ((-20, 6, 0), (-20, 0, 0), "undecided", "undecided"),  # mirrored in images of rear cameras
        ((5, 12, 0), (20, 0, 0), "undecided", "undecided"),  # abeam
    ],
)
def test_sides_need_all_senses(first: Place, second: Place, left: str, right: str) -> None:
    assert asked(first, second, LEFT, RIGHT) == [left, right]


@pytest.mark.parametrize(
    ("first", "second", "front", "behind"),
    [
        ((-10, 0, 0), (-20, 0, 0), "supported", "contradicted"),
        ((-20, 0, 0), (-10, 0, 0), "contradicted", "supported"),
        ((20, 0, 0), (10, 0, 0), "undecided", "undecided"),  # farther on, and hidden by it
        ((-10, 0, 0), (-20, 0, 180), "undecided", "undecided"),
        ((-10, 6, 0), (-20, 0, 0), "undecided", "contradicted"),  # not in line, and surely not behind
    ],
)
def test_front_and_back_need_all_senses(first: Place, second: Place, front: str, behind: str) -> None:
    assert asked(first, second, FRONT, BEHIND) == [front, behind]


@pytest.mark.parametrize("heading", [0, 90, 180])
def test_a_cone_has_no_side_of_its_own(heading: float) -> None:
    question = "Is the pedestrian to the left of the traffic cone?"
    assert asked((20, 6, 0), (20, 0, heading), question, category=CONE) == ["supported"]


def test_one_of_several_is_enough_for_a_and_not_for_the() -> None:
    people = [Thing(f"person {y}", [(20, y, 0)] * 10, size=(0.6, 0.6, 1.7), category=PERSON) for y in (6, -6)]
    bus = Thing("bus", [(20, 0, 0)] * 10, size=(1.0, 1.0, 1.0), category=BUS)
    questions = ("Is a pedestrian to the left of the bus?", LEFT, "Is a pedestrian behind the bus?")
    pairs = pairs_about("two/0", [("binary", question, "Yes.") for question in questions])
    for things, expected in (
        ([*people, bus], ["supported", "undecided", "undecided"]),
        ([people[1], bus], ["contradicted", "contradicted", "undecided"]),
        ([*people, bus, replace(bus, track="another", places=[(20, 9, 0)] * 10)], ["undecided"] * 3),
    ):
        found = verdicts_of(pairs, sequence_of("two"), street(things, scene="two"))
        assert found["verdict"].to_list() == expected


def test_what_is_not_there_has_no_place() -> None:
    assert asked((20, 6, 0), (20, 0, 0), "Is the truck to the left of the bus?", "Is the bus behind the car?") == [
        "undecided",
        "undecided",
    ]


places = st.tuples(st.integers(-30, 30), st.integers(-12, 12), st.sampled_from((0, 20, 90, 180, 300)))


@settings(max_examples=40, deadline=None)
@given(first=places, second=places)
def test_a_verdict_is_true_in_each_sense(first: Place, second: Place) -> None:
    if math.dist(first[:2], second[:2]) < 3 or min(math.hypot(*first[:2]), math.hypot(*second[:2])) < 5:
        return
    left, right, front, behind = asked(first, second, LEFT, RIGHT, FRONT, BEHIND)
    opposite = {"supported": "contradicted", "contradicted": "supported", "undecided": "undecided"}
    assert right == opposite[left]
    assert not {front, behind} & {"supported"} or front != behind
    x, y = first[0] - second[0], first[1] - second[1]
    turns = [math.radians(turn) for turn in (0, second[2])]
    if left != "undecided":
        seen = math.remainder(math.atan2(first[1], first[0]) - math.atan2(second[1], second[0]), 2 * math.pi)
        senses = [y * math.cos(turn) - x * math.sin(turn) for turn in turns] + [seen]
        assert all((sense > 0) == (left == "supported") for sense in senses)
    for verdict, sign in ((front, 1), (behind, -1)):
        if verdict != "undecided":
            nearer = math.hypot(*second[:2]) - math.hypot(*first[:2])
            senses = [x * math.cos(turn) + y * math.sin(turn) for turn in turns] + [nearer]
            assert all((sign * sense > 0) == (verdict == "supported") for sense in senses)


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("Is the car to the left of the truck in frame 004?", "left-of"),
        ("Is a pedestrian located on the right side of the bus?", "right-of"),
        ("Is the car directly in front of the truck?", "in-front-of"),
        ("Is the bus ahead of a car?", "in-front-of"),
        ("Are the pedestrians behind the bus?", "in-back-of"),
        ("Is the car not behind the truck?", "in-back-of"),
    ],
)
def test_relations_are_read(question: str, kind: str) -> None:
    read = read_pair(question, YES)
    assert isinstance(read, Read)
    assert isinstance(read.claim, Claim)
    assert (read.claim.kind, read.claim.negated) == (kind, " not " in question)


@pytest.mark.parametrize(
    "question",
    [
        "Is there a car to the left of the truck?",
        "Is the car to the left of the road?",
        "Is the car to the left of the vehicle?",
        "Is the car to the left of the red truck?",
        "Is the red car to the left of the truck?",
        "Is the car to the left of the truck and the bus?",
        "Is the car parked to the left of the truck?",
        "Are two cars behind the truck?",
        "Is the car behind the bus stop?",
        "Does the car move to the left of the truck?",
    ],
)
def test_other_relations_are_left_alone(question: str) -> None:
    assert isinstance(read_pair(question, YES), Unread)
