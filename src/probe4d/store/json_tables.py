"""Tables kept as one JSON array of objects a file, read as typed rows a block at a time.

A block is cut at the last place that looks like the border between two rows and handed to msgspec. The
cut needs no scan of its own to be right: a block starts where a row starts, so it decodes if and only if
it also ends where a row ends. Where it does not (the place lay inside a string or a nested array), the
rows are counted out one bracket at a time, which is slow and rarely happens. While no row ends, the next
block is as long as all that waits, so that a long row is looked through twice and not once a block.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import FileIO
from pathlib import Path
from typing import Generic, TypeVar

import msgspec

from probe4d.errors import InputError

__all__ = ["BLOCK_BYTES", "LONGEST_ROW_BYTES", "read_table"]

BLOCK_BYTES = 100 << 10
"""How much of a file is decoded at a time: little enough that its rows stay in the processor's cache, and that
the memory of one block serves the next without being given back to the system."""

LONGEST_ROW_BYTES = 64 << 20
"""How long a row may be; a table that has none shorter is not one of a dataset, and would fill the memory."""


_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_BORDER = re.compile(rb"\}\s*,\s*(?=\{)")
_BORDER_WINDOW = 1 << 14
_LEXEME = re.compile(rb'"(?:[^"\\]|\\.)*+"?|[\[\]{}]', re.DOTALL)
_NOT_A_NUMBER = re.compile(rb'"(?:[^"\\]|\\.)*+"|-?\b(?:NaN|Infinity)\b', re.DOTALL)
_ROW_OF_MESSAGE = re.compile(r" - at `\$\[(\d+)\](?:\.?([^`]*))`$")
_BYTE_OF_MESSAGE = re.compile(r" \(byte (\d+)\)$")

Row = TypeVar("Row")


def read_table(path: Path, kind: type[Row], *, block_bytes: int = BLOCK_BYTES) -> Iterator[list[Row]]:
    """Read a JSON array of objects as typed rows, a list of them at a time, in their order.

    Memory stays at some fifty times `block_bytes`, or a few times the longest row, however large the file. The
    literals `NaN` and `Infinity`, which Python writes though JSON has none, are read as null.

    Args:
        path: The file: UTF-8 JSON, compact or indented, with or without a byte-order mark.
        kind: Type of a row, usually a `msgspec.Struct`.
        block_bytes: Size of a block.

    Raises:
        InputError: The file cannot be read, is no JSON array of UTF-8, is cut off or malformed (names the
            byte), changed while it was read, has a row longer than `LONGEST_ROW_BYTES`, or a row does not
            fit `kind` (names the row, counted from 1, and its token).
    """
    decoder = _Decoder(path, kind)
    try:
        with FileIO(path) as file, _unchanged(file, path):
            pending = b""
            while block := file.read(max(block_bytes, len(pending))):
                if not decoder.is_open:
                    pending, block = b"", decoder.open(pending + block)
                rows, pending = decoder.take(pending, block)
                if rows:
                    yield rows
            if rows := decoder.last(pending):
                yield rows
    except OSError as error:
        raise InputError(f"cannot be read ({error.strerror}).", path=path) from error


@contextmanager
def _unchanged(file: FileIO, path: Path) -> Iterator[None]:
    """See that a file is the same at the end of reading: half of an old and half of a new table is neither."""
    before = os.fstat(file.fileno())
    yield
    after = os.fstat(file.fileno())
    if (before.st_size, before.st_mtime_ns) != (after.st_size, after.st_mtime_ns):
        raise InputError("changed while it was read.", path=path, remedy="Try again once nothing writes to it.")


class _Decoder(Generic[Row]):
    """Decodes the rows of one table and knows how far into the file it is."""

    def __init__(self, path: Path, kind: type[Row]) -> None:
        self._path = path
        self._rows: msgspec.json.Decoder[list[Row]] = msgspec.json.Decoder(list[kind])  # type: ignore[valid-type]  # a type made at run time
        self.is_open = False
        self._row = 0
        self._byte = 0

    def open(self, content: bytes) -> bytes:
        """Take off a byte-order mark, white space and the bracket that opens the array, once they are all there."""
        if len(content) < len(_BYTE_ORDER_MARK) and _BYTE_ORDER_MARK.startswith(content):
            return content
        found = content.removeprefix(_BYTE_ORDER_MARK).lstrip()
        if not found:
            return content
        if not found.startswith(b"["):
            raise InputError(
                f"does not start a JSON array with '[' (found {found[:20]!r}).",
                path=self._path,
                remedy="Check that the file is a table of the dataset.",
            )
        self.is_open = True
        self._byte = len(content) - len(found) + 1
        return found[1:]

    def take(self, pending: bytes, block: bytes) -> tuple[list[Row], bytes]:
        """Decode the whole rows at the start of `pending` and the `block` after it; give them and what is left."""
        border = _likely_border(block)
        if border is None:
            pending, block = b"", pending + block
            border = _likely_border(block)
        if border is not None:
            # Joined once: what else is copied costs as much as decoding it.
            content = b"".join((b"[", pending, memoryview(block)[: border.start() + 1], b"]"))
            with suppress(msgspec.DecodeError, RecursionError):
                rows = self._rows.decode(content)
                return self._advance(rows, len(pending) + border.end()), block[border.end() :]
        content = pending + block
        border = _last_border(content)
        if border is not None:
            rows = self._decode(content[: border.start() + 1])
            return self._advance(rows, border.end()), content[border.end() :]
        if len(content) > LONGEST_ROW_BYTES:
            raise InputError(
                f"does not end within {LONGEST_ROW_BYTES >> 20} MiB from byte {self._byte}, and no row is that long.",
                path=self._path,
                row=self._row + 1,
                remedy="Mend the file or fetch it again.",
            )
        return [], content

    def last(self, content: bytes) -> list[Row]:
        """Decode what is left at the end of the file: the last rows and the closing bracket."""
        if not self.is_open and not content.strip():
            raise InputError("is empty, and a JSON array was expected.", path=self._path, remedy="Fetch it again.")
        stripped = content.rstrip()
        if not self.is_open or not stripped.endswith(b"]"):
            raise self._cut_off(len(content))
        return self._decode(stripped[:-1])

    def _advance(self, rows: list[Row], size: int) -> list[Row]:
        self._row += len(rows)
        self._byte += size
        return rows

    def _decode(self, content: bytes) -> list[Row]:
        """Decode whole rows; whatever is wrong with them is now an error of the file."""
        wrapped = b"[" + _NOT_A_NUMBER.sub(_null_for_not_a_number, content) + b"]"
        try:
            return self._rows.decode(wrapped)
        except msgspec.ValidationError as error:
            raise self._bad_row(str(error), wrapped) from error
        except RecursionError as error:
            raise self._malformed("too many brackets inside one another", 0) from error
        except msgspec.DecodeError as error:
            if place := _BYTE_OF_MESSAGE.search(str(error)):
                reason = str(error)[: place.start()].removeprefix("JSON is malformed: ")
                raise self._malformed(reason, int(place[1]) - 1) from error
            try:
                content.decode("utf-8")
            except UnicodeDecodeError as bad:
                raise self._malformed("not UTF-8", bad.start) from error
            raise self._cut_off(len(content)) from error

    def _malformed(self, reason: str, byte: int) -> InputError:
        return InputError(
            f"is no valid JSON near byte {self._byte + byte} ({reason}).",
            path=self._path,
            remedy="Mend the file or fetch it again.",
        )

    def _cut_off(self, size: int) -> InputError:
        return InputError(
            f"ends at byte {self._byte + size} in the middle of its JSON array: the file was cut off.",
            path=self._path,
            remedy="Fetch it again.",
        )

    def _bad_row(self, message: str, wrapped: bytes) -> InputError:
        place = _ROW_OF_MESSAGE.search(message)
        if place is None:
            return InputError(f"is not a table ({message}).", path=self._path)
        index, field = int(place[1]), place[2]
        where = f"row {self._row + index + 1}"
        with suppress(msgspec.MsgspecError, RecursionError):  # what lies behind that row may be no JSON at all
            row = msgspec.json.decode(wrapped)[index]
            if isinstance(row, dict) and isinstance(row.get("token"), str):
                where += f" (token {row['token']})"
        expected = message[: place.start()]
        what = f"is wrong in field {field!r}: {expected}." if field else f"is wrong: {expected}."
        return InputError(what, path=self._path, row=where, remedy="Mend or remove that row.")


def _null_for_not_a_number(match: re.Match[bytes]) -> bytes:
    return match[0] if match[0].startswith(b'"') else b"null"


def _likely_border(content: bytes) -> re.Match[bytes] | None:
    """The last place near the end that looks like the border between two rows."""
    border = None
    for border in _BORDER.finditer(content, max(0, len(content) - _BORDER_WINDOW)):  # noqa: B007 - the last one
        pass
    return border


def _last_border(content: bytes) -> re.Match[bytes] | None:
    """The last border between two rows, found by counting brackets outside strings."""
    if _BORDER.search(content) is None:
        return None
    depth, last = 0, None
    for lexeme in _LEXEME.finditer(content):
        first = content[lexeme.start()]
        if first in b"[{":
            depth += 1
        elif first in b"]}":
            depth -= 1
            if depth <= 0:  # less than 0 where the JSON is malformed, which decoding will say
                last = _BORDER.match(content, lexeme.start()) or last
    return last
