"""Imports answers that a user recorded elsewhere: a CSV or JSON-lines file of question ids and replies.

Who answered may be a model that no interface serves, or a person, whose run gives the row of human performance.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

import polars as pl

from probe4d.benchmarks.benchmark import Benchmark
from probe4d.benchmarks.question import ROWS_AT_ONCE, Question
from probe4d.errors import InputError
from probe4d.exchange.answer_rows import answer_rows, optional_text, question_of, questions_named, reply_of
from probe4d.exchange.problems import Problem, refuse_problems
from probe4d.runs.run import Answer, AnswerError, AnswerKey, RunRecord, refuse_used, write_run
from probe4d.runs.settings import Setting, Variant, recorded_setting, setting_named
from probe4d.runs.ways import OPTION_COUNT, ways_of_shapes
from probe4d.store.rows import Row
from probe4d.version import __version__

__all__ = ["import_answers"]


def import_answers(
    benchmark: Benchmark,
    file: Path | str,
    run: Path | str,
    *,
    model: str | None = None,
    setting: str = "default",
    new_setting: bool = False,
    layout: str | None = None,
    allow_missing: bool = False,
    problems: Path | str | None = None,
) -> tuple[RunRecord, int, int]:
    """Write the replies of a file as a run of a benchmark.

    The file has one row an answer: the question's id (column `question`, `question_id` or `id`) and the reply
    (`text`, `answer`, `prediction` or `response`), and may have `error`, `reasoning`, `finish_reason`, `variant` and
    `rotation`. A row with an error is kept as an error; an empty reply is an answer that says nothing. Lines of an
    export with a reply added, and samples that lm-evaluation-harness logged, are taken as they are.

    A setting that asks a question more than once, such as `permuted:4`, wants an answer to each of its variants
    (`rotation-0`, `rotation-1`, …), named where there are several. Any other setting wants one answer a question.

    Args:
        benchmark: The benchmark that was asked.
        file: A `.csv`, `.tsv` or `.jsonl` file.
        run: Folder of the run, new or empty.
        model: Name of the model; null is the file's name.
        setting: Name of the setting.
        new_setting: Whether the setting is none of Probe4D's. Its answers are read as those of `default`.
        layout: Prompt layout; null is that of the setting.
        allow_missing: Whether questions may go without an answer.
        problems: JSON-lines file that gets every unknown, repeated and missing id, where there are any.

    Returns:
        Content of `run.json`, number of answers, number of errors.

    Raises:
        InputError: The setting, the file or a row is wrong, ids are unknown or come twice, or questions have no row;
            the message counts these and lists the first ten of each. Then there is no run.
    """
    file, run = Path(file), Path(run)
    refuse_used(run)
    if file.suffix not in (".csv", ".tsv", ".jsonl"):
        raise InputError("is no .csv, .tsv or .jsonl file.", path=file, remedy="Convert it to one of them.")
    if problems is not None and Path(problems).resolve() == file.resolve():
        raise InputError("holds the answers and cannot list their problems, too.", path=file)
    how = _setting(setting, is_new=new_setting)
    found = _found(file, benchmark, how)
    if not allow_missing:
        found.problems.extend(_missing(benchmark, how, found.replies))
    listing = Path(problems) if problems is not None else None
    refuse_problems(file, found.problems, answered=len(found.replies), listing=listing)
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


def _setting(name: str, *, is_new: bool) -> Setting:
    try:
        known = setting_named(name)
    except InputError as error:
        if is_new:
            return recorded_setting(name)
        raise InputError(
            f"{error} Or say that it is a setting of your own (new_setting=True, --new-setting)."
        ) from error
    if is_new:
        raise InputError(
            f"the setting {name!r} is one of Probe4D's, and so no new one.",
            remedy="Name your own (setting=, --setting), or leave new_setting (--new-setting) out.",
        )
    return known


@dataclass(frozen=True)
class _Found:
    """What a file holds: replies by question and variant, in its order, and what of it cannot be used."""

    replies: dict[AnswerKey, Answer | AnswerError] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)


def _found(file: Path, benchmark: Benchmark, setting: Setting) -> _Found:
    found = _Found()
    rows: dict[AnswerKey, str] = {}
    for row, questions in _rows(file, benchmark):
        identity = question_of(file, row, questions)
        if identity not in questions:
            found.problems.append(Problem(problem="unknown", question=identity, where=row.where))
            continue
        variant = _variant(file, row, questions[identity], setting)
        key = (identity, variant.name)
        if key in rows:
            again = Problem(
                problem="repeated", question=identity, variant=variant.name, where=row.where, first=rows[key]
            )
            found.problems.append(again)
            continue
        rows[key], found.replies[key] = row.where, _reply(file, row, identity, variant)
    return found


def _rows(file: Path, benchmark: Benchmark) -> Iterator[tuple[Row, Mapping[str, Question]]]:
    """The rows of a file, each with all questions of the benchmark that it names, and others."""
    rows = answer_rows(file)
    while part := list(islice(rows, ROWS_AT_ONCE)):
        questions = {question.id: question for question in benchmark.records(list(questions_named(part)))}
        yield from ((row, questions) for row in part)


def _missing(benchmark: Benchmark, setting: Setting, replies: Collection[AnswerKey]) -> list[Problem]:
    table = benchmark.columns("id", "format", "options")
    expected = table.select("format", OPTION_COUNT, question="id").join(
        ways_of_shapes(setting, table), on=["format", "size"], maintain_order="left_right"
    )
    given = pl.DataFrame(list(replies), schema={"question": pl.String, "variant": pl.String}, orient="row")
    missing = expected.join(given, on=given.columns, how="anti", nulls_equal=True, maintain_order="left")
    return [
        Problem(problem="missing", question=question, variant=variant)
        for question, variant in missing.select(given.columns).iter_rows()
    ]


def _variant(file: Path, row: Row, question: Question, setting: Setting) -> Variant:
    """The variant that a row answers; its name may be left out where the question has one only.

    Raises:
        InputError: The row names none that the question has under the setting, or its rotation cannot be.
    """
    name, turned = optional_text(file, row, "variant"), _rotation(file, row, question)
    known = {variant.name: variant for variant in setting.variants(question)}
    if name is None and len(known) == 1:
        (name,) = known
    if name not in known:
        if None in known:
            what = f"the setting {setting.name} asks once"
            remedy = (
                "Give the answers of each person, or of each time of asking, as a run of its own; rotations in the "
                "setting permuted:N (setting=, --setting), repetitions in repeat:N."
            )
        else:
            what = f"the setting {setting.name} has {', '.join(map(str, known))}"
            remedy = (
                "Name the variant in the column 'variant', or give the setting that was asked (setting=, --setting)."
            )
        raise InputError(
            f"answers {'no variant' if name is None else f'the variant {name!r}'} of question {question.id}, "
            f"where {what}.",
            path=file,
            row=row.where,
            remedy=remedy,
        )
    if name is None:
        return Variant(rotation=turned or 0)
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
    failure = optional_text(file, row, "error")
    if failure:
        return AnswerError(question=question, variant=variant.name, error=failure)
    return Answer(
        question=question,
        variant=variant.name,
        text=reply_of(file, row, question),
        reasoning=optional_text(file, row, "reasoning"),
        finish_reason=optional_text(file, row, "finish_reason"),
        rotation=variant.rotation,
    )
