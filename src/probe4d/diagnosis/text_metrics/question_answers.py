"""Reads questions with their answers from whatever holds some: a benchmark, a table, a release of B4DL."""

from __future__ import annotations

from pathlib import Path

import msgspec
import polars as pl

from probe4d.benchmarks.benchmark import Benchmark, read_benchmark
from probe4d.benchmarks.question import LETTERS
from probe4d.benchmarks.released_rows import PairRow, pairs_in, read_released, said
from probe4d.errors import InputError
from probe4d.store.rows import read_records
from probe4d.wording import counted

__all__ = ["QuestionAnswer", "question_answers_of", "read_question_answers"]

QuestionAnswer = tuple[str, str]
"""A question and its answer, as texts."""

_REMEDY = (
    "Give the folder of a benchmark, a .csv file with the columns question and answer, or a .json or .jsonl file of "
    "rows with these or with conversations, as B4DL is released."
)


class _Pair(msgspec.Struct):
    question: str
    answer: str


def read_question_answers(path: Path | str, warnings: list[str] | None = None) -> list[QuestionAnswer]:
    """Read the questions and answers of a benchmark's folder or of a file (`.csv`, `.jsonl`, `.json`).

    What stands before released questions for what a model is shown (such as `<video>`) is left out, and blanks around
    texts. Questions of a benchmark whose text is not known, as where a release keeps it back, are left out.

    Args:
        path: The folder or file.
        warnings: Receives a sentence about questions that were left out.

    Raises:
        InputError: There is no such file, it holds no pair, or a row has no question or no answer.
    """
    path = Path(path)
    if path.is_dir():
        benchmark = read_benchmark(path)
        found = question_answers_of(benchmark)
        if unknown := benchmark.height - len(found):
            told = f"{counted(unknown, 'question')} whose text is not known"
            if not found:
                raise InputError(f"holds nothing but {told}.", path=path, remedy=_REMEDY)
            if warnings is not None:
                warnings.append(f"{path}: {told} {'is' if unknown == 1 else 'are'} left out.")
    elif path.suffix == ".csv":
        rows = read_records(path, _Pair, columns=("question", "answer"))
        found = [said(row.question, row.answer)[:2] for _, row in rows]
    elif path.suffix in (".jsonl", ".json"):
        released = read_released(path, PairRow)
        found = [pair[:2] for where, row in released for pair in pairs_in(row, path, where)]
    else:
        raise InputError("is of no known kind.", path=path, remedy=_REMEDY)
    if not found:
        raise InputError("holds no question with an answer.", path=path, remedy=_REMEDY)
    return found


def question_answers_of(benchmark: Benchmark) -> list[QuestionAnswer]:
    """The questions and answers of a benchmark in its order; of a choice the option that is right, not its letter.

    Those whose text is not known are not among them.
    """
    columns = benchmark.columns("question", "answer", "format", "options")
    rows = columns.filter(pl.col("question").is_not_null()).iter_rows()
    return [
        said(question, options[LETTERS.index(answer)] if kind == "choice" else answer)[:2]
        for question, answer, kind, options in rows
    ]
