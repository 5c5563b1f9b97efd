"""Lists of words in sentences."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["listed"]


def listed(words: Sequence[str], conjunction: str = "and") -> str:
    """Words as a list in a sentence: `a, b and c`."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} {conjunction} {words[-1]}"
