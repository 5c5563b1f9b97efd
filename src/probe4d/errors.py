"""The errors that people see: what is wrong, where, what was expected, what to do."""

from __future__ import annotations

import re
from pathlib import Path

__all__ = ["InputError", "Probe4DError", "RunError"]

_LONG_WORD = re.compile(r"(\S{80})\S{121,}?(\W?\W?)(?=\s|$)")
"""A word of more than 200 characters: what is kept of it are its first 80 and the quotation mark that ends it."""

_LONGEST_SENTENCE = 2000  # characters; no sentence of ours is that long but by the values that it quotes


class Probe4DError(Exception):
    """Base of every error that Probe4D raises on purpose; its message is one or two plain sentences."""

    exit_code = 1


class InputError(Probe4DError):
    """Something given to Probe4D is wrong; the command line ends with exit code 2.

    Args:
        what: What is wrong and what was expected, as one sentence. Values in it that nobody would read to the end are
            cut.
        path: The file or folder at fault, put before the sentence.
        row: The row, line or token inside that file.
        remedy: What the reader can do about it, put after the sentence.

    Attributes:
        what: What is wrong, alike for everything that is wrong in the same way.
    """

    exit_code = 2

    def __init__(
        self, what: str, *, path: Path | str | None = None, row: int | str | None = None, remedy: str | None = None
    ) -> None:
        self.what = what = _without_long_values(what)
        self.path = None if path is None else Path(path)
        self.row = row
        places = [path, f"row {row}" if isinstance(row, int) else row and _without_long_values(row)]
        where = ", ".join(str(place) for place in places if place is not None)
        message = f"{where}: {what}" if where else what
        super().__init__(f"{message} {remedy}" if remedy else message)


class RunError(Probe4DError):
    """The input was right and the work failed all the same; the command line ends with exit code 1."""


def _without_long_values(sentence: str) -> str:
    """A sentence whose quoted values fit a terminal: long words are cut, and the middle of a very long sentence."""
    cut = _LONG_WORD.sub(r"\1…\2", sentence) if len(sentence) > _LONGEST_SENTENCE // 10 else sentence
    half = _LONGEST_SENTENCE // 2
    return cut if len(cut) <= _LONGEST_SENTENCE else f"{cut[:half]}…{cut[-half:]}"
