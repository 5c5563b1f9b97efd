"""Reads each distinct reply once: models often say the same of many questions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

import polars as pl

__all__ = ["REPLY", "read_once", "readings"]

REPLY = ("part", "finish_reason", "error")
"""Columns of what a model replied: the answer's part of its text, why that ended, and why there is none."""

ReadingT = TypeVar("ReadingT")


def read_once(
    rows: pl.DataFrame,
    keys: Sequence[str],
    read: Callable[[pl.DataFrame], pl.DataFrame],
    *,
    lists: Sequence[str] = (),
) -> pl.DataFrame:
    """Put beside rows what is read of them, each combination of values read once.

    Args:
        rows: The rows.
        keys: Columns that say all that a reading depends on.
        read: Reads rows of distinct keys, row for row; gives the columns to put beside them, none named as a key.
        lists: Further columns that it is given, each of which follows from the keys: lists are no keys.

    Returns:
        The rows in their order, with the columns read behind their own.
    """
    distinct = rows.select(*keys, *lists).unique(keys, keep="first", maintain_order=True)
    known = distinct.select(keys).hstack(read(distinct))
    return rows.join(known, on=list(keys), how="left", nulls_equal=True, maintain_order="left")


def readings(
    replies: pl.DataFrame, parse: Callable[..., ReadingT], *, missing: ReadingT, **asked: str
) -> list[ReadingT]:
    """Read replies one by one.

    Args:
        replies: Columns of `REPLY`, and those named.
        parse: Takes a text, `finish_reason` and `error`, and what else was asked.
        missing: What stands for no reply: neither a text nor an error.
        asked: Columns of the further arguments of `parse`, by the names of these.
    """
    return [
        missing
        if text is None and not error
        else parse(text or "", finish_reason=finish_reason, error=error, **dict(zip(asked, rest, strict=True)))
        for text, finish_reason, error, *rest in replies.select(*REPLY, *asked.values()).iter_rows()
    ]
