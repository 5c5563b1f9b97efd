"""Imports answers that a user recorded elsewhere: a CSV or JSON-lines file of question ids and replies."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from probe4d.benchmarks.benchmark import Benchmark
from probe4d.errors import InputError
from probe4d.exchange.rows import Row, read_rows
from probe4d.runs.run import Answer, AnswerError, RunRecord, refuse_used, write_run
from probe4d.version import __version__

__all__ = ["import_answers"]

_ID_COLUMNS = ("question", "question_id", "id")
_TEXT_COLUMNS = ("text", "answer", "prediction", "response")


def import_answers(
    benchmark: Benchmark,
    file: Path | str,
    run: Path | str,
    *,
    model: str | None = None,
    setting: str = "default",
    layout: str = "plain",
    allow_missing: bool = False,
) -> tuple[RunRecord, int, int]:
    """Write the replies of a file as a run of a benchmark.

    The file has one row a question: its id (column `question`, `question_id` or `id`) and the reply (`text`,
    `answer`, `prediction` or `response`), and may have `error`, `reasoning` and `finish_reason`. A row with an
    error is kept as an error; an empty reply is an answer that says nothing.

    Args:
        benchmark: The benchmark that was asked.
        file: A `.csv` or `.jsonl` file.
        run: Folder of the run, new or empty.
        model: Name of the model; null is the file's name.
        setting: Name of the setting.
        layout: Prompt layout.
        allow_missing: Whether questions may go without an answer.

    Returns:
        Content of `run.json`, number of answers, number of errors.

    Raises:
        InputError: The file or a row is wrong, an id is unknown or comes twice, or questions have no row.
            Then nothing is written.
    """
    file, run = Path(file), Path(run)
    refuse_used(run)
    if file.suffix not in (".csv", ".jsonl"):
        raise InputError("is neither a .csv nor a .jsonl file.", path=file, remedy="Convert it to one of the two.")
    replies = _replies(file, benchmark)
    missing = [question for question in benchmark.table["id"] if question not in replies]
    if missing and not allow_missing:
        raise InputError(
            f"leaves {len(missing):,} of {benchmark.table.height:,} questions without an answer, first {missing[0]}.",
            path=file,
            remedy="Add them, or import what is there with --allow-missing.",
        )
    answers = [reply for reply in replies.values() if isinstance(reply, Answer)]
    errors = [reply for reply in replies.values() if isinstance(reply, AnswerError)]
    record = RunRecord(
        model=model or file.stem,
        setting=setting,
        layout=layout,
        benchmark=benchmark.fingerprint,
        versions={"probe4d": __version__},
    )
    write_run(run, record, answers, errors)
    return record, len(answers), len(errors)


def _replies(file: Path, benchmark: Benchmark) -> dict[str, Answer | AnswerError]:
    """Read the replies of a file by question, in its order, each to another question of the benchmark."""
    known = set(benchmark.table["id"])
    rows: dict[str, str] = {}
    replies: dict[str, Answer | AnswerError] = {}
    for row in read_rows(file):
        reply = _reply(file, row)
        question = reply.question
        if question not in known:
            raise InputError(
                f"answers {question!r}, which is no question of this benchmark.",
                path=file,
                row=row.where,
                remedy="Give the benchmark that these answers belong to; its ids are in questions.parquet.",
            )
        if question in rows:
            raise InputError(
                f"answers question {question} of {rows[question]} again.",
                path=file,
                row=row.where,
                remedy="Keep one of the two.",
            )
        rows[question], replies[question] = row.where, reply
    return replies


def _reply(file: Path, row: Row) -> Answer | AnswerError:
    question = _text(file, row, _ID_COLUMNS, "question id")
    failure = _optional(file, row, "error")
    if failure:
        return AnswerError(question=question, error=failure)
    return Answer(
        question=question,
        text=_text(file, row, _TEXT_COLUMNS, "reply"),
        reasoning=_optional(file, row, "reasoning"),
        finish_reason=_optional(file, row, "finish_reason"),
    )


def _text(file: Path, row: Row, columns: tuple[str, ...], what: str) -> str:
    """Give the text in the one of these columns that is there."""
    found = [column for column in columns if column in row.values]
    if len(found) != 1:
        which = " and ".join(found) if found else f"none of {', '.join(columns)}"
        raise InputError(
            f"has {which} for the {what}; expected is one column.",
            path=file,
            row=row.where,
            remedy="Rename the columns to question and text.",
        )
    return _checked(file, row, found[0])


def _optional(file: Path, row: Row, column: str) -> str | None:
    return None if row.values.get(column) in (None, "") else _checked(file, row, column)


def _checked(file: Path, row: Row, column: str) -> str:
    value: Any = row.values[column]
    if not isinstance(value, str):
        raise InputError(f"has {value!r} in {column!r}, expected is text.", path=file, row=row.where)
    return value
