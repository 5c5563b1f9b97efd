"""Finds question-answer pairs in a reply, in the forms that models write them, before anything is checked."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from probe4d.benchmarks.b4dl.replies.tables import Table, text_and_tables

__all__ = ["RawPair", "RawReply", "raw_reply", "without_thoughts"]

_THOUGHT_BEGINS, _THOUGHT_ENDS = "<think>", "</think>"

_SKIPPED_LINE = re.compile(
    r"^[ \t>]{0,8}(?:```.*|[-*_=]{3,}[ \t]*|#{1,6}[ \t](?![ \t*_]{0,4}(?:[QqAa]\b|[Qq]uestion|[Aa]nswer|\(?\d)).*"
    r"|[*_#\s]{0,8}(?:pair|qa|q&a|q/a)\s{0,3}#?\d{0,4}[*_:.\s]{0,8})$",
    re.IGNORECASE | re.MULTILINE,
)
"""Fences, rules between pairs, headings that are no question."""

_QUOTED_LINE = re.compile(r"^[ \t]{0,4}>[ \t]?", re.MULTILINE)
_BULLET = r"[ \t>*#\u2022+_`-]{0,12}(?:\(?\d{1,3}[.):][ \t*_]{0,6})?"
_NUMBER = r"[ \t]?[#.]?[ \t]?\d{1,3}"
_BOLD, _COLON, _LINE_ENDS = r"[*_]{0,3}", "[:\uff1a]", r"[*_ \t]{0,6}$"
_MARK = re.compile(
    rf"^{_BULLET}(?:"
    rf"(?P<long>(?i:question|answer|ans))(?:{_NUMBER})?{_BOLD}[ \t]?(?:{_COLON}|[.)](?=[*_ \t])|{_LINE_ENDS})"
    rf"|(?P<colon>[QqAa])(?:{_NUMBER})?{_BOLD}[ \t]?{_COLON}"
    rf"|(?P<numbered>[QA]){_NUMBER}{_BOLD}(?:[.)](?=[*_ \t])|[ \t]?[-\u2013\u2014][ \t]|{_LINE_ENDS})"
    rf"|(?P<point>[QA]){_BOLD}\.(?=[*_ \t])"
    r")"
    rf"|(?<=[.?!*\"\u201d)])[ \t]{{1,4}}{_BOLD}(?P<inline>Q|A|Question|Answer)(?:{_NUMBER})?{_BOLD}:(?=[\s*_])",
    re.MULTILINE,
)
_ITEM = re.compile(r"^[ \t>*#\u2022+_`-]{0,12}\(?\d{1,3}[.)][*_]{0,3}[ \t]", re.MULTILINE)
_LATE_ANSWER = re.compile(r"\sA:(?=\s)")
_AFTER_QUESTION = re.compile(r"\?[*_\"\u201d]{0,4}(?=\s)")

_CLOSING = re.compile(
    r"\n[ \t]*\n[ \t*_>-]{0,8}(?:let me know|i hope|hope this|feel free|if you (?:need|want|would|have)|please let|"
    r"these (?:questions?|q&a|q/a|pairs|question)|is there anything|would you like)",
    re.IGNORECASE,
)
_OBJECT = re.compile(r"[\[{]\s{0,20}(?:\{\s{0,20})?\"[^\"\\\n]{1,40}\"\s{0,4}:")
_PAIR_OBJECT = re.compile(r"\{\s{0,20}\"(?:question|q|query)\"\s{0,4}:[^{}]{0,20000}(\}?)", re.IGNORECASE)
_JSON_BEGINS = re.compile(rf"^[ \t]*{_OBJECT.pattern}", re.MULTILINE)
_QUESTION_KEYS, _ANSWER_KEYS = ("question", "q", "query", "prompt"), ("answer", "a", "response")
_MOST_FAILURES = 20
"""Objects that may fail to be read: one that was cut, and the few that it lies in."""


class RawPair(NamedTuple):
    """A pair as it was found.

    Attributes:
        question: One line; null where an answer has none.
        answer: One line; null where a question has none.
    """

    question: str | None
    answer: str | None


class RawReply(NamedTuple):
    """What was found in a reply.

    Attributes:
        pairs: The pairs, in its order.
        is_open: Whether the last thing in it is not complete, by its form: an object that does not end.
        is_closed: Whether every pair is known to be complete, by its form, wherever the reply ends.
        broken: Objects with a question that end, and cannot be read.
        too_wide: Rows of tables with more cells than their header.
    """

    pairs: list[RawPair]
    is_open: bool = False
    is_closed: bool = False
    broken: int = 0
    too_wide: int = 0


def without_thoughts(text: str) -> str:
    """A reply without what its model thought before it; nothing, where thinking has not ended."""
    said = text.rpartition(_THOUGHT_ENDS)[2]
    return said.partition(_THOUGHT_BEGINS)[0]


def raw_reply(text: str) -> RawReply:
    """Find the pairs of a reply.

    Forms are `Q: ...` and `A: ...` in lines of their own or in one, numbered, in bold, as headings or list items, with
    the words Question and Answer, over several lines; numbered questions whose answer follows the question mark;
    tables of markdown with a column of each; and JSON objects with a question and an answer, alone, in lists or in
    other objects, fenced or not.

    Args:
        text: The reply without thoughts.
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if _JSON_BEGINS.search(text) and (found := _from_objects(text)).pairs:
        return found
    if text.lstrip().startswith(">"):
        text = _QUOTED_LINE.sub("", text)
    parts = text_and_tables(text)
    tables = [part for part in parts if isinstance(part, Table)]
    pairs: list[RawPair] = []
    for part in parts:
        pairs += _in_table(part) if isinstance(part, Table) else _in_text(part, items=not tables)
    is_closed = bool(tables) and tables[-1].is_closed and parts[-1] == ""
    return RawReply(pairs, is_closed=is_closed, too_wide=sum(table.too_wide for table in tables))


def _in_text(text: str, *, items: bool) -> Iterator[RawPair]:
    """The pairs of a text by their marks; where no question has one, by numbers of list items, if these may be such."""
    text = _SKIPPED_LINE.sub("", text)
    marks = list(_MARK.finditer(text))
    if items and not any(_asks(mark) for mark in marks):
        marks = sorted([*_ITEM.finditer(text), *marks], key=lambda mark: mark.start())
    return _pairs(text, marks)


def _in_table(table: Table) -> Iterator[RawPair]:
    for row in table.rows:
        yield RawPair(*(_one_line(cell[mark.end() :] if (mark := _MARK.match(cell)) else cell) for cell in row))


def _asks(mark: re.Match[str]) -> bool:
    """Whether a mark is that of a question; numbers of list items are."""
    return mark.re is _ITEM or mark[mark.lastgroup or 0][0] in "Qq"


def _pairs(text: str, marks: list[re.Match[str]]) -> Iterator[RawPair]:
    ends = [*(mark.start() for mark in marks), len(text)][1:]
    question: str | None = None
    for number, (mark, end) in enumerate(zip(marks, ends, strict=True)):
        part = text[mark.end() : end]
        if number == len(marks) - 1 and (closing := _CLOSING.search(part)):
            part = part[: closing.start()]
        if not _asks(mark):
            yield RawPair(question, _one_line(part))
            question = None
            continue
        if question is not None:
            yield RawPair(question, None)
        question = _one_line(part)
        is_answered = number + 1 < len(marks) and not _asks(marks[number + 1])
        if not is_answered and (split := _split(part)) is not None:
            yield RawPair(*split)
            question = None
    if question is not None:
        yield RawPair(question, None)


def _split(part: str) -> tuple[str | None, str | None] | None:
    """A question and an answer that no mark at the start of a line tells apart; null where there is one of them."""
    if late := _LATE_ANSWER.search(part):
        return _one_line(part[: late.start()]), _one_line(part[late.end() :])
    if (asked := _AFTER_QUESTION.search(part)) and (answer := _one_line(part[asked.end() :])):
        return _one_line(part[: asked.end()]), answer.removeprefix("- ")
    return None


def _one_line(text: str) -> str | None:
    """A text in one line, without marks of emphasis around it; null where nothing is left."""
    line = " ".join(text.replace("**", "").replace("`", "").split()).strip("*_ ")
    for begin, end in ('""', "\u201c\u201d"):
        if len(line) > 1 and line[0] == begin and line[-1] == end and begin not in line[1:-1] and end not in line[1:-1]:
            line = line[1:-1].strip()
    return line or None


def _from_objects(text: str) -> RawReply:
    """The pairs in the JSON objects of a text; whole objects count also where the one around them was cut."""
    decoder = json.JSONDecoder()
    pairs: list[RawPair] = []
    place, failures, broken, is_open = 0, 0, 0, False
    while (begins := _OBJECT.search(text, place)) and failures < _MOST_FAILURES:
        start = text.index("{", begins.start())
        try:
            found, place = decoder.raw_decode(text, start)
            pairs += list(_in_object(found))
        except (ValueError, RecursionError):  # broken, cut, or beyond what Python reads; or a part is
            failures, place = failures + 1, start + 1
            if failed := _PAIR_OBJECT.match(text, start):
                broken += bool(failed[1])
                is_open |= not failed[1]
    rest = text[place:]
    is_open |= failures == _MOST_FAILURES or ("{" in rest and begins is None and "}" not in rest)
    return RawReply(pairs, is_open, is_closed=True, broken=broken)


def _in_object(found: Any) -> Iterator[RawPair]:
    waiting = [found]
    while waiting:
        value = waiting.pop()
        if isinstance(value, list):
            waiting += reversed(value)
        elif isinstance(value, dict):
            named = {str(name).strip().casefold(): held for name, held in value.items()}
            question = next((named[name] for name in _QUESTION_KEYS if name in named), None)
            answer = next((named[name] for name in _ANSWER_KEYS if name in named), None)
            if question is None and answer is None:
                waiting += reversed(list(value.values()))
            else:
                yield RawPair(_said(question), _said(answer))


def _said(value: Any) -> str | None:
    if isinstance(value, bool):
        return "Yes" if value else "No"
    if value is None or isinstance(value, str):
        return _one_line(value or "")
    return json.dumps(value)
