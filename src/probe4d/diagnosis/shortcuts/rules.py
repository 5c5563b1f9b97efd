"""Puts a shortcut into words."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from probe4d.diagnosis.sheets.labels import NO, YES, label_of
from probe4d.diagnosis.shortcuts.features import OPTION_LENGTH, Feature
from probe4d.wording import listed

__all__ = ["rule_in_words"]

_MOST_WORDS = 8
_MOST_RANGES = 4
_MONOTONE = 0.7  # rank correlation of length and preference from which "long" or "short" says it


def rule_in_words(
    feature: Feature,
    values: npt.NDArray[np.intp],
    own: npt.NDArray[np.integer],
    kind: str,
    options: Sequence[str] = (),
) -> str:
    """Say what a model answers to which value of a feature.

    Args:
        feature: The feature.
        values: Its codes at the questions that got a valid answer.
        own: (questions,) label codes of those answers.
        kind: Format of the questions.
        options: What label codes say, where these are no letters and no yes or no.
    """
    if feature.kind == "letter":
        return f"picks option {label_of(int(np.bincount(own).argmax()), kind, options)} whatever the options say"
    if feature.kind == "option":
        return _preference(feature, values, own)
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
            where = answers == answer
            words = _ranges(feature.words, where, asked) if feature.ordered else _words(feature.words, where & asked)
            clauses.append(f"{label_of(int(answer), kind, options)} when the {feature.noun} is {words}")
    if not clauses:
        return f"answers {label_of(usual, kind, options)} whatever the {feature.noun}"
    return f"answers {', '.join(clauses)}, else {label_of(usual, kind, options)}"


def _count(answers: npt.NDArray[np.intp], label: int, asked: npt.NDArray[np.bool_]) -> int:
    return int((asked & (answers == label)).sum())


def _preference(feature: Feature, values: npt.NDArray[np.intp], own: npt.NDArray[np.integer]) -> str:
    size = len(feature.words)
    offered = np.bincount(values[values >= 0], minlength=size)
    chosen = np.bincount(values[np.arange(own.size), own], minlength=size)
    score = (chosen + 1.0) / (offered - chosen + 1.0)
    order = [code for code in np.argsort(-score, kind="stable") if offered[code]]
    if feature.ordered:
        ranks = np.argsort(np.argsort([int(feature.words[code]) for code in order]))
        # The most preferred comes first.
        correlation = float(np.corrcoef(ranks, -np.arange(ranks.size))[0, 1]) if ranks.size > 1 else 0.0
        if feature.name == OPTION_LENGTH:
            return _length_preference([feature.words[code] for code in order], correlation)
        if abs(correlation) >= _MONOTONE:
            return f"prefers {'long' if correlation > 0 else 'short'} intervals"
        lengths_in_words = ", then ".join(feature.words[code] for code in order[:_MOST_WORDS])
        return f"prefers intervals that span {lengths_in_words} frames"
    return f"prefers the option that says {', then '.join(feature.words[code] for code in order[:_MOST_WORDS])}"


def _length_preference(ranks: Sequence[str], correlation: float) -> str:
    """Say which of a question's options is picked by its length; ranks, 1 for the longest, the most preferred first."""
    if ranks[0] == "1":
        return "picks the longest option text"
    if int(ranks[0]) == max(map(int, ranks)) or correlation >= _MONOTONE:
        return "picks the shortest option text"
    return f"prefers option texts by length, 1 the longest: {', then '.join(ranks)}"


def _ranges(words: Sequence[str], where: npt.NDArray[np.bool_], asked: npt.NDArray[np.bool_]) -> str:
    """Numbers as ranges that reach over those never asked about: `before 20`, `from 4 to 9`, `30 or later`."""
    numbers = np.array([int(word) for word in words])[asked]
    inside = where[asked]
    edges = np.flatnonzero(np.diff(np.r_[False, inside, False].astype(np.int8)))
    found = []
    for start, stop in zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True):
        first, last = int(numbers[start]), int(numbers[stop - 1])
        told = str(first) if first == last else f"from {first} to {last}"
        if start == 0:
            told = f"before {numbers[stop]}"
        elif stop == numbers.size:
            told = f"{first} or later"
        found.append((stop - start, told))
    if len(found) <= _MOST_RANGES:
        return listed([told for _, told in found], "or")
    longest = sorted(range(len(found)), key=lambda place: -found[place][0])[:_MOST_RANGES]
    return f"in one of {len(found)} ranges such as {', '.join(found[place][1] for place in sorted(longest))}"


def _words(words: Sequence[str], where: npt.NDArray[np.bool_]) -> str:
    return _one_of([words[code] for code in np.flatnonzero(where).tolist()])


def _one_of(words: Sequence[str]) -> str:
    if len(words) > _MOST_WORDS:
        return f"one of {len(words)} such as {', '.join(words[:_MOST_WORDS])}"
    return listed(words, "or")
