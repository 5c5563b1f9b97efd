"""How far an answerer is ahead of whoever does not look, with intervals: what a verdict in its favour rests on.

The intervals are 95 % quantiles over the whole-scene draws of `bootstrap`. A pair belongs to two scenes and
comes up as often as the product of their counts.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from probe4d.diagnosis.controls.answerers import CONTENT
from probe4d.diagnosis.figures import Figures
from probe4d.diagnosis.sheets.grouping import Group
from probe4d.diagnosis.sheets.labels import YES, LabelSheet
from probe4d.diagnosis.statistics.bootstrap import bounds_of_draws, draw_counts, scene_sums

__all__ = ["add_pair_rates", "add_yes_leads"]

_BLOCKS = 20
"""Parts that the draws are taken in, since pairs of scenes by draws are many numbers."""


def add_yes_leads(figures: Figures, sheet: LabelSheet) -> None:
    """Add yes_lead, by how much Yes goes to true claims more often than to false ones, and yes_lead_over_words.

    yes_lead is tpr - fpr; yes_lead_over_words is that less the content control's, on the same questions.
    """
    content = sheet.row(CONTENT)
    for cell in sheet.cells:
        positive = sheet.references[cell.items] == YES
        if cell.format != "yes-no" or positive.all() or not positive.any():
            continue
        lead, draws = _yes_lead(sheet, cell, positive)
        for metric, values, drawn in (
            ("yes_lead", lead, draws),
            ("yes_lead_over_words", lead - lead[content], draws - draws[:, [content]]),
        ):
            figures.add_bounded(metric, cell, sheet.names, values, bounds_of_draws(drawn), cell.items.size)


def _yes_lead(
    sheet: LabelSheet, cell: Group, positive: npt.NDArray[np.bool_]
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """(answerers,) values and (draws, answerers) draws of tpr - fpr."""
    scenes = sheet.scenes[cell.items]
    says_yes = sheet.labels[:, cell.items] == YES
    sums = scene_sums(scenes, np.vstack([says_yes & positive, says_yes & ~positive, positive, ~positive])).numerators
    counts = draw_counts(sums.shape[1]).astype(np.float64)
    if sums.shape[1] == 1:
        counts = counts[:0]  # one scene leaves nothing to resample
    true, false = np.split(sums[:-2], 2)
    rates = true.sum(axis=1) / positive.sum() - false.sum(axis=1) / (~positive).sum()
    # A draw without a true or without a false claim has no rate.
    sizes = counts @ sums[-2:].T
    counts, sizes = counts[(sizes > 0).all(axis=1)], sizes[(sizes > 0).all(axis=1)]
    return rates, (counts @ true.T) / sizes[:, :1] - (counts @ false.T) / sizes[:, 1:]


def add_pair_rates(
    figures: Figures,
    sheet: LabelSheet,
    group: Group,
    names: Sequence[str],
    positives: npt.NDArray[np.intp],
    negatives: npt.NDArray[np.intp],
) -> None:
    """Add pair_both_rate, the share of pairs right on both sides, and pair_lead, how far that is above guessing.

    pair_lead is the share less p(1 - p), which guessing at its rate p of Yes gives.

    Guessing at rates that differ from prompt to prompt gives less than p(1 - p) at their mean, so that a lead is
    more than any answerer has who sees the prompt alone.

    Args:
        figures: Receives the rows.
        sheet: Questions and answers.
        group: What the pairs are of.
        names: The answerers.
        positives: (pairs,) positions in the sheet.
        negatives: (pairs,) positions in the sheet.
    """
    rows = [sheet.row(name) for name in names]
    both = (sheet.correct[rows][:, positives] & sheet.correct[rows][:, negatives]).astype(np.float64)
    says_yes = sheet.labels[rows] == YES
    yes = (says_yes[:, positives].astype(np.float64) + says_yes[:, negatives]) / 2
    _, place = np.unique(sheet.scenes[np.concatenate([positives, negatives])], return_inverse=True)
    scenes = int(place.max()) + 1
    first, second = np.split(place.reshape(-1), 2)
    # Pairs of the same two scenes come up together; all sums are multiples of one half, so that none is rounded.
    together, of_pair = np.unique(first * scenes + second, return_inverse=True)
    sums = [np.array([np.bincount(of_pair, one) for one in ones]).T for ones in (both, yes)]
    sizes = np.bincount(of_pair)
    drawn = []
    for counts in np.array_split(draw_counts(scenes).astype(np.float64), _BLOCKS):
        weights = counts[:, together // scenes] * counts[:, together % scenes]
        totals = weights @ sizes
        weights, totals = weights[totals > 0], totals[totals > 0, None]
        drawn.append(np.stack([weights @ one / totals for one in sums]))
    rates = np.stack([both.mean(axis=1), yes.mean(axis=1)])
    for metric, of_rates in (("pair_both_rate", _both), ("pair_lead", _over_guessing)):
        bounds = bounds_of_draws(of_rates(*np.concatenate(drawn, axis=1)))
        figures.add_bounded(metric, group, names, of_rates(*rates), bounds, positives.size)


def _both(both: npt.NDArray[np.float64], _yes: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    return both


def _over_guessing(both: npt.NDArray[np.float64], yes: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    return both - yes * (1.0 - yes)
