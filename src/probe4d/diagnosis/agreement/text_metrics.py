"""Text metrics as judges of answers, to see how well they agree with people (STRIDE, Table 4)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from probe4d.diagnosis.agreement.with_people import JudgeLabels
from probe4d.diagnosis.text_metrics.metric import TextMetric
from probe4d.diagnosis.text_metrics.scoring import score_texts
from probe4d.errors import InputError

__all__ = ["with_text_metrics"]


def with_text_metrics(labels: JudgeLabels, metrics: Sequence[TextMetric], *, workers: int = 1) -> JudgeLabels:
    """Add text metrics to the judges; their scores, 0 to 1, are stretched to the scale.

    An item without answer or without reference is unscored.

    Args:
        labels: Scores with texts.
        metrics: Which metrics.
        workers: Processes.

    Raises:
        InputError: There are no texts, a judge is called as a metric is, or as `score_texts`.
    """
    if labels.references is None or labels.answers is None:
        raise InputError("there are no references and answers to compare.", remedy="Add the columns of both.")
    for metric in metrics:
        if metric.name in labels.judges:
            raise InputError(
                f"a judge is called {metric.name!r}, as the text metric is.", remedy="Rename or remove its column."
            )
    pairs = list(zip(labels.answers, labels.references, strict=True))
    there = np.array([None not in pair for pair in pairs], dtype=np.bool_)
    texts = [(answer, reference) for answer, reference in pairs if answer is not None and reference is not None]
    scored = score_texts([answer for answer, _ in texts], [right for _, right in texts], metrics, workers=workers)
    judges = dict(labels.judges)
    for name, scores in scored.items():
        judges[name] = np.full(len(pairs), np.nan)
        judges[name][there] = labels.scale * scores.of_pairs
    fingerprints = {name: str(scores.fingerprint) for name, scores in scored.items()}
    return replace(labels, judges=judges, fingerprints={**labels.fingerprints, **fingerprints})
