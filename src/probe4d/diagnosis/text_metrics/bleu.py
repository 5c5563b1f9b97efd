"""BLEU-4 (Papineni et al., 2002), by sacrebleu (Post, 2018)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from probe4d.diagnosis.text_metrics.fingerprint import Fingerprint, fingerprint_of
from probe4d.diagnosis.text_metrics.metric import Texts
from probe4d.extras import needed

__all__ = ["Bleu"]

_ORDERS = 4
_OF_PERCENT = 100.0


@dataclass(frozen=True)
class Bleu:
    """BLEU-4 with the usual options of sacrebleu: tokens as mteval-v13a has them, exponential smoothing.

    The score of several pairs is that of the corpus: counts are summed before they are divided. The score of one pair
    takes only as many orders of n-grams as the answer has (effective order), as sacrebleu advises for sentences: an
    answer of three words would else score 0, whatever it said.
    """

    @property
    def name(self) -> str:
        """Name in tables."""
        return "BLEU-4"

    @property
    def in_processes(self) -> bool:
        """See `TextMetric.in_processes`."""
        return True

    def fingerprint(self) -> Fingerprint:
        """Version of sacrebleu with its signatures, of a pair and of a corpus.

        Raises:
            InputError: The extra `text` is not installed.
        """
        signatures = {}
        for what, effective_order in (("pairs", True), ("corpus", False)):
            scorer = _scorer(effective_order=effective_order)
            scorer.corpus_score([""], [[""]])  # a signature tells the number of references, which only a score knows
            signatures[what] = scorer.get_signature()
        return fingerprint_of(self.name, "sacrebleu", signatures)

    def statistics(self, candidates: Texts, references: Texts) -> npt.NDArray[np.float64]:
        """See `TextMetric.statistics`; behind the score stand lengths, matches and numbers of n-grams.

        Raises:
            InputError: The extra `text` is not installed.
        """
        scorer = _scorer(effective_order=True)
        rows = np.empty((len(candidates), 3 + 2 * _ORDERS))
        for row, candidate, reference in zip(rows, candidates, references, strict=True):
            score = scorer.sentence_score(candidate, [reference])
            row[:] = (score.score / _OF_PERCENT, score.sys_len, score.ref_len, *score.counts, *score.totals)
        return rows

    def corpus(self, statistics: npt.NDArray[np.float64]) -> float:
        """See `TextMetric.corpus`."""
        candidate_words, reference_words, *counts = map(int, statistics[:, 1:].sum(axis=0))
        scorer = _scorer(effective_order=False)
        score = scorer.compute_bleu(
            counts[:_ORDERS],
            counts[_ORDERS:],
            candidate_words,
            reference_words,
            smooth_method=scorer.smooth_method,
            smooth_value=scorer.smooth_value,
            effective_order=scorer.effective_order,
            max_ngram_order=_ORDERS,
        )
        return float(score.score) / _OF_PERCENT

    def corpora(self, sums: npt.NDArray[np.float64], pairs: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """See `TextMetric.corpora`; the formula is that of `sacrebleu.metrics.BLEU.compute_bleu`."""
        said, right = sums[:, 1], sums[:, 2]
        matches, grams = sums[:, 3 : 3 + _ORDERS], sums[:, 3 + _ORDERS :]
        none = matches == 0
        smoothed = np.where(none, 0.5 ** np.cumsum(none & (grams > 0), axis=1), matches)
        with np.errstate(divide="ignore", invalid="ignore"):
            precisions = np.where(grams > 0, smoothed / grams, 0.0)
            brevity = np.where(said < right, np.exp(1 - right / said), 1.0)
            scores = brevity * np.exp(np.log(precisions).mean(axis=1))
        return np.where(none.all(axis=1), 0.0, scores)


@lru_cache
def _scorer(*, effective_order: bool) -> Any:
    """The scorer of sacrebleu, whose cache of tokens lasts as long as the process."""
    metrics = needed("sacrebleu.metrics", extra="text", user="BLEU-4")
    # force: answers end in " ." where a model writes so, which is no sign of a mistake of whoever scores them.
    return metrics.BLEU(effective_order=effective_order, max_ngram_order=_ORDERS, tokenize="13a", force=True)
