"""What goes to the terminal: results on standard output, progress and errors on standard error."""

from __future__ import annotations

import logging
import sys
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Protocol

__all__ = ["Progress", "fail", "harmless", "note", "note_warnings", "progress", "settings"]


@dataclass
class _Settings:
    debug: bool = False
    quiet: bool = False


settings = _Settings()


class Progress(Protocol):
    """Told of each finished item."""

    def __call__(self, item: object = None) -> None:
        """Count one more item as done."""


def harmless(text: str) -> str:
    """Replace control and bidirectional-override characters, so that text from data cannot steer a terminal."""
    return "".join(
        character
        if character in "\n\t" or unicodedata.category(character) not in ("Cc", "Cf")
        else f"\\x{ord(character):02x}"
        for character in text
    )


def fail(message: str) -> None:
    """Print an error."""
    print(f"probe4d: {harmless(message)}", file=sys.stderr)


def note(message: str) -> None:
    """Print what is worth knowing beside the result, unless --quiet."""
    if not settings.quiet:
        print(harmless(message), file=sys.stderr)


class _Notes(logging.Handler):
    """Prints what the library warns of as a note."""

    def emit(self, record: logging.LogRecord) -> None:
        note(record.getMessage())


def note_warnings() -> None:
    """From now on print the library's warnings as notes, which --quiet silences."""
    logging.getLogger("probe4d").addHandler(_Notes(logging.WARNING))


@contextmanager
def progress(label: str, total: int) -> Iterator[Progress]:
    """Give a function that counts finished items: a bar on a terminal, a plain line elsewhere."""
    if settings.quiet:
        yield lambda item=None: None
        return
    if not sys.stderr.isatty():
        done = 0

        def count(item: object = None) -> None:
            nonlocal done
            done += 1

        yield count
        print(f"{label}: {done} of {total}", file=sys.stderr)
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bar

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(label, total=total)
        yield lambda item=None: bar.advance(task)
