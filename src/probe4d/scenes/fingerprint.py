"""The fingerprint of a dataset: what its tables say, in whatever order and layout they say it."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

import numpy as np
import polars as pl

__all__ = ["fingerprint_of", "table_digest"]

_SLAB_ROWS = 1 << 13


def fingerprint_of(digests: Mapping[str, str]) -> str:
    """SHA-256 over the names of tables and their digests (see `table_digest`), 64 hexadecimal digits."""
    lines = [f"{name} {digests[name]}\n" for name in sorted(digests)]
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def table_digest(table: pl.DataFrame) -> str:
    """SHA-256 over the columns of a table, 64 hexadecimal digits.

    Shuffled rows and floats written anew in the dataset's files change nothing here, since the tables of
    `Scenes` are sorted and hold numbers; a value that differs does.

    Args:
        table: A table in an order that does not depend on that of the files.
    """
    sha256 = hashlib.sha256(f"{table.height}\n".encode())
    for start in range(0, table.height, _SLAB_ROWS):
        for column in table.slice(start, _SLAB_ROWS):
            sha256.update(f"{column.name}\n".encode())
            for part in _bytes(column):
                sha256.update(part)
    return sha256.hexdigest()


def _bytes(column: pl.Series) -> list[bytes]:
    """A column as bytes from which it could be told: what is null, then the values one after another."""
    parts = [f"{column.null_count()}\n".encode()]
    if column.null_count():
        parts.append(np.packbits(column.is_null().to_numpy()).tobytes())
        if not isinstance(column.dtype, pl.List):
            column = column.fill_null("" if column.dtype == pl.String else 0)
    if isinstance(column.dtype, pl.List):
        lengths = column.list.len().fill_null(0)
        return [*parts, lengths.to_numpy().tobytes(), *_bytes(column.filter(lengths > 0).explode())]
    if column.dtype == pl.String:
        return [*parts, column.str.len_bytes().to_numpy().tobytes(), "".join(column.to_list()).encode()]
    return [*parts, (column.to_numpy() + 0).tobytes()]  # so that -0.0 and 0.0, which are equal, are the same
