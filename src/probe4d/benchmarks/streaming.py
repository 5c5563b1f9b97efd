"""Benchmarks of millions of questions: put together from parts on disk, never in memory as a whole."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from probe4d.benchmarks.question import QUESTION_SCHEMA

__all__ = ["in_families"]


def in_families(families: Sequence[Sequence[pl.LazyFrame]]) -> pl.LazyFrame:
    """Put the parts of each family together, and count the questions of each family through.

    Args:
        families: The parts of each family, in order; columns of `QUESTION_SCHEMA`.
    """
    numbered = (pl.concat(parts).drop("order").with_row_index("order") for parts in families if parts)
    in_columns = (part.select(pl.col(name).cast(kind) for name, kind in QUESTION_SCHEMA.items()) for part in numbered)
    return pl.concat([pl.LazyFrame(schema=QUESTION_SCHEMA), *in_columns])
