"""Reads questions with their answers from whatever holds some: a benchmark, a table, a release of B4DL."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import msgspec

from probe4d.benchmarks.benchmark import Benchmark, read_benchmark
from probe4d.benchmarks.question import LETTERS
from probe4d.errors import InputError
from probe4d.store.json_tables import read_table
from probe4d.store.rows import read_records

__all__ = ["QuestionAnswer", "question_answers_of", "read_question_answers"]

QuestionAnswer = tuple[str, str]
"""A question and its answer, as texts."""

_MODALITY = re.compile(r"<(?:video|image|4DLiDAR|meta)>\s*")
"""What stands in released questions for what a model is shown."""

_REMEDY = (
    "Give the folder of a benchmark, a .csv or .jsonl file with the columns question and answer, or a .json file of "
    "rows with these or with conversations, as B4DL is released."
)


class _Pair(msgspec.Struct):
    question: str
    answer: str


class _Turn(msgspec.Struct, rename={"speaker": "from"}):
    speaker: str
    value: str


class _Released(msgspec.Struct):
    """A row of a released file: one pair, or a conversation of several."""

    question: str | None = None
    answer: str | None = None
    conversations: list[_Turn] | None = None


def read_question_answers(path: Path | str) -> list[QuestionAnswer]:
    """Read the questions and answers of a benchmark's folder or of a file (`.csv`, `.jsonl`, `.json`).

    What stands in released questions for a modality (such as `<video>`) is left out, and blanks around texts.

    Raises:
        InputError: There is no such file, it holds no pair, or a row has no question or no answer.
    """
    path = Path(path)
    if path.is_dir():
        found = question_answers_of(read_benchmark(path))
    elif path.suffix in (".csv", ".jsonl"):
        found = [(row.question, row.answer) for _, row in read_records(path, _Pair, columns=("question", "answer"))]
    elif path.suffix == ".json":
        rows = (row for block in read_table(path, _Released) for row in block)
        found = [pair for number, row in enumerate(rows, start=1) for pair in _pairs(row, path, number)]
    else:
        raise InputError("is of no known kind.", path=path, remedy=_REMEDY)
    if not found:
        raise InputError("holds no question with an answer.", path=path, remedy=_REMEDY)
    return [(_MODALITY.sub("", question).strip(), answer.strip()) for question, answer in found]


def question_answers_of(benchmark: Benchmark) -> list[QuestionAnswer]:
    """The questions and answers of a benchmark in its order; of a choice the option that is right, not its letter."""
    rows = benchmark.table.select("question", "answer", "format", "options").iter_rows()
    return [
        (question, options[LETTERS.index(answer)] if kind == "choice" else answer)
        for question, answer, kind, options in rows
    ]


def _pairs(row: _Released, path: Path, number: int) -> Iterator[QuestionAnswer]:
    if row.question is not None and row.answer is not None:
        yield row.question, row.answer
        return
    turns = row.conversations or []
    if not turns or [turn.speaker for turn in turns] != ["human", "gpt"] * (len(turns) // 2):
        raise InputError(
            "has neither a question with its answer nor a conversation of turns from human and gpt.",
            path=path,
            row=f"row {number}",
            remedy=_REMEDY,
        )
    yield from zip((turn.value for turn in turns[::2]), (turn.value for turn in turns[1::2]), strict=True)
