"""DCScore (Zhu et al., 2025): how diverse texts are, as how well a classifier tells each from the others.

Every text is a class of its own; the score is the sum over texts of the probability that it is taken for itself, by
the softmax over its cosines with all texts. Of n texts it is 1 where all are the same, and it grows with n: only scores
of equally many texts compare, which is why equally many are drawn from each data set (B4DL, Sec. 5.3).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib.metadata import version
from pathlib import Path

import msgspec
import numpy as np
import numpy.typing as npt

from probe4d.diagnosis.text_metrics.fingerprint import Fingerprint, fingerprint_of
from probe4d.diagnosis.text_metrics.question_answers import QuestionAnswer
from probe4d.diagnosis.text_metrics.sentences import SentenceEncoder, open_sentence_encoder
from probe4d.errors import InputError
from probe4d.wording import counted

__all__ = ["DRAWS", "PAIRS", "SEED", "Diversity", "dc_score", "diversity"]

DRAWS = 100
PAIRS = 1_000
"""Of the published protocol (B4DL, Sec. 5.3)."""

SEED = 0
_TEMPERATURE = 1.0


class Diversity(msgspec.Struct, frozen=True, kw_only=True):
    """How diverse the questions and answers of a data set are.

    Attributes:
        mean: Mean of the scores of the draws.
        deviation: Their standard deviation (n − 1); null of one draw.
        scores: The score of each draw.
        available: Pairs of a question and its answer that were drawn from.
        distinct: How many of them differ.
        fingerprint: What it was computed with.
    """

    mean: float
    deviation: float | None
    scores: list[float]
    available: int
    distinct: int
    fingerprint: Fingerprint


def dc_score(vectors: npt.NDArray[np.floating]) -> float:
    """DCScore of texts at temperature 1, 1 to n.

    Args:
        vectors: (n, width) of length 1.
    """
    likeness = np.exp((vectors @ vectors.T) / _TEMPERATURE)
    return float((likeness.diagonal() / likeness.sum(axis=1, dtype=np.float64)).sum())


def diversity(
    pairs: Sequence[QuestionAnswer],
    encoder: Path | str,
    *,
    pairs_a_draw: int = PAIRS,
    draws: int = DRAWS,
    seed: int = SEED,
    device: str | None = None,
    done: Callable[[object], None] | None = None,
) -> Diversity:
    """Score draws without replacement from questions with their answers; their order does not matter.

    A text is the question, a blank and the answer. Each is read by the encoder once.

    Args:
        pairs: Questions and answers.
        encoder: Folder of an encoder of sentences (see `open_sentence_encoder`).
        pairs_a_draw: Pairs of each draw.
        draws: Number of draws.
        seed: Of the draws.
        device: Where the encoder runs; null takes an accelerator where there is one.
        done: Told of each distinct text that was read.

    Raises:
        InputError: There are fewer pairs than a draw takes, or as `open_sentence_encoder`.
        RunError: The memory does not suffice.
    """
    if len(pairs) < pairs_a_draw:
        raise InputError(
            f"holds {counted(len(pairs), 'pair')} of a question and its answer, fewer than the {pairs_a_draw:,} of a "
            "draw.",
            remedy="Draw fewer (--pairs N): scores of unlike N do not compare.",
        )
    opened = open_sentence_encoder(Path(encoder), user="DCScore", device=device)
    texts = sorted(f"{question} {answer}" for question, answer in pairs)
    vectors = opened.vectors(texts, done=done)
    generator = np.random.default_rng(seed)
    scores = [dc_score(vectors[generator.choice(len(texts), size=pairs_a_draw, replace=False)]) for _ in range(draws)]
    return Diversity(
        mean=float(np.mean(scores)),
        deviation=float(np.std(scores, ddof=1)) if draws > 1 else None,
        scores=scores,
        available=len(texts),
        distinct=len(set(texts)),
        fingerprint=_fingerprint(opened, pairs_a_draw, draws, seed),
    )


def _fingerprint(opened: SentenceEncoder, pairs_a_draw: int, draws: int, seed: int) -> Fingerprint:
    encoder = opened.encoder
    options = {
        "torch": version("torch"),
        "encoder": f"{encoder.model.config.model_type} {encoder.digest}",
        "longest": f"{encoder.longest} tokens",
        "case": "lower" if opened.lower_case else "kept",
        "pooling": "mean",
        "text": "question and answer",
        "temperature": _TEMPERATURE,
        "pairs a draw": pairs_a_draw,
        "draws": draws,
        "seed": seed,
    }
    return fingerprint_of("DCScore", "transformers", options)
