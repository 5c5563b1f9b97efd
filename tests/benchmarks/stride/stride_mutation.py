"""What a way to break a question of STRIDE is."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from mutating import Change, changed

from probe4d.benchmarks.question import Evidence, Question

__all__ = ["Mutation", "shown"]


class Mutation(NamedTuple):
    """A way to break a question.

    Attributes:
        template: Of which template.
        change: How it is broken.
        told: What the finding says.
        rule: The rule that is named; null is that of the template.
        keep: Which questions of the template can be broken so.
    """

    template: str
    change: Change
    told: str
    rule: str | None = None
    keep: Callable[[Question], bool] = lambda question: True


def shown(change: Callable[[int, tuple[int, ...]], tuple[int, ...]], views: tuple[str, ...] = ()) -> Change:
    """Other key frames as evidence, from the query frame and those that were shown."""
    return lambda question: changed(
        question, evidence=Evidence(frames=change(question.frames[0], question.evidence.frames), views=views)
    )
