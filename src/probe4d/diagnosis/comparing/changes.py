"""What one run changed against another on the same questions (LiDAR-Hallu, Sec. IV-D, Eq. 8)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from probe4d.benchmarks.suite import Average
from probe4d.diagnosis.comparing.comparisons import Comparison
from probe4d.diagnosis.figures import Figures
from probe4d.diagnosis.free_text.scores import add_text_differences
from probe4d.diagnosis.intervals.scores import add_overlaps, overlaps_of
from probe4d.diagnosis.labels.scores import add_label_averages
from probe4d.diagnosis.numbers.scores import add_nearness, add_number_averages, nearness_of
from probe4d.diagnosis.sheets.answer_sheet import AnswerSheet
from probe4d.diagnosis.sheets.intervals import IntervalSheet
from probe4d.diagnosis.sheets.judged import JudgedSheet
from probe4d.diagnosis.sheets.labels import LabelSheet
from probe4d.diagnosis.sheets.numbers import NumberSheet
from probe4d.diagnosis.sheets.right_or_wrong import RightOrWrongSheet
from probe4d.diagnosis.sheets.texts import TextSheet
from probe4d.diagnosis.sheets.waypoints import WaypointSheet
from probe4d.diagnosis.tables import CHANGES_SCHEMA
from probe4d.diagnosis.waypoints.scores import add_displacements, displacements_of

__all__ = [
    "CHANGES",
    "add_judged_changes",
    "add_label_changes",
    "add_number_changes",
    "add_text_changes",
    "add_waypoint_changes",
    "changes_table",
]

CHANGES = ("repaired", "regressed", "changed-wrong")
"""What can happen to an answer: it became right, became wrong, or stayed wrong and became another."""

_CHANGE, _FIRST, _SECOND = "_change", "_of_first", "_of_second"


def add_label_changes(
    figures: Figures, sheet: LabelSheet, comparisons: Sequence[Comparison], *, averages: Sequence[Average] = ()
) -> None:
    """Add what every comparison shows on the labels of a sheet, whose questions both of its runs were asked.

    Metrics: repairs, regressions, changed_wrong and answers_alike; accuracy_change, and accuracy_of_first and
    accuracy_of_second; and each average, with the same three endings. changed_wrong counts wrong answers that became
    other wrong answers; from one invalid reply to another nothing changed, whatever their texts, and they are alike.
    The interval of a change keeps the two runs paired.
    """
    names, firsts, seconds = _sides(comparisons)
    _add_counts(figures, sheet, comparisons)
    own, others = (sheet.correct[[sheet.row(name) for name in side]].astype(np.int8) for side in (firsts, seconds))
    for suffix, right in ((_CHANGE, own - others), (_FIRST, own), (_SECOND, others)):
        for group in sheet.groups:
            figures.add_ratios(f"accuracy{suffix}", group, names, right[:, group.items])
        add_label_averages(figures, sheet, averages, names, right, suffix=suffix)


def add_number_changes(
    figures: Figures, sheet: NumberSheet, comparisons: Sequence[Comparison], *, averages: Sequence[Average] = ()
) -> None:
    """Add the same for numbers, where within the tolerance is right, and every metric of `add_nearness`.

    Errors, their changes and both sides of these are over the questions alone where both runs gave a number.
    """
    names, firsts, seconds = _sides(comparisons)
    _add_counts(figures, sheet, comparisons)
    everyone = nearness_of(sheet)
    own, others = (everyone.rows([sheet.row(name) for name in side]) for side in (firsts, seconds))
    for suffix, nearness in (
        (_CHANGE, own.less(others)),
        (_FIRST, own.where_read(others)),
        (_SECOND, others.where_read(own)),
    ):
        add_nearness(figures, sheet, names, nearness, suffix=suffix)
        add_number_averages(figures, sheet, averages, names, nearness, suffix=suffix)


def add_interval_changes(figures: Figures, sheet: IntervalSheet, comparisons: Sequence[Comparison]) -> None:
    """Add every metric of `overlaps_of` with the same three endings, over all questions, and answers_alike."""
    names, firsts, seconds = _sides(comparisons)
    everyone = overlaps_of(sheet)
    own, others = (
        {metric: amounts[[sheet.row(name) for name in side]] for metric, amounts in everyone.items()}
        for side in (firsts, seconds)
    )
    change = {metric: amounts - others[metric] for metric, amounts in own.items()}
    for suffix, amounts in ((_CHANGE, change), (_FIRST, own), (_SECOND, others)):
        add_overlaps(figures, sheet, names, amounts, suffix=suffix)
    moved = sheet.differ(firsts, seconds)
    for group in sheet.groups:
        figures.add_ratios("answers_alike", group, names, ~moved[:, group.items])


def add_waypoint_changes(figures: Figures, sheet: WaypointSheet, comparisons: Sequence[Comparison]) -> None:
    """Add every metric of `add_displacements` with the same three endings.

    Those of answers that could be read are over the questions alone where both runs' could be.
    """
    names, firsts, seconds = _sides(comparisons)
    everyone = displacements_of(sheet)
    own, others = (everyone.rows([sheet.row(name) for name in side]) for side in (firsts, seconds))
    for suffix, displacements in (
        (_CHANGE, own.less(others)),
        (_FIRST, own.where_read(others)),
        (_SECOND, others.where_read(own)),
    ):
        add_displacements(figures, sheet, names, displacements, suffix=suffix)


def add_judged_changes(figures: Figures, sheet: JudgedSheet, comparisons: Sequence[Comparison]) -> None:
    """Add `judge_mean_all` with the same three endings, over the questions where both runs have an amount."""
    names, firsts, seconds = _sides(comparisons)
    own, others = (sheet.amounts[[sheet.row(name) for name in side]] for side in (firsts, seconds))
    known = ~np.isnan(own - others)
    for group in sheet.groups:
        for suffix, amounts in ((_CHANGE, own - others), (_FIRST, own), (_SECOND, others)):
            both = np.where(known, amounts, np.nan)[:, group.items]
            figures.add_means(f"judge_mean_all{suffix}", group, names, both)


def add_text_changes(figures: Figures, sheet: TextSheet, comparisons: Sequence[Comparison]) -> None:
    """Add every metric of words with the same three endings."""
    names, firsts, seconds = _sides(comparisons)
    sides = list(zip(firsts, seconds, strict=True))
    add_text_differences(figures, sheet, names, sides, (_CHANGE, _FIRST, _SECOND))


def _sides(comparisons: Sequence[Comparison]) -> tuple[list[str], list[str], list[str]]:
    """Names of the comparisons, of what each is of, and of what it is held against."""
    return (
        [one.name for one in comparisons],
        [one.run for one in comparisons],
        [one.against for one in comparisons],
    )


def _add_counts(figures: Figures, sheet: RightOrWrongSheet, comparisons: Sequence[Comparison]) -> None:
    names, firsts, seconds = _sides(comparisons)
    right, was_right = (sheet.correct[[sheet.row(name) for name in side]] for side in (firsts, seconds))
    moved = sheet.differ(firsts, seconds)
    for group in sheet.groups:
        own, before, other = (part[:, group.items] for part in (right, was_right, moved))
        n = group.items.size
        figures.add_values("repairs", group, names, (own & ~before).sum(axis=1), n)
        figures.add_values("regressions", group, names, (~own & before).sum(axis=1), n)
        figures.add_values("changed_wrong", group, names, (~own & ~before & other).sum(axis=1), n)
        figures.add_ratios("answers_alike", group, names, ~other)


def changes_table(sheet: AnswerSheet, comparisons: Sequence[Comparison]) -> pl.DataFrame:
    """List the questions that changed, by comparison, in benchmark order; columns of `CHANGES_SCHEMA`.

    Intervals, waypoints and free text are neither right nor wrong, and so not among them.
    """
    parts = [pl.DataFrame(schema=CHANGES_SCHEMA)]
    if not isinstance(sheet, RightOrWrongSheet):
        return parts[0]
    for comparison in comparisons:
        right, was_right = (sheet.correct[sheet.row(name)] for name in (comparison.run, comparison.against))
        moved = sheet.differ([comparison.run], [comparison.against])[0]
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
