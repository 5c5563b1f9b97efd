"""The log of a run while it is asked: what is answered is on disk, and a repetition goes on from there."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import msgspec

from probe4d.errors import InputError
from probe4d.runs.run import (
    ANSWERS_FILE,
    ERRORS_FILE,
    LEFT_OUT_FILE,
    RECORD_FILE,
    Answer,
    AnswerError,
    LeftOut,
    RunRecord,
    read_run,
    refuse_used,
)
from probe4d.store.files import write_bytes
from probe4d.store.locks import locked
from probe4d.store.logs import append_lines, read_lines

__all__ = ["RunJournal", "open_journal"]

Key = tuple[str, str | None]


class RunJournal:
    """A run folder that is being written by this process alone.

    Attributes:
        answered: Question and variant of every answer on disk.
    """

    def __init__(self, path: Path, answered: set[Key]) -> None:
        self._path = path
        self.answered = answered

    def put(self, answers: Sequence[Answer], errors: Sequence[AnswerError] = ()) -> None:
        """Append answers and errors, and return when they are on disk."""
        if answers:
            append_lines(self._path / ANSWERS_FILE, answers)
            self.answered.update((answer.question, answer.variant) for answer in answers)
        if errors:
            append_lines(self._path / ERRORS_FILE, errors)

    def leave_out(self, left_out: Sequence[LeftOut]) -> None:
        """Write the list of selected questions that are not asked."""
        write_bytes(self._path / LEFT_OUT_FILE, msgspec.json.Encoder().encode_lines(list(left_out)))

    def finish(self, order: Callable[[Key], int]) -> None:
        """Put the answers into the benchmark's order, so that equal runs have equal files."""
        if not (self._path / ANSWERS_FILE).exists():
            return
        answers = [answer for _, answer in read_lines(self._path / ANSWERS_FILE, Answer, tails=[])]
        answers.sort(key=lambda answer: order((answer.question, answer.variant)))
        write_bytes(self._path / ANSWERS_FILE, msgspec.json.Encoder().encode_lines(answers))


@contextmanager
def open_journal(path: Path, record: RunRecord) -> Iterator[RunJournal]:
    """Begin a run, or go on with it.

    Raises:
        InputError: The folder holds a run of something else (it says what differs), or another process writes it.
    """
    if not (path / RECORD_FILE).exists():
        refuse_used(path)
    with locked(path / ".lock"):
        if (path / RECORD_FILE).exists():
            run = read_run(path)
            if (differing := _differences(run.record, record)) is not None:
                raise InputError(differing, path=path, remedy="Give the same options, or another --out folder.")
            keys = run.answers.filter(run.answers["error"].is_null()).select("question", "variant").iter_rows()
            yield RunJournal(path, set(keys))
        else:
            write_bytes(path / RECORD_FILE, msgspec.json.format(msgspec.json.encode(record), indent=2) + b"\n")
            yield RunJournal(path, set())


def _differences(old: RunRecord, new: RunRecord) -> str | None:
    fields = [name for name in RunRecord.__struct_fields__ if name != "versions"]
    for name in fields:
        was, now = getattr(old, name), getattr(new, name)
        if was != now:
            return f"holds a run whose {name} is {was!r}, not {now!r}."
    return None
