"""Reads what a judge replied: one JSON object with the scores of its rubric, or no verdict at all."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, NamedTuple

from probe4d.diagnosis.judging.rubrics import Rubric
from probe4d.diagnosis.parsing.normalise import after_last_thought
from probe4d.diagnosis.parsing.parsed import CUT_REASONS

__all__ = ["Verdict", "json_objects", "read_verdict"]

_MOST_CHARACTERS = 100_000
"""Of a reply that is searched for a verdict; one that is longer holds none."""


class Verdict(NamedTuple):
    """What a judge's reply says.

    Attributes:
        scores: The score of each aspect of the rubric, on its scale; empty without a verdict.
        reason: Why, in the judge's words; null where it gives none.
        fault: Why there is no verdict; null where there is one.
    """

    scores: dict[str, float]
    reason: str | None = None
    fault: str | None = None

    @property
    def score(self) -> float | None:
        """The plain mean of the aspects; null without a verdict."""
        return sum(self.scores.values()) / len(self.scores) if self.scores else None


def read_verdict(text: str, rubric: Rubric, *, finish_reason: str | None = None) -> Verdict:
    """Read a judge's reply.

    What stands after the last `</think>` has to hold one JSON object and no other opening brace, with a number within
    the rubric's scale for each aspect, each named once. Words and a fence of code around the object are of no account.
    Anything else is no verdict: none is guessed.

    Args:
        text: The reply.
        rubric: What the judge was asked for.
        finish_reason: Why generation ended, as the provider says.
    """
    said, _ = after_last_thought(text)
    try:
        found = json_objects(said)
    except ValueError as error:
        return Verdict({}, fault="was cut off at its limit" if _is_cut(finish_reason) else str(error))
    if len(found) != 1:
        several = f"holds {len(found)} JSON objects instead of one" if found else "holds no JSON object"
        return Verdict({}, fault="was cut off at its limit" if not found and _is_cut(finish_reason) else several)
    return _verdict(found[0], rubric)


def _is_cut(finish_reason: str | None) -> bool:
    return (finish_reason or "").lower() in CUT_REASONS


def _verdict(members: Sequence[tuple[str, Any]], rubric: Rubric) -> Verdict:
    scores: dict[str, float] = {}
    for aspect in rubric.aspects:
        given = [value for name, value in members if name == aspect]
        if len(given) != 1:
            fault = f"gives {aspect!r} {len(given)} times" if given else f"gives no {aspect!r}"
            return Verdict({}, fault=fault)
        (value,) = given
        if isinstance(value, bool) or not isinstance(value, int | float):
            return Verdict({}, fault=f"gives a {aspect!r} that is no number")
        if not 0 <= value <= rubric.highest:  # nor is NaN
            return Verdict({}, fault=f"gives a {aspect!r} outside 0 to {rubric.highest}")
        scores[aspect] = float(value)
    reasons = [value for name, value in members if name == "reason" and isinstance(value, str)]
    return Verdict(scores, reasons[0] if reasons else None)


def json_objects(text: str) -> list[Sequence[tuple[str, Any]]]:
    """The JSON objects of a text, the names and values of each in order.

    Raises:
        ValueError: A brace begins no JSON object, or the text is too long.
    """
    if len(text) > _MOST_CHARACTERS:
        raise ValueError(f"is longer than {_MOST_CHARACTERS:,} characters")
    decode = json.JSONDecoder(object_pairs_hook=list).raw_decode
    found: list[Sequence[tuple[str, Any]]] = []
    place = text.find("{")
    while place >= 0:
        try:
            members, end = decode(text, place)
        except (ValueError, RecursionError) as error:  # a ValueError is that of a number of too many digits, too
            raise ValueError("holds a brace that begins no JSON object") from error
        found.append(members)
        place = text.find("{", end)
    return found
