"""What one run changed against another on the same questions (LiDAR-Hallu, Sec. IV-D, Eq. 8)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from probe4d.diagnosis.figures import Figures
from probe4d.diagnosis.sheet import Sheet
from probe4d.diagnosis.tables import CHANGES_SCHEMA, Comparison

__all__ = ["CHANGES", "add_changes", "changes_table"]

CHANGES = ("repaired", "regressed", "changed-wrong")
"""What can happen to an answer: it became right, became wrong, or stayed wrong and became another."""


def add_changes(figures: Figures, sheet: Sheet, comparisons: Sequence[Comparison]) -> None:
    """Add what every comparison shows on the questions of the sheet, which both of its runs were asked.

    Metrics: repairs, regressions, changed_wrong and accuracy_change; and, not split by relation, accuracy_of_first,
    accuracy_of_second and answers_alike. changed_wrong counts wrong answers that became other wrong answers; from one
    invalid reply to another nothing changed, whatever their texts, and they are alike. The interval of
    accuracy_change keeps the two runs paired.
    """
    if not comparisons:
        return
    names = [comparison.name for comparison in comparisons]
    after = np.array([sheet.row(comparison.run) for comparison in comparisons])
    before = np.array([sheet.row(comparison.against) for comparison in comparisons])
    for group in sheet.groups:
        right, was_right = sheet.correct[np.ix_(after, group.items)], sheet.correct[np.ix_(before, group.items)]
        moved = sheet.labels[np.ix_(after, group.items)] != sheet.labels[np.ix_(before, group.items)]
        n = group.items.size
        figures.add_values("repairs", group, names, (right & ~was_right).sum(axis=1), n)
        figures.add_values("regressions", group, names, (~right & was_right).sum(axis=1), n)
        figures.add_values("changed_wrong", group, names, (~right & ~was_right & moved).sum(axis=1), n)
        figures.add_ratios("accuracy_change", group, names, right.astype(np.int8) - was_right.astype(np.int8))
        if group.relation == "all":
            figures.add_ratios("accuracy_of_first", group, names, right)
            figures.add_ratios("accuracy_of_second", group, names, was_right)
            figures.add_ratios("answers_alike", group, names, ~moved)


def changes_table(sheet: Sheet, comparisons: Sequence[Comparison]) -> pl.DataFrame:
    """List the questions that changed, by comparison, in benchmark order; columns of `CHANGES_SCHEMA`."""
    parts = [pl.DataFrame(schema=CHANGES_SCHEMA)]
    for comparison in comparisons:
        after, before = sheet.row(comparison.run), sheet.row(comparison.against)
        right, was_right = sheet.correct[after], sheet.correct[before]
        moved = sheet.labels[after] != sheet.labels[before]
        change = np.select(
            [right & ~was_right, ~right & was_right, ~right & ~was_right & moved],
            CHANGES,
            default="",
        )
        parts.append(
            pl.DataFrame(
                {"comparison": comparison.name, "question": sheet.questions["id"], "change": change},
                schema=CHANGES_SCHEMA,
            ).filter(pl.col("change") != "")
        )
    return pl.concat(parts)
