"""Numbers and lists of words in sentences, alike on a terminal and on a page."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import ROUND_HALF_UP, Decimal

__all__ = ["counted", "in_percent", "listed"]

_NOISE_PLACES = 9  # decimals of a percentage that a binary fraction still gets right


def listed(words: Sequence[str], conjunction: str = "and") -> str:
    """Words as a list in a sentence: `a, b and c`."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} {conjunction} {words[-1]}"


def counted(n: int, noun: str) -> str:
    """A count with its noun, whose plural takes an s: `1 pair`, `2 pairs`."""
    return f"{n:,} {noun}{'' if n == 1 else 's'}"


def in_percent(share: float, *, signed: bool = False) -> str:
    """A share in per cent with one decimal, halves away from zero as in print, whatever the binary fraction."""
    exact = Decimal(f"{100 * share:.{_NOISE_PLACES}f}")
    rounded = exact.quantize(Decimal("0.1"), rounding=ROUND_HALF_UP)
    return f"{rounded + 0:{'+' if signed else ''}.1f}"
