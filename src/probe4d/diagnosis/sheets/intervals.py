"""Questions for an interval of key frames and everybody's answers as arrays."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt
import polars as pl

from probe4d.benchmarks.benchmark import Benchmark
from probe4d.diagnosis.sheets.grouping import Group, families_in_order, groups_of_format, text_codes
from probe4d.errors import InputError

__all__ = [
    "INTERVAL",
    "INTERVALS_SCHEMA",
    "UNREAD",
    "Codes",
    "IntervalSheet",
    "ends_of",
    "make_interval_sheet",
    "reference_ends",
    "starts_of",
    "to_codes",
]

INTERVAL = "interval"
"""The format of these questions."""

UNREAD = -1
"""Code of an answer without an interval; others are first frame times `_FRAMES` plus last."""

INTERVALS_SCHEMA: dict[str, pl.DataType] = {
    "run": pl.String(),
    "question": pl.String(),  # id
    "variant": pl.String(),
    "text": pl.String(),  # the reply as given; null for the controls and missing answers
    "state": pl.String(),  # as in `probe4d.diagnosis.tables.RECORDS_SCHEMA`
    "reason": pl.String(),  # why an ambiguous reply has no interval
    "reference_first": pl.Int64(),  # key frames, both ends inside
    "reference_last": pl.Int64(),
    "first": pl.Int64(),  # null unless valid
    "last": pl.Int64(),
    "iou_inclusive": pl.Float64(),  # 0 unless valid
    "iou_half_open": pl.Float64(),
}
"""One row for each run (controls among them) and question for an interval asked of it, in the order of both."""

_FRAMES = 1_000_000
_REFERENCE = re.compile(r"(\d{1,6})-(\d{1,6})")

Codes = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class IntervalSheet:
    """Questions for an interval, and a row of answers for each answerer.

    Attributes:
        questions: The questions, columns of `QUESTION_SCHEMA`.
        families: Families in the order of reports.
        scenes: (questions,) scene codes in the order of the sorted scene names.
        references: (questions,) codes of the reference answers (see `to_codes`).
        names: Answerers: runs in order, then the controls.
        codes: (answerers, questions) codes of what they answered; `UNREAD` where that cannot be read.
    """

    questions: pl.DataFrame
    families: tuple[str, ...]
    scenes: npt.NDArray[np.intp]
    references: Codes
    names: tuple[str, ...] = ()
    codes: Codes = field(default_factory=lambda: np.empty((0, 0), dtype=np.int64))

    @property
    def unanswered(self) -> np.int64:
        """The code of no answer."""
        return np.int64(UNREAD)

    @cached_property
    def read(self) -> npt.NDArray[np.bool_]:
        """(answerers, questions): whether there is an interval."""
        return np.not_equal(self.codes, UNREAD)

    def differ(self, ones: Sequence[str], others: Sequence[str]) -> npt.NDArray[np.bool_]:
        """(pairs, questions): whether the two answerers of each pair give another interval; none and none are alike."""
        rows = [[self.row(name) for name in names] for names in (ones, others)]
        return np.not_equal(*(self.codes[own] for own in rows))

    def answered(self, names: Sequence[str], answers: Sequence[Codes]) -> IntervalSheet:
        """The same questions with these answerers and their codes."""
        shape = (len(names), self.scenes.size)
        return replace(self, names=tuple(names), codes=np.array(answers, dtype=np.int64).reshape(shape))

    def row(self, name: str) -> int:
        """Row of an answerer."""
        return self.names.index(name)

    def part(self, items: npt.NDArray[np.intp]) -> IntervalSheet:
        """The questions at these ascending positions, answered by nobody yet."""
        present = set(self.questions["family"][items])
        return IntervalSheet(
            self.questions[items],
            tuple(family for family in self.families if family in present),
            np.unique(self.scenes[items], return_inverse=True)[1].astype(np.intp),
            self.references[items],
        )

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
    first = sheet.questions.select(pl.col("frames").list.min().fill_null(0)).to_series()
    return first.to_numpy().astype(np.int64)[:, None]


def reference_ends(answer: str) -> tuple[int, int] | None:
    """First and last key frame of a reference answer `first-last`; null where it is none, or ends before it begins."""
    hit = _REFERENCE.fullmatch(answer)
    ends = None if hit is None else (int(hit[1]), int(hit[2]))
    return None if ends is None or ends[1] < ends[0] else ends


def make_interval_sheet(benchmark: Benchmark) -> IntervalSheet:
    """Take the questions for an interval out of a benchmark; there may be none.

    Raises:
        InputError: A reference answer is no interval `first-last`, or ends before it begins.
    """
    table = benchmark.table.filter(pl.col("format") == INTERVAL)
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
    families = families_in_order(benchmark.record, table["family"])
    return IntervalSheet(table, families, text_codes(table["scene"]), to_codes(first, last))
