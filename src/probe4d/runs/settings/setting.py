"""What a setting is: how a question is worded, how often it is asked, and what of a reply is the answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from probe4d.benchmarks.question import LETTERS, Question

__all__ = ["Setting", "TemporalContrast", "Variant"]


class TemporalContrast(NamedTuple):
    """Temporal-shuffle contrastive decoding, which only a LiDAR language model can do (LiDAR-Hallu, section V-B).

    Attributes:
        alpha: Weight of the difference between the logits of the two branches (equation 9).
        is_shuffled: Whether the second branch sees its frames in a drawn order; else in the true one, which changes
            nothing and so isolates the decoding loop.
    """

    alpha: float
    is_shuffled: bool = True


class Variant(NamedTuple):
    """One way in which a question is asked.

    Attributes:
        name: Name in the answer log; null where a question is asked once.
        rotation: The options are shown rotated: letter i stands before option (i + rotation) mod n.
        seed_offset: Added to the seed of the generation; null leaves the seed as it is.
    """

    name: str | None = None
    rotation: int = 0
    seed_offset: int | None = None

    def shown(self, options: Sequence[str]) -> tuple[str, ...]:
        """Options, given in the question's own order, in the order in which they are shown."""
        turn = self.rotation % len(options) if options else 0
        return (*options[turn:], *options[:turn])

    def letter_shown(self, letter: str, options: int) -> str:
        """The letter under which one of so many options is shown; an answer that is no such letter stays as it is."""
        return _moved(letter, -self.rotation, options)

    def letter_of(self, letter: str, options: int) -> str:
        """The letter that the question itself has for what is shown under one; other answers stay as they are."""
        return _moved(letter, self.rotation, options)


def _moved(letter: str, steps: int, options: int) -> str:
    place = LETTERS.find(letter) if len(letter) == 1 else -1
    return LETTERS[(place + steps) % options] if 0 <= place < options else letter


@dataclass(frozen=True)
class Setting:
    """A setting; see `probe4d.runs.settings` for those that exist.

    Attributes:
        name: Name on the command line and in `run.json`.
        wording: Which of the suite's prompts words the questions.
        layout: What `RunRecord.layout` says: `ego` where the ego-motion text stands before the question.
        hints: Generation options that the setting needs, where the user gives none.
        varies: What its variants differ in: the order of the options, or the seed; null where it asks once.
        count: Most variants of a question.
        contrast: How it is decoded with temporal contrast; null decodes plainly.
    """

    name: str
    wording: str = "default"
    layout: str = "plain"
    hints: Mapping[str, Any] = field(default_factory=dict)
    varies: Literal["options", "seed"] | None = None
    count: int = 1
    contrast: TemporalContrast | None = None

    def variants(self, question: Question) -> tuple[Variant, ...]:
        """The ways in which a question is asked, the first of which gives the run's own figures."""
        return self.variants_of(question.format, len(question.options))

    def variants_of(self, format: str, options: int) -> tuple[Variant, ...]:
        """The same for any question of this format and number of options, on which alone they depend."""
        return (Variant(),)

    def answer_part(self, text: str) -> str:
        """The part of a reply that is the answer."""
        return text
