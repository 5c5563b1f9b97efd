"""How near answers that are numbers come to the truth, and what one run changed in it against another."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from probe4d.benchmarks.suite import Average
from probe4d.diagnosis.averages import add_averages
from probe4d.diagnosis.figures import Figures
from probe4d.diagnosis.sheets.grouping import Group
from probe4d.diagnosis.sheets.numbers import NumberSheet
from probe4d.diagnosis.statistics.number_errors import absolute_errors

__all__ = ["Nearness", "add_nearness", "add_number_averages", "nearness_of"]

Amounts = npt.NDArray[np.float64]


class Nearness(NamedTuple):
    """How near answers came to the truth, or the differences of two in it.

    Attributes:
        within: (answerers, questions) 1 within the tolerance, else 0.
        read: (answerers, questions) 1 where a number could be read, else 0.
        errors: (answerers, questions) absolute errors in the unit of the question; NaN where nothing was read.
        wrapped: (answerers, questions) the same the shorter way round, of angles in degrees.
    """

    within: Amounts
    read: Amounts
    errors: Amounts
    wrapped: Amounts

    def rows(self, rows: Sequence[int]) -> Nearness:
        """That of some answerers."""
        return Nearness(*(part[list(rows)] for part in self))

    def less(self, other: Nearness) -> Nearness:
        """Differences, row by row; of errors only where both were read."""
        return Nearness(*(own - others for own, others in zip(self, other, strict=True)))

    def where_read(self, other: Nearness) -> Nearness:
        """The same with the errors of those questions alone that the other has read, too."""
        unread = np.isnan(other.errors)
        errors, wrapped = (np.where(unread, np.nan, part) for part in (self.errors, self.wrapped))
        return self._replace(errors=errors, wrapped=wrapped)


def nearness_of(sheet: NumberSheet) -> Nearness:
    """How near every answerer of a sheet came."""
    return Nearness(
        sheet.correct.astype(np.float64),
        sheet.read.astype(np.float64),
        absolute_errors(sheet.values, sheet.references),
        absolute_errors(sheet.values, sheet.references, wrapped=True),
    )


def add_nearness(
    figures: Figures, sheet: NumberSheet, names: Sequence[str], nearness: Nearness, *, suffix: str = ""
) -> None:
    """Add tolerance accuracy, the share of answers read, and mean absolute errors.

    Metrics, each with the suffix behind it: tolerance_accuracy and valid_rate, over all questions;
    mean_absolute_error over the answers read, where all questions have one unit, with mean_absolute_error_wrapped for
    angles; of several templates the plain means tolerance_accuracy_macro, mean_absolute_error_macro and
    mean_absolute_error_wrapped_macro; and, over templates of both units, mean_absolute_error_mixed_macro, which has
    no unit.

    Args:
        figures: Receives the rows.
        sheet: The questions.
        names: Answerers, or comparisons.
        nearness: How near each came, or by how much nearer.
        suffix: What tells these metrics from those of single answerers.
    """
    for group in sheet.groups:
        within, read, errors, wrapped = (part[:, group.items] for part in nearness)
        figures.add_ratios(f"tolerance_accuracy{suffix}", group, names, within.astype(np.int8))
        figures.add_ratios(f"valid_rate{suffix}", group, names, read.astype(np.int8))
        unit = sheet.unit_of(group)
        measured = {"mean_absolute_error": errors} if unit is not None else {}
        if unit == "degrees":
            measured["mean_absolute_error_wrapped"] = wrapped
        for metric, amounts in measured.items():
            figures.add_means(f"{metric}{suffix}", group, names, amounts)
        parts = _templates_in(sheet, group)
        if len(parts) > 1:
            mixed = {} if measured else {"mean_absolute_error_mixed": errors}
            for metric, amounts in {"tolerance_accuracy": within, **measured, **mixed}.items():
                figures.add_means_of_parts(f"{metric}_macro{suffix}", group, names, parts, amounts)


def _templates_in(sheet: NumberSheet, group: Group) -> list[npt.NDArray[np.bool_]]:
    """(questions of the group,) which are of each of its templates."""
    templates = sheet.questions["template"].to_numpy()[group.items]
    return [templates == name for name in sorted(set(templates))]


def add_number_averages(
    figures: Figures,
    sheet: NumberSheet,
    averages: Sequence[Average],
    names: Sequence[str],
    nearness: Nearness,
    *,
    suffix: str = "",
) -> None:
    """Add averages of tolerance accuracy and of errors likewise (see `labels.scores.add_label_averages`).

    Errors are averaged as they are, those in metres with those in degrees, where a paper does so.
    """
    amounts = {"tolerance_accuracy": nearness.within, "mean_absolute_error": nearness.errors}
    add_averages(figures, sheet, sheet.questions, averages, names, amounts, suffix)
