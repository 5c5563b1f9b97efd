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
from probe4d.benchmarks.question import QUESTION_SCHEMA, TEXT, is_free_text
from probe4d.diagnosis.sheets.answer_sheet import COLUMNS, AnswerSheet
from probe4d.diagnosis.sheets.grouping import Group, groups_of_format
from probe4d.diagnosis.text_metrics.scoring import TextScores

__all__ = ["TextSheet", "no_text_questions", "text_questions"]

Codes = npt.NDArray[np.intp]

_TEXT_COLUMNS = (*COLUMNS, "question")


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
    return benchmark.rows(ids, *_TEXT_COLUMNS)


def no_text_questions() -> pl.DataFrame:
    """The same of a benchmark that holds none, or of which none are looked at."""
    return pl.DataFrame(schema={name: QUESTION_SCHEMA[name] for name in _TEXT_COLUMNS})
