"""Numbers and lists of words in sentences, alike on a terminal and on a page; texts that can be written at all."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from decimal import ROUND_HALF_UP, Decimal

__all__ = [
    "CONTROL_SEQUENCE",
    "UNIT_SYMBOLS",
    "amount",
    "counted",
    "in_percent",
    "is_unseen",
    "listed",
    "most_frequent",
    "uncapitalized",
    "visible",
    "whole_characters",
    "without_control_sequences",
]

UNIT_SYMBOLS = {"metres": "m", "degrees": "°"}
"""How units are written beside an amount."""

CONTROL_SEQUENCE = (
    r"(?:\u001b+\[|\u001b*\u009b)[0-?]*[ -/]*[@-~]?"  # CSI: colours, places of the cursor; cut off, without its end
    r"|(?:\u001b+[\]PX^_]|\u001b*[\u009d\u0090\u0098\u009e\u009f])"  # OSC, DCS and other strings,
    r"[^\u0007\u001b\u009c\n]*(?:\u0007|\u001b\\|\u009c)"  # with their end
    r"|\u001b+[ -/]*[0-~]"  # all others, and what begins a string that does not end
)
"""Regular expression, for `re` and polars, of a whole control sequence of a terminal (ECMA-48, 5.3 to 5.6)."""

_UNSEEN = frozenset({"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp"})
"""Categories of Unicode: controls, formats, unassigned and private characters, surrogates, separators of lines."""

_MOST_LISTED = 10  # lines that a reader takes in, and a terminal shows with what else there is to say
_LARGE = 1e6  # amount from which digits behind the point mean nothing
_NOISE_PLACES = 9  # decimals of a percentage that a binary fraction still gets right


def listed(words: Sequence[str], conjunction: str = "and") -> str:
    """Words as a list in a sentence: `a, b and c`."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} {conjunction} {words[-1]}"


def counted(n: int, noun: str) -> str:
    """A count with its noun, whose plural takes an s: `1 pair`, `2 pairs`."""
    return f"{n:,} {noun}{'' if n == 1 else 's'}"


def most_frequent(counts: Mapping[str, int], *, rest: str, most: int = _MOST_LISTED) -> list[str]:
    """Counts as lines, the most frequent first and of equal ones in the order of the words: `12 × a reason`.

    Args:
        counts: How often there is what.
        rest: Words that follow the sum of the others, and say where they are to be found.
        most: How many are listed.
    """
    ordered = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    lines = [f"{n:,} × {words}" for words, n in ordered[:most]]
    others = sum(n for _, n in ordered[most:])
    return [*lines, f"{others:,} {rest}"] if others else lines


def in_percent(share: float, *, signed: bool = False) -> str:
    """A share in per cent with one decimal, halves away from zero as in print, whatever the binary fraction."""
    exact = Decimal(f"{100 * share:.{_NOISE_PLACES}f}")
    rounded = exact.quantize(Decimal("0.1"), rounding=ROUND_HALF_UP)
    return f"{rounded + 0:{'+' if signed else ''}.1f}"


def amount(value: float) -> str:
    """A length, an angle or an error in such, with two decimals; a large one with three digits and its power of 10."""
    return f"{value:,.2f}" if abs(value) < _LARGE else f"{value:.3g}"


def uncapitalized(sentence: str) -> str:
    """A sentence as it stands behind a colon: its first letter small."""
    return f"{sentence[:1].lower()}{sentence[1:]}"


def whole_characters(text: str) -> str:
    """A text with half surrogates, which UTF-8 cannot hold, joined where they are pairs and replaced elsewhere."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def without_control_sequences(text: str) -> str:
    """A text without what steers terminals, such as `ESC [31m`; a sequence without its end takes no words with it."""
    return re.sub(CONTROL_SEQUENCE, "", text)


def is_unseen(character: str) -> bool:
    """Whether a character shows nothing that a reader knows, or steers how others are shown; line ends are such."""
    return unicodedata.category(character) in _UNSEEN


def visible(text: str, instead: Callable[[str], str], *, kept: str = "") -> str:
    """A text without control sequences, and with something else in the place of each character that is not seen.

    Args:
        text: The text.
        instead: Gives what stands for an unseen character; may be empty.
        kept: Unseen characters that stay, such as line ends.
    """
    return "".join(
        instead(character) if is_unseen(character) and character not in kept else character
        for character in without_control_sequences(text)
    )
