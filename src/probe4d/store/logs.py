"""Append-only JSON-lines logs that survive a kill at any byte."""

from __future__ import annotations

import codecs
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import msgspec

from probe4d.errors import InputError
from probe4d.store.files import write_error

__all__ = ["LogTail", "append_lines", "read_lines", "read_log"]

Record = TypeVar("Record")

_NO_RECORD = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
"""What decoding a line raises that is no record; the last of brackets nested too deeply."""


class LogTail(NamedTuple):
    """What stood after the last complete line of a log: a write that a kill cut short."""

    line: int
    text: str


def append_lines(path: Path, records: Iterable[Any]) -> None:
    """Append records to a log, one JSON object a line, and return when they are on disk.

    A half-written last line, left by a kill, is cut off first, so that no record is ever glued to it;
    a last line that is whole but for its line feed is kept and ended.

    Raises:
        InputError: The file cannot be opened for writing.
        RunError: Writing failed, for example because the disk is full; what was written of the last line is
            cut off by the next call.
    """
    lines = b"".join(msgspec.json.encode(record) + b"\n" for record in records)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        _append(path, lines)
    except OSError as error:
        raise write_error(path, error) from error


def _append(path: Path, lines: bytes) -> None:
    is_new = not path.exists()
    with open(path, "ab+") as file:
        end = file.seek(0, os.SEEK_END)
        keep = _end_of_last_line(file, end)
        if keep < end:
            file.seek(keep)
            try:
                msgspec.json.decode(file.read())
            except _NO_RECORD:
                file.truncate(keep)
            else:
                lines = b"\n" + lines
        file.write(lines)
        file.flush()
        os.fsync(file.fileno())
    if is_new:
        _sync_folder(path.parent)


def read_lines(path: Path, kind: type[Record], *, tails: list[LogTail] | None = None) -> Iterator[tuple[int, Record]]:
    """Yield (line number from 1, record) of a log, which may begin with a byte-order mark.

    Args:
        path: The log.
        kind: Type that each line is decoded to, by msgspec.
        tails: Receives the half-written last line, if there is one. Without it such a line is an error.

    Raises:
        InputError: A line is no valid record; it names the file and the line.
    """
    decoder = msgspec.json.Decoder(kind)
    with open(path, "rb") as file:
        for number, line in enumerate(file, start=1):
            if number == 1:
                line = line.removeprefix(codecs.BOM_UTF8)
            if not line.endswith(b"\n") and tails is not None:
                try:
                    yield number, decoder.decode(line)
                except _NO_RECORD:
                    tails.append(LogTail(number, line.decode("utf-8", "replace")))
                return
            if not line.strip():
                continue
            try:
                yield number, decoder.decode(line)
            except _NO_RECORD as error:
                raise InputError(
                    f"is no valid record ({error}).",
                    path=path,
                    row=f"line {number}",
                    remedy="Mend or remove that line.",
                ) from error


def read_log(path: Path, kind: type[Record], warnings: list[str]) -> list[tuple[int, Record]]:
    """Read a log that may have been cut short, as (line number from 1, record); one that is not there has no lines.

    Args:
        path: The log.
        kind: Type that each line is decoded to, by msgspec.
        warnings: Receives a sentence about a half-written last line.

    Raises:
        InputError: A line is no valid record.
    """
    if not path.exists():
        return []
    tails: list[LogTail] = []
    records = list(read_lines(path, kind, tails=tails))
    warnings.extend(f"{path}, line {tail.line}: half a line at the end was left out." for tail in tails)
    return records


def _end_of_last_line(file: Any, end: int) -> int:
    """Offset just after the last line feed before `end`, searched backwards in blocks."""
    if end > 0:
        file.seek(end - 1)
        if file.read(1) == b"\n":
            return end
    block = 65_536
    position = end
    while position > 0:
        start = max(0, position - block)
        file.seek(start)
        found = file.read(position - start).rfind(b"\n")
        if found >= 0:
            return int(start + found + 1)
        position = start
    return 0


def _sync_folder(path: Path) -> None:
    """Have the names of a folder's files on disk, so that a new file outlives a loss of power."""
    folder = os.open(path, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
