"""Reads the tables of a dataset that may be broken: what can be read, and what could not be."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, get_type_hints

import msgspec
import numpy as np
import polars as pl

from probe4d.errors import InputError
from probe4d.scenes.sanity.rows import Integer, Matrix, Quaternion, Tokens, Vector
from probe4d.store import json_tables

__all__ = ["BadRow", "RawTable", "read_table"]

_DAMAGE = (msgspec.MsgspecError, ValueError, OverflowError, RecursionError)

_COMPONENTS = {
    "translation": ("x", "y", "z"),
    "rotation": ("qw", "qx", "qy", "qz"),
    "size": ("width", "length", "height"),  # the order that nuScenes stores
}
_DTYPES: dict[Any, pl.DataType] = {
    str: pl.String(),
    str | None: pl.String(),
    bool: pl.Boolean(),
    Integer: pl.Int64(),
    Integer | None: pl.Int64(),
    Tokens: pl.List(pl.String()),
    Matrix: pl.List(pl.List(pl.Float64())),
}


class BadRow(NamedTuple):
    """A row that does not have the fields of its table.

    Attributes:
        number: Its place in the table, from 1.
        token: Its token; null where it has none that can be read.
        why: What is wrong with it.
    """

    number: int
    token: str | None
    why: str


@dataclass
class RawTable:
    """What could be read of a table.

    Attributes:
        frame: A column a field (vectors a column a component, NaN where the file has NaN or null); null
            where the table could not be read.
        bad: Rows left out of it.
        fault: Why there is no frame, with the path of the table; empty where there is one.
    """

    frame: pl.DataFrame | None
    bad: list[BadRow] = field(default_factory=list)
    fault: str = ""


def read_table(path: Path, kind: type[msgspec.Struct]) -> RawTable:
    """Read a table, whatever its state; nothing about its content makes this raise.

    A sound table is decoded in one pass. Only where that fails is it read again, row by row, so that a
    row of the wrong shape is set aside by itself.
    """
    schema = _schema(kind)
    empty = pl.DataFrame(schema=schema)
    try:
        try:
            return RawTable(pl.concat([empty, *(_frame(rows, schema) for rows in json_tables.read_table(path, kind))]))
        except InputError:
            bad: list[BadRow] = []
            return RawTable(pl.concat([empty, *(_frame(rows, schema) for rows in _row_by_row(path, kind, bad))]), bad)
    except InputError as error:
        return RawTable(None, fault=str(error))
    except _DAMAGE as error:
        return RawTable(None, fault=f"{path}: cannot be decoded ({error or type(error).__name__}).")


def _row_by_row(path: Path, kind: type[msgspec.Struct], bad: list[BadRow]) -> Iterator[list[Any]]:
    decoder = msgspec.json.Decoder(kind)
    number = 0
    for block in json_tables.read_table(path, msgspec.Raw):
        rows = []
        for number, raw in enumerate(block, start=number + 1):  # noqa: B020 - counts on from block to block
            try:
                rows.append(decoder.decode(raw))
            except _DAMAGE as error:
                bad.append(BadRow(number, _token(raw), str(error)))
        yield rows


def _token(raw: msgspec.Raw) -> str | None:
    try:
        row = msgspec.json.decode(raw)
    except _DAMAGE:
        return None
    token = row.get("token") if isinstance(row, dict) else None
    return token if isinstance(token, str) else None


def _schema(kind: type[msgspec.Struct]) -> dict[str, pl.DataType]:
    schema: dict[str, pl.DataType] = {}
    for name, hint in get_type_hints(kind, include_extras=True).items():
        if hint in (Vector, Quaternion):
            schema |= dict.fromkeys(_COMPONENTS[name], pl.Float64())
        else:
            schema[name] = _DTYPES[hint]
    return schema


def _frame(rows: list[Any], schema: dict[str, pl.DataType]) -> pl.DataFrame:
    columns: dict[str, Any] = {}
    for name in rows[0].__struct_fields__ if rows else ():
        values = [getattr(row, name) for row in rows]
        if name in _COMPONENTS:
            columns |= zip(_COMPONENTS[name], np.array(values, dtype=np.float64).T, strict=True)
        elif schema[name] == pl.List:
            columns[name] = _lists(values, schema[name])
        else:
            columns[name] = values
    return pl.DataFrame(columns, schema=schema)


def _lists(values: list[Any], dtype: pl.DataType) -> pl.Series:
    """A column of lists, of which many are the same: polars takes a list ten times as long as a number."""
    numbers: dict[Any, int] = {}
    rows = [numbers.setdefault(value, len(numbers)) for value in values]
    return pl.Series(list(numbers), dtype=dtype).gather(rows)
