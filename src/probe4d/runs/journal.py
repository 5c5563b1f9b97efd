"""The log of a run while it is asked: what is answered is on disk, and a repetition goes on from there."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

import msgspec

from probe4d.errors import InputError, RunError
from probe4d.runs.differences import differences
from probe4d.runs.run import (
    ANSWERS_FILE,
    ERRORS_FILE,
    LEFT_OUT_FILE,
    RECORD_FILE,
    Answer,
    AnswerError,
    AnswerKey,
    LeftOut,
    RunRecord,
    read_run,
)
from probe4d.store.files import write_bytes
from probe4d.store.folders import refuse_full
from probe4d.store.locks import locked
from probe4d.store.logs import append_lines, read_lines

__all__ = ["RunJournal", "open_journal"]

Line = TypeVar("Line", Answer, AnswerError)

_LOG = logging.getLogger(__name__)

_LOCK_FILE = ".lock"


class RunJournal:
    """A run folder that is being written by this process alone.

    Attributes:
        answered: Question and variant of every answer on disk.
    """

    def __init__(self, path: Path, answered: set[AnswerKey]) -> None:
        self._path = path
        self.answered = answered

    def put(self, answers: Sequence[Answer], errors: Sequence[AnswerError] = ()) -> None:
        """Append answers and errors, and return when they are on disk.

        Raises:
            ValueError: A question and variant is answered a second time; nothing is written.
            RunError: Writing failed, for example because the disk is full. What lies whole on disk counts.
        """
        if answers:
            keys = {(answer.question, answer.variant) for answer in answers}
            if len(keys) < len(answers) or keys & self.answered:
                raise ValueError("a question that was answered already was asked again")
            append_lines(self._path / ANSWERS_FILE, answers)
            self.answered |= keys
        if errors:
            append_lines(self._path / ERRORS_FILE, errors)

    def leave_out(self, left_out: Sequence[LeftOut]) -> None:
        """Write the list of selected questions that are not asked."""
        write_bytes(self._path / LEFT_OUT_FILE, msgspec.json.Encoder().encode_lines(list(left_out)))

    def finish(self, order: Callable[[AnswerKey], int]) -> None:
        """Put the files into the benchmark's order, so that equal runs have equal files.

        Of the errors, the last one of each question and variant that has no answer stays. A disk without room for
        that is a warning: the run is complete as it lies, and the same command puts it into order later.
        """
        try:
            self._put_into_order(order)
        except RunError as error:
            _LOG.warning("%s Every answer is kept, in the order in which they came.", error)

    def _put_into_order(self, order: Callable[[AnswerKey], int]) -> None:
        errors = self._by_key(ERRORS_FILE, AnswerError)
        for file, kept in (
            (ANSWERS_FILE, self._by_key(ANSWERS_FILE, Answer)),
            (ERRORS_FILE, {key: error for key, error in errors.items() if key not in self.answered}),
        ):
            if kept:
                lines = [kept[key] for key in sorted(kept, key=order)]
                write_bytes(self._path / file, msgspec.json.Encoder().encode_lines(lines))
            else:
                (self._path / file).unlink(missing_ok=True)

    def _by_key(self, file: str, kind: type[Line]) -> dict[AnswerKey, Line]:
        """The lines of a log, the last one of each question and variant; none where there is no log."""
        path = self._path / file
        lines = [line for _, line in read_lines(path, kind, tails=[])] if path.exists() else []
        return {(line.question, line.variant): line for line in lines}


@contextmanager
def open_journal(path: Path, record: RunRecord) -> Iterator[RunJournal]:
    """Begin a run, or go on with it; one that has no answer yet may begin anew with other options.

    Raises:
        InputError: The folder holds answers of another run (it says all that differs) or no run, a file in it is
            damaged (it says which line), another process writes it, or it cannot be written.
    """
    _refuse_foreign(path)
    with locked(path / _LOCK_FILE):
        _refuse_foreign(path)  # again, now that nobody else writes it
        for rest in path.glob(".*.part"):
            rest.unlink()  # of a whole-file write that was killed
        record = msgspec.json.decode(msgspec.json.encode(record), type=RunRecord)  # as it will be read
        if not (path / RECORD_FILE).exists():
            _begin(path, record)
            yield RunJournal(path, set())
            return
        run = read_run(path)
        answered = set(run.answers.filter(run.answers["error"].is_null()).select("question", "variant").iter_rows())
        if answered and (differing := differences(run.record, record)):
            raise InputError(
                f"holds another run: {'; '.join(differing)}.",
                path=path,
                remedy="Give the same options, or another folder.",
            )
        if not answered and run.record != record:  # be it the course or a version: this is when the run begins
            _begin(path, record)
        yield RunJournal(path, answered)


def _begin(path: Path, record: RunRecord) -> None:
    """Write the record of a run without answers; failures under other options, such as a wrong address, go first."""
    (path / ERRORS_FILE).unlink(missing_ok=True)
    write_bytes(path / RECORD_FILE, msgspec.json.format(msgspec.json.encode(record), indent=2) + b"\n")


def _refuse_foreign(path: Path) -> None:
    """Refuse what is no run that `ask` began; what a killed beginning leaves (a lock, a part of a file) is none."""
    if (path / ANSWERS_FILE).exists() and not (path / RECORD_FILE).exists():
        raise InputError(
            f"holds answers, but the {RECORD_FILE} that says what they answer is missing.",
            path=path,
            remedy="Put it back, or choose another folder.",
        )
    refuse_full(
        path, "is not empty and holds no run.", own=(RECORD_FILE,), ignored=lambda entry: entry.name == _LOCK_FILE
    )
