"""Short answers and frames in sentences, in the forms that models and released data have them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from probe4d.benchmarks.b4dl.audit.form import as_stored
from probe4d.benchmarks.b4dl.replies.answer_forms import (
    FORMS,
    canonical_answer,
    class_in,
    classes_named,
    interval_answer,
    yes_no_in,
)
from probe4d.benchmarks.b4dl.replies.frames_named import frames_named, interval_alone, intervals_in
from probe4d.benchmarks.b4dl.tasks import FAMILIES, VOCABULARY


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
        ("in frame 004 \u2013 20 cars move", [], {4}),
        ("in frames 3 and 4 - 20 cars move", [], {3, 4}),
        ("frames 3 - 9 and 12", [(3, 9)], {3, 9, 12}),
        ("frame 3 - frame 9 shows", [(3, 9)], {3, 9}),
        ("frames 003 \u2013 009.", [(3, 9)], {3, 9}),
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
    assert interval_alone(f"{text.capitalize()}.") == (first, last)
    assert interval_alone(f"A car stops {text}.") is None
    assert interval_answer(f"A car stops {text}.") == (first, last)
    assert interval_answer(f"{text} and in frame 1000") is None


def test_the_same_interval_said_twice_is_one() -> None:
    assert interval_answer("from frame 3 to frame 9, that is frames 3-9") == (3, 9)


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("Yes.", "Yes"),
        ("NO", "No"),
        ("**yes**", "Yes"),
        (' "No!" ', "No"),
        ("Yes:", "Yes"),
        ("(No)", "No"),
        ("yes;", "Yes"),
    ],
)
def test_yes_and_no_are_read_alone(text: str, label: str) -> None:
    assert yes_no_in(text) == label


@pytest.mark.parametrize("text", ["Yes, it is", "not", "yes and no", "", "Yesterday", "N"])
def test_nothing_else_is_yes_or_no(text: str) -> None:
    assert yes_no_in(text) is None


def test_each_class_is_read_in_any_case_number_and_joint() -> None:
    assert set(FORMS.values()) == set(VOCABULARY)
    for form, name in FORMS.items():
        for text in (form, f"{form.upper()}.", f"a {form}", f"The {form}", form.replace(" ", "-"), f"**{form}**"):
            assert class_in(text) == name
        assert classes_named(f"Is the {form.upper()} there, or another {name}?") == (name,)
    assert {"lorries", "buses", "busses", "suvs", "prams", "sport utility vehicles", "traffic cones"} <= set(FORMS)
    assert not {"lorrieses", "lorrys", "busseses", "debrises"} & set(FORMS)


_INTERVALS = {
    "from frame 003 to frame 008": (3, 8),
    "From frame 003 to frame 008.": (3, 8),
    "between frame 12 and frame 20": (12, 20),
    "frames 018 to 026": (18, 26),
    "in frame 005.": (5, 5),
    "Frame 005": (5, 5),
    "(at frame 5)": (5, 5),
    "It happens from frame 003 to frame 009.": (3, 9),
    "frame 3 till 9": (3, 9),
    "[frame 3 to frame 9]": (3, 9),
    "During frames 3-9": (3, 9),
    "A car stops from frame 3 to 8, when it is near": (3, 8),
    "from frame 3": None,
    "until frame 5": None,
    "A car stops in frame 5.": None,
    "003-008": None,
    "in frame 3 and frame 9": None,
}


@pytest.mark.parametrize("answer", _INTERVALS)
def test_an_answer_of_time_grounding_is_one_interval_or_one_frame(answer: str) -> None:
    said = canonical_answer("time-grounding", answer)
    assert (said and said.interval) == _INTERVALS[answer]
    assert said is None or said.text == "{}-{}".format(*_INTERVALS[answer])


@pytest.mark.parametrize("form", ["{}", "({})", "**{}**", "{}:", "'{}.'"])
def test_the_check_stores_answers_alike_by_means_of_its_own(form: str) -> None:
    asked = {
        "existence-class": ("existence", FORMS),
        "binary": ("binary", ("yes", "No", "YES")),
        "time-grounding": ("time-grounding", [answer for answer in _INTERVALS if _INTERVALS[answer]]),
    }
    for template, (task, answers) in asked.items():
        for answer in answers:
            said = canonical_answer(task, form.format(answer))
            assert said is not None
            assert as_stored(template, form.format(answer)) == said.text


def test_an_answer_is_short_only_where_its_task_has_such() -> None:
    of = {task: [canonical_answer(task, text) for text in ("(Yes)", "Pram;", "frame 5")] for task in FAMILIES}
    kinds = {task: [said and said.kind for said in short] for task, short in of.items()}
    assert kinds == {
        "existence": ["yes-no", "class", None],
        "binary": ["yes-no", None, None],
        "time-grounding": [None, None, "interval"],
        "description": [None, None, None],
        "temporal-understanding": ["yes-no", "class", None],
        "comprehensive": [None, None, None],
    }
    assert [said and said.text for said in of["existence"]] == ["Yes", "stroller", None]


@pytest.mark.parametrize("text", ["bike", "van", "construction vehicle", "car or truck", "person", "cars, trucks", ""])
def test_what_is_no_class_or_may_be_two_is_none(text: str) -> None:
    assert class_in(text) is None


def test_classes_are_named_in_the_order_of_the_text_and_not_inside_of_words() -> None:
    text = "Do the traffic-cones stand by the car, a trafficcone, the scar or the SUV?"
    assert classes_named(text) == ("traffic cone", "car", "suv")
