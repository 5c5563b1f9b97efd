"""What a parser makes of a reply."""

from __future__ import annotations

from typing import Literal, NamedTuple

__all__ = ["CUT_REASONS", "FILTER_REASONS", "REFUSAL_REASONS", "STATES", "Parsed", "State", "unread"]

State = Literal["valid", "ambiguous", "refused", "truncated", "empty", "error", "missing"]

STATES: tuple[State, ...] = ("valid", "ambiguous", "refused", "truncated", "empty", "error", "missing")
"""In the order of reports; no parser gives `missing`, which stands for a question without any reply."""

CUT_REASONS = frozenset({"length", "max_tokens", "model_length", "max_output_tokens"})
"""Finish reasons, in lower case, by which providers and inspect-ai say that generation ran into its limit."""

FILTER_REASONS = frozenset({"content_filter", "content-filter", "safety"})
"""The same for a reply that a filter kept back; what had come before may hold the answer."""

REFUSAL_REASONS = frozenset({"refusal"})
"""The same where the server marks the whole text as a refusal, whatever else the text says."""


class Parsed(NamedTuple):
    """The reading of one reply.

    Attributes:
        state: `valid`, or why the reply counts as wrong.
        label: The letter, `Yes` or `No`; null unless `state` is `valid`.
    """

    state: State
    label: str | None = None


def unread(text: str, cut: bool) -> Parsed:
    """Say why a reply without a label has none: nothing in it, cut before the answer, or not one option named."""
    if cut:
        return Parsed("truncated")
    return Parsed("ambiguous" if any(character.isalnum() for character in text) else "empty")
