"""Judgements beside what people said of the same answers, to see how far a judge is to be trusted (STRIDE, A.5)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from probe4d.diagnosis.agreement.with_people import JudgeLabels
from probe4d.diagnosis.judging.judgements import Judgements, JudgeRecord
from probe4d.errors import InputError
from probe4d.wording import counted

__all__ = ["with_judgements"]

_DIGEST_DIGITS = 16


def with_judgements(labels: JudgeLabels, judgements: Sequence[Judgements]) -> JudgeLabels:
    """Add models that judged a run to the judges, each under the name of its folder.

    An item is the question whose answer was judged (with a slash and the variant, where the run's setting asks in
    several). What a folder has no verdict on is unscored.

    Args:
        labels: What people said.
        judgements: Folders of judgements.

    Raises:
        InputError: A judge has that name already, scores on another scale, or has judged none of the items.
    """
    judges, fingerprints = dict(labels.judges), dict(labels.fingerprints)
    for one in judgements:
        name = one.path.resolve().name
        if name in judges:
            raise InputError(f"is called as the judge {name!r} is.", path=one.path, remedy="Rename the folder.")
        if one.record.highest != labels.scale:
            raise InputError(
                f"has scores of 0 to {one.record.highest}, and those of people are said to be of 0 to {labels.scale}.",
                path=one.path,
                remedy="Say which scale people had (scale=, --scale), and let judges have the same.",
            )
        if not any(item in one.by_key for item in labels.items):
            raise InputError(
                f"judges none of the {counted(len(labels.items), 'item')}.",
                path=one.path,
                remedy="Give as items the ids of the questions whose answers were judged.",
            )
        scores = [one.by_key[item].score if item in one.by_key else None for item in labels.items]
        judges[name] = np.array([math.nan if score is None else score for score in scores], dtype=np.float64)
        fingerprints[name] = _fingerprint(name, one.record)
    return replace(labels, judges=judges, fingerprints=fingerprints)


def _fingerprint(name: str, record: JudgeRecord) -> str:
    shown = record.evidence.view or "none"
    return (
        f"{name}: {record.model} {record.judge[:_DIGEST_DIGITS]}; run {record.run}; evidence {shown}; "
        f"rubric {record.rubric} {record.prompt[:_DIGEST_DIGITS]}"
    )
