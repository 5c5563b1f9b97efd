"""Collects the rows of `figures.csv`; their intervals are worked out together at the end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol

import numpy as np
import numpy.typing as npt
import polars as pl

from probe4d.diagnosis.sheets.grouping import Group
from probe4d.diagnosis.statistics.bootstrap import SceneSums, bounds_of_means, draw_counts, intervals, scene_sums
from probe4d.diagnosis.tables import FIGURES_SCHEMA

__all__ = ["Figures"]

Row = tuple[str, str, str, str, str, float, int]


class InScenes(Protocol):
    """Questions of scenes, as in `AnswerSheet`."""

    @property
    def scenes(self) -> npt.NDArray[np.intp]:
        """(questions,) scene codes in the order of the sorted scene names."""


class Figures:
    """Rows of figures of one sheet.

    Args:
        sheet: The questions that the figures are about.
        suite: Name of the suite, for the column of that name.
    """

    def __init__(self, sheet: InScenes, suite: str) -> None:
        self._sheet = sheet
        self._suite = suite
        self._rows: list[Row] = []
        self._jobs: list[tuple[int, SceneSums]] = []
        self._given: list[tuple[int, npt.NDArray[np.float64]]] = []
        self._draws: dict[int, npt.NDArray[np.float32]] = {}

    def add_ratios(
        self, metric: str, group: Group, names: Sequence[str], numerators: npt.NDArray[np.generic], *, unit: int = 1
    ) -> None:
        """Add the mean of the numerators, with its whole-scene bootstrap interval, for each answerer.

        Args:
            metric: Name of the metric.
            group: The questions that are the denominator; with none there is no row.
            names: Answerers or comparisons.
            numerators: (names, questions of the group) integers, or amounts of which `value` is the mean.
            unit: Denominator of one question; with 12, numerators count twelfths.
        """
        if not group.items.size:
            return
        sums = scene_sums(self._sheet.scenes[group.items], numerators, unit=unit)
        self._jobs.append((len(self._rows), sums))
        n = group.items.size
        totals = sums.numerators.sum(axis=1)
        self._extend(metric, group, names, totals / (unit * n), n)

    def add_values(
        self, metric: str, group: Group, names: Sequence[str], values: Sequence[float] | npt.NDArray[np.generic], n: int
    ) -> None:
        """Add values that have no interval: counts, and properties of the benchmark itself.

        Args:
            metric: Name of the metric.
            group: The questions, for the columns family, format and relation.
            names: Answerers or comparisons.
            values: One value each.
            n: The denominator that belongs to the values.
        """
        self._extend(metric, group, names, np.asarray(values, dtype=np.float64), n)

    def add_bounded(
        self,
        metric: str,
        group: Group,
        names: Sequence[str],
        values: npt.NDArray[np.float64],
        bounds: npt.NDArray[np.float64],
        n: int,
    ) -> None:
        """Add values whose intervals were worked out elsewhere, since they are no ratio over one set of questions.

        Args:
            metric: Name of the metric.
            group: The questions, for the columns family, format and relation.
            names: Answerers.
            values: (names,) values.
            bounds: (names, 2) low and high; NaN where there is no interval.
            n: The denominator.
        """
        self._given.append((len(self._rows), bounds))
        self._extend(metric, group, names, values, n)

    def add_means(self, metric: str, group: Group, names: Sequence[str], amounts: npt.NDArray[np.float64]) -> None:
        """Add the mean of the amounts that there are, with its interval; who has none has no row.

        Args:
            metric: Name of the metric.
            group: The questions.
            names: Answerers or comparisons.
            amounts: (names, questions of the group), NaN where there is none.
        """
        for name, own in zip(names, amounts, strict=True):
            known = ~np.isnan(own)
            self.add_ratios(metric, replace(group, items=group.items[known]), [name], own[None, known])

    def add_means_of_parts(
        self,
        metric: str,
        group: Group,
        names: Sequence[str],
        parts: Sequence[npt.NDArray[np.bool_]],
        amounts: npt.NDArray[np.float64],
    ) -> None:
        """Add the plain mean of the parts' means; who lacks any amount in some part has no row.

        A draw of scenes in which some part has none has no value; the interval is that of the others.

        Args:
            metric: Name of the metric.
            group: The questions.
            names: Answerers or comparisons.
            parts: (questions of the group,) which are of each part.
            amounts: (names, questions of the group), NaN where there is none.
        """
        scenes, codes = np.unique(self._sheet.scenes[group.items], return_inverse=True)
        known = np.array(parts)[None] & ~np.isnan(amounts)[:, None]
        some: npt.NDArray[np.bool_] = np.all(np.any(known, axis=2), axis=1)
        sums, sizes = np.empty((2, int(some.sum()), len(parts), scenes.size))
        for row, (own, of_parts) in enumerate(zip(amounts[some], known[some], strict=True)):
            for place, part in enumerate(of_parts):
                sums[row, place] = np.bincount(codes[part], own[part], minlength=scenes.size)
                sizes[row, place] = np.bincount(codes[part], minlength=scenes.size)
        if not some.any():
            return
        if scenes.size not in self._draws:
            self._draws[scenes.size] = draw_counts(scenes.size)
        values = np.mean(sums.sum(axis=2) / sizes.sum(axis=2), axis=1)
        bounds = bounds_of_means(sums, sizes, self._draws[scenes.size])
        named = [name for name, has in zip(names, some, strict=True) if has]
        self.add_bounded(metric, group, named, values, bounds, len(parts))

    def _extend(self, metric: str, group: Group, names: Sequence[str], values: npt.NDArray[np.float64], n: int) -> None:
        about = (group.family, group.format, group.relation, metric)
        self._rows.extend((name, *about, value, n) for name, value in zip(names, values.tolist(), strict=True))

    def table(self) -> pl.DataFrame:
        """All rows with their intervals, by answerer, then in the order they were added."""
        bounds = np.full((len(self._rows), 2), np.nan)
        for (start, sums), found in zip(self._jobs, intervals([sums for _, sums in self._jobs]), strict=True):
            bounds[start : start + sums.numerators.shape[0]] = found
        for start, found in self._given:
            bounds[start : start + found.shape[0]] = found
        columns = ("run", "family", "format", "relation", "metric", "value", "n")
        table = pl.DataFrame(self._rows, schema={name: FIGURES_SCHEMA[name] for name in columns}, orient="row")
        rank = {name: place for place, name in enumerate(dict.fromkeys(table["run"]))}
        return (
            table.with_columns(
                suite=pl.lit(self._suite),
                low=pl.Series(bounds[:, 0], dtype=pl.Float64).fill_nan(None),
                high=pl.Series(bounds[:, 1], dtype=pl.Float64).fill_nan(None),
                rank=pl.col("run").replace_strict(rank, return_dtype=pl.Int64),
            )
            .sort("rank", maintain_order=True)
            .select(list(FIGURES_SCHEMA))
        )
