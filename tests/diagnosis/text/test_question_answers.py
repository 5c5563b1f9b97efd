"""Questions and answers are read from whatever holds some; what is no pair is told with its row."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from judge_making import text_benchmark
from making import benchmark_of, question
from probe4d.diagnosis.text.question_answers import question_answers_of, read_question_answers
from probe4d.errors import InputError

TWO = [("Is there a car?", "Yes."), ("What moves?", "A bus, slowly.")]
TURNS = [{"from": "human", "value": "<video>\nIs there a car?"}, {"from": "gpt", "value": "Yes."}]


def read(tmp_path: Path, name: str, text: str) -> list[tuple[str, str]]:
    (tmp_path / name).write_text(text)
    return read_question_answers(tmp_path / name)


def test_of_tables(tmp_path: Path) -> None:
    rows = [{"split": "train", "question": question, "answer": answer} for question, answer in TWO]
    assert read(tmp_path, "two.jsonl", "".join(f"{json.dumps(row)}\n" for row in rows)) == TWO
    assert read(tmp_path, "two.csv", 'question,answer\nIs there a car?,Yes.\nWhat moves?,"A bus, slowly."\n') == TWO
    assert read(tmp_path, "test.json", json.dumps(rows)) == TWO


def test_of_released_conversations(tmp_path: Path) -> None:
    more = [{"from": "human", "value": "What moves?"}, {"from": "gpt", "value": "A bus, slowly.\n"}]
    one = [{"id": "101", "conversations": [*TURNS, *more]}]
    assert read(tmp_path, "stage2.json", json.dumps(one)) == TWO
    assert read(tmp_path, "two.json", json.dumps([{"conversations": TURNS}, {"conversations": more}])) == TWO


def test_of_a_benchmark(tmp_path: Path) -> None:
    benchmark = text_benchmark(["It turns left."] * 3, tmp_path / "texts")
    pairs = read_question_answers(tmp_path / "texts")
    assert pairs == question_answers_of(benchmark)
    assert [answer for _, answer in pairs] == ["It turns left."] * 3


def test_of_a_choice_the_option_and_not_its_letter() -> None:
    asked = question(format="choice", options=["left", "right"], answer="B")
    assert [answer for _, answer in question_answers_of(benchmark_of([asked]))] == ["right"]


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("a.jsonl", '{"question": "q"}\n', "has no 'answer'"),
        ("a.jsonl", '{"question": "q", "answer": 3}\n', "line 1.*does not fit"),
        ("a.csv", "question,answer\nq,\n", "line 2.*missing required field `answer`"),
        ("a.csv", "question,reply\nq,a\n", "has no 'answer'"),
        ("a.json", "[]", "holds no question with an answer"),
        ("a.json", '[{"question": "q", "answer": "a"}, {"id": 1}]', "row 2.*neither a question with its answer nor"),
        ("a.json", json.dumps([{"conversations": TURNS[:1]}]), "row 1.*neither a question"),
        ("a.json", json.dumps([{"conversations": TURNS[::-1]}]), "row 1.*neither a question"),
        ("a.json", "{}", "a.json"),
        ("a.txt", "q a", "of no known kind.*Give the folder of a benchmark"),
    ],
)
def test_what_is_no_pair(tmp_path: Path, name: str, text: str, told: str) -> None:
    with pytest.raises(InputError, match=told):
        read(tmp_path, name, text)
