"""What a text metric is: something that gives every pair of texts a score, and many pairs one score together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
import numpy.typing as npt

from probe4d.diagnosis.text_metrics.fingerprint import Fingerprint

__all__ = ["TextMetric", "Texts", "means_of_sums"]

Texts = Sequence[str]
"""Texts, in the order of those that they are compared with."""


class TextMetric(Protocol):
    """A metric with its options: small, comparable and picklable, since it is sent to worker processes.

    What is large (a dictionary, a model) is opened once a process, where it is first used.
    """

    @property
    def name(self) -> str:
        """Name in tables."""

    @property
    def in_processes(self) -> bool:
        """Whether pairs may be split among processes; what opens a model stays in this one."""

    def fingerprint(self) -> Fingerprint:
        """What decides its values."""

    def statistics(self, candidates: Texts, references: Texts) -> npt.NDArray[np.float64]:
        """Compare each candidate with its reference, whatever the other pairs are.

        Returns:
            (pairs, k): the score of the pair, 0 to 1, and what else `corpus` takes.
        """

    def corpus(self, statistics: npt.NDArray[np.float64]) -> float:
        """The score of several pairs together, 0 to 1, from their rows (pairs, k) of `statistics`, at least one."""

    def corpora(self, sums: npt.NDArray[np.float64], pairs: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """The scores of many sets of pairs at once, as the draws of a bootstrap are.

        Args:
            sums: (sets, k) sums of the rows of `statistics` in each.
            pairs: (sets,) how many rows they are of, at least one.

        Returns:
            (sets,): what `corpus` gives for each, but for the last digits.
        """


def means_of_sums(sums: npt.NDArray[np.float64], pairs: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """`TextMetric.corpora` of a metric whose score of several pairs is the mean of theirs."""
    return sums[:, 0] / pairs
