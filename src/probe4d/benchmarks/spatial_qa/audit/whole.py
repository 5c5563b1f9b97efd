"""Checks what a benchmark promises as a whole: that every answer is right as often as another, by a seed it names."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from probe4d.benchmarks.auditing.record import whole
from probe4d.benchmarks.benchmark import BenchmarkRecord
from probe4d.benchmarks.spatial_qa.audit.expected import EXPECTED
from probe4d.benchmarks.spatial_qa.reading import OPTIONS
from probe4d.benchmarks.suite import AuditFinding

__all__ = ["balance_findings", "seed_findings"]

_EVENED_IN_SCENES = ("collision", "occlusion", "passing")
"""Templates of which a full build keeps as many Yes as No in each scene."""


def seed_findings(record: BenchmarkRecord) -> Iterator[AuditFinding]:
    """That a record does not say by which seed was drawn."""
    if record.seed is None:
        yield whole("draw", "benchmark.json names no seed, so that nothing can be drawn again")


def balance_findings(table: pl.DataFrame, *, full: bool, contents: bool) -> Iterator[AuditFinding]:
    """Every answer is right as often as any other, where the build promises it.

    Of a full build these are Yes and No: of each relation, and in each scene of situations of two objects. Of a sample
    they are those of each template, letters among them; with balanced contents Yes and No of each context.

    Args:
        table: Columns template, scene, format, answer and context of the questions.
        full: Whether every candidate was kept.
        contents: Whether a sample balances contents.
    """
    template = pl.col("template")
    if full:
        relations = [name for name, expected in EXPECTED.items() if expected.relation is not None]
        yield from _uneven(table.filter(template.is_in(relations)), "template")
        yield from _uneven(table.filter(template.is_in(_EVENED_IN_SCENES)), "template", "scene")
        return
    yield from _uneven(table.filter(pl.col("format").is_in(["yes-no", "choice"])), "template")
    if contents:
        yield from _uneven(table.filter(format="yes-no"), "template", "context")


def _uneven(table: pl.DataFrame, *keys: str) -> Iterator[AuditFinding]:
    """Name the groups in which an answer is right more often than another."""
    counts = table.group_by(*keys, "format", "answer").len().sort(*keys, "answer")
    for (*names, form), group in counts.group_by(*keys, "format", maintain_order=True):
        found = dict(group.select("answer", "len").iter_rows())
        options = OPTIONS.get(str(names[0]), 0)
        possible = "ABCD"[:options] if form == "choice" else ("Yes", "No")
        if len({found.get(answer, 0) for answer in possible}) > 1:
            told = " and ".join(f"{found.get(answer, 0)} {answer}" for answer in possible)
            yield whole("balance", f"{' of '.join(map(str, names))} has {told}, and should have as many of each")
