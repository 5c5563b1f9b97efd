"""Replies that mislead parsers, with their right readings; the format is described in `docs/answer-parsing.md`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from importlib import resources
from typing import Literal, NamedTuple

import msgspec

from probe4d.benchmarks.question import LETTERS
from probe4d.diagnosis.parsing.parsed import State

__all__ = ["AdversarialAnswer", "Shown", "adversarial_answers"]

FILE = "adversarial_answers.jsonl"

_PLACE = re.compile(r"\{([LlFCMKTN])(\d)\}")
_LOOK_ALIKES = "\u0410\u0412\u0421\u13a0"  # Cyrillic A, Ve, Es and Cherokee A, shaped like A, B, C, D


class Shown(NamedTuple):
    """An adversarial answer with its options in one order.

    Attributes:
        text: The reply.
        options: Texts of the options in the order of their letters.
        label: The right label; null unless the state is `valid`.
    """

    text: str
    options: tuple[str, ...]
    label: str | None


class AdversarialAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """One line of `adversarial_answers.jsonl`.

    Attributes:
        kind: What makes it hard, such as `article` or `negation`.
        format: Format of the question.
        options: Texts of the options, first to last; empty for yes-no.
        text: The reply, with places for what depends on the order of the options.
        finish_reason: Why generation ended.
        error: What went wrong instead of a reply; else null.
        state: The right state.
        answer: Number of the right option, counted from 1 in `options`, or `Yes` or `No`; null unless valid.
    """

    kind: str
    format: Literal["choice", "yes-no"]
    options: tuple[str, ...]
    text: str
    finish_reason: str | None
    error: str | None
    state: State
    answer: int | str | None

    def shown(self, order: Sequence[int]) -> Shown:
        """Put the options into an order and fill the places of the text.

        Args:
            order: Indices into `options`, in the order of the letters; empty for yes-no.
        """
        letter_of = {option: place for place, option in enumerate(order)}

        def fill(place: re.Match[str]) -> str:
            option = int(place[2]) - 1
            index = letter_of[option]
            letter = LETTERS[index]
            match place[1]:
                case "T":
                    return self.options[option]
                case "N":
                    return str(index + 1)
                case "K":
                    return _LOOK_ALIKES[index]
                case "l":
                    return letter.lower()
                case "L":
                    return letter
                case styled:
                    first = {"F": 0xFF21, "C": 0x24B6, "M": 0x1D400}[styled]  # full-width, circled, bold
                    return chr(first + index)

        label = LETTERS[letter_of[self.answer - 1]] if isinstance(self.answer, int) else self.answer
        text = _PLACE.sub(fill, self.text) if self.options else self.text
        return Shown(text, tuple(self.options[option] for option in order), label)


def adversarial_answers() -> list[AdversarialAnswer]:
    """Read the answers that come with the package, in the order of the file."""
    lines = resources.files(__package__).joinpath(FILE).read_bytes().splitlines()
    return [msgspec.json.decode(line, type=AdversarialAnswer) for line in lines]
