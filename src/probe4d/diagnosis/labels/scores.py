"""Accuracy, what a constant answer would have scored, and which labels are chosen (LiDAR-Hallu, Sec. IV-A)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from probe4d.benchmarks.question import LETTERS
from probe4d.benchmarks.suite import Average
from probe4d.diagnosis.averages import add_averages
from probe4d.diagnosis.controls.answerers import CONTENT
from probe4d.diagnosis.figures import Figures
from probe4d.diagnosis.sheets.grouping import Group
from probe4d.diagnosis.sheets.labels import INVALID, YES, LabelSheet

__all__ = ["add_label_averages", "add_scores"]

_A = 0


def add_scores(figures: Figures, sheet: LabelSheet) -> None:
    """Add accuracy, valid rate, the constant-answer identity and selection rates of every answerer.

    Metrics: accuracy, valid_rate; over choice questions selected_a, constant_a, rescues, damages,
    excess_over_a (Eq. 4) and selection_rate_a, _b, …; over yes-no questions selection_rate_yes;
    accuracy_control_wrong over the questions that the content control gets wrong.
    """
    for group in sheet.groups:
        labels, correct = sheet.labels[:, group.items], sheet.correct[:, group.items]
        figures.add_ratios("accuracy", group, sheet.names, correct)
        figures.add_ratios("valid_rate", group, sheet.names, labels != INVALID)
        if group.format == "choice":
            _add_constant_a(figures, sheet, group)
            for code in range(int(sheet.option_counts[group.items].max())):
                figures.add_ratios(f"selection_rate_{LETTERS[code].lower()}", group, sheet.names, labels == code)
        elif group.format == "yes-no":
            figures.add_ratios("selection_rate_yes", group, sheet.names, labels == YES)
        control_wrong = ~correct[sheet.row(CONTENT)]
        figures.add_ratios(
            "accuracy_control_wrong",
            replace(group, items=group.items[control_wrong]),
            sheet.names,
            correct[:, control_wrong],
        )


def add_label_averages(
    figures: Figures,
    sheet: LabelSheet,
    averages: Sequence[Average],
    names: Sequence[str],
    right: npt.NDArray[np.generic],
    *,
    suffix: str = "",
) -> None:
    """Add averages of accuracy, each with its columns, as far as the sheet holds their questions.

    Args:
        figures: Receives the rows.
        sheet: The questions.
        averages: The averages; those of numbers are left alone.
        names: Answerers, or comparisons.
        right: (names, questions) 1 where right, else 0; or differences of these.
        suffix: What tells these metrics from those of single answerers.
    """
    add_averages(figures, sheet, sheet.questions, averages, names, {"accuracy": right.astype(np.float64)}, suffix)


def _add_constant_a(figures: Figures, sheet: LabelSheet, group: Group) -> None:
    is_a = sheet.labels[:, group.items] == _A
    correct = sheet.correct[:, group.items]
    reference_a = sheet.references[group.items] == _A
    n = group.items.size
    figures.add_values("selected_a", group, sheet.names, is_a.sum(axis=1), n)
    figures.add_values("constant_a", group, sheet.names, [reference_a.mean()] * len(sheet.names), n)
    figures.add_values("rescues", group, sheet.names, (correct & ~reference_a).sum(axis=1), n)
    figures.add_values("damages", group, sheet.names, (~correct & reference_a).sum(axis=1), n)
    figures.add_ratios("excess_over_a", group, sheet.names, correct.astype(np.int8) - reference_a.astype(np.int8))
