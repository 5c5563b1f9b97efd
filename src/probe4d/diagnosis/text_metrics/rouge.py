"""ROUGE-L (Lin, 2004), by Google's rouge-score."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from probe4d.diagnosis.text_metrics.fingerprint import Fingerprint, fingerprint_of
from probe4d.diagnosis.text_metrics.metric import Texts, means_of_sums
from probe4d.extras import needed

__all__ = ["RougeL"]


@dataclass(frozen=True)
class RougeL:
    """F of the longest common subsequence of words, the whole text as one sentence; of several pairs the mean.

    Words are as rouge-score has them: of the letters a to z and digits, in small letters; others part words.
    """

    @property
    def name(self) -> str:
        """Name in tables."""
        return "ROUGE-L"

    @property
    def in_processes(self) -> bool:
        """See `TextMetric.in_processes`."""
        return True

    def fingerprint(self) -> Fingerprint:
        """Version of rouge-score and its options.

        Raises:
            InputError: The extra `text` is not installed.
        """
        _scorer()
        return fingerprint_of(self.name, "rouge-score", {"value": "F", "stemmer": "none", "corpus": "mean of pairs"})

    def statistics(self, candidates: Texts, references: Texts) -> npt.NDArray[np.float64]:
        """See `TextMetric.statistics`.

        Raises:
            InputError: The extra `text` is not installed.
        """
        scorer = _scorer()
        return np.array(
            [
                scorer.score(reference, candidate)["rougeL"].fmeasure
                for candidate, reference in zip(candidates, references, strict=True)
            ],
            dtype=np.float64,
        ).reshape(-1, 1)

    def corpus(self, statistics: npt.NDArray[np.float64]) -> float:
        """See `TextMetric.corpus`."""
        return float(statistics[:, 0].mean())

    def corpora(self, sums: npt.NDArray[np.float64], pairs: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """See `TextMetric.corpora`."""
        return means_of_sums(sums, pairs)


@lru_cache
def _scorer() -> Any:
    scorer = needed("rouge_score.rouge_scorer", extra="text", user="ROUGE-L")
    return scorer.RougeScorer(["rougeL"], use_stemmer=False)
