"""Which questions a review looks at: so many of each template, drawn by a seed."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from probe4d.benchmarks.benchmark import Benchmark
from probe4d.benchmarks.sampling import draw
from probe4d.errors import InputError

__all__ = ["sampled"]


def sampled(benchmark: Benchmark, *, per_template: int, seed: int, formats: Sequence[str] | None = None) -> list[str]:
    """Draw questions of each template (STRIDE, App. A.6.2: 10 of each).

    Args:
        benchmark: The questions.
        per_template: Most questions of a template.
        seed: Seed of the draw; a larger sample of the same seed holds the smaller one.
        formats: Formats that are looked at; null for all.

    Returns:
        Ids: families in their order, templates by name, questions as drawn.

    Raises:
        InputError: The number is below 1, or there is no question of these formats.
    """
    if per_template < 1:
        raise InputError(f"the number of questions of a template must be at least 1, not {per_template}.")
    table = benchmark.columns("id", "family", "template", "format")
    if formats is not None:
        table = table.filter(pl.col("format").is_in(list(formats)))
    if not table.height:
        asked_for = "" if formats is None else f" of the format {' or '.join(formats)}"
        raise InputError(
            f"has no questions{asked_for}.",
            path=benchmark.path,
            remedy="Give a benchmark that holds some.",
        )
    rank = {family: place for place, family in enumerate(benchmark.record.counts)}
    keyed = table.with_columns(
        key="id", place=pl.col("family").replace_strict(rank, default=len(rank), return_dtype=pl.Int64)
    ).sort("place", "family", "template", maintain_order=True)
    return [
        identity
        for (_, name), own in keyed.group_by("family", "template", maintain_order=True)
        for identity in draw(own, per_template, seed=seed, family=f"review/{name}")["id"]
    ]
