"""How two scores of the same items go together, in many samples of the items at once.

Pearson's and Spearman's correlation, the mean absolute difference, and the quadratic weighted kappa. The last needs no
categories: with squared distances as weights it is a ratio of moments, 2 cov(x, y) / (var x + var y + (mean x - mean
y)^2), which for scores between whole points goes on as Lin's coefficient of concordance (Fleiss and Cohen, 1973; Lin,
1989).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

__all__ = ["CORRELATIONS", "FIGURES", "ComparedScores"]

Scores = npt.NDArray[np.float64]

CORRELATIONS = ("pearson", "spearman")
FIGURES = (*CORRELATIONS, "mean_absolute_difference", "quadratic_weighted_kappa")
"""Names of figures, as tables have them."""


class ComparedScores:
    """The scores of people and of a judge, ready to be weighted in many ways."""

    def __init__(self, human: Scores, judge: Scores) -> None:
        self._pair = (human, judge)
        self._orders = [np.argsort(scores, kind="stable") for scores in self._pair]

    def figures(self, weights: Scores) -> Scores:
        """The figures where each item counts so often.

        Args:
            weights: (draws, items), whole numbers.

        Returns:
            (draws, figures) in the order of `FIGURES`; NaN where one is not defined.
        """
        human, judge = self._pair
        constant = [_are_equal(weights, scores) for scores in self._pair]
        scores = _moments(weights, human[None], judge[None])
        covariance = np.where(constant[0] | constant[1], 0.0, scores.covariance)  # which rounding may leave aside of 0
        ranks = _moments(weights, *(_mid_ranks(weights, *pair) for pair in zip(self._pair, self._orders, strict=True)))
        apart = scores.means[0] - scores.means[1]
        with np.errstate(invalid="ignore", divide="ignore"):
            ratios = [of.covariance / np.sqrt(of.variances[0] * of.variances[1]) for of in (scores, ranks)]
            ratios.append(2 * covariance / (scores.variances[0] + scores.variances[1] + apart**2))
        pearson, spearman, kappa = np.clip(ratios, -1.0, 1.0)  # which rounding may pass
        difference = weights @ np.abs(human - judge) / weights.sum(axis=1)
        figures = np.column_stack([pearson, spearman, difference, kappa])
        figures[constant[0] | constant[1], : len(CORRELATIONS)] = np.nan
        figures[constant[0] & constant[1] & (difference == 0), -1] = np.nan
        return figures


class _Moments(NamedTuple):
    """Of two scores x and y, each (draws,): means, variances and covariance."""

    means: tuple[Scores, Scores]
    variances: tuple[Scores, Scores]
    covariance: Scores


def _moments(weights: Scores, x: Scores, y: Scores) -> _Moments:
    """Moments over items, weighted.

    Args:
        weights: (draws, items).
        x: (draws, items), or (1, items) where they are alike in all draws.
        y: Likewise.
    """
    n = weights.sum(axis=1)

    def mean(values: Scores) -> Scores:
        return np.asarray((weights * values).sum(axis=1) / n)

    means = mean(x), mean(y)
    x, y = x - means[0][:, None], y - means[1][:, None]
    return _Moments(means, (mean(x * x), mean(y * y)), mean(x * y))


def _are_equal(weights: Scores, scores: Scores) -> npt.NDArray[np.bool_]:
    """(draws,): whether all scores that were drawn are equal."""
    drawn = weights > 0
    highest = np.where(drawn, scores, -np.inf).max(axis=1)
    lowest = np.where(drawn, scores, np.inf).min(axis=1)
    return np.asarray(highest == lowest)


def _mid_ranks(weights: Scores, scores: Scores, order: npt.NDArray[np.intp]) -> Scores:
    """(draws, items): rank of each score among those drawn, the mean of their ranks where scores are equal."""
    ordered = scores[order]
    starts = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]])
    of_ties = np.add.reduceat(weights[:, order], starts, axis=1)
    ranks = np.cumsum(of_ties, axis=1) - (of_ties - 1) / 2
    which = np.empty(order.size, dtype=np.intp)
    which[order] = np.repeat(np.arange(starts.size), np.diff(np.r_[starts, order.size]))
    return np.asarray(ranks[:, which])
