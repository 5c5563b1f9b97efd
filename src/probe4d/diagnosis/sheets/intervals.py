"""Questions for an interval of key frames and everybody's answers as arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
import numpy.typing as npt
import polars as pl

from probe4d.benchmarks.benchmark import Benchmark
from probe4d.benchmarks.intervals import reference_ends
from probe4d.benchmarks.question import INTERVAL
from probe4d.diagnosis.sheets.answer_sheet import COLUMNS, AnswerSheet
from probe4d.diagnosis.sheets.grouping import Group, groups_of_format
from probe4d.errors import InputError

__all__ = [
    "UNREAD",
    "Codes",
    "IntervalSheet",
    "ends_of",
    "make_interval_sheet",
    "starts_of",
    "to_codes",
]

UNREAD = -1
"""Code of an answer without an interval; others are first frame times `_FRAMES` plus last."""

_FRAMES = 1_000_000

Codes = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False, kw_only=True)
class IntervalSheet(AnswerSheet):
    """Questions for an interval, and a row of codes (see `to_codes`) for each answerer.

    Attributes:
        references: (questions,) codes of the reference answers.
    """

    references: Codes

    unanswered: ClassVar[np.generic] = np.int64(UNREAD)
    of_questions: ClassVar[tuple[str, ...]] = ("references",)

    @cached_property
    def read(self) -> npt.NDArray[np.bool_]:
        """(answerers, questions): whether there is an interval."""
        read: npt.NDArray[np.bool_] = np.not_equal(self.codes, UNREAD)
        return read

    def differ(self, ones: Sequence[str], others: Sequence[str]) -> npt.NDArray[np.bool_]:
        """(pairs, questions): whether the two answerers of each pair give another interval; none and none are alike."""
        rows = [[self.row(name) for name in names] for names in (ones, others)]
        moved: npt.NDArray[np.bool_] = np.not_equal(*(self.codes[own] for own in rows))
        return moved

    @cached_property
    def groups(self) -> tuple[Group, ...]:
        """Templates and relations of each family, then each family and everything."""
        return groups_of_format(self.questions, self.families, self.scenes, format=INTERVAL)


def to_codes(first: Codes, last: Codes) -> Codes:
    """One number for each interval, ascending by its first frame, then by its last."""
    return first * _FRAMES + last


def ends_of(codes: Codes) -> Codes:
    """(..., 2) first and last frame of each code; -1 and -1 of `UNREAD`."""
    ends = np.stack(np.divmod(codes, _FRAMES), axis=-1)
    return np.where(codes[..., None] == UNREAD, UNREAD, ends)


def starts_of(sheet: IntervalSheet) -> Codes:
    """(questions, 1) the first frame that each question asks about; 0 where it does not say."""
    first = sheet.details.select(pl.col("frames").list.min().fill_null(0)).to_series()
    return first.to_numpy().astype(np.int64)[:, None]


def make_interval_sheet(benchmark: Benchmark) -> IntervalSheet:
    """Take the questions for an interval out of a benchmark; there may be none.

    Raises:
        InputError: A reference answer is no interval `first-last`, or ends before it begins.
    """
    table = benchmark.columns(*COLUMNS).filter(format=INTERVAL)
    ends = [reference_ends(answer) for answer in table["answer"]]
    for place, one in enumerate(ends):
        if one is None:
            identity, answer = table.select("id", "answer").row(place)
            raise InputError(
                f"question {identity} of format {INTERVAL} has the reference {answer!r}, which is no interval of key "
                "frames such as '3-9'.",
                path=benchmark.path,
                remedy="Build or import the benchmark again.",
            )
    first, last = np.array(ends, dtype=np.int64).reshape(-1, 2).T
    return IntervalSheet.of(benchmark, table, references=to_codes(first, last))
