"""How near answers that are numbers come to the truth (NuScenes-SpatialQA, Sec. 4 and App. E)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from probe4d.diagnosis.bootstrap import bounds_of_draws, draw_counts
from probe4d.diagnosis.figures import Figures
from probe4d.diagnosis.number_sheet import NumberSheet
from probe4d.diagnosis.sheet import Group

__all__ = ["absolute_errors", "add_number_scores", "within_tolerance"]

Values = npt.NDArray[np.float64]

_TOLERANCE = 0.25
_ROUNDING = 1e-9
"""By what share of the truth a product of two numbers may miss the boundary that it stands on."""


def within_tolerance(values: Values, references: Values) -> npt.NDArray[np.bool_]:
    """Say which answers lie within 75 to 125 % of the truth, both included, on its side of zero.

    Of a truth of 0 that leaves 0 alone. Angles are taken as they are written: -179 is not near 179.

    Args:
        values: (..., questions) answers; NaN, which is never within, where there is none.
        references: (questions,) truths.
    """
    sizes = np.abs(references)
    return np.abs(values - references) <= _TOLERANCE * sizes * (1.0 + _ROUNDING)


def absolute_errors(values: Values, references: Values, *, wrapped: bool = False) -> Values:
    """By how much answers miss the truth.

    Args:
        values: (..., questions) answers; NaN stays.
        references: (questions,) truths.
        wrapped: Take the shorter way round, of at most 180, between two angles in degrees.
    """
    errors: Values = np.abs(values - references)
    if wrapped:
        errors = errors % 360.0
        errors = np.minimum(errors, 360.0 - errors)
    return errors


def add_number_scores(figures: Figures, sheet: NumberSheet) -> None:
    """Add tolerance accuracy, the share of answers read, and mean absolute errors of every answerer.

    Metrics: tolerance_accuracy and valid_rate, over all questions; mean_absolute_error over the answers read, where
    all questions have one unit, with mean_absolute_error_wrapped for angles; of several templates the plain means
    tolerance_accuracy_macro, mean_absolute_error_macro and mean_absolute_error_wrapped_macro; and, over templates of
    both units, mean_absolute_error_mixed_macro, which is the form of the paper's averages and has no unit.
    """
    right = within_tolerance(sheet.values, sheet.references)
    read = ~np.isnan(sheet.values)
    errors = absolute_errors(sheet.values, sheet.references)
    wrapped = absolute_errors(sheet.values, sheet.references, wrapped=True)
    for group in (*sheet.templates, *sheet.units, *sheet.totals):
        figures.add_ratios("tolerance_accuracy", group, sheet.names, right[:, group.items])
        figures.add_ratios("valid_rate", group, sheet.names, read[:, group.items])
        measured = {"mean_absolute_error": errors} if sheet.unit_of(group) is not None else {}
        if sheet.unit_of(group) == "degrees":
            measured["mean_absolute_error_wrapped"] = wrapped
        for metric, amounts in measured.items():
            _add_means(figures, metric, group, sheet, amounts)
        parts = sheet.templates_of(group)
        if len(parts) == 1:
            continue
        together = {} if measured else {"mean_absolute_error_mixed": errors}
        for metric, amounts in {"tolerance_accuracy": right.astype(np.float64), **measured, **together}.items():
            _add_macro(figures, f"{metric}_macro", group, sheet, parts, amounts)


def _add_means(figures: Figures, metric: str, group: Group, sheet: NumberSheet, amounts: Values) -> None:
    """Add the mean over the answers that were read; where one read none, it has no row."""
    for row, name in enumerate(sheet.names):
        read = group.items[~np.isnan(amounts[row, group.items])]
        figures.add_ratios(metric, replace(group, items=read), [name], amounts[[row]][:, read])


def _add_macro(
    figures: Figures,
    metric: str,
    group: Group,
    sheet: NumberSheet,
    parts: list[npt.NDArray[np.intp]],
    amounts: Values,
) -> None:
    """Add the plain mean of the templates' means; where one read no answer to some template, it has no row.

    A draw of scenes in which some template has no answer has no value; the interval is that of the others.
    """
    scenes = np.unique(sheet.scenes[group.items])
    counts = draw_counts(scenes.size).astype(np.float64)
    for row, name in enumerate(sheet.names):
        means, drawn = [], []
        for items in parts:
            read = items[~np.isnan(amounts[row, items])]
            if not read.size:
                break
            codes = np.searchsorted(scenes, sheet.scenes[read])
            sums = np.bincount(codes, weights=amounts[row, read], minlength=scenes.size)
            sizes = np.bincount(codes, minlength=scenes.size)
            means.append(sums.sum() / read.size)
            with np.errstate(invalid="ignore"):
                drawn.append(counts @ sums / (counts @ sizes))
        else:
            draws = np.mean(drawn, axis=0)
            draws = draws[~np.isnan(draws)] if scenes.size > 1 else draws[:0]
            figures.add_bounded(
                metric, group, [name], np.array([np.mean(means)]), bounds_of_draws(draws[:, None]), len(parts)
            )
