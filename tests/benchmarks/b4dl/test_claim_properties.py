"""Properties of verdicts, whatever the street: negation, mirroring, words that are not read, what is not annotated."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from placed_streets import Place, Thing, driving, street
from planted_claims import PLANTED, STREETS, pairs_about, sequence_of
from probe4d.benchmarks.b4dl.claims import verdicts_of
from probe4d.benchmarks.b4dl.pairs import VERDICTS_SCHEMA
from probe4d.errors import InputError
from probe4d.origins import WAYMO_VERSIONS
from probe4d.scenes.tables import Scenes

CATEGORIES = ("vehicle.car", "vehicle.truck", "vehicle.bus.rigid", "human.pedestrian.adult", "vehicle.bicycle")
QUESTIONS = (
    "Is there a {} to the left of the ego vehicle?",
    "Is there a {} to the right of the ego vehicle in frame 004?",
    "Is the {} at the front left of the ego vehicle in frame 002?",
    "Are there any {} behind the ego vehicle from frame 002 to frame 006?",
    "Is there a {} within 10 meters of the ego vehicle?",
    "Are there at least two {} in frame 004?",
    "Does a {} approach the ego vehicle?",
    "Does the {} move away from the ego vehicle?",
    "Does the {} move to the left?",
    "Does a {} cross from right to left?",
    "Does the {} turn right?",
    "Does the {} remain stationary?",
    "Is the {} moving from frame 002 to frame 006?",
    "Does the {} ahead stop?",
)
WORDS = ("car", "truck", "bus", "pedestrian", "bicycle", "vehicle")
SWAPPED = {"left": "right", "right": "left"}


@st.composite
def things(draw: st.DrawFn) -> list[Thing]:
    made = []
    for number in range(draw(st.integers(0, 4))):
        x, y = draw(st.floats(-30, 30)), draw(st.floats(-20, 20))
        vx, vy = (draw(st.sampled_from([0.0, 0.0, 1.0, -3.0, 6.0])) for _ in range(2))
        heading, turn = draw(st.sampled_from([0.0, 90.0, 180.0])), draw(st.sampled_from([0.0, 0.0, 10.0, -10.0]))
        places: list[Place] = [(x + vx * f / 2, y + vy * f / 2, heading + turn * f) for f in range(10)]
        made.append(Thing(f"{number}", places, category=draw(st.sampled_from(CATEGORIES))))
    return made


def verdicts(scenes: Scenes, asked: list[tuple[str, str, str]], **options: Any) -> list[str]:
    return verdicts_of(pairs_about("street/0", asked), sequence_of("street"), scenes, **options)["verdict"].to_list()


def asked_about(answer: str = "Yes.") -> list[tuple[str, str, str]]:
    return [("binary", question.format(word), answer) for question in QUESTIONS for word in WORDS]


@given(things=things(), speed_mps=st.sampled_from([0.0, 5.0]))
@settings(max_examples=12)
def test_the_other_answer_has_the_other_verdict(things: list[Thing], speed_mps: float) -> None:
    scenes = street(things, driving([speed_mps] * 9), cameras=False)
    other = {"supported": "contradicted", "contradicted": "supported", "undecided": "undecided"}
    assert verdicts(scenes, asked_about("No.")) == [other[verdict] for verdict in verdicts(scenes, asked_about())]


@given(things=things(), speed_mps=st.sampled_from([0.0, 5.0]))
@settings(max_examples=12)
def test_left_is_right_in_a_mirror(things: list[Thing], speed_mps: float) -> None:
    way = driving([speed_mps] * 9)
    mirrored = [
        Thing(
            thing.track, [place and (place[0], -place[1], -place[2]) for place in thing.places], category=thing.category
        )
        for thing in things
    ]
    swapped = [
        (task, re.sub("left|right", lambda side: SWAPPED[side[0]], question), answer)
        for task, question, answer in asked_about()
    ]
    assert verdicts(street(things, way, cameras=False), asked_about()) == verdicts(
        street(mirrored, way, cameras=False), swapped
    )


@given(things=things(), words=st.sampled_from(["red ", "large white ", "first ", "delivery "]))
@settings(max_examples=12)
def test_words_that_are_not_read_accuse_nothing_that_is_not_accused_without_them(
    things: list[Thing], words: str
) -> None:
    """A yes about red cars that is contradicted is one about cars, too; a no about them never is."""
    scenes = street(things, cameras=False)
    plain = [("binary", f"Is there a {word} ahead of the ego vehicle?", "Yes.") for word in WORDS]
    narrowed = [
        ("binary", f"Is there a {words}{word} ahead of the ego vehicle near the curb?", "Yes.") for word in WORDS
    ]
    denied = [(task, question, "No.") for task, question, _ in narrowed]
    for before, after in zip(verdicts(scenes, plain), verdicts(scenes, narrowed), strict=True):
        assert after != "supported"
        assert after == ("contradicted" if before == "contradicted" else "undecided")
    assert "contradicted" not in verdicts(scenes, denied)


@given(things=things())
@settings(max_examples=15)
def test_where_annotations_do_not_cover_all_around_nothing_is_absent(things: list[Thing]) -> None:
    scenes = street(things, cameras=False)
    absent = [("existence", f"Is there a {word}?", "Yes.") for word in WORDS]
    assert "contradicted" not in verdicts(scenes, absent, all_around=False)
    assert "contradicted" not in verdicts(scenes, asked_about(), all_around=False)


def test_classes_that_a_dataset_does_not_tell_apart_are_never_absent() -> None:
    standing = STREETS["standing"]
    converted = replace(standing, version=WAYMO_VERSIONS["perception"])
    asked = [("existence", f"Is there a {word}?", "Yes.") for word in ("bus", "truck", "bicycle", "trailer")]
    found = verdicts_of(pairs_about("standing/0", asked), sequence_of("standing"), converted)
    assert found["verdict"].to_list() == ["undecided", "undecided", "contradicted", "undecided"]


def test_where_nothing_is_annotated_the_ego_vehicle_alone_is_decided() -> None:
    empty = street([], driving([5.0] * 9), cameras=False)
    converted = replace(empty, version=WAYMO_VERSIONS["end-to-end"])
    asked = [
        ("binary", "Does a car overtake the ego vehicle?", "Yes."),
        ("existence", "Is there a pedestrian?", "Yes."),
        ("binary", "Is the ego vehicle stationary?", "Yes."),
        ("binary", "Does the ego vehicle go straight?", "Yes."),
    ]
    assert verdicts(converted, asked) == ["undecided", "undecided", "contradicted", "supported"]


def test_without_times_places_are_decided_and_speeds_are_not() -> None:
    standing = STREETS["standing"]
    timeless = replace(standing, keyframes=standing.keyframes.with_columns(timestamp_us=pl.lit(None, dtype=pl.Int64)))
    asked = [
        ("existence", "Is there a car ahead in frame 004?", "No."),
        ("binary", "Does the car accelerate?", "Yes."),
        ("binary", "Is the ego vehicle moving?", "Yes."),
        ("binary", "Does the ego vehicle turn left?", "Yes."),
    ]
    found = verdicts_of(pairs_about("standing/0", asked), sequence_of("standing"), timeless)
    assert found["verdict"].to_list() == ["contradicted", "undecided", "undecided", "contradicted"]


def test_key_frames_that_are_missing_leave_what_crosses_them_undecided() -> None:
    driven = street([], driving([5.0] * 9), scene="street", cameras=False)
    gap = replace(driven, keyframes=driven.keyframes.filter(pl.col("frame") != 5))
    asked = [
        ("binary", f"Does the ego vehicle stop from frame {start:03d} to frame {start + 3:03d}?", "Yes.")
        for start in (0, 3)
    ]
    assert verdicts(gap, asked) == ["contradicted", "undecided"]


@pytest.mark.parametrize("change", [{"lidar_points": 0}, {"visibility": 1}, {"x": 45.0}], ids=str)
def test_what_hardly_shows_may_be_said_to_be_there_and_not_to_be(change: dict[str, Any]) -> None:
    thing = {"lidar_points": 7, "visibility": 4, "x": 20.0} | change
    scenes = street([Thing("0", [(thing.pop("x"), 0.0, 0.0)] * 10, **thing)], cameras=False)  # type: ignore[arg-type]
    question = "Is there a car ahead?"
    assert verdicts(scenes, [("existence", question, "Yes."), ("existence", question, "No.")]) == ["undecided"] * 2


@pytest.mark.parametrize(
    ("word", "category"),
    [
        ("SUV", "vehicle.car"),
        ("pickup truck", "vehicle.truck"),
        ("construction vehicle", "vehicle.truck"),
        ("person", "vehicle.bicycle"),
        ("motorcycle", "static_object.bicycle_rack"),
        ("cyclist", "vehicle.bicycle"),
        ("car", "vehicle.train"),
    ],
)
def test_what_may_be_called_so_is_neither_there_nor_absent(word: str, category: str) -> None:
    scenes = street([Thing("0", [(15.0, 0.0, 0.0)] * 10, category=category)], cameras=False)
    question = f"Is there a {word}?"
    assert verdicts(scenes, [("existence", question, "Yes."), ("existence", question, "No.")]) == ["undecided"] * 2


@pytest.mark.parametrize("word", ["animal", "stroller", "wheelchair", "debris", "construction", "barrier"])
def test_things_that_annotations_leave_out_are_never_absent(word: str) -> None:
    asked = [
        ("existence", "Which object is visible?", f"{word.upper()}."),
        ("existence", f"Is there a {word}?", "Yes."),
    ]
    assert verdicts(street(cameras=False), asked) == ["undecided"] * 2


def test_a_known_object_is_any_that_it_may_be() -> None:
    """One car moves away and one stands: `the car` is not accused of either."""
    going: list[Place | None] = [(10.0 + 3.0 * frame, 0.0, 0.0) for frame in range(10)]
    scenes = street([Thing("a", going), Thing("b", [(12.0, 6.0, 0.0)] * 10)], cameras=False)
    questions = ("Does the car move away from the ego vehicle?", "Does the car remain stationary?")
    asked = [("binary", question, answer) for question in questions for answer in ("Yes.", "No.")]
    assert verdicts(scenes, asked) == ["undecided"] * 4


def test_tasks_of_free_text_and_frames_outside_of_the_sequence_are_undecided() -> None:
    asked = [
        ("description", "Is there a car?", "Yes."),
        ("comprehensive", "Is there a car?", "Yes."),
        ("temporal-understanding", "How does the car move?", "It moves away."),
        ("binary", "Is there a car in frame 009?", "Yes."),
    ]
    found = verdicts_of(pairs_about("standing/0", asked), sequence_of("standing"), STREETS["standing"])
    assert found.schema == pl.Schema(VERDICTS_SCHEMA)
    assert found["verdict"].to_list() == ["undecided"] * 4
    assert found["why"].str.ends_with(".").all()


def test_pairs_of_several_scenes_keep_their_order() -> None:
    """Interleaved pairs of two scenes have the verdicts that they have apart."""
    kinds = [planted for planted in PLANTED if planted.street == "standing"]
    asked = [(planted.task, planted.question, planted.false) for planted in kinds]
    scenes = STREETS["standing"]
    apart = verdicts_of(pairs_about("standing/0", asked), sequence_of("standing"), scenes)
    shuffled = pairs_about("standing/0", asked).sample(fraction=1.0, shuffle=True, seed=3)
    mixed = verdicts_of(shuffled, sequence_of("standing"), scenes)
    assert mixed.equals(shuffled.select("number").join(apart, on="number", maintain_order="left").select(mixed.columns))


def test_no_pairs_have_no_verdicts() -> None:
    assert verdicts_of(pairs_about("standing/0", []), sequence_of("standing"), STREETS["standing"]).is_empty()


def test_pairs_about_an_unknown_sequence_are_refused() -> None:
    with pytest.raises(InputError, match="'elsewhere/3', which is not among the sequences"):
        verdicts_of(pairs_about("elsewhere/3", [("binary", "?", "Yes.")]), sequence_of("standing"), STREETS["standing"])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"scene": "elsewhere"}, "is of the scene 'elsewhere'"),
        ({"end": 10}, "has frames 0 to 10, and its scene has 0 to 9"),
    ],
)
def test_sequences_that_the_scenes_do_not_hold_are_refused(change: dict[str, Any], message: str) -> None:
    sequences = sequence_of("standing").with_columns(
        **{name: pl.lit(value, dtype=sequence_of("standing").schema[name]) for name, value in change.items()}
    )
    with pytest.raises(InputError, match=message):
        verdicts_of(pairs_about("standing/0", []), sequences, STREETS["standing"])


def test_what_is_almost_straight_ahead_has_a_bearing_of_nothing_without_a_sign() -> None:
    scenes = street([Thing("a", [(20.0, -0.05, 0.0)] * 10)])
    asked = pairs_about("street/0", [("binary", "Is there a car ahead?", "Yes.")])
    (why,) = verdicts_of(asked, sequence_of("street"), scenes)["why"]
    assert "at a bearing of 0 degrees" in why
