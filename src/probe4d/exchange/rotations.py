"""A question's options in the order of a rotation, and the letter that the reference answer has there."""

from __future__ import annotations

from collections.abc import Sequence

from probe4d.benchmarks.question import LETTERS

__all__ = ["rotated_answer", "rotated_options"]


def rotated_options(options: Sequence[str], rotation: int) -> tuple[str, ...]:
    """Options of which letter i stands before option (i + rotation) mod n."""
    turn = rotation % len(options) if options else 0
    return (*options[turn:], *options[:turn])


def rotated_answer(answer: str, options: Sequence[str], rotation: int) -> str:
    """The letter that a reference answer has among rotated options; an answer that is no letter stays as it is."""
    place = LETTERS.find(answer) if options and len(answer) == 1 else -1
    return LETTERS[(place - rotation) % len(options)] if 0 <= place < len(options) else answer
