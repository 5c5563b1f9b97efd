"""Questions of free text, and what metrics of words say of everybody's answers to them, as arrays."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar

import numpy as np
import numpy.typing as npt
import polars as pl

from probe4d.benchmarks.benchmark import Benchmark
from probe4d.benchmarks.question import TEXT, is_free_text
from probe4d.diagnosis.sheets.answer_sheet import COLUMNS, AnswerSheet
from probe4d.diagnosis.sheets.grouping import Group, groups_of_format
from probe4d.diagnosis.text_metrics.scoring import TextScores

__all__ = ["TextSheet", "make_text_sheet", "text_questions"]

Codes = npt.NDArray[np.intp]


@dataclass(frozen=True, eq=False, kw_only=True)
class TextSheet(AnswerSheet):
    """Questions of free text, and for each answerer which pair of `scores` an answer and its reference are.

    Attributes:
        scores: What each metric says of pairs, by its name.
    """

    scores: Mapping[str, TextScores] = field(default_factory=dict)

    unanswered: ClassVar[np.generic] = np.intp(-1)

    @cached_property
    def groups(self) -> tuple[Group, ...]:
        """Templates and relations of each family, then each family and everything."""
        return groups_of_format(self.questions, self.families, self.scenes, format=TEXT)


def text_questions(benchmark: Benchmark) -> pl.DataFrame:
    """The questions whose answer is free text, and no word of a vocabulary, in benchmark order.

    Returns:
        `COLUMNS`, and question.
    """
    ids = benchmark.columns("id", "format", "options").filter(is_free_text())["id"]
    return benchmark.rows(ids, *COLUMNS, "question")


def make_text_sheet(benchmark: Benchmark, *, measured: bool) -> TextSheet:
    """Take the questions of free text out of a benchmark; there may be none.

    Args:
        benchmark: The benchmark.
        measured: Whether any metric is asked for; without that the sheet is empty.
    """
    free = text_questions(benchmark)
    return TextSheet.of(benchmark, free if measured else free.clear())
