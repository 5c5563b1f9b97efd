"""What a verdict says of a benchmark itself: how far words alone answer it (LiDAR-Hallu, research question 1)."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import polars as pl

from probe4d.benchmarks.intervals import interval_in
from probe4d.diagnosis.controls import CONTENT, FIXED
from probe4d.diagnosis.tables import Diagnosis, control_beside
from probe4d.report.lookup import Figure, Lookup, asked, interval, percent
from probe4d.report.statement import FEW, Statement

__all__ = ["of_the_benchmark"]

_LEAD = 0.10  # of the content control over the fixed one that makes a family solvable without looking


def of_the_benchmark(diagnosis: Diagnosis, lookup: Lookup) -> Iterator[Statement]:
    """Say which families can be answered without looking, by the controls on most of their questions.

    Whichever run comes first, it is the run that was asked most of a family whose questions count.
    """
    for family, kind in lookup.cells("accuracy"):
        beside = _most_asked(diagnosis, lookup, family, kind)
        if family == "all" or beside is None or beside[0].n < FEW:
            continue
        content, fixed = beside
        table = diagnosis.benchmark.table.filter((pl.col("family") == family) & (pl.col("format") == kind))
        offered = table["options"]
        chance = 0.5 if kind == "yes-no" else float(np.mean(1 / offered.list.len().to_numpy()))
        without = max(fixed.value, chance)
        if content.low is None or content.low < without or content.value < without + _LEAD:
            continue
        by = "the words of the question"
        if kind == "choice":
            spans = all(interval_in(text) for text in offered.explode().unique())
            by = "the lengths of the intervals offered" if spans else "the options offered"
        which = f"{content.n:,} cases" if content.n == table.height else f"{content.n:,} of {table.height:,} cases"
        yield Statement(
            "note",
            f"{asked(family, kind).capitalize()} can be answered from {by} alone in {percent(content.value)} of "
            f"{which} ({interval(content)}); always {'A' if kind == 'choice' else 'No'} gets {percent(fixed.value)}.",
        )


def _most_asked(diagnosis: Diagnosis, lookup: Lookup, family: str, kind: str) -> tuple[Figure, Figure] | None:
    """Accuracy of the content and of the fixed control on the most questions of a family that some run was asked."""
    found = []
    for of in (None, *(run.name for run in diagnosis.runs)):
        names = [control if of is None else control_beside(control, of) for control in (CONTENT, FIXED)]
        content, fixed = (lookup.get(name, "accuracy", family, kind) for name in names)
        if content is not None and fixed is not None:
            found.append((content, fixed))
    return max(found, key=lambda both: both[0].n, default=None)
