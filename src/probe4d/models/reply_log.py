"""The log of a job that asks a model: replies and failures on disk, and what of them there is already."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, Generic, TypeVar

import msgspec

from probe4d.models.asking import Finished
from probe4d.models.request import Reply, Request
from probe4d.store.files import write_bytes
from probe4d.store.logs import append_lines, read_lines

__all__ = ["ERRORS_FILE", "ReplyLog"]

ERRORS_FILE = "errors.jsonl"

Line = TypeVar("Line")


class ReplyLog(Generic[Line]):
    """A journal of `ask_all` that keeps a line for each reply, and one for each failure.

    Args:
        folder: Folder of the job.
        file: Name of the file of replies.
        kind: Type of its lines.
        key_of: The key of the request that a line answers.
        line_of: Makes a line of a reply.
        error_of: Makes a line of the file of errors, of a key and why there is no reply.
        done: Told of each line once it is on disk.
        errors_file: Name of that file.

    Attributes:
        lines: The last line of each key, in the order in which keys first came.
        errors: Why requests of this process got no reply, by key.

    Raises:
        InputError: A line of the file is no record.
    """

    def __init__(
        self,
        folder: Path,
        file: str,
        kind: type[Line],
        *,
        key_of: Callable[[Line], str],
        line_of: Callable[[Request, Reply], Line],
        error_of: Callable[[str, str], Any],
        done: Callable[[Line], object] | None = None,
        errors_file: str = ERRORS_FILE,
    ) -> None:
        self._folder = folder
        self._file = file
        self._errors_file = errors_file
        self._key_of = key_of
        self._line_of = line_of
        self._error_of = error_of
        self._done = done
        path = folder / file
        found = [line for _, line in read_lines(path, kind, tails=[])] if path.exists() else []
        self.lines: dict[str, Line] = {key_of(line): line for line in found}
        self.errors: dict[str, str] = {}

    def put(self, finished: Sequence[Finished]) -> None:
        """Write them down and return when they are on disk."""
        lines = [self._line_of(request, reply) for request, reply, _ in finished if reply is not None]
        errors = {request.key: failure or "" for request, reply, failure in finished if reply is None}
        if lines:
            append_lines(self._folder / self._file, lines)
            self.lines |= {self._key_of(line): line for line in lines}
        if errors:
            append_lines(self._folder / self._errors_file, [self._error_of(*error) for error in errors.items()])
            self.errors |= errors
        if self._done is not None:
            for line in lines:
                self._done(line)

    def put_into_order(self, keys: Iterable[str]) -> None:
        """Write the files anew in the order of keys, so that equal jobs have equal files; of errors the last stays.

        Args:
            keys: The keys of all requests of the job; lines and errors of others are dropped.
        """
        encode, ordered = msgspec.json.Encoder().encode_lines, list(keys)
        write_bytes(self._folder / self._file, encode([self.lines[key] for key in ordered if key in self.lines]))
        errors = [self._error_of(key, self.errors[key]) for key in ordered if key in self.errors]
        if errors:
            write_bytes(self._folder / self._errors_file, encode(errors))
        else:
            (self._folder / self._errors_file).unlink(missing_ok=True)
