"""Short answers and frames in sentences, in the forms that models and released data have them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from probe4d.benchmarks.b4dl.answer_forms import class_in, classes_named, interval_answer, yes_no_in
from probe4d.benchmarks.b4dl.frames_named import frames_named, intervals_in, is_interval
from probe4d.benchmarks.b4dl.tasks import VOCABULARY


@pytest.mark.parametrize(
    ("text", "intervals", "frames"),
    [
        ("from frame 000 to frame 008", [(0, 8)], {0, 8}),
        ("From Frame 012 to 020.", [(12, 20)], {12, 20}),
        ("between frame 12 and frame 20", [(12, 20)], {12, 20}),
        ("between frames 12 and 20", [(12, 20)], {12, 20}),
        ("frames 018 to 026", [(18, 26)], {18, 26}),
        ("frames 3-9, frames 11\u201312", [(3, 9), (11, 12)], {3, 9, 11, 12}),
        ("from frame 3 through frame 9 until frame 12", [(3, 9)], {3, 9, 12}),
        ("frame 9 to frame 3", [(9, 3)], {3, 9}),
        ("in frame 005", [], {5}),
        ("in frame_005, frame #6 and Frame: 7", [], {5, 6, 7}),
        ("in frames 3, 5 and 7", [], {3, 5, 7}),
        ("in frames 3 and 5, 2 cars stand", [], {3, 5}),
        ("in frames 3, 5, and 7 a car stands", [], {3, 5, 7}),
        ("in frame 3 and 2 cars", [], {3}),
        ("12 cars, 3 m ahead, from 10 to 20 m", [], set()),
        ("a windowframe 12 m wide", [], set()),
        ("frame 12345678901", [], set()),
    ],
)
def test_frames_are_read_where_they_are_named(text: str, intervals: list[tuple[int, int]], frames: set[int]) -> None:
    assert intervals_in(text) == intervals
    assert frames_named(text) == frames


@given(first=st.integers(0, 999), last=st.integers(0, 999), digits=st.integers(1, 3))
def test_an_interval_is_read_as_it_was_written(first: int, last: int, digits: int) -> None:
    text = f"from frame {first:0{digits}d} to frame {last:0{digits}d}"
    assert intervals_in(text) == [(first, last)]
    assert is_interval(f"{text.capitalize()}.")
    assert not is_interval(f"A car stops {text}.")
    assert interval_answer(f"A car stops {text}.") == (first, last)
    assert interval_answer(f"{text} and in frame 1000") is None


def test_the_same_interval_said_twice_is_one() -> None:
    assert interval_answer("from frame 3 to frame 9, that is frames 3-9") == (3, 9)


@pytest.mark.parametrize(("text", "label"), [("Yes.", "Yes"), ("NO", "No"), ("**yes**", "Yes"), (' "No!" ', "No")])
def test_yes_and_no_are_read_alone(text: str, label: str) -> None:
    assert yes_no_in(text) == label


@pytest.mark.parametrize("text", ["Yes, it is", "not", "yes and no", "", "Yesterday", "N"])
def test_nothing_else_is_yes_or_no(text: str) -> None:
    assert yes_no_in(text) is None


def test_each_class_is_read_in_any_case_number_and_joint() -> None:
    for name in VOCABULARY:
        plural = f"{name}{'es' if name.endswith('s') else 's'}"
        joined = name.replace(" ", "-")
        for text in (name, f"{name.upper()}.", f"a {name}", f"The {name}", plural, joined, f"**{name}**"):
            assert class_in(text) == name
        assert classes_named(f"Is the {plural.upper()} there, or another {name}?") == (name,)


@pytest.mark.parametrize("text", ["bike", "van", "construction vehicle", "car or truck", "person", "cars, trucks", ""])
def test_what_is_no_class_or_may_be_two_is_none(text: str) -> None:
    assert class_in(text) is None


def test_classes_are_named_in_the_order_of_the_text_and_not_inside_of_words() -> None:
    text = "Do the traffic-cones stand by the car, a trafficcone, the scar or the SUV?"
    assert classes_named(text) == ("traffic cone", "car", "suv")
