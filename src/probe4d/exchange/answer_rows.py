"""Finds question, reply and what else is recorded in rows of other people's answers, as their columns are called."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

from probe4d.errors import InputError
from probe4d.store.rows import Row, read_rows

__all__ = ["answer_rows", "optional_text", "question_of", "questions_named", "reply_of"]

_ID_COLUMNS = ("question_id", "id", "question")
_TEXT_COLUMNS = ("text", "answer", "prediction", "response")


def answer_rows(path: Path) -> Iterator[Row]:
    """Yield the rows of a file of answers.

    Names of columns come in small letters, without blanks around them and with `_` for those inside. A line of the
    samples that lm-evaluation-harness logs gives the columns `id`, `variant` and `text`.

    Raises:
        InputError: As `read_rows`, two columns have the same name but for its spelling, or a line of
            lm-evaluation-harness holds no reply or several.
    """
    for row in read_rows(path):
        values = dict(zip(_plain_names(tuple(row.values)), row.values.values(), strict=True))
        if len(values) < len(row.values):
            raise InputError(
                f"has two columns that differ in the spelling of their names alone ({', '.join(row.values)}).",
                path=path,
                row=row.where,
                remedy="Keep one of them.",
            )
        is_sample = isinstance(values.get("doc"), dict) and "resps" in values
        yield Row(row.where, _of_sample(path, row.where, values) if is_sample else values)


@lru_cache(maxsize=256)
def _plain_names(names: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(name.strip().casefold().replace(" ", "_") for name in names)


def _of_sample(path: Path, where: str, values: dict[str, Any]) -> dict[str, Any]:
    match values["resps"]:
        case [[str(text)]]:
            return {"id": values["doc"].get("id"), "variant": values["doc"].get("variant"), "text": text}
    raise InputError(
        "has not one reply in 'resps': a task that compares likelihoods holds none, one with repeats several.",
        path=path,
        row=where,
        remedy="Give the samples of the tasks that generate a reply, asked once.",
    )


def questions_named(rows: Iterable[Row]) -> set[str]:
    """Everything in the columns for the id of a question that could be one."""
    return {value.strip() for row in rows for column in _ID_COLUMNS if isinstance(value := row.values.get(column), str)}


def question_of(path: Path, row: Row, known: Collection[str]) -> str:
    """The id of the question that a row answers: of the columns for it the one that holds an id of the benchmark.

    So `question` may hold the question's text where `id` holds its id, as in exports, and `id` a number of the row
    where `question` holds the id. An id that is not known comes from the column that is named most plainly.

    Raises:
        InputError: There is no column for it, its value is no text, or two of them name different questions.
    """
    columns = [column for column in _ID_COLUMNS if column in row.values]
    texts = [value.strip() for column in columns if isinstance(value := row.values[column], str)]
    found = list(dict.fromkeys(text for text in texts if text in known))
    if len(found) == 1:
        return found[0]
    if found:
        raise InputError(
            f"names two questions, {' and '.join(found)}, in the columns {', '.join(columns)}.",
            path=path,
            row=row.where,
            remedy="Keep one of the columns.",
        )
    if not columns:
        raise _no_column(path, row, "question, question_id, id", "question id")
    return texts[0] if texts else _text(path, row, columns[0])


def reply_of(path: Path, row: Row, question: str) -> str:
    """The reply of a row that answers a question.

    Raises:
        InputError: It is in no column or in several, or is no text.
    """
    columns = [column for column in _TEXT_COLUMNS if column in row.values]
    if _holds_the_question(row, question) and "answer" in columns:
        columns.remove("answer")
        if not columns:
            raise InputError(
                "has no reply: beside the text of the question, 'answer' is taken for the right answer.",
                path=path,
                row=row.where,
                remedy="Name the column of the reply text.",
            )
    if not columns:
        raise _no_column(path, row, ", ".join(_TEXT_COLUMNS), "reply")
    if len(columns) > 1:
        raise InputError(
            f"has {' and '.join(columns)} for the reply; expected is one column.",
            path=path,
            row=row.where,
            remedy="Keep the one that holds the reply, and name it text.",
        )
    return _text(path, row, columns[0])


def _holds_the_question(row: Row, question: str) -> bool:
    """Whether a row has the text of its question, as exports have, whose `answer` is the right one."""
    text = row.values.get("question", question)
    return not isinstance(text, str) or text.strip() != question


def _no_column(path: Path, row: Row, columns: str, what: str) -> InputError:
    return InputError(
        f"has none of {columns} for the {what}; there are the columns {', '.join(map(repr, row.values))}.",
        path=path,
        row=row.where,
        remedy="Name the columns question and text.",
    )


def optional_text(path: Path, row: Row, column: str) -> str | None:
    """The text of a column; null where it is empty or not there.

    Raises:
        InputError: It is no text.
    """
    return None if row.values.get(column) in (None, "") else _text(path, row, column)


def _text(path: Path, row: Row, column: str) -> str:
    value: Any = row.values[column]
    if not isinstance(value, str):
        raise InputError(f"has {value!r} in {column!r}, expected is text.", path=path, row=row.where)
    return value
