"""Reads what a judge replied: one JSON object with the scores of its rubric, or no verdict at all."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from probe4d.diagnosis.judging.rubrics import Rubric
from probe4d.diagnosis.parsing.single_json import single_object

__all__ = ["Verdict", "read_verdict"]


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

    It has to be one JSON object (see `single_object`) with a number within the rubric's scale for each aspect, each
    named once. Anything else is no verdict: none is guessed.

    Args:
        text: The reply.
        rubric: What the judge was asked for.
        finish_reason: Why generation ended, as the provider says.
    """
    try:
        members = single_object(text, finish_reason=finish_reason)
    except ValueError as error:
        return Verdict({}, fault=str(error))
    return _verdict(members, rubric)


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
