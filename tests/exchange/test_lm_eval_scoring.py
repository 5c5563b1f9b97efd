"""What scores words and intervals in lm-evaluation-harness reads no more than Probe4D's parsers, and nearly as much."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from grounded_making import CLASSES
from hypothesis import given
from hypothesis import strategies as st

from probe4d.diagnosis.intervals.scores import THRESHOLDS, worth_of
from probe4d.diagnosis.parsing import parse
from probe4d.diagnosis.parsing.intervals import parse_interval
from probe4d.exchange.exports import lm_eval_scoring
from probe4d.exchange.exports.lm_eval_scoring import interval, interval_in, word, word_in
from probe4d.exchange.interval_replies import INTERVAL_METRICS

STRINGS = Path(__file__).parents[1] / "diagnosis" / "parsing" / "interval_strings.json"

LEFT_OUT = 5
"""Clear replies of that file that the plain reading leaves uncounted, as `docs/exports.md` says."""

FRAMES = st.integers(0, 60)
INTERVALS = st.tuples(FRAMES, FRAMES).map(sorted)
FORMS = (
    *("from frame {:03} to frame {:03}.", "between frames {} and {}", "frames {}-{}", "{}-{}", "[{}, {}]"),
    *("**Answer:** frames {} to {}", '{{"start": {}, "end": {}}}', "<think>frames 1-2</think>from frame {} to {}"),
    *("It starts at frame {} and ends at frame {}.", "The answer is from frame {} to frame {}, I am sure."),
)


def test_no_adversarial_reply_is_read_wrongly() -> None:
    rows = json.loads(STRINGS.read_text(encoding="utf-8"))
    whole = [row for row in rows if not row.get("finish_reason") and row["state"] != "error"]  # the harness tells none
    assert len(whole) == 266
    wrong, unread = [], []
    for row in whole:
        true = tuple(row["interval"]) if row.get("interval") else None
        said = interval_in(row["text"])
        if said is not None and said != true:
            wrong.append(row["text"])
        elif said != true:
            unread.append(row["text"])
    assert wrong == []
    assert len(unread) <= LEFT_OUT, unread


@given(INTERVALS, st.sampled_from(FORMS))
def test_an_interval_that_is_written_is_read_back(ends: list[int], form: str) -> None:
    said = form.format(*ends)
    assert interval_in(said) == tuple(ends) == parse_interval(said).interval


@given(INTERVALS, st.none() | INTERVALS)
def test_intervals_are_worth_what_they_are_in_a_diagnosis(true: list[int], said: list[int] | None) -> None:
    reply = "no frame" if said is None else f"from frame {said[0]} to frame {said[1]}"
    worth = worth_of(np.array(said or [-1, -1]), np.array(true))
    found = interval({"answer": f"{true[0]}-{true[1]}"}, [reply])
    assert set(found) == set(INTERVAL_METRICS)
    assert found == pytest.approx({metric: float(worth[metric]) for metric in INTERVAL_METRICS})
    assert lm_eval_scoring.THRESHOLDS == THRESHOLDS


@given(
    st.sampled_from(CLASSES),
    st.sampled_from(["{}", "{}.", "A {}.", "It is a {}.", "Answer: {}", "<answer>{}</answer>", "I see two {}s."]),
    st.sampled_from([str.upper, str.lower, str.title]),
    st.sampled_from([" ", "-", "_"]),
)
def test_a_word_that_is_written_is_read_back(said: str, form: str, case: type, space: str) -> None:
    reply = form.format(case(said).replace(" ", space))
    assert word_in(reply, CLASSES) == said == parse(reply, format="text", options=CLASSES).label


@pytest.mark.parametrize(
    "reply",
    [
        *("car and truck", "a bus or a truck", "not a car", "There is no car.", "van", "carpet", "car?", ""),
        *("the answer is no . car", "car . not", "Answer: 3-9 . car", "the answer is ? car", "car. On reflection, not"),
        *("The answer is car. The answer is bus.", "the answer is car the answer is"),
        *("It could be a car.", "If it moves, a car.", "car. Sorry, I was wrong.", "The answer is not a car."),
        *(
            "<think>car</think>",
            "<answer></answer>",
            "<answer>car</answer> <answer>bus</answer>",
            "I cannot tell.",
            "\u8f66",
        ),
    ],
)
def test_what_names_no_one_word_is_wrong(reply: str) -> None:
    assert word({"options": list(CLASSES), "answer": "car"}, [reply]) == {"exact_match": 0.0, "valid": 0.0}


PIECES = st.sampled_from([
    *(*CLASSES, "cars", "frame 3", "frames 3-9", "from frame 003 to frame 009", "from frame 5", "to frame 12", "3-9"),
    *("between 3 and 9", "[3, 9]", "not", "it is", "the answer is", "Answer:", ".", ",", "?", "or", "and", "if"),
    *("until", "5 frames", "at 3 s", "10", "no", "after", "could be", "therefore", "<think>", "</think>", "{", "\n"),
    *("<answer>", "</answer>"),
])  # fmt: skip


@given(st.text() | st.lists(PIECES, max_size=6).map(" ".join))
def test_what_both_read_they_read_alike(reply: str) -> None:
    assert interval_in(reply) in (None, parse_interval(reply).interval) or parse_interval(reply).interval is None
    label = parse(reply, format="text", options=CLASSES).label
    assert word_in(reply, CLASSES) in (None, label) or label is None


def test_words_of_other_scripts_are_told_apart() -> None:
    words = ("\u8f66", "\u4eba", "Fu\u00dfg\u00e4nger")
    assert [word_in(f"{word}.", words) for word in words] == list(words)
    assert word_in("...", words) is None
