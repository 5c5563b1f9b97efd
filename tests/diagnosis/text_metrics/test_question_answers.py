"""Questions and answers are read from whatever holds some; what is no pair is told with its row."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from judge_making import text_benchmark
from making import benchmark_of, question
from probe4d.benchmarks.benchmark import write_benchmark
from probe4d.diagnosis.text_metrics.question_answers import question_answers_of, read_question_answers
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
    each = [{"conversations": TURNS}, {"conversations": more}]
    assert read(tmp_path, "two.json", json.dumps(each)) == TWO
    assert read(tmp_path, "two.jsonl", "".join(f"{json.dumps(row)}\n" for row in each)) == TWO


def test_of_released_captions_whose_answers_have_a_name_of_their_own(tmp_path: Path) -> None:
    rows = [
        {"id": number, "question": question, "answer_lidar": answer} for number, (question, answer) in enumerate(TWO)
    ]
    assert read(tmp_path, "captions.json", json.dumps(rows)) == TWO


def test_nothing_that_stands_for_what_is_shown_is_read(tmp_path: Path) -> None:
    shown = [{"question": f"<video>\n<4DLiDAR>\n<meta>\n{question}", "answer": answer} for question, answer in TWO]
    assert read(tmp_path, "shown.json", json.dumps(shown)) == TWO


def test_of_a_benchmark(tmp_path: Path) -> None:
    benchmark = text_benchmark(["It turns left."] * 3, tmp_path / "texts")
    pairs = read_question_answers(tmp_path / "texts")
    assert pairs == question_answers_of(benchmark)
    assert [answer for _, answer in pairs] == ["It turns left."] * 3


def test_of_a_choice_the_option_and_not_its_letter() -> None:
    asked = question(format="choice", options=["left", "right"], answer="B")
    assert [answer for _, answer in question_answers_of(benchmark_of([asked]))] == ["right"]


def test_questions_whose_text_is_kept_back_are_left_out_and_told(tmp_path: Path) -> None:
    asked = [question(number, question=text) for number, text in enumerate(["Is it there?", None, None])]
    write_benchmark(benchmark_of(asked), tmp_path / "part", card="")
    warnings: list[str] = []
    assert [text for text, _ in read_question_answers(tmp_path / "part", warnings)] == ["Is it there?"]
    assert warnings == [f"{tmp_path / 'part'}: 2 questions whose text is not known are left out."]
    write_benchmark(benchmark_of(asked[1:]), tmp_path / "none", card="")
    with pytest.raises(InputError, match="holds nothing but 2 questions whose text is not known"):
        read_question_answers(tmp_path / "none")


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("a.jsonl", '{"question": "q"}\n', "line 1.*neither conversations nor question and answer"),
        ("a.jsonl", '{"question": "q", "answer": 3}\n', "line 1.*is no valid record"),
        ("a.csv", "question,answer\nq,\n", "line 2.*missing required field `answer`"),
        ("a.csv", "question,reply\nq,a\n", "has no 'answer'"),
        ("a.json", "[]", "holds no question with an answer"),
        (
            "a.json",
            '[{"question": "q", "answer": "a"}, {"id": 1}]',
            "record 2.*neither conversations nor question and answer",
        ),
        ("a.json", json.dumps([{"conversations": TURNS[:1]}]), "record 1.*a conversation of human, not of questions"),
        ("a.json", json.dumps([{"conversations": TURNS[::-1]}]), "record 1.*a conversation of gpt, human, not of"),
        ("a.json", "{}", "a.json"),
        ("a.txt", "q a", "of no known kind.*Give the folder of a benchmark"),
    ],
)
def test_what_is_no_pair(tmp_path: Path, name: str, text: str, told: str) -> None:
    with pytest.raises(InputError, match=told):
        read(tmp_path, name, text)
