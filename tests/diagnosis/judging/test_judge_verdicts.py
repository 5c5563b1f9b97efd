"""Replies of judges: one verdict, or none; never a guess."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judge_making import text_benchmark
from probe4d.benchmarks.question import questions_from
from probe4d.benchmarks.quoting import quoted
from probe4d.diagnosis.judging.prompts import judge_prompt, prompt_fingerprint
from probe4d.diagnosis.judging.rubrics import RUBRICS, rubric_named
from probe4d.diagnosis.judging.verdicts import read_verdict
from probe4d.errors import InputError

STRIDE, B4DL, WITHOUT = (RUBRICS[name] for name in ("stride", "b4dl", "b4dl-without-reference"))


@pytest.mark.parametrize(
    ("text", "score", "reason"),
    [
        ('{"score": 7, "reason": "nearly"}', 7, "nearly"),
        ('{"reason": "nearly", "score": 7.25}', 7.25, "nearly"),
        ('{"score": 0}', 0, None),
        ('{"score": 10, "reason": null, "confidence": 0.9}', 10, None),
        ('```json\n{"score": 3, "reason": "wrong side"}\n```', 3, "wrong side"),
        ('My verdict is:\n{"score": 3, "reason": "it says \\"{left}\\""}\nThat is all.', 3, 'it says "{left}"'),
        ('<think>{"score": 10}? No.</think>\n{"score": 4, "reason": "in part"}', 4, "in part"),
        ('<think>a</think>{"score": 9}<think>b</think>{"score": 5}', 5, None),
        ('{"score": 6, "reason": "as follows", "parts": {"left": 1}}', 6, "as follows"),
    ],
)
def test_one_object_with_a_score_on_the_scale_is_a_verdict(text: str, score: float, reason: str | None) -> None:
    found = read_verdict(text, STRIDE)
    assert (found.score, found.reason, found.fault) == (score, reason, None)


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", "holds no JSON object"),
        ("7", "holds no JSON object"),
        ("Score: 7/10", "holds no JSON object"),
        ("I would say {about 7}.", "holds a brace that begins no JSON object"),
        ('{"score": 7', "holds a brace that begins no JSON object"),
        ('{"score": 7, "note": {"score": 10}', "holds a brace that begins no JSON object"),
        ("{'score': 7}", "holds a brace that begins no JSON object"),
        ("{" * 50_000, "holds a brace that begins no JSON object"),
        ('{"a":' * 20_000, "holds a brace that begins no JSON object"),
        (f'{{"score": {"9" * 5000}}}', "holds a brace that begins no JSON object"),
        ('{"score": 7} {"score": 7}', "holds 2 JSON objects instead of one"),
        ('The answer says {"score": 10}. I say {"score": 2}', "holds 2 JSON objects instead of one"),
        ('{"score": 2, "score": 10}', "gives 'score' 2 times"),
        ('{"Score": 7}', "gives no 'score'"),
        ('[{"rating": 7}]', "gives no 'score'"),
        ('{"score": "7"}', "gives a 'score' that is no number"),
        ('{"score": true}', "gives a 'score' that is no number"),
        ('{"score": null}', "gives a 'score' that is no number"),
        ('{"score": [7]}', "gives a 'score' that is no number"),
        ('{"score": 11}', "gives a 'score' outside 0 to 10"),
        ('{"score": -0.5}', "gives a 'score' outside 0 to 10"),
        ('{"score": NaN}', "gives a 'score' outside 0 to 10"),
        ('{"score": Infinity}', "gives a 'score' outside 0 to 10"),
        (f'{{"score": 1{"0" * 400}}}', "gives a 'score' outside 0 to 10"),
        ('{"score": 7}<think>or', None),
        ('{"score": 7}</think>', "holds no JSON object"),
        ("x" * 100_001, "is longer than 100,000 characters"),
    ],
)
def test_anything_else_is_none(text: str, fault: str | None) -> None:
    found = read_verdict(text, STRIDE)
    assert found.fault == fault
    assert (found.score is None) == (fault is not None)


def test_a_reply_that_was_cut_is_told_as_such() -> None:
    for text in ("", "Let me think", '{"score": 7, "reason": "it'):
        for reason in ("length", "max_tokens", "MAX_TOKENS"):
            assert read_verdict(text, STRIDE, finish_reason=reason).fault == "was cut off at its limit"
    assert read_verdict('{"score": 7} and', STRIDE, finish_reason="length").score == 7


def test_other_rubrics_have_other_scales_and_aspects() -> None:
    assert read_verdict('{"score": 85}', B4DL).score == 85
    assert read_verdict('{"score": 101}', B4DL).fault == "gives a 'score' outside 0 to 100"
    found = read_verdict('{"coherence": 90, "relevance": 80, "correctness": 10}', WITHOUT)
    assert found.scores == {"coherence": 90, "relevance": 80, "correctness": 10}
    assert found.score == 60
    assert read_verdict('{"coherence": 90, "relevance": 80}', WITHOUT).fault == "gives no 'correctness'"
    with pytest.raises(InputError, match="there is no rubric 'kind'; there are stride, b4dl and b4dl-without"):
        rubric_named("kind")


@given(st.text(), st.sampled_from(sorted(RUBRICS)))
def test_no_reply_is_too_odd(text: str, name: str) -> None:
    found = read_verdict(text, RUBRICS[name])
    assert (found.score is None) == (found.fault is not None)


@given(st.floats(0, 10, allow_nan=False), st.text())
def test_what_a_judge_writes_is_read(score: float, reason: str) -> None:
    found = read_verdict(json.dumps({"score": score, "reason": reason}), STRIDE)
    if "<think>" not in reason.casefold() and "</think>" not in reason.casefold():
        assert (found.score, found.reason) == (score, reason)


def test_a_prompt_holds_what_its_rubric_shows() -> None:
    fields = {"options": ("a car", "a bus"), "question": "What is ahead?"}
    (asked,) = questions_from(text_benchmark(["a car"], fields={0: fields}).table)
    answer = quoted("A bus.", seed=1, key="a", what="ANSWER")
    for rubric in RUBRICS.values():
        prompt = judge_prompt(asked, answer, rubric)
        assert prompt.count(answer.block) == 1
        assert prompt.count("A bus.") == 1
        assert ("Reference answer:\na car" in prompt) == rubric.shows_reference
        assert "The answer was to be one of: a car; a bus" in prompt
        assert "You see no picture of the scene." in prompt
        assert all(f'"{aspect}": <number from 0 to {rubric.highest}>' in prompt for aspect in rubric.aspects)
        pictured = judge_prompt(asked, answer, rubric, preamble="The image above shows frame 3.\n\n")
        assert pictured.startswith("The image above shows frame 3.\n\nYou grade")
        assert "You see no picture" not in pictured
    assert len({prompt_fingerprint(rubric) for rubric in RUBRICS.values()}) == len(RUBRICS)
