"""What a parser makes of a reply."""

from __future__ import annotations

from typing import Literal, NamedTuple

__all__ = ["STATES", "Parsed", "State", "unread"]

State = Literal["valid", "ambiguous", "refused", "truncated", "empty", "error", "missing"]

STATES: tuple[State, ...] = ("valid", "ambiguous", "refused", "truncated", "empty", "error", "missing")
"""In the order of reports; no parser gives `missing`, which stands for a question without any reply."""


class Parsed(NamedTuple):
    """The reading of one reply.

    Attributes:
        state: `valid`, or why the reply counts as wrong.
        label: The letter, `Yes` or `No`, or the word of the vocabulary; null unless `state` is `valid`.
    """

    state: State
    label: str | None = None


def unread(text: str, cut: bool) -> Parsed:
    """Say why a reply without a label has none: nothing in it, cut before the answer, or not one option named."""
    if cut:
        return Parsed("truncated")
    return Parsed("ambiguous" if any(character.isalnum() for character in text) else "empty")
