"""Replies that mislead readers of numbers, with their right readings; described in `docs/answer-parsing.md`."""

from __future__ import annotations

from importlib import resources
from typing import Literal

import msgspec

from probe4d.diagnosis.parsing.parsed import State

__all__ = ["AdversarialNumber", "adversarial_numbers"]

FILE = "adversarial_numbers.jsonl"


class AdversarialNumber(msgspec.Struct, frozen=True, kw_only=True):
    """One line of `adversarial_numbers.jsonl`.

    Attributes:
        kind: What makes it hard, such as `range` or `denial`.
        unit: What the number should be given in.
        text: The reply.
        finish_reason: Why generation ended.
        error: What went wrong instead of a reply; else null.
        state: The right state.
        value: The number that was answered, in `unit`; null unless valid.
    """

    kind: str
    unit: Literal["metres", "degrees"]
    text: str
    finish_reason: str | None
    error: str | None
    state: State
    value: float | None


def adversarial_numbers() -> list[AdversarialNumber]:
    """Read the replies that come with the package, in the order of the file."""
    lines = resources.files(__package__).joinpath(FILE).read_bytes().splitlines()
    return [msgspec.json.decode(line, type=AdversarialNumber) for line in lines]
