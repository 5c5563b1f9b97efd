"""The figures of free text by metrics of words: per group, and averaged over families as papers do."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from probe4d.diagnosis.figures import Figures
from probe4d.diagnosis.sheets.grouping import Group
from probe4d.diagnosis.sheets.texts import TextSheet
from probe4d.diagnosis.statistics.bootstrap import bounds_of_draws, draw_counts
from probe4d.diagnosis.text_metrics.scoring import TextScores

__all__ = ["MACRO", "add_text_differences", "add_text_figures", "figure_name"]

Values = npt.NDArray[np.float64]

MACRO = "_macro"
"""Ending of a metric's name where it is the plain mean over families."""

_FEW = 4
"""Numbers of scenes whose draws are kept: the groups of a sheet are over few of them."""


def figure_name(metric: str) -> str:
    """Name in `figures.csv` of a metric: `bleu_4`, `rouge_l`, `meteor`, `bertscore`."""
    return metric.lower().replace("-", "_")


def add_text_figures(figures: Figures, sheet: TextSheet) -> None:
    """Add every metric of every answerer for every group, with whole-scene bootstrap intervals.

    The score of a group is that of its pairs as a corpus. Of several families there is also the plain mean of their
    scores (B4DL, Sec. 5.1), which has `n` families.
    """
    for name, scores in sheet.scores.items():
        metric = figure_name(name)
        for group in sheet.groups:
            found = [_with_draws(sheet, scores, group, row) for row in sheet.codes]
            _add(figures, metric, group, sheet.names, found, group.items.size)
        if len(sheet.families) > 1:
            found = [_macro(sheet, scores, row) for row in sheet.codes]
            _add(figures, metric + MACRO, sheet.groups[-1], sheet.names, found, len(sheet.families))


def add_text_differences(
    figures: Figures, sheet: TextSheet, names: Sequence[str], sides: Sequence[tuple[str, str]], endings: Sequence[str]
) -> None:
    """Add what comparisons show: change, the first and the second, over the same draws of scenes.

    Args:
        figures: Takes them up.
        sheet: The questions that both of each were asked.
        names: The comparisons.
        sides: Who is compared with whom.
        endings: What the names of the three end with.
    """
    rows = [(sheet.codes[sheet.row(run)], sheet.codes[sheet.row(against)]) for run, against in sides]
    for name, scores in sheet.scores.items():
        metric = figure_name(name)
        for group in sheet.groups:
            both = [[_with_draws(sheet, scores, group, row) for row in pair] for pair in rows]
            _add_three(figures, metric, group, names, both, group.items.size, endings)
        if len(sheet.families) > 1:
            both = [[_macro(sheet, scores, row) for row in pair] for pair in rows]
            _add_three(figures, metric + MACRO, sheet.groups[-1], names, both, len(sheet.families), endings)


def _add_three(
    figures: Figures,
    metric: str,
    group: Group,
    names: Sequence[str],
    both: Sequence[Sequence[Values]],
    n: int,
    endings: Sequence[str],
) -> None:
    for ending, found in zip(
        endings,
        ([own - other for own, other in both], [own for own, _ in both], [other for _, other in both]),
        strict=True,
    ):
        _add(figures, metric + ending, group, names, found, n)


def _add(figures: Figures, metric: str, group: Group, names: Sequence[str], found: Sequence[Values], n: int) -> None:
    """Add values with the bounds of their draws: (1 + draws,) each, the value first."""
    if not group.items.size:
        return
    values = np.array([own[0] for own in found])
    bounds = np.vstack([bounds_of_draws(own[1:][~np.isnan(own[1:]), None]) for own in found])
    figures.add_bounded(metric, group, names, values, bounds, n)


def _macro(sheet: TextSheet, scores: TextScores, row: npt.NDArray[np.intp]) -> Values:
    """(1 + draws,) the plain mean over families; NaN of a draw in which one has no question."""
    families = [group for group in sheet.groups if group.relation == "all" and group.family != "all"]
    found = np.array([_with_draws(sheet, scores, group, row, of=sheet.scenes) for group in families])
    mean: Values = found.mean(axis=0)
    return mean


def _with_draws(
    sheet: TextSheet,
    scores: TextScores,
    group: Group,
    row: npt.NDArray[np.intp],
    *,
    of: npt.NDArray[np.intp] | None = None,
) -> Values:
    """The score of a group, and those of draws of scenes; of one scene there are none.

    Args:
        sheet: The questions.
        scores: What a metric says of pairs.
        group: The questions that count.
        row: (questions,) codes of the answers.
        of: Scenes that are drawn; null draws those of the group.
    """
    statistics = scores.statistics[row[group.items]]
    own = sheet.scenes[group.items]
    scenes = np.unique(own if of is None else of)
    places = np.searchsorted(scenes, own)
    sizes = np.bincount(places, minlength=scenes.size).astype(np.float64)
    sums = np.zeros((scenes.size, statistics.shape[1]))
    np.add.at(sums, places, statistics)
    value = scores.metric.corpus(statistics)
    if scenes.size < 2:
        return np.array([value])
    counts = _draws(scenes.size)
    pairs = counts @ sizes
    with np.errstate(invalid="ignore"):
        drawn = np.where(pairs > 0, scores.metric.corpora(counts @ sums, pairs), np.nan)
    return np.append(value, drawn)


@lru_cache(maxsize=_FEW)
def _draws(scenes: int) -> Values:
    counts: Values = draw_counts(scenes).astype(np.float64)
    return counts
