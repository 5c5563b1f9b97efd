"""Reads replies that are to be one JSON object."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from probe4d.benchmarks.finish_reasons import CUT_REASONS
from probe4d.diagnosis.parsing.normalise import after_last_thought

__all__ = ["single_object"]

_MOST_CHARACTERS = 100_000
"""Of a reply that is searched for an object; one that is longer holds none."""


def single_object(text: str, *, finish_reason: str | None = None) -> Sequence[tuple[str, Any]]:
    """The one JSON object of a reply.

    What stands after the last `</think>` has to hold one JSON object and no other opening brace. Words and a fence of
    code around the object are of no account.

    Args:
        text: The reply.
        finish_reason: Why generation ended, as the provider says.

    Returns:
        The names and values of the object in order; a name may come twice.

    Raises:
        ValueError: It holds no such object; the message says why, as what follows "the reply".
    """
    is_cut = (finish_reason or "").lower() in CUT_REASONS
    said, _ = after_last_thought(text)
    try:
        found = _objects(said)
    except ValueError as error:
        raise ValueError("was cut off at its limit" if is_cut else str(error)) from error
    if not found:
        raise ValueError("was cut off at its limit" if is_cut else "holds no JSON object")
    if len(found) > 1:
        raise ValueError(f"holds {len(found)} JSON objects instead of one")
    return found[0]


def _objects(text: str) -> list[Sequence[tuple[str, Any]]]:
    """The JSON objects of a text; a ValueError where a brace begins none, or the text is too long."""
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
