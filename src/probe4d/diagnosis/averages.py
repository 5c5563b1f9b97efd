"""The tables of a suite's paper: the columns that it prints and their average, under names of their own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt
import polars as pl

from probe4d.benchmarks.suite import Average
from probe4d.diagnosis.figures import Figures, InScenes
from probe4d.diagnosis.sheets.grouping import Group

__all__ = ["add_averages"]


def add_averages(
    figures: Figures,
    sheet: InScenes,
    questions: pl.DataFrame,
    averages: Sequence[Average],
    names: Sequence[str],
    amounts: Mapping[str, npt.NDArray[np.float64]],
    suffix: str,
) -> None:
    """Add averages, each with its columns, as far as their questions are there.

    Args:
        figures: Receives the rows.
        sheet: The questions with their scenes.
        questions: Columns family, format and template.
        averages: The averages; those of what `amounts` lacks are left alone.
        names: Answerers, or comparisons.
        amounts: What is averaged, by the name that an average has for it: (names, questions).
        suffix: What tells these metrics from those of single answerers.
    """
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
