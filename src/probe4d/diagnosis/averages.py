"""The tables of a suite's paper: the columns that it prints and their average, under names of their own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt
import polars as pl

from probe4d.benchmarks.suite import Average
from probe4d.diagnosis.figures import Figures, InScenes
from probe4d.diagnosis.number_scores import Nearness
from probe4d.diagnosis.number_sheet import NumberSheet
from probe4d.diagnosis.sheet import Group, Sheet

__all__ = ["add_label_averages", "add_number_averages"]


def add_label_averages(
    figures: Figures,
    sheet: Sheet,
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
    _add(figures, sheet, sheet.questions, averages, names, {"accuracy": right.astype(np.float64)}, suffix)


def add_number_averages(
    figures: Figures,
    sheet: NumberSheet,
    averages: Sequence[Average],
    names: Sequence[str],
    nearness: Nearness,
    *,
    suffix: str = "",
) -> None:
    """Add averages of tolerance accuracy and of errors likewise (see `add_label_averages`).

    Errors are averaged as they are, those in metres with those in degrees, where a paper does so.
    """
    amounts = {"tolerance_accuracy": nearness.within, "mean_absolute_error": nearness.errors}
    _add(figures, sheet, sheet.questions, averages, names, amounts, suffix)


def _add(
    figures: Figures,
    sheet: InScenes,
    questions: pl.DataFrame,
    averages: Sequence[Average],
    names: Sequence[str],
    amounts: Mapping[str, npt.NDArray[np.float64]],
    suffix: str,
) -> None:
    templates = questions["template"]
    for average in averages:
        if average.of not in amounts:
            continue
        metric, own = average.name + suffix, amounts[average.of]
        columns = {name: templates.is_in(of).to_numpy() for name, of in average.columns.items()}
        for name, where in columns.items():
            column = _group(sheet, questions, name, where)
            figures.add_means(metric, column, names, own[:, column.items])
        group = _group(sheet, questions, "all", np.logical_or.reduce(list(columns.values())))
        parts = [where[group.items] for where in columns.values()]
        if not all(part.any() for part in parts):
            continue
        if average.pooled:
            figures.add_means(metric, group, names, own[:, group.items])
        else:
            figures.add_means_of_parts(metric, group, names, parts, own[:, group.items])


def _group(sheet: InScenes, questions: pl.DataFrame, name: str, where: npt.NDArray[np.bool_]) -> Group:
    """The questions of a column, or of all; family and format are theirs, or `all` where these are several."""
    items = np.flatnonzero(where)
    items = items[np.argsort(sheet.scenes[items], kind="stable")]
    family, kind = (
        found[0] if len(found) == 1 else "all"
        for found in (questions[column][items].unique().to_list() for column in ("family", "format"))
    )
    return Group(family, kind, name, items)
