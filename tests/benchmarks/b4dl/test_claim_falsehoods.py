"""Falsehoods that generated answers may hold are found, kind by kind, and what is true beside them is not accused."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import pytest

from planted_claims import PLANTED, STREETS, Planted, pairs_about, sequence_of
from probe4d.benchmarks.b4dl.claims import verdicts_of
from probe4d.benchmarks.b4dl.replies.answer_forms import interval_answer


@cache
def verdicts() -> dict[tuple[str, str, str], dict[str, Any]]:
    """Verdicts by street, question and answer."""
    found = {}
    for name, scenes in STREETS.items():
        asked = [
            (planted.task, planted.question, answer)
            for planted in PLANTED
            if planted.street == name
            for answer in (planted.false, planted.true)
            if answer is not None
        ]
        pairs = pairs_about(f"{name}/0", asked)
        for (_, question, answer), row in zip(
            asked, verdicts_of(pairs, sequence_of(name), scenes).to_dicts(), strict=True
        ):
            found[name, question, answer] = row
    return found


def test_there_are_thirty_kinds_and_more() -> None:
    assert len({planted.kind for planted in PLANTED}) == len(PLANTED) >= 30


@pytest.mark.parametrize("planted", PLANTED, ids=lambda planted: planted.kind)
def test_a_falsehood_is_found(planted: Planted) -> None:
    row = verdicts()[planted.street, planted.question, planted.false]
    assert row["verdict"] == "contradicted", row["why"]
    assert row["claim"] is not None
    assert row["why"].endswith(".")
    assert json.loads(row["facts"])
    assert row["correct"] != planted.false


@pytest.mark.parametrize("planted", [p for p in PLANTED if p.task != "time-grounding"], ids=lambda p: p.kind)
def test_geometry_gives_the_answer_of_a_falsehood(planted: Planted) -> None:
    assert verdicts()[planted.street, planted.question, planted.false]["correct"] == planted.true


@pytest.mark.parametrize("planted", [p for p in PLANTED if p.task == "time-grounding"], ids=lambda p: p.kind)
def test_geometry_gives_the_interval_of_a_falsehood_to_a_frame(planted: Planted) -> None:
    correct = verdicts()[planted.street, planted.question, planted.false]["correct"]
    if planted.true is None:
        assert correct is None
    else:
        given, right = interval_answer(correct), interval_answer(planted.true)
        assert given is not None
        assert right is not None
        assert max(abs(one - other) for one, other in zip(given, right, strict=True)) <= 1


@pytest.mark.parametrize("planted", [p for p in PLANTED if p.true is not None], ids=lambda p: p.kind)
def test_what_is_true_beside_a_falsehood_is_supported(planted: Planted) -> None:
    row = verdicts()[planted.street, planted.question, str(planted.true)]
    assert row["verdict"] == "supported", row["why"]
    assert row["correct"] == planted.true
