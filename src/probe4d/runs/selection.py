"""Which questions of a benchmark a run asks: the same ones wherever and whenever it is asked."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np
import numpy.typing as npt
import polars as pl

from probe4d.benchmarks.benchmark import Benchmark
from probe4d.benchmarks.sampling import ranks
from probe4d.errors import InputError

__all__ = ["CHOSEN_BY", "Selection", "apportioned", "selected", "selected_of"]


CHOSEN_BY = ("id", "family", "format")
"""Columns that a selection looks at."""


class Selection(msgspec.Struct, frozen=True, kw_only=True):
    """A part of a benchmark: families first, of these a sample, of that the first `limit`.

    Attributes:
        families: Families asked; empty means all.
        sample: Number of questions drawn, stratified over family and format; null asks all.
        limit: Number of questions, from the first; null sets no limit.
        seed: Seed of the sample.
    """

    families: tuple[str, ...] = ()
    sample: int | None = None
    limit: int | None = None
    seed: int = 42

    @property
    def of_effect(self) -> Selection:
        """The same without a seed that draws nothing."""
        return self if self.sample is not None else msgspec.structs.replace(self, seed=Selection().seed)


def selected(table: pl.DataFrame, selection: Selection | None) -> pl.DataFrame:
    """The rows of a table of Questions that are asked, in benchmark order.

    Args:
        table: The columns `CHOSEN_BY`, and whatever else the rows hold.
        selection: The selection; null takes all.

    Raises:
        InputError: A family is unknown, a number is below 1, or the sample is larger than what it is drawn from.
    """
    if selection is None:
        return table
    for name, n in (("sample", selection.sample), ("limit", selection.limit)):
        if n is not None and n < 1:
            raise InputError(f"the {name} is {n}, and a run asks at least one question.", remedy="Give 1 or more.")
    if selection.families:
        table = _of_families(table, selection.families)
    if selection.sample is not None:
        table = _sampled(table, selection.sample, selection.seed)
    return table if selection.limit is None else table.head(selection.limit)


def selected_of(benchmark: Benchmark, selection: Selection | None) -> pl.DataFrame:
    """The questions of a benchmark that are asked (see `selected`), worked out once for each selection.

    Returns:
        The columns `CHOSEN_BY`, in benchmark order.
    """
    of = None if selection is None else selection.of_effect
    if of not in benchmark.derived:
        benchmark.derived[of] = selected(benchmark.columns(*CHOSEN_BY), of)
    return benchmark.derived[of]


def apportioned(sizes: Sequence[int], n: int) -> npt.NDArray[np.int64]:
    """Share `n` seats among strata in proportion to their sizes (Balinski and Young 1975, the quota method).

    Like the method of the largest remainder it gives every stratum its exact share, rounded down or up; unlike
    it no stratum ever loses a seat when there are more, so that smaller samples lie within larger ones.

    Args:
        sizes: Number of items in each stratum, 1 or more; among equals the first is served first.
        n: Number of seats, at most the sum of the sizes.

    Returns:
        (strata,) seats, which sum to `n`.
    """
    size = np.asarray(sizes, dtype=np.int64)
    seats = np.zeros_like(size)
    for given in range(1, n + 1):
        below_share = seats * size.sum() < given * size  # one more seat stays within the share rounded up
        seats[np.argmax(np.where(below_share, size / (seats + 1), -1.0))] += 1
    return seats


def _of_families(table: pl.DataFrame, families: Sequence[str]) -> pl.DataFrame:
    known = table["family"].unique(maintain_order=True).to_list()
    unknown = [family for family in families if family not in known]
    if unknown:
        raise InputError(
            f"the benchmark has no family {unknown[0]!r}.", remedy=f"Choose from its families: {', '.join(known)}."
        )
    return table.filter(pl.col("family").is_in(list(families)))


def _sampled(table: pl.DataFrame, n: int, seed: int) -> pl.DataFrame:
    """Draw `n` questions, from every family and format in proportion; in each, those of lowest rank."""
    if n > table.height:
        raise InputError(
            f"a sample of {n:,} cannot be drawn from {table.height:,} questions.",
            remedy=f"Draw {table.height:,} or less (sample=, --sample), or leave it out to ask all.",
        )
    strata = table.group_by("family", "format").len().sort("family", "format")
    strata = strata.with_columns(seats=pl.Series(apportioned(strata["len"].to_list(), n)))
    drawn = (
        table.select("id", "family", "format", rank=ranks(table["id"], seed=seed, family="sample"))
        .sort("rank", "id")
        .with_columns(place=pl.int_range(pl.len()).over("family", "format"))
        .join(strata, on=["family", "format"])
        .filter(pl.col("place") < pl.col("seats"))
    )
    return table.join(drawn.select("id"), on="id", how="semi", maintain_order="left")
