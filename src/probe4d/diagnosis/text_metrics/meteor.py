"""METEOR (Banerjee and Lavie, 2005; Lavie and Agarwal, 2007), by NLTK: not the Java program meteor-1.5.

The two disagree by a third of the scale on the same texts. NLTK's aligns greedily (exact words, then stems, then
synonyms of WordNet) with one weight for all, alpha 0.9, beta 3, gamma 0.5; the Java program searches for the alignment
with the fewest chunks, weighs content above function words, knows paraphrases and has other parameters.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path

import numpy as np
import numpy.typing as npt

from probe4d.diagnosis.text_metrics.fingerprint import Fingerprint, fingerprint_of
from probe4d.diagnosis.text_metrics.metric import Texts, means_of_sums
from probe4d.diagnosis.text_metrics.tokens import nltk, tokens
from probe4d.diagnosis.text_metrics.wordnet import files_digest, open_wordnet

__all__ = ["Meteor"]

_PARAMETERS = {"alpha": 0.9, "beta": 3.0, "gamma": 0.5}
"""Of Lavie and Agarwal (2007), which are NLTK's own."""

_WORDS_KEPT = 2**16
"""Whose stems a process remembers."""


@dataclass(frozen=True)
class Meteor:
    """METEOR as NLTK computes it, in small letters; of several pairs the mean.

    Words are the tokens of `tokens.tokens`.

    Attributes:
        wordnet: Folder of WordNet's database files (see `wordnet.open_wordnet`).
    """

    wordnet: Path | str

    @property
    def name(self) -> str:
        """Name in tables."""
        return "METEOR"

    @property
    def in_processes(self) -> bool:
        """See `TextMetric.in_processes`."""
        return True

    def fingerprint(self) -> Fingerprint:
        """Version of NLTK, the parameters, and a digest of WordNet's files.

        Raises:
            InputError: The extra `text` is not installed, or there is no WordNet in the folder.
        """
        nltk("translate.meteor_score")
        return fingerprint_of(
            self.name,
            "nltk",
            {
                "tokens": "NLTKWordTokenizer after untrained Punkt",
                "case": "lower",
                "stemmer": "Porter",
                "WordNet": files_digest(Path(self.wordnet)),
                **_PARAMETERS,
                "corpus": "mean of pairs",
            },
        )

    def statistics(self, candidates: Texts, references: Texts) -> npt.NDArray[np.float64]:
        """See `TextMetric.statistics`.

        Raises:
            InputError: The extra `text` is not installed, or there is no sound WordNet in the folder.
        """
        score = nltk("translate.meteor_score").single_meteor_score
        answers, rights = ([tokens(text) for text in texts] for texts in (candidates, references))
        stemmer = _stemmer()
        there = {stemmer.stem(word.lower()) for words in rights for word in words}  # NLTK looks synonyms of stems up
        how = {"stemmer": stemmer, "wordnet": open_wordnet(Path(self.wordnet)).among(there), **_PARAMETERS}
        scores = [score(right, answer, **how) for answer, right in zip(answers, rights, strict=True)]
        return np.array(scores, dtype=np.float64).reshape(-1, 1)

    def corpus(self, statistics: npt.NDArray[np.float64]) -> float:
        """See `TextMetric.corpus`."""
        return float(statistics[:, 0].mean())

    def corpora(self, sums: npt.NDArray[np.float64], pairs: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """See `TextMetric.corpora`."""
        return means_of_sums(sums, pairs)


class _Stemmer:
    """Porter's stemmer as NLTK's METEOR asks for it, each word cut once."""

    def __init__(self) -> None:
        self.stem = lru_cache(maxsize=_WORDS_KEPT)(nltk("stem.porter").PorterStemmer().stem)


@cache
def _stemmer() -> _Stemmer:
    return _Stemmer()
