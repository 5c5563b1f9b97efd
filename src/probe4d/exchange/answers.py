"""Imports answers that a user recorded elsewhere: a CSV or JSON-lines file of question ids and replies.

Who answered may be a model that no interface serves, or a person, whose run gives the row of human performance.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from probe4d.benchmarks.benchmark import Benchmark
from probe4d.benchmarks.question import Question
from probe4d.errors import InputError
from probe4d.exchange.rows import Row, read_rows
from probe4d.runs.run import Answer, AnswerError, AnswerKey, RunRecord, refuse_used, write_run
from probe4d.runs.settings import Setting, Variant, recorded_setting
from probe4d.version import __version__

__all__ = ["import_answers"]

_ID_COLUMNS = ("question", "question_id", "id")
_TEXT_COLUMNS = ("text", "answer", "prediction", "response")
_LISTED = 10

"""Question id and name of the variant."""


def import_answers(
    benchmark: Benchmark,
    file: Path | str,
    run: Path | str,
    *,
    model: str | None = None,
    setting: str = "default",
    layout: str | None = None,
    allow_missing: bool = False,
) -> tuple[RunRecord, int, int]:
    """Write the replies of a file as a run of a benchmark.

    The file has one row an answer: the question's id (column `question`, `question_id` or `id`) and the reply
    (`text`, `answer`, `prediction` or `response`), and may have `error`, `reasoning`, `finish_reason`, `variant` and
    `rotation`. A row with an error is kept as an error; an empty reply is an answer that says nothing.

    A setting that asks a question more than once, such as `permuted:4`, wants an answer to each of its variants
    (`rotation-0`, `rotation-1`, …). Under any other setting variants may have any names, and each of them should
    answer every question; the run's own figures are those of the first. Several people are several runs.

    Args:
        benchmark: The benchmark that was asked.
        file: A `.csv` or `.jsonl` file.
        run: Folder of the run, new or empty.
        model: Name of the model; null is the file's name.
        setting: Name of the setting.
        layout: Prompt layout; null is that of the setting.
        allow_missing: Whether questions may go without an answer.

    Returns:
        Content of `run.json`, number of answers, number of errors.

    Raises:
        InputError: The file or a row is wrong, ids are unknown or come twice, or questions have no row; it lists
            the first ten of each. Then nothing is written.
    """
    file, run = Path(file), Path(run)
    refuse_used(run)
    if file.suffix not in (".csv", ".jsonl"):
        raise InputError("is neither a .csv nor a .jsonl file.", path=file, remedy="Convert it to one of the two.")
    how = recorded_setting(setting)
    found = _found(file, {question.id: question for question in benchmark.questions}, how)
    _refuse_gaps(file, found, _expected(benchmark, how, found.replies), allow_missing=allow_missing)
    answers = [reply for reply in found.replies.values() if isinstance(reply, Answer)]
    errors = [reply for reply in found.replies.values() if isinstance(reply, AnswerError)]
    record = RunRecord(
        model=model or file.stem,
        setting=setting,
        layout=layout or how.layout,
        benchmark=benchmark.fingerprint,
        versions={"probe4d": __version__},
    )
    write_run(run, record, answers, errors)
    return record, len(answers), len(errors)


@dataclass(frozen=True)
class _Found:
    """What a file holds: replies by question and variant, in its order, and what of it cannot be used, in words."""

    replies: dict[AnswerKey, Answer | AnswerError] = field(default_factory=dict)
    unknown: list[str] = field(default_factory=list)
    repeated: list[str] = field(default_factory=list)


def _found(file: Path, questions: Mapping[str, Question], setting: Setting) -> _Found:
    found = _Found()
    rows: dict[AnswerKey, str] = {}
    for row in read_rows(file):
        identity = _text(file, row, _ID_COLUMNS, "question id")
        if identity not in questions:
            found.unknown.append(f"{row.where}: {identity!r}")
            continue
        variant = _variant(file, row, questions[identity], setting)
        key = (identity, variant.name)
        if key in rows:
            found.repeated.append(f"{row.where}: {_name(key)} as in {rows[key]}")
            continue
        rows[key], found.replies[key] = row.where, _reply(file, row, identity, variant)
    return found


def _expected(benchmark: Benchmark, setting: Setting, replies: Mapping[AnswerKey, object]) -> list[AnswerKey]:
    """Every answer that a whole file would hold, in benchmark order."""
    given = list(dict.fromkeys(name for _, name in replies)) or [None]
    return [
        (question.id, name) for question in benchmark.questions for name in (_own_variants(question, setting) or given)
    ]


def _refuse_gaps(file: Path, found: _Found, expected: Sequence[AnswerKey], *, allow_missing: bool) -> None:
    """Refuse a file with strangers, repetitions or gaps, and list all three at once.

    Raises:
        InputError: There are any.
    """
    missing = [_name(key) for key in expected if key not in found.replies]
    faults = []
    if found.unknown:
        faults.append(
            f"rows that answer no question of this benchmark: {len(found.unknown):,} ({_first(found.unknown)})"
        )
    if found.repeated:
        faults.append(f"rows that answer a question again: {len(found.repeated):,} ({_first(found.repeated)})")
    if missing and not allow_missing:
        faults.append(f"answers that are missing: {len(missing):,} of {len(expected):,} ({_first(missing)})")
    if not faults:
        return
    remedies = (
        (found.unknown, "give the benchmark that the answers belong to (ids are in questions.parquet)"),
        (found.repeated, "keep one row of each"),
        (missing and not allow_missing, "add what is missing or import what is there with --allow-missing"),
    )
    remedy = "; ".join(words for wanted, words in remedies if wanted)
    raise InputError("; ".join(faults) + ".", path=file, remedy=f"{remedy[0].upper()}{remedy[1:]}.")


def _first(items: Sequence[str]) -> str:
    return ", ".join(items[:_LISTED]) + (", …" if len(items) > _LISTED else "")


def _name(key: AnswerKey) -> str:
    return key[0] if key[1] is None else f"{key[0]} ({key[1]})"


def _own_variants(question: Question, setting: Setting) -> list[str | None]:
    """Names of a setting's own variants of a question; empty where it asks once."""
    names = [variant.name for variant in setting.variants(question)]
    return [] if names == [None] else names


def _variant(file: Path, row: Row, question: Question, setting: Setting) -> Variant:
    """The variant that a row answers.

    Raises:
        InputError: The setting has variants and the row names none of them, or its rotation cannot be.
    """
    name, turned = _optional(file, row, "variant"), _rotation(file, row, question)
    if not _own_variants(question, setting):
        return Variant(name, rotation=turned or 0)
    known = {variant.name: variant for variant in setting.variants(question)}
    if name not in known:
        raise InputError(
            f"answers the variant {name!r} of question {question.id}; "
            f"the setting {setting.name} has {', '.join(map(str, known))}.",
            path=file,
            row=row.where,
            remedy="Name the variant in the column 'variant', or give the setting that was asked with --setting.",
        )
    if turned not in (None, known[name].rotation):
        raise InputError(
            f"has the rotation {turned}, where {name} of the setting {setting.name} has {known[name].rotation}.",
            path=file,
            row=row.where,
            remedy="Leave the column 'rotation' out, or mend it.",
        )
    return known[name]


def _rotation(file: Path, row: Row, question: Question) -> int | None:
    value = row.values.get("rotation")
    if value in (None, ""):
        return None
    most = max(len(question.options) - 1, 0)
    try:
        turned = int(str(value))
    except ValueError:
        turned = -1
    if not 0 <= turned <= most:
        raise InputError(
            f"has the rotation {value!r}, where question {question.id} with {len(question.options)} options has 0 to "
            f"{most}.",
            path=file,
            row=row.where,
            remedy="Say by how many places the options were moved to the front.",
        )
    return turned


def _reply(file: Path, row: Row, question: str, variant: Variant) -> Answer | AnswerError:
    failure = _optional(file, row, "error")
    if failure:
        return AnswerError(question=question, variant=variant.name, error=failure)
    return Answer(
        question=question,
        variant=variant.name,
        text=_text(file, row, _TEXT_COLUMNS, "reply"),
        reasoning=_optional(file, row, "reasoning"),
        finish_reason=_optional(file, row, "finish_reason"),
        rotation=variant.rotation,
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
