"""Which questions of a benchmark a run asks: the same ones wherever and whenever it is asked."""

from __future__ import annotations

import msgspec
import polars as pl

__all__ = ["Selection", "selected"]


class Selection(msgspec.Struct, frozen=True, kw_only=True):
    """A part of a benchmark.

    Attributes:
        families: Families asked; empty means all.
        sample: Number of questions drawn, stratified; null draws none out.
        limit: Number of questions, from the first; null sets no limit.
        seed: Seed of the sample.
    """

    families: tuple[str, ...] = ()
    sample: int | None = None
    limit: int | None = None
    seed: int = 42


def selected(table: pl.DataFrame, selection: Selection | None) -> pl.DataFrame:
    """The rows of a table of Questions that are asked, in benchmark order."""
    if selection is None:
        return table
    if selection.families:
        table = table.filter(pl.col("family").is_in(list(selection.families)))
    if selection.limit is not None:
        table = table.head(selection.limit)
    return table
