"""Quotes a text that may wish to be obeyed: between delimiters that it does not hold, with nothing in it unseen."""

from __future__ import annotations

import re
import unicodedata
from itertools import count
from typing import NamedTuple

from probe4d.benchmarks.sampling import rank
from probe4d.wording import is_unseen

__all__ = ["Quotation", "quoted", "with_visible_characters"]

_UNSEEN_LETTERS = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0e\uffa0\U000e0100-\U000e01ef]"
)
"""Marks and letters that show nothing: joiners, fillers, selectors of a variant (but that of emoji, U+FE0F)."""

_DRAW = "quoting/delimiter"


class Quotation(NamedTuple):
    """A quoted text.

    Attributes:
        block: The text between its delimiters, each on a line of its own.
        begin: The line before it.
        end: The line after it.
    """

    block: str
    begin: str
    end: str


def quoted(text: str, *, seed: int, key: str, what: str) -> Quotation:
    """Quote a text between delimiters drawn for a key.

    The same text, seed and key give the same delimiters, so that a request that is repeated is equal. A draw whose
    word the text holds is passed over, however the text spells it: in capitals, with marks between its letters, or in
    letters that only look like it; so that no text can end its quotation, whatever it knows.

    Args:
        text: The text; what cannot be seen in it is written out (see `with_visible_characters`).
        seed: Seed of the draws.
        key: Names what is quoted, such as a question's id.
        what: What the delimiters call it, in capitals, such as `ANSWER`.
    """
    shown = with_visible_characters(text)
    letters = _letters(shown)
    words = (f"{rank(seed, _DRAW, f'{key}/{attempt}'):016x}" for attempt in count())
    word = next(word for word in words if word not in letters)
    begin, end = f"[[[{what} {word}]]]", f"[[[END OF {what} {word}]]]"
    return Quotation(f"{begin}\n{shown}\n{end}", begin, end)


def with_visible_characters(text: str) -> str:
    """Write characters that show nothing, or turn the direction of others, as their numbers: `[U+200B]`.

    These are controls (but for line feed and tab), formats such as zero-width and bidirectional characters and tags,
    separators of lines, private and unassigned characters, and letters without a shape. Line ends become line feeds.
    """
    if text.replace("\n", "").replace("\t", "").isprintable() and not _UNSEEN_LETTERS.search(text):
        return text
    return "".join(_visible(character) for character in text.replace("\r\n", "\n").replace("\r", "\n"))


def _visible(character: str) -> str:
    if character in "\n\t":
        return character
    is_hidden = is_unseen(character) or _UNSEEN_LETTERS.match(character)
    return f"[U+{ord(character):04X}]" if is_hidden else character


def _letters(text: str) -> str:
    """Letters and digits alone, compatibility forms and case folded."""
    return "".join(filter(str.isalnum, unicodedata.normalize("NFKC", text).casefold()))
