"""Chains of rows linked by `prev` and `next`, and what can be wrong with them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

__all__ = ["NONE", "Links", "find_links"]

NONE = -1
"""Row number of an empty reference."""

UNKNOWN = -2
"""Row number of a reference that names no row that takes part."""


class Links(NamedTuple):
    """The chains of one table, an entry a row.

    Attributes:
        prev: Number of the row before, -1 at a start, -2 where it is not known.
        next: Number of the row after, likewise.
        group: Number of what the rows of a chain share; -2 where it is not known.
        one_sided: The row after, or before, does not link back.
        crossing: The row after belongs to another group.
        cyclic: Walking on from here never ends.
        extra_start: A chain starts here that is not the first of its group.
        sound: The row's group is known and free of all these faults.
    """

    prev: NDArray[np.int64]
    next: NDArray[np.int64]
    group: NDArray[np.int64]
    one_sided: NDArray[np.bool_]
    crossing: NDArray[np.bool_]
    cyclic: NDArray[np.bool_]
    extra_start: NDArray[np.bool_]
    sound: NDArray[np.bool_]


def find_links(prev: pl.Series, next: pl.Series, group: pl.Series) -> Links:
    """Find the chains among rows and their faults.

    Args:
        prev: Row number of the row before; -1 for none, null for unknown.
        next: Row number of the row after; likewise.
        group: Number of what the rows of one chain share; null for unknown.
    """
    before, after, owner = (column.fill_null(UNKNOWN).to_numpy() for column in (prev, next, group))
    row = np.arange(len(before))
    back = np.where(after >= 0, _at(before, after), row)
    forth = np.where(before >= 0, _at(after, before), row)
    one_sided = ((back != row) & (back != UNKNOWN)) | ((forth != row) & (forth != UNKNOWN))
    heir = np.where(after >= 0, _at(owner, after), owner)
    crossing = (heir != owner) & (heir != UNKNOWN) & (owner != UNKNOWN)
    cyclic = _cyclic(after)
    faulty = one_sided | crossing | cyclic | (before == UNKNOWN) | (after == UNKNOWN)
    sound = (owner != UNKNOWN) & ~np.isin(owner, np.concatenate([owner[faulty], heir[crossing]]))
    starts = np.flatnonzero(sound & (before == NONE))
    _, first = np.unique(owner[starts], return_index=True)
    extra_start = np.zeros(len(row), dtype=bool)
    extra_start[np.delete(starts, first)] = True
    sound &= ~np.isin(owner, owner[extra_start])
    return Links(before, after, owner, one_sided, crossing, cyclic, extra_start, sound)


def _cyclic(after: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Rows from which a walk along `after` is still going after as many steps as there are rows."""
    place = after.copy()
    for _ in range(len(after).bit_length()):  # each round doubles the number of steps
        place = np.where(place >= 0, _at(place, place), NONE)
    return place >= 0


def _at(values: NDArray[np.int64], rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """Values of rows; anything where the row is none or unknown."""
    return values[np.maximum(rows, 0)]
