"""What goes to the terminal: results on standard output, progress and errors on standard error."""

from __future__ import annotations

import logging
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Protocol

from probe4d.wording import most_frequent, visible

__all__ = [
    "MOST_NOTES",
    "Progress",
    "fail",
    "harmless",
    "note",
    "note_left_out",
    "note_warnings",
    "progress",
    "settings",
]


@dataclass
class _Settings:
    debug: bool = False
    quiet: bool = False


settings = _Settings()

MOST_NOTES = 5
"""Notes of one kind that a reader takes in beside the result."""
_PLAIN_EVERY_S = 30.0
"""Time between two lines of progress where there is no terminal."""


class Progress(Protocol):
    """Told of each finished item."""

    def __call__(self, item: object = None) -> None:
        """Count one more item as done."""

    def expect(self, total: int, done: int = 0) -> None:
        """Say how many items there are, where that was not known before, and how many of them were done before."""


def harmless(text: str) -> str:
    """Text from data that cannot steer a terminal: without control sequences, and other unseen characters replaced."""
    return visible(text, lambda character: f"\\x{ord(character):02x}", kept="\n\t")


def fail(message: str) -> None:
    """Print an error."""
    print(f"probe4d: {harmless(message)}", file=sys.stderr)


def note(message: str) -> None:
    """Print what is worth knowing beside the result, unless --quiet."""
    if not settings.quiet:
        print(harmless(message), file=sys.stderr)


def note_left_out(counts: Mapping[str, int], *, where: object = None) -> None:
    """Print what was left out for which reason, the most frequent few, and how many for others.

    Args:
        counts: Number of things left out by reason.
        where: File that has all reasons.
    """
    rest = "for other reasons" if where is None else f"for other reasons (all are in {where})"
    for line in most_frequent(counts, rest=rest, most=MOST_NOTES):
        note(f"left out: {line}")


class _Notes(logging.Handler):
    """Prints what the library warns of as a note."""

    def emit(self, record: logging.LogRecord) -> None:
        note(record.getMessage())


def note_warnings() -> None:
    """From now on print the library's warnings as notes, which --quiet silences."""
    logging.getLogger("probe4d").addHandler(_Notes(logging.WARNING))


@contextmanager
def progress(label: str, total: int | None = None, *, status: Callable[[], str] | None = None) -> Iterator[Progress]:
    """Give a function that counts finished items: a bar on a terminal, a plain line now and then elsewhere.

    Args:
        label: What is counted.
        total: How many there are; null until `Progress.expect` says.
        status: Gives what else is to be seen beside the count.
    """
    if settings.quiet:
        yield _Unseen()
    elif sys.stderr.isatty():
        with _bar(label, total, status) as bar:
            yield bar
    else:
        lines = _Lines(label, total, status)
        yield lines
        lines.end()


class _Unseen:
    def __call__(self, item: object = None) -> None:
        """Show nothing."""

    def expect(self, total: int, done: int = 0) -> None:
        """Show nothing."""


class _Lines:
    def __init__(self, label: str, total: int | None, status: Callable[[], str] | None) -> None:
        self._label = label
        self._total = total
        self._status = status
        self._done = 0
        self._printed: int | None = None
        self._printed_s = time.monotonic()

    def __call__(self, item: object = None) -> None:
        self._done += 1
        if time.monotonic() - self._printed_s >= _PLAIN_EVERY_S:
            self._print()

    def expect(self, total: int, done: int = 0) -> None:
        self._total, self._done = total, done

    def end(self) -> None:
        if self._printed != self._done:
            self._print()

    def _print(self) -> None:
        self._printed_s, self._printed = time.monotonic(), self._done
        words = f"{self._label}: {self._done}" + ("" if self._total is None else f" of {self._total}")
        status = self._status() if self._status else ""
        print(f"{words}, {status}" if status else words, file=sys.stderr, flush=True)


@contextmanager
def _bar(label: str, total: int | None, status: Callable[[], str] | None) -> Iterator[Progress]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bar

    count = (TextColumn("{task.description}"), BarColumn(bar_width=24), MofNCompleteColumn(), TimeElapsedColumn())
    beside = TextColumn("{task.fields[status]}", markup=False)
    with Bar(*count, beside, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(label, total=total, status="")

        class Shown:
            def __call__(self, item: object = None) -> None:
                bar.update(task, advance=1, status=status() if status else "")

            def expect(self, total: int, done: int = 0) -> None:
                bar.update(task, total=total, completed=done)

        yield Shown()
