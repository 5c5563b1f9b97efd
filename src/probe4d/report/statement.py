"""The sentences that a verdict consists of, and how strong figures must be to carry one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from probe4d.report.lookup import Figure

__all__ = [
    "FEW",
    "ONE_ANSWER",
    "TELLING",
    "RunStatement",
    "Statement",
    "Tone",
    "excludes_chance",
    "falls_short",
    "far_beyond",
]

Tone = Literal["bad", "good", "note"]

ONE_ANSWER = 0.9  # share from which an answer counts as nearly always given
FEW = 20  # questions or pairs below which silence is better than a sentence

TELLING = 0.10
"""Difference that an interval has to exclude before a lack of difference speaks against a model.

A choice, not a result: a model that uses what it is shown gains more than this over guessing, which gets a quarter to
a half, and a few hundred questions asked both ways give an interval narrow enough to exclude it.
"""

_WIDTHS = 2.0
"""How many times its lower half-width an interval has to stay above what chance gives before a sentence speaks for
a model: a verdict makes several such tests of each run, and a bootstrap of a dozen scenes is too narrow."""

_MANY = 50  # questions from which luck gives no guesser half of what chance leaves
_HALF = 0.5


@dataclass(frozen=True)
class Statement:
    """One sentence or two.

    Attributes:
        tone: `bad` speaks against the model, `good` for it, `note` is to be known.
        text: The sentence.
        alarm: Whether it tells of answers so often right that they speak against the test of a model that did not
            look; where scenes are enough to judge by, they speak for one that did.
    """

    tone: Tone
    text: str
    alarm: bool = False


@dataclass(frozen=True)
class RunStatement:
    """A statement of the verdict of a run that was asked in more ways than one.

    Attributes:
        run: The run whose verdict it belongs to.
        leads: Whether all else that is said of the run is to be read in its light.
        statement: The statement.
    """

    run: str
    leads: bool
    statement: Statement

    @property
    def with_name(self) -> Statement:
        """The statement for a reader who has no heading with the run's name above it."""
        return Statement(self.statement.tone, f"{self.run}: {self.statement.text}")


def falls_short(figure: Figure | None) -> bool:
    """Whether a difference lies so far below 0 that it speaks against a model."""
    if figure is None or figure.high is None:
        return False
    return figure.value + _WIDTHS * (figure.high - figure.value) < 0


def excludes_chance(figure: Figure | None, chance: float = 0.0) -> bool:
    """Whether a figure lies so far above what chance gives that it speaks for a model."""
    if figure is None or figure.low is None:
        return False
    return figure.value - _WIDTHS * (figure.value - figure.low) > chance


def far_beyond(figure: Figure, chance: float) -> bool:
    """Whether answers are right so much more often than by chance that luck does not explain it, whatever the scenes.

    That the answers to a set of questions are known is a fact of these questions, and no finding on scenes at large;
    so it needs no interval over scenes. It takes half of what chance leaves wrong, of so many questions that a
    guesser gets there in less than one try of a thousand, with room for questions of a scene that hang together.
    """
    return figure.n >= _MANY and figure.value - chance >= _HALF * (1 - chance)
