"""Tells tables of questions and answers in a reply, as markdown has them, from the text around them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

__all__ = ["Table", "text_and_tables"]

_CELL = re.compile(r"((?:[^|\\]|\\.|\\$)*)(\||$)")
"""A cell and the pipe behind it; a pipe behind a backslash is one of the text."""
_OF_RULES = frozenset(" \t|:+=-\u2013\u2014")
_ESCAPED_PIPE = re.compile(r"\\\||&#124;|&vert;")
_LINE_BREAK = re.compile(r"<br\s{0,3}/?>", re.IGNORECASE)
_NO_HEADER = re.compile(r"\?|:[*_ ]{0,6}\w")
"""What sentences and marked pairs have, in which a pipe may stand between a Q and an A."""
_AROUND_A_NAME = " \t*_`#:."
_QUESTION_NAMES, _ANSWER_NAMES = frozenset({"question", "questions", "q"}), frozenset({"answer", "answers", "a"})


class Table(NamedTuple):
    """The rows of a table.

    Attributes:
        rows: Question and answer of each row, as they stand in their cells; those are empty where a row ends before.
        too_wide: Rows with more cells than the header, of which nobody can tell what is the question.
        is_closed: Whether the last row is known to be complete, by its form.
    """

    rows: list[tuple[str, str]]
    too_wide: int = 0
    is_closed: bool = False


class _Columns(NamedTuple):
    """Where a header has what, and how many columns it has."""

    question: int
    answer: int
    number: int


def text_and_tables(text: str) -> list[str | Table]:
    """Part a text at its tables with a column of questions and one of answers.

    A header names both, in any case and order, among other columns (a number, a frame) or none. Outer pipes may be
    missing, and so may the rule below the header. A table goes on to the first line without a pipe that is not empty.

    Args:
        text: The text, with line feeds as ends of lines.

    Returns:
        Its parts in order; the text alone, where it holds no table.
    """
    parts: list[str | Table] = []
    around: list[str] = []
    lines = text.split("\n")
    at = 0
    while at < len(lines):
        columns = _header(lines[at])
        if columns is None:
            around.append(lines[at])
            at += 1
            continue
        end = next((n for n in range(at + 1, len(lines)) if not _may_belong(lines[n])), len(lines))
        parts += ["\n".join(around), _table(columns, lines[at + 1 : end])]
        around, at = [], end
    return [*parts, "\n".join(around)]


def _table(columns: _Columns, lines: Sequence[str]) -> Table:
    rows, too_wide, is_closed = [], 0, False
    for line in lines:
        if _OF_RULES.issuperset(line) or _header(line) is not None:
            continue
        cells = _cells(line)
        is_closed = len(cells) >= columns.number and line.rstrip().endswith("|") and not line.rstrip().endswith("\\|")
        if len(cells) > columns.number:
            too_wide += 1
            continue
        cells += [""] * (columns.number - len(cells))
        if cells[columns.question] or cells[columns.answer]:
            rows.append((cells[columns.question], cells[columns.answer]))
    return Table(rows, too_wide, is_closed)


def _may_belong(line: str) -> bool:
    """Whether a line goes on with a table: one with a pipe, or an empty one."""
    first = _CELL.match(line.strip())
    return not line.strip() or (first is not None and first[2] == "|")


def _header(line: str) -> _Columns | None:
    """Which columns a header names; null of another line."""
    if "|" not in line or _NO_HEADER.search(line):
        return None
    names = [cell.strip(_AROUND_A_NAME).casefold() for cell in _cells(line)]
    questions = [column for column, name in enumerate(names) if name in _QUESTION_NAMES]
    answers = [column for column, name in enumerate(names) if name in _ANSWER_NAMES]
    if len(questions) != 1 or len(answers) != 1:
        return None
    return _Columns(questions[0], answers[0], len(names))


def _cells(line: str) -> list[str]:
    """The cells of a line, between its pipes; a line without any is one."""
    line = line.strip().removeprefix("|")
    cells: list[str] = []
    for cell in _CELL.finditer(line):
        if cell.end() == len(line) and not cell[2] and not cell[1] and cells:
            break  # behind the outer pipe
        cells.append(_text(cell[1]))
        if not cell[2]:
            break
    return cells


def _text(cell: str) -> str:
    return _LINE_BREAK.sub(" ", _ESCAPED_PIPE.sub("|", cell)).strip()
