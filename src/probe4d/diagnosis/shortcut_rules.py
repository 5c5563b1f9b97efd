"""Puts a shortcut into words."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from probe4d.diagnosis.sheet import NO, YES, label_of
from probe4d.diagnosis.shortcut_features import Feature
from probe4d.diagnosis.wording import listed

__all__ = ["rule_in_words"]

_MOST_WORDS = 8
_NOUNS = {"relation": "proposed relation", "frame": "first frame asked about"}


def rule_in_words(feature: Feature, values: npt.NDArray[np.intp], own: npt.NDArray[np.int8], kind: str) -> str:
    """Say what a model answers to which value of a feature.

    Args:
        feature: The feature.
        values: Its codes at the questions that got a valid answer.
        own: (questions,) label codes of those answers.
        kind: Format of the questions.
    """
    if feature.kind == "letter":
        return f"picks option {label_of(int(np.bincount(own).argmax()), kind)} whatever the options say"
    if feature.kind == "option":
        return _preference(feature, values, own)
    noun = " and ".join(_NOUNS.get(part, part) for part in feature.name.split(" and "))
    counts = np.zeros((len(feature.words), int(max(own.max(), YES)) + 1), dtype=np.int64)
    np.add.at(counts, (values, own), 1)
    usual = int(counts.sum(axis=0).argmax())
    asked = counts.sum(axis=1) > 0
    # A tie inside a value says nothing about it; it stays with the usual answer.
    answers = np.where(counts.max(axis=1) > counts[:, usual], counts.argmax(axis=1), usual)
    if kind == "yes-no" and usual == YES and _count(answers, YES, asked) <= _count(answers, NO, asked):
        usual = NO
    if kind == "yes-no" and usual == NO and _count(answers, NO, asked) < _count(answers, YES, asked):
        usual = YES
    clauses = []
    for answer in np.unique(answers[asked]):
        if answer != usual:
            words = [feature.words[code] for code in np.flatnonzero(asked & (answers == answer))]
            clauses.append(f"{label_of(int(answer), kind)} when the {noun} is {_one_of(words)}")
    if not clauses:
        return f"answers {label_of(usual, kind)} whatever the {noun}"
    return f"answers {', '.join(clauses)}, else {label_of(usual, kind)}"


def _count(answers: npt.NDArray[np.intp], label: int, asked: npt.NDArray[np.bool_]) -> int:
    return int((asked & (answers == label)).sum())


def _preference(feature: Feature, values: npt.NDArray[np.intp], own: npt.NDArray[np.int8]) -> str:
    size = len(feature.words)
    offered = np.bincount(values[values >= 0], minlength=size)
    chosen = np.bincount(values[np.arange(own.size), own], minlength=size)
    score = (chosen + 1.0) / (offered - chosen + 1.0)
    order = [code for code in np.argsort(-score, kind="stable") if offered[code]]
    return f"prefers the option that says {', then '.join(feature.words[code] for code in order[:_MOST_WORDS])}"


def _one_of(words: Sequence[str]) -> str:
    if len(words) > _MOST_WORDS:
        return f"one of {len(words)} such as {', '.join(words[:_MOST_WORDS])}"
    return listed(words, "or")
