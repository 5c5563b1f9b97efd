"""The figures of judged answers: how high, of how many, and how many a judge left unscored."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
import numpy.typing as npt
import polars as pl

from probe4d.benchmarks.benchmark import Benchmark
from probe4d.diagnosis.figures import Figures
from probe4d.diagnosis.sheets.answer_sheet import AnswerSheet
from probe4d.diagnosis.sheets.grouping import Group, groups_of_format
from probe4d.diagnosis.sheets.texts import TEXT, text_questions

__all__ = ["UNFIT", "JudgedSheet", "add_aspects", "add_judged", "make_judged_sheet"]

Values = npt.NDArray[np.float64]


UNFIT = -1.0
"""The code of an answer that holds nothing to judge: one that is empty, cut or missing."""


@dataclass(frozen=True, eq=False, kw_only=True)
class JudgedSheet(AnswerSheet):
    """Questions of free text, and for each run that was judged the scores on the scale of its rubric.

    Where a judge gave none the code is NaN, where there was nothing to judge `UNFIT`.
    """

    unanswered: ClassVar[np.generic] = np.float64(np.nan)

    @cached_property
    def groups(self) -> tuple[Group, ...]:
        """Templates and relations of each family, then each family and everything."""
        return groups_of_format(self.questions, self.families, self.scenes, format=TEXT)

    @cached_property
    def amounts(self) -> Values:
        """(runs, questions) what counts in the mean of all: a score, or 0 where there was nothing to judge."""
        return np.where(self.codes == UNFIT, 0.0, self.codes)

    @cached_property
    def scores(self) -> Values:
        """(runs, questions) the scores alone."""
        return np.where(self.codes == UNFIT, np.nan, self.codes)


def make_judged_sheet(benchmark: Benchmark, *, judged: bool) -> JudgedSheet:
    """Take the questions of free text out of a benchmark; there may be none.

    Args:
        benchmark: The benchmark.
        judged: Whether any answer is judged; without that the sheet is empty.
    """
    free = text_questions(benchmark)
    return JudgedSheet.of(benchmark, free if judged else free.clear())


def add_judged(figures: Figures, sheet: JudgedSheet) -> None:
    """Add what was scored, for every group (STRIDE, App. C.4).

    `judge_mean_all` counts an answer with nothing to judge as 0, `judge_mean_valid` leaves it out; what a judge left
    unscored is in neither. `judged_share` and `unscored_share` are of all that was asked. Of several families there is
    also `judge_mean_all_macro`, the plain mean of theirs (B4DL, Sec. 5.1).
    """
    metrics = {
        "judge_mean_all": sheet.amounts,
        "judge_mean_valid": sheet.scores,
        "judged_share": (~np.isnan(sheet.scores)).astype(np.float64),
        "unscored_share": np.isnan(sheet.amounts).astype(np.float64),
    }
    for group in sheet.groups:
        for metric, values in metrics.items():
            figures.add_means(metric, group, sheet.names, values[:, group.items])
    everything = sheet.groups[-1]
    if len(sheet.families) > 1:
        of = sheet.questions["family"].to_numpy()[everything.items]
        parts = [of == family for family in sheet.families]
        amounts = sheet.amounts[:, everything.items]
        figures.add_means_of_parts("judge_mean_all_macro", everything, sheet.names, parts, amounts)


def add_aspects(figures: Figures, sheet: JudgedSheet, judged: pl.DataFrame) -> None:
    """Add the mean score of each aspect, over scored answers, where a rubric has several (B4DL, Sec. 3.1).

    Args:
        figures: Takes them up.
        sheet: The questions, with the runs that were asked them.
        judged: Columns of `JUDGED_SCHEMA`; other runs and questions may be among them.
    """
    given = judged.select("run", "question", "aspects").explode("aspects").drop_nulls("aspects").unnest("aspects")
    places = sheet.questions.select(question="id").with_row_index("item")
    given = given.filter(pl.col("run").is_in(list(sheet.names))).join(places, on="question", maintain_order="left")
    for aspect in given["aspect"].unique(maintain_order=True):
        own = given.filter(aspect=aspect)
        scores = np.full((len(sheet.names), sheet.scenes.size), np.nan)
        scores[[sheet.row(name) for name in own["run"]], own["item"].to_numpy()] = own["score"].to_numpy()
        for group in sheet.groups:
            figures.add_means(f"judge_mean_valid_{aspect}", group, sheet.names, scores[:, group.items])
