"""What one run repairs and breaks against another."""

from __future__ import annotations

import polars as pl

from probe4d.benchmarks.question import INTERVAL, NUMBER
from probe4d.diagnosis.tables import Diagnosis
from probe4d.report import charts
from probe4d.report.lookup import WITHIN, Lookup, how_right, points
from probe4d.report.sections.part import (
    Key,
    Section,
    Table,
    bounds,
    cells,
    number,
    number_columns,
    title_of,
    word_columns,
)

__all__ = ["changes"]


def changes(diagnosis: Diagnosis, lookup: Lookup) -> Section:
    """Chart repairs and regressions of every comparison; the table adds changed_wrong and the change in accuracy.

    Args:
        diagnosis: The comparisons.
        lookup: The figures.
    """
    rows, bars = [], []
    for comparison in diagnosis.comparisons:
        for family, kind in (*cells(lookup, "accuracy_change"), *_unlabelled(lookup)):
            accuracy = how_right(kind)
            repairs, regressions, other, change = (
                lookup.get(comparison.name, metric, family, kind)
                for metric in ("repairs", "regressions", "changed_wrong", f"{accuracy}_change")
            )
            if change is None:
                continue
            if family == "all" and kind in ("all", NUMBER) and repairs is not None and regressions is not None:
                name = comparison.name if kind == "all" else f"{comparison.name}, numbers"
                bars += [(name, "repaired", repairs.value), (name, "regressed", -regressions.value)]
            rows.append((
                comparison.name, title_of(family, kind), number(repairs), number(regressions), number(other),
                points(change.value), bounds(change, signed=True), f"{change.n:,}",
            ))  # fmt: skip
    drawn = []
    if bars:
        words = "; ".join(f"{name} {part} {abs(n):,.0f}" for name, part, n in bars)
        table = pl.DataFrame(bars, schema={"name": pl.String, "part": pl.String, "n": pl.Float64}, orient="row")
        drawn.append(charts.changes("Answers repaired and broken", words, table))
    return Section(
        "changes",
        "What a change repairs, and what it breaks",
        "Two runs on the same questions. Repairs and regressions are counted apart, since a gain in accuracy may hide "
        f"as many new errors. A number is right {WITHIN} of the truth; an "
        "interval is neither right nor wrong, and its accuracy is its mean overlap.",
        drawn,
        Table(
            "Comparisons",
            (
                *word_columns("Comparison", "Questions"),
                *number_columns("Repaired", "Regressed", "Wrong to wrong", "Accuracy", "95 % interval", "n"),
            ),
            rows,
        ),
        [Key("bar", "right", "repaired"), Key("bar", "wrong", "regressed")],
    )


def _unlabelled(lookup: Lookup) -> list[tuple[str, str]]:
    """Families of numbers and of intervals, by format, those of all families last."""
    return [cell for kind in (NUMBER, INTERVAL) for cell in lookup.cells(f"{how_right(kind)}_change", (kind,))]
