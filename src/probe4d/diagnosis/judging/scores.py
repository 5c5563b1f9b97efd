"""The figures of judged answers: how high, of how many, and how many a judge left unscored."""

from __future__ import annotations

import numpy as np
import polars as pl

from probe4d.diagnosis.figures import Figures
from probe4d.diagnosis.sheets.judged import JudgedSheet

__all__ = ["add_aspects", "add_judged"]


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
