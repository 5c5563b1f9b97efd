"""Questions of free text, and what metrics of words say of everybody's answers to them, as arrays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt
import polars as pl

from probe4d.benchmarks.benchmark import Benchmark
from probe4d.benchmarks.question import is_free_text
from probe4d.diagnosis.sheets.grouping import Group, families_in_order, groups_of_format, text_codes
from probe4d.diagnosis.text_metrics.scoring import TextScores

__all__ = ["TEXT", "TextSheet", "make_text_sheet", "text_questions"]

TEXT = "text"
"""The format of these questions, where they have no vocabulary."""

Codes = npt.NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class TextSheet:
    """Questions of free text, and a row of codes for each answerer.

    Attributes:
        questions: The questions, columns of `QUESTION_SCHEMA`.
        families: Families in the order of reports.
        scenes: (questions,) scene codes in the order of the sorted scene names.
        names: Answerers: runs in order, then the control.
        codes: (answerers, questions) which pair of `scores` an answer and its reference are.
        scores: What each metric says of pairs, by its name.
    """

    questions: pl.DataFrame
    families: tuple[str, ...]
    scenes: Codes
    names: tuple[str, ...] = ()
    codes: Codes = field(default_factory=lambda: np.empty((0, 0), dtype=np.intp))
    scores: Mapping[str, TextScores] = field(default_factory=dict)

    @property
    def unanswered(self) -> np.intp:
        """The code of a question that was not asked."""
        return np.intp(-1)

    @cached_property
    def groups(self) -> tuple[Group, ...]:
        """Templates and relations of each family, then each family and everything."""
        return groups_of_format(self.questions, self.families, self.scenes, format=TEXT)

    def answered(self, names: Sequence[str], answers: Sequence[Codes]) -> TextSheet:
        """The same questions with these answerers."""
        shape = (len(names), self.scenes.size)
        return replace(self, names=tuple(names), codes=np.array(answers, dtype=np.intp).reshape(shape))

    def part(self, items: Codes) -> TextSheet:
        """The questions at these ascending positions, answered by nobody yet."""
        present = set(self.questions["family"][items])
        return TextSheet(
            self.questions[items],
            tuple(family for family in self.families if family in present),
            np.unique(self.scenes[items], return_inverse=True)[1].astype(np.intp),
            scores=self.scores,
        )

    def row(self, name: str) -> int:
        """Row of an answerer."""
        return self.names.index(name)


def text_questions(benchmark: Benchmark) -> pl.DataFrame:
    """The questions whose answer is free text, and no word of a vocabulary, in benchmark order."""
    return benchmark.table.filter(is_free_text())


def make_text_sheet(benchmark: Benchmark, *, measured: bool) -> TextSheet:
    """Take the questions of free text out of a benchmark; there may be none.

    Args:
        benchmark: The benchmark.
        measured: Whether any metric is asked for; without that the sheet is empty.
    """
    free = text_questions(benchmark)
    table = free if measured else free.clear()
    return TextSheet(table, families_in_order(benchmark.record, table["family"]), text_codes(table["scene"]))
