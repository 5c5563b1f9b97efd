"""Tells the task of released rows, and reads their answers; what cannot be told is not guessed."""

from __future__ import annotations

import re
from typing import NamedTuple

import polars as pl

from probe4d.benchmarks.b4dl.replies.answer_forms import class_in, interval_answer, yes_no_in
from probe4d.benchmarks.b4dl.replies.frames_named import interval_alone
from probe4d.benchmarks.b4dl.tasks import TASKS
from probe4d.benchmarks.question import Format
from probe4d.exchange.b4dl_release.layouts import Group

__all__ = ["UNKNOWN", "ReadRow", "read_row", "with_tasks"]

UNKNOWN = "unknown"
"""Family of rows of which nothing tells the task; where their group is told it is `unknown-simple` or
`unknown-complex`."""

_BEGINS_YES_NO = re.compile(r"(yes|no)\b", re.IGNORECASE)
_DESCRIBE = re.compile(r"describe the lidar[- ]sequence\s*\.?", re.IGNORECASE)
_LONGEST_CLASS = 40  # characters; a longer answer is no class, and need not be looked at
_TEMPLATES: dict[tuple[str, str], str] = {
    ("existence", "yes-no"): "existence-presence",
    ("existence", "class"): "existence-class",
    ("binary", "yes-no"): "binary",
    ("time-grounding", "interval"): "time-grounding",
    **{(task.name, "text"): task.name for task in TASKS.values() if task.group == "complex"},
}
"""Templates by family and form of the answer; others are called by both."""


class ReadRow(NamedTuple):
    """What a row is.

    Attributes:
        family: Its task, or that it is not known.
        template: Its task and the form of its answer.
        format: Form of the answer.
        is_class: Whether that is a class of the vocabulary.
        reference: The answer in that form.
    """

    family: str
    template: str
    format: Format
    is_class: bool
    reference: str


class _Answer(NamedTuple):
    """What an answer may be read as, each null where it is not."""

    yes_no: str | None
    name: str | None
    interval: str | None


def read_row(
    task: str | None, group: Group | None, question: str, answer: str, *, without_time_grounding: bool = False
) -> ReadRow:
    """Tell the task of a row and read its answer.

    A file's name tells the task. Of training rows, which have none, an interval is an answer of time grounding, a
    class one of existence, and the one question of description is known; whether a yes or a no answers a question of
    existence or a binary one, and which complex task a text is of, nothing tells. Where not even the group is told, an
    answer has to be nothing but its form. An answer without the form of its task stays as text.

    Args:
        task: As the file's name tells it; null where it does not.
        group: Simple or complex, likewise.
        question: The question.
        answer: The answer as released.
        without_time_grounding: Whether there are files a task and none of time grounding, whose rows then lie among
            those of temporal understanding (B4DL's generator has no prompt for it).
    """
    whole, loose = _only(answer), _loosely(answer)
    if task == "temporal-understanding" and without_time_grounding and whole.interval:
        family = "time-grounding"
    elif task is not None:
        family = task
    elif group != "complex" and (found := _by_form(loose if group == "simple" else whole)):
        family = found
    elif group != "simple" and _DESCRIBE.fullmatch(question):
        family = "description"
    else:
        family = UNKNOWN if group is None else f"{UNKNOWN}-{group}"
    told = whole if family == UNKNOWN else loose
    match family:
        case "time-grounding":
            kind, reference = "interval", told.interval
        case "existence" if told.name:
            kind, reference = "class", told.name
        case "existence" | "binary" | "unknown" | "unknown-simple":
            kind, reference = "yes-no", told.yes_no
        case _:
            kind, reference = "text", answer
    if reference is None:
        kind, reference = "text", answer
    template = _TEMPLATES.get((family, kind), f"{family}-{kind}")
    formats: dict[str, Format] = {"yes-no": "yes-no", "interval": "interval"}
    return ReadRow(family, template, formats.get(kind, "text"), kind == "class", reference)


def with_tasks(rows: pl.DataFrame, *, without_time_grounding: bool) -> pl.DataFrame:
    """Add the columns of `ReadRow`.

    Args:
        rows: Columns of `PLACED_SCHEMA`.
        without_time_grounding: As `read_row` has it.
    """
    read = [
        read_row(*row, without_time_grounding=without_time_grounding)
        for row in rows.select("task", "group", "question", "answer").iter_rows()
    ]
    schema = dict.fromkeys(ReadRow._fields, pl.String()) | {"is_class": pl.Boolean()}
    columns = list(zip(*read, strict=True)) or [()] * len(schema)
    return rows.with_columns(
        pl.Series(name, values, dtype=kind) for (name, kind), values in zip(schema.items(), columns, strict=True)
    )


def _by_form(answer: _Answer) -> str | None:
    """The simple task that has answers of this form; null where several have, or none."""
    if answer.yes_no:
        return None
    return "existence" if answer.name else "time-grounding" if answer.interval else None


def _only(answer: str) -> _Answer:
    """An answer as what it is whole."""
    is_short = len(answer) <= _LONGEST_CLASS
    yes_no, name = (yes_no_in(answer), class_in(answer)) if is_short else (None, None)
    return _Answer(yes_no, name, _written(interval_alone(answer)))


def _loosely(answer: str) -> _Answer:
    """The same of an answer that may go on in other words."""
    whole = _only(answer)
    begins = _BEGINS_YES_NO.match(answer)
    yes_no = whole.yes_no or (begins and begins[1].capitalize())
    return _Answer(yes_no, whole.name, _written(interval_answer(answer)))


def _written(interval: tuple[int, int] | None) -> str | None:
    return None if interval is None else f"{interval[0]}-{interval[1]}"
