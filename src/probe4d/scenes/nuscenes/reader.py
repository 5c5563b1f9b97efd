"""Reads the tables of one folder, each once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import Protocol, TypeVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from probe4d.errors import InputError
from probe4d.scenes.nuscenes.folder import TableFolder
from probe4d.store.json_tables import read_table

__all__ = [
    "TableReader",
    "Tokened",
    "check_unique",
    "gathered",
    "number_array",
    "passing",
    "row_of_token",
    "sorted_rows",
]


class Tokened(Protocol):
    """A row with a token."""

    @property
    def token(self) -> str:
        """Key of the row, unique in its table."""


Item = TypeVar("Item")
Row = TypeVar("Row", bound=Tokened)

_ENOUGH_ROWS = 1024


class TableReader:
    """Reads the tables of a folder."""

    def __init__(self, folder: TableFolder) -> None:
        self.folder = folder

    def path(self, name: str) -> Path:
        """File of a table, whether it exists or not."""
        return self.folder.path / f"{name}.json"

    def rows(self, name: str, kind: type[Row]) -> Iterator[list[Row]]:
        """Rows of a table, a list of them at a time; an optional table that is missing has none."""
        path = self.folder.table(name)
        if path is not None:
            yield from read_table(path, kind)

    def table(self, name: str, kind: type[Row]) -> list[Row]:
        """All rows of a small table."""
        return list(chain.from_iterable(self.rows(name, kind)))


def gathered(lists: Iterable[list[Item]]) -> Iterator[list[Item]]:
    """Join short lists into lists of at least `_ENOUGH_ROWS`, but for the last, so that columns made of them pay."""
    enough: list[Item] = []
    for some in lists:
        enough += some
        if len(enough) >= _ENOUGH_ROWS:
            yield enough
            enough = []
    if enough:
        yield enough


def row_of_token(rows: Iterable[Tokened], path: Path) -> dict[str, int]:
    """Position of each row by its token.

    Raises:
        InputError: A token occurs twice.
    """
    index: dict[str, int] = {}
    for position, row in enumerate(rows):
        if index.setdefault(row.token, position) != position:
            raise InputError(
                f"the token also stands in row {index[row.token] + 1}, and tokens must be unique.",
                path=path,
                row=f"row {position + 1} (token {row.token})",
                remedy="Remove one of the two rows.",
            )
    return index


def check_unique(tokens: pl.Series, path: Path) -> None:
    """Check that no token occurs twice in a column.

    Raises:
        InputError: One does.
    """
    if tokens.n_unique() == len(tokens):
        return
    token = tokens.filter(tokens.is_duplicated()).sort()[0]
    raise InputError(
        "the token stands in two rows, and tokens must be unique.",
        path=path,
        row=f"token {token}",
        remedy="Remove one of the two rows.",
    )


def number_array(vectors: Iterable[Iterable[float | None]], width: int) -> NDArray[np.float64]:
    """Vectors of one width as an array, shape (n, width); null becomes NaN."""
    flat = list(chain.from_iterable(vectors))
    return np.array(flat, dtype=np.float64).reshape(-1, width)


def passing(checks: dict[str, NDArray[np.bool_]], dropped: Counter[str]) -> NDArray[np.bool_]:
    """Whether each row passes all checks; each other row is counted in `dropped` under the first that it fails."""
    keep = np.ones_like(next(iter(checks.values())))
    for reason, passes in checks.items():
        failed = int((keep & ~passes).sum())
        if failed:
            dropped[reason] += failed
        keep &= passes
    return keep


def sorted_rows(table: pl.DataFrame, *columns: str) -> NDArray[np.int64]:
    """Rows in the order of some columns of numbers and, where all are equal, of their tokens."""
    keys = [table[column].to_numpy() for column in columns]
    order = np.lexsort(keys[::-1])
    tied = np.ones(max(0, len(order) - 1), dtype=np.bool_)
    for key in keys:
        tied &= np.diff(key[order]) == 0
    if tied.any():
        tokens = table["token"].to_list()
        return np.array(sorted(order.tolist(), key=lambda row: (*(key[row] for key in keys), tokens[row])), np.int64)
    return order
