"""Whole prompts: options, directives, and the form of waypoints."""

from __future__ import annotations

import pytest

from making import question
from probe4d.benchmarks.stride.prompts import PROMPTS
from probe4d.errors import InputError


def test_a_choice_lists_its_options_and_asks_for_a_letter() -> None:
    asked = question(template="SP-3", question="How far?", options=("near", "far"), answer="A")
    assert PROMPTS["default"](asked) == "How far?\nA. near\nB. far\nAnswer with the letter of the correct option only."


def test_waypoints_are_asked_for_as_so_many_pairs_as_the_answer_has() -> None:
    asked = question(template="TRJ-5", format="waypoints", question="Where to?", answer="[[1.5, 0.0], [3, -0.25]]")
    assert PROMPTS["default"](asked) == ("Where to?\nAnswer with a JSON list of 2 pairs only: [[x1, y1], [x2, y2]].")


def test_open_questions_ask_for_sentences() -> None:
    asked = question(template="SP-7", format="text", question="Describe it.", answer="It is near.")
    assert PROMPTS["default"](asked) == "Describe it.\nAnswer in a few plain sentences."


@pytest.mark.parametrize(
    ("fields", "form"),
    [
        ({"template": "SP-3", "options": ("x", "y", "z"), "answer": "A"}, "Answer: (A/B/C)"),
        ({"template": "TRJ-6", "format": "waypoints", "answer": "[[0, 0]]"}, "Answer: ([[x1, y1]])"),
        ({"template": "SP-7", "format": "text"}, "Answer: (a few plain sentences)"),
    ],
)
def test_reasoning_comes_before_an_answer_of_the_same_form(fields: dict[str, object], form: str) -> None:
    lines = PROMPTS["chain-of-thought"](question(question="What?", **fields)).splitlines()
    assert form in lines
    assert "Question: What?" in lines


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"question": None}, "has no text"),
        ({"format": "waypoints", "answer": "ahead"}, "the answer 'ahead' is no JSON list of"),
        ({"format": "waypoints", "answer": "[1, 2]"}, "is no JSON list of"),
    ],
)
def test_a_question_that_cannot_be_worded_is_refused(fields: dict[str, object], words: str) -> None:
    with pytest.raises(InputError, match=words):
        PROMPTS["default"](question(**fields))
