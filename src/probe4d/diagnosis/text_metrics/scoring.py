"""Scores many pairs of texts on several metrics, here or in worker processes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import polars as pl

from probe4d import engine
from probe4d.diagnosis.text_metrics.fingerprint import Fingerprint, refuse_unlike
from probe4d.diagnosis.text_metrics.metric import TextMetric, Texts

__all__ = ["TextScores", "compare_corpora", "score_texts"]

_PAIRS_AT_ONCE = 1_000
"""Enough that what a worker process opens (a second, for METEOR) is a small part of its work."""


@dataclass(frozen=True)
class TextScores:
    """What one metric says of pairs of texts.

    Attributes:
        metric: The metric.
        fingerprint: What its values were computed with.
        statistics: (pairs, k) as `TextMetric.statistics` gives them.
    """

    metric: TextMetric
    fingerprint: Fingerprint
    statistics: npt.NDArray[np.float64]

    @property
    def of_pairs(self) -> npt.NDArray[np.float64]:
        """(pairs,): the score of each pair, 0 to 1."""
        return self.statistics[:, 0]

    def corpus(self, rows: npt.NDArray[np.bool_] | slice = slice(None)) -> float | None:
        """The score of pairs together, 0 to 1; null where there is none.

        Args:
            rows: Which pairs, such as those of one task; all where it is left out.
        """
        statistics = self.statistics[rows]
        return self.metric.corpus(statistics) if statistics.shape[0] else None


class _Batch(NamedTuple):
    candidates: Texts
    references: Texts


def score_texts(
    candidates: Texts,
    references: Texts,
    metrics: Sequence[TextMetric],
    *,
    workers: int = 1,
    done: Callable[[object], None] | None = None,
) -> dict[str, TextScores]:
    """Compare answers with references. An empty text shares nothing with any, and scores 0.

    Args:
        candidates: The answers.
        references: What each is compared with, in their order.
        metrics: By what; `Bleu`, `RougeL`, `Meteor` and `BertScore` are there.
        workers: Processes; the values do not depend on it.
        done: Told of each finished batch of a thousand pairs, and again by each metric that stays in this process.

    Returns:
        Scores by the name of the metric.

    Raises:
        InputError: The extra `text` is not installed, or a metric cannot open what it needs.
        ValueError: There are more candidates than references, or fewer.
    """
    if len(candidates) != len(references):
        raise ValueError(f"there are {len(candidates)} candidates and {len(references)} references")
    fingerprints = [metric.fingerprint() for metric in metrics]  # first: what is missing is told before any work
    split = tuple(metric for metric in metrics if metric.in_processes)
    batches = [
        _Batch(candidates[start : start + _PAIRS_AT_ONCE], references[start : start + _PAIRS_AT_ONCE])
        for start in range(0, max(len(candidates), 1), _PAIRS_AT_ONCE)
    ]
    found: dict[TextMetric, npt.NDArray[np.float64]] = {}
    for together in filter(None, [split, *((metric,) for metric in metrics if not metric.in_processes)]):
        parts = engine.over(
            partial(_statistics, together), batches, workers=workers if together is split else 1, done=done
        )
        found |= zip(together, map(np.vstack, zip(*parts, strict=True)), strict=True)
    return {
        metric.name: TextScores(metric, fingerprint, found[metric])
        for metric, fingerprint in zip(metrics, fingerprints, strict=True)
    }


def _statistics(metrics: Sequence[TextMetric], batch: _Batch) -> list[npt.NDArray[np.float64]]:
    return [metric.statistics(batch.candidates, batch.references) for metric in metrics]


def compare_corpora(runs: Mapping[str, Mapping[str, TextScores]]) -> pl.DataFrame:
    """Put the scores of several runs beside one another: columns run, metric, value (0 to 1), n, fingerprint.

    Args:
        runs: What `score_texts` gave, by the name of the run.

    Raises:
        InputError: A metric of two runs was computed in two ways.
    """
    names = dict.fromkeys(name for scores in runs.values() for name in scores)
    for name in names:
        refuse_unlike({run: scores[name].fingerprint for run, scores in runs.items() if name in scores})
    rows = [
        (run, name, scores[name].corpus(), scores[name].statistics.shape[0], str(scores[name].fingerprint))
        for name in names
        for run, scores in runs.items()
        if name in scores
    ]
    schema = {"run": pl.String, "metric": pl.String, "value": pl.Float64, "n": pl.Int64, "fingerprint": pl.String}
    return pl.DataFrame(rows, schema=schema, orient="row")
