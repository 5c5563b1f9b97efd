"""The figures of judged answers: how high, of how many, and how many a judge left unscored."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt
import polars as pl

from probe4d.benchmarks.benchmark import Benchmark
from probe4d.diagnosis.figures import Figures
from probe4d.diagnosis.grouping import split_groups, total_groups
from probe4d.diagnosis.judging.candidates import TEXT, text_questions
from probe4d.diagnosis.sheet import TEMPLATE, Group, families_in_order, text_codes

__all__ = ["JudgedSheet", "add_judged", "make_judged_sheet"]

Values = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class JudgedSheet:
    """Questions of free text, and a row of scores for each run that was judged.

    Attributes:
        questions: The questions, columns of `QUESTION_SCHEMA`.
        families: Families in the order of reports.
        scenes: (questions,) scene codes in the order of the sorted scene names.
        names: The runs.
        scores: (runs, questions) scores on the scale of the run's rubric; NaN where there is none.
        unfit: (runs, questions) whether there was nothing to judge: an answer that is empty, cut or missing.
        asked: (runs, questions) whether a run was asked.
    """

    questions: pl.DataFrame
    families: tuple[str, ...]
    scenes: npt.NDArray[np.intp]
    names: tuple[str, ...] = ()
    scores: Values = field(default_factory=lambda: np.empty((0, 0)))
    unfit: npt.NDArray[np.bool_] = field(default_factory=lambda: np.empty((0, 0), dtype=bool))
    asked: npt.NDArray[np.bool_] = field(default_factory=lambda: np.empty((0, 0), dtype=bool))

    @cached_property
    def groups(self) -> tuple[Group, ...]:
        """Templates and relations of each family, then each family and everything."""
        totals = total_groups(self.questions["family"].to_numpy(), self.families, self.scenes, format=TEXT)
        templates, relations = (self.questions[name].to_numpy() for name in ("template", "relation"))
        return (
            *split_groups(totals[:-1], templates, prefix=TEMPLATE),
            *split_groups(totals[:-1], relations),
            *totals,
        )

    def judged(self, names: Sequence[str], records: pl.DataFrame) -> JudgedSheet:
        """The same questions with the answers of runs.

        Args:
            names: The runs.
            records: Columns of `JUDGED_SCHEMA`, one row for each run and question asked of it.
        """
        places = pl.DataFrame({"question": self.questions["id"]}).with_row_index("item")
        known = records.join(places, on="question", maintain_order="left")
        rows = known["run"].replace_strict({name: row for row, name in enumerate(names)}, return_dtype=pl.Int64)
        where = rows.to_numpy(), known["item"].to_numpy()
        scores = np.full((len(names), self.scenes.size), np.nan)
        unfit, asked = np.zeros((2, *scores.shape), dtype=bool)
        scores[where] = known["score"].cast(pl.Float64).fill_null(np.nan).to_numpy()
        unfit[where] = ~known["state"].is_in(["scored", "unscored"]).to_numpy()
        asked[where] = True
        return replace(self, names=tuple(names), scores=scores, unfit=unfit, asked=asked)


def make_judged_sheet(benchmark: Benchmark) -> JudgedSheet:
    """Take the questions of free text out of a benchmark; there may be none."""
    table = text_questions(benchmark)
    return JudgedSheet(table, families_in_order(benchmark.record, table["family"]), text_codes(table["scene"]))


def add_judged(figures: Figures, sheet: JudgedSheet) -> None:
    """Add what was scored, for every group (STRIDE, App. C.4).

    `judge_mean_all` counts an answer with nothing to judge as 0, `judge_mean_valid` leaves it out; what a judge left
    unscored is in neither. `judged_share` and `unscored_share` are of all that was asked.
    """
    is_scored = ~np.isnan(sheet.scores)
    amounts = {
        "judge_mean_all": np.where(sheet.unfit, 0.0, sheet.scores),
        "judge_mean_valid": sheet.scores,
        "judged_share": np.where(sheet.asked, is_scored.astype(float), np.nan),
        "unscored_share": np.where(sheet.asked, (~is_scored & ~sheet.unfit).astype(float), np.nan),
    }
    for group in sheet.groups:
        for metric, values in amounts.items():
            figures.add_means(metric, group, sheet.names, values[:, group.items])
