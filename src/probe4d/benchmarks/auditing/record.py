"""Checks the record of a benchmark against its questions and the dataset: counts, fingerprint, places."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import polars as pl

from probe4d.benchmarks.benchmark import Benchmark
from probe4d.benchmarks.fingerprints import fingerprint
from probe4d.benchmarks.suite import AuditFinding

__all__ = ["count_findings", "order_findings", "whole"]


def whole(rule: str, what: str) -> AuditFinding:
    """A finding about the benchmark as a whole."""
    return AuditFinding(question="", rule=rule, what=f"{what}.")


def count_findings(benchmark: Benchmark, *, scenes: int) -> Iterator[AuditFinding]:
    """Check that a record counts its questions, names their fingerprint, and has room for their scenes.

    Args:
        benchmark: The benchmark.
        scenes: Number of scenes in the dataset's tables.
    """
    record, table = benchmark.record, benchmark.columns("id", "family", "format", "scene")
    counts: dict[str, dict[str, int]] = {}
    for family, kind, n in table.group_by("family", "format").len().iter_rows():
        counts.setdefault(family, {})[kind] = n
    told, found = _sorted(record.counts), _sorted(counts)
    if told != found:
        yield whole("counts", f"benchmark.json counts {told}, the questions are {found}")
    if record.fingerprint != fingerprint(table):
        yield whole("fingerprint", "the fingerprint in benchmark.json is not that of the question ids")
    asked_about = table["scene"].n_unique()
    if asked_about > record.source.scenes:
        yield whole(
            "counts", f"benchmark.json counts {record.source.scenes} scenes, the questions ask about {asked_about}"
        )
    if record.source.scenes > scenes:
        yield whole("source", f"benchmark.json counts {record.source.scenes} scenes, the tables hold {scenes}")


def order_findings(benchmark: Benchmark) -> Iterator[AuditFinding]:
    """See that `order` numbers the questions of each family from 0, in whatever order the rows stand."""
    placed = benchmark.columns("id", "family", "order").select(
        "id",
        "order",
        size=pl.len().over("family"),
        first=pl.col("id").first().over("family", "order"),
    )
    wrong = placed.filter(
        (pl.col("first") != pl.col("id")) | (pl.col("order") < 0) | (pl.col("order") >= pl.col("size"))
    )
    for identity, order, size, first in wrong.iter_rows():
        what = f"of question {first} in its family" if first != identity else f"in a family of {size} questions"
        yield AuditFinding(question=identity, rule="order", what=f"has the place {order} {what}.")


def _sorted(counts: Mapping[str, Mapping[str, int]]) -> dict[str, dict[str, int]]:
    return {family: dict(sorted(kinds.items())) for family, kinds in sorted(counts.items())}
