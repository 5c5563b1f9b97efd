"""Reads rows of other people's CSV and JSON-lines files; every error names the file and the row."""

from __future__ import annotations

import csv
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import msgspec

from probe4d.errors import InputError
from probe4d.store.logs import read_lines

__all__ = ["Row", "read_records", "read_rows"]

Record = TypeVar("Record")

_DELIMITERS = (",", ";", "\t")
_LONGEST_FIELD = 2**31 - 1  # characters; the most that csv takes on every platform


class Row(NamedTuple):
    """One row: where it stands, in words, and its values by column."""

    where: str
    values: dict[str, Any]


def read_rows(path: Path, *, columns: Collection[str] = ()) -> Iterator[Row]:
    """Yield the rows of a `.csv` file (with a header) or of a `.jsonl` file, as its name ends.

    Args:
        path: The file, UTF-8 (a byte-order mark is allowed). Fields of a `.csv` file may be parted by semicolons or
            tabs as well, as its header shows, and may be of any length.
        columns: Columns that have to be there.

    Raises:
        InputError: The file cannot be read, is no UTF-8, has no row, lacks a column, or a row is cut short,
            too long or no record.
    """
    rows = _json_rows(path) if path.suffix == ".jsonl" else _csv_rows(path)
    empty = True
    try:
        for row in rows:
            empty = False
            for column in columns:
                if column not in row.values:
                    raise InputError(
                        f"has no {column!r}; found are {', '.join(map(str, row.values))}.",
                        path=path,
                        row=row.where,
                        remedy="Give a file that has it in every row.",
                    )
            yield row
    except OSError as error:
        raise InputError(f"cannot be read ({error.strerror}).", path=path) from error
    if empty:
        raise InputError("holds no row.", path=path, remedy="Give the whole file, or leave it out.")


def read_records(path: Path, kind: type[Record], *, columns: Collection[str] = ()) -> Iterator[tuple[str, Record]]:
    """Yield (where, record) for each row, converted to a msgspec Struct; empty and null values count as absent.

    Raises:
        InputError: As `read_rows`, or a value does not fit its field.
    """
    for row in read_rows(path, columns=columns):
        present = {name: value for name, value in row.values.items() if value is not None and value != ""}
        try:
            yield row.where, msgspec.convert(present, kind, strict=False)
        except msgspec.ValidationError as error:
            raise InputError(f"does not fit ({error}).", path=path, row=row.where, remedy="Mend that row.") from error


def _json_rows(path: Path) -> Iterator[Row]:
    for number, values in read_lines(path, dict[str, Any]):
        yield Row(f"line {number}", values)


def _csv_rows(path: Path) -> Iterator[Row]:
    with _fields_of_any_length(), open(path, encoding="utf-8-sig", newline="") as file:
        begins = 1
        try:
            delimiter, spaced = _layout(file.readline())
            file.seek(0)
            reader = csv.reader(file, delimiter=delimiter, skipinitialspace=spaced, strict=True)
            header = next(reader, [])
            repeated = sorted({name for name in header if header.count(name) > 1})
            if repeated:
                raise InputError(f"has the column {repeated[0]!r} twice.", path=path)
            begins = reader.line_num + 1
            for cells in reader:
                where, begins = f"line {begins}", reader.line_num + 1  # a quoted field may span several lines
                if not cells:
                    continue
                if len(cells) != len(header):
                    raise InputError(
                        f"has {len(cells)} fields where the header has {len(header)}.",
                        path=path,
                        row=where,
                        remedy="Mend that row, or give the whole file if it was cut short.",
                    )
                yield Row(where, dict(zip(header, cells, strict=True)))
        except csv.Error as error:
            raise InputError(
                f"is no valid CSV ({error}).",
                path=path,
                row=f"line {begins}",
                remedy="Mend that row, or give the whole file if it was cut short.",
            ) from error
        except UnicodeDecodeError as error:
            raise InputError(
                f"is no UTF-8 text ({error.reason}).",
                path=path,
                row=_line_without_text(path),
                remedy="Save it as UTF-8.",
            ) from error


def _line_without_text(path: Path) -> str | None:
    """The first line that is no UTF-8: text is decoded in blocks, which know of no lines."""
    with open(path, "rb") as file:
        for number, line in enumerate(file, start=1):
            try:
                line.decode("utf-8")
            except UnicodeDecodeError:
                return f"line {number}"
    return None


@contextmanager
def _fields_of_any_length() -> Iterator[None]:
    """Lift the limit that `csv` sets to the length of fields, as long as a file is read."""
    limit = csv.field_size_limit(_LONGEST_FIELD)
    try:
        yield
    finally:
        csv.field_size_limit(limit)


def _layout(header: str) -> tuple[str, bool]:
    """The delimiter that parts a header into most columns, and whether a blank follows each, as in `id, text`."""
    columns = {mark: next(csv.reader([header], delimiter=mark), []) for mark in _DELIMITERS}
    delimiter = max(columns, key=lambda mark: len(columns[mark]))  # of equal ones the comma, which comes first
    rest = columns[delimiter][1:]
    return delimiter, bool(rest) and all(name.startswith(" ") for name in rest)
