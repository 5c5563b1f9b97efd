"""Questions of two clauses: which words belong to which, what is left alone, and what both together come to."""

from __future__ import annotations

from itertools import product

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from true_statements import true_statements

from planted_claims import STREETS, pairs_about, sequence_of
from probe4d.benchmarks.b4dl.claims import verdicts_of
from probe4d.benchmarks.b4dl.claims.claim import Claim, Joined
from probe4d.benchmarks.b4dl.claims.deciding import Decision
from probe4d.benchmarks.b4dl.claims.joining import joined_in
from probe4d.benchmarks.b4dl.claims.joint import decide_joined
from probe4d.benchmarks.b4dl.claims.reading import Read, Unread, read_pair
from probe4d.benchmarks.b4dl.pairs import PAIRS_SCHEMA
from probe4d.benchmarks.b4dl.replies.answer_forms import canonical_answer
from probe4d.benchmarks.b4dl.sequences import drawn_sequences
from probe4d.scenes.tables import Scenes

YES = canonical_answer("binary", "Yes.")
FOUR, FOUR_TO_EIGHT = (4, 4), (4, 8)


def joined(question: str) -> Joined:
    read = read_pair(question, YES)
    assert isinstance(read, Read), read
    assert isinstance(read.claim, Joined)
    return read.claim


def told(claim: Claim) -> tuple[object, ...]:
    return claim.kind, claim.subject and claim.subject.word, claim.place, claim.frames


@pytest.mark.parametrize(
    ("question", "first", "second"),
    [
        (
            "In frame 004, is there a car ahead, and is the ego vehicle moving?",
            [("presence", "car", "front", FOUR)],
            [("moves", None, None, FOUR)],
        ),
        (
            "Is there a car ahead and is there a bus behind in frame 004?",
            [("presence", "car", "front", FOUR), ("presence", "car", "front", None)],
            [("presence", "bus", "back", FOUR)],
        ),
        (
            "Is there a car ahead in frame 4 and a bus behind?",
            [("presence", "car", "front", FOUR)],
            [("presence", "bus", "back", FOUR), ("presence", "bus", "back", None)],
        ),
        (
            "Is there a car ahead in frame 004 and a bus behind in frame 008?",
            [("presence", "car", "front", FOUR)],
            [("presence", "bus", "back", (8, 8))],
        ),
        (
            "Is there a car and a truck ahead between frame 4 and frame 8?",
            [("presence", "car", None, FOUR_TO_EIGHT), ("presence", "car", "front", FOUR_TO_EIGHT)],
            [("presence", "truck", "front", FOUR_TO_EIGHT)],
        ),
        ("Is there a car or truck?", [("presence", "car", None, None)], [("presence", "truck", None, None)]),
        (
            "Are there at least two cars and one truck in frame 4?",
            [("count", "car", None, FOUR)],
            [("count", "truck", None, FOUR)],
        ),
        ("Are the car and the truck moving?", [("moves", "car", None, None)], [("moves", "truck", None, None)]),
        (
            "Is a car or a bus visible from frame 4 to 8?",
            [("presence", "car", None, FOUR_TO_EIGHT)],
            [("presence", "bus", None, FOUR_TO_EIGHT)],
        ),
        (
            "Does the ego car slow down and turn left during frames 4 to 8?",
            [("slows", None, None, FOUR_TO_EIGHT)],
            [("turns-left", None, None, FOUR_TO_EIGHT)],
        ),
        ("Does the car stop or turn left?", [("stops", "car", None, None)], [("turns-left", "car", None, None)]),
        (
            "Is the car parked or moving on the left?",
            [("parked", "car", None, None), ("parked", "car", "left", None)],
            [("moves", "car", "left", None)],
        ),
        ("Is the car moving and the truck parked?", [("moves", "car", None, None)], [("parked", "truck", None, None)]),
        ("Can a car and a bus be seen?", [("presence", "car", None, None)], [("presence", "bus", None, None)]),
    ],
)
def test_two_clauses_are_read(question: str, first: list[object], second: list[object]) -> None:
    claim = joined(question)
    assert [[told(reading) for reading in clause.readings] for clause in claim.clauses] == [first, second]
    assert claim.kind == ("disjunction" if " or " in question else "conjunction")


@pytest.mark.parametrize(
    "question",
    [
        "Is there a pedestrian between a car and a truck?",
        "Is there a pedestrian next to a car or a truck?",
        "Is a car passing the ego vehicle and a truck ahead?",
        "Is a car passing the ego vehicle and a truck moving?",
        "Is the car closer to the ego vehicle than the truck or the bus?",
        "Does the ego vehicle approach the car and the truck?",
        "Is there a car on the left and on the right?",
        "Is there a car on the left or right?",
        "Are there at least two cars and trucks?",
        "Are there two cars or trucks?",
        "Does the ego vehicle turn left or right?",
        "Is there a pedestrian walking and a car?",
        "Is there a red car and a truck?",
        "Is there both a car and a truck?",
        "Is there either a car or a truck?",
        "Is there neither a car nor a truck?",
        "Is there no car or truck?",
        "Are there no cars and no trucks?",
        "Are the car and the truck not moving?",
        "Are the car and the truck moving together?",
        "Is the car moving throughout the sequence and is there a bus?",
        "Is there a car, a truck and a bus?",
        "Is there a car and a truck and a bus?",
        "Is there a car and a truck or a bus?",
        "Does the car approach and then overtake the ego vehicle?",
        "Does the ego vehicle stop and it turns?",
        "Does the ego vehicle move and stop for the pedestrian?",
        "Is there a car from frame 008 to frame 004 and a bus in frame 004?",
        "In frame 004, is there a car in frame 002 and a bus?",
        "Is there a car and a bus stop?",
        "Is there a car and a pedestrian crossing?",
        "Is there a car @0 and a bus?",
        "and",
        "Is there a car and",
        "Is and is",
    ],
)
def test_what_could_be_parted_otherwise_is_left_alone(question: str) -> None:
    assert isinstance(read_pair(question, YES), Unread)


def test_only_yes_and_no_answer_two_clauses() -> None:
    assert isinstance(read_pair("Which object is ahead and moving?", canonical_answer("existence", "CAR.")), Unread)
    interval = canonical_answer("time-grounding", "from frame 002 to frame 004.")
    assert isinstance(read_pair("When does the car stop and turn left?", interval), Unread)


@pytest.mark.parametrize(
    ("question", "affirmable"),
    [
        ("Is there a car and a truck?", True),
        ("Is there a car and a vehicle?", False),  # it may be asked for a second one
        ("Is there a pedestrian and is a person moving?", False),
        ("Is there a car ahead and a car behind?", True),
        ("Is there a car ahead and a car on the left?", False),
        ("Is the ego vehicle moving and turning left?", True),
        ("Does the ego vehicle stop and turn left?", False),  # at once, or one after the other
        ("Is the car moving and turning left?", True),
        ("Is a car moving and turning left?", False),  # the same one
        ("Does the ego vehicle stop or turn left?", True),
    ],
)
def test_what_each_clause_says_may_not_be_what_both_say(question: str, affirmable: bool) -> None:
    assert joined(question).affirmable == affirmable


TRUTHS = (True, False, None)


@pytest.mark.parametrize(("first", "second"), list(product(TRUTHS, TRUTHS)))
@pytest.mark.parametrize("word", ["and", "or"])
def test_clauses_come_together_as_in_logic_of_three_values(word: str, first: bool | None, second: bool | None) -> None:
    claim = joined(f"Is there a car {word} a bus?")
    truth = {claim.clauses[0].readings[0]: first, claim.clauses[1].readings[0]: second}
    decision = decide_joined(claim, lambda one: Decision(truth[one], "So it is.", {"frames": [0, 8]}))
    order = {False: 0, None: 1, True: 2}
    least_or_most = min if word == "and" else max
    assert decision.holds == least_or_most(first, second, key=order.__getitem__)
    assert decision.why.count("So it is.") == 2
    assert [clause["holds"] for clause in decision.facts["clauses"]] == [first, second]


def test_readings_that_differ_leave_a_clause_undecided() -> None:
    claim = joined("Is there a car and a bus ahead?")
    plain, ahead = claim.clauses[0].readings
    truth = {plain: True, ahead: False, claim.clauses[1].readings[0]: True}
    assert decide_joined(claim, lambda one: Decision(truth[one], "So.", {})).holds is None


@pytest.mark.parametrize("street", list(STREETS))
def test_together_they_are_what_each_is_by_itself(street: str) -> None:
    """Whatever two questions are joined by, neither is decided otherwise than alone."""
    alone = [
        "is there a car ahead",
        "is there a bus",
        "is a pedestrian visible on the right",
        "is the truck moving",
        "does the ego vehicle stop",
        "is the ego vehicle moving",
        "are there at least two traffic cones",
    ]
    whole = [f"From frame 000 to frame 008, {question}?" for question in alone]
    asked = [("binary", question, "Yes.") for question in whole]
    pairs = list(product(range(len(alone)), range(len(alone))))
    for word in ("and", "or"):
        asked += [("binary", f"From frame 000 to frame 008, {alone[a]} {word} {alone[b]}?", "Yes.") for a, b in pairs]
    verdicts = verdicts_of(pairs_about(f"{street}/0", asked), sequence_of(street), STREETS[street])["verdict"].to_list()
    order = {"contradicted": 0, "undecided": 1, "supported": 2}
    single, rest = [order[verdict] for verdict in verdicts[: len(alone)]], verdicts[len(alone) :]
    for (a, b), conjunction, disjunction in zip(pairs, rest[: len(pairs)], rest[len(pairs) :], strict=True):
        assert order[conjunction] in {min(single[a], single[b]), 1 if a == b else min(single[a], single[b])}
        assert order[disjunction] == max(single[a], single[b])


def test_none_of_many_true_statements_of_two_clauses_is_accused_and_many_are_read(scenes: Scenes) -> None:
    sequences = drawn_sequences(scenes, seed=11)
    made = dict.fromkeys(true_statements(scenes, sequences.to_dicts(), seed=11, rounds=2))
    rows = [
        (of, task, number, question, answer)
        for number, (of, task, question, answer) in enumerate(made)
        if " or " in question or " and " in question.replace("and frame", "")
    ]
    verdicts = verdicts_of(pl.DataFrame(rows, schema=PAIRS_SCHEMA, orient="row"), sequences, scenes)
    accused = (verdicts["verdict"] == "contradicted").arg_true()
    assert [(rows[row][3:], verdicts["why"][row]) for row in accused] == []
    assert verdicts["claim"].is_in(["conjunction", "disjunction"]).mean() > 0.95
    assert (verdicts["verdict"] == "supported").mean() > 0.3


_WORDS = (
    "is are there does the a car bus ego truck and or moving ahead in frame 4 frames 2 to 8 , not left stop any two"
)


@given(st.one_of(st.text(max_size=80), st.lists(st.sampled_from(_WORDS.split()), max_size=24).map(" ".join)))
def test_any_text_is_parted_or_not(text: str) -> None:
    found = joined_in(text)
    assert found is None or len(found.clauses) == 2
