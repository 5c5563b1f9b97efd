"""Accuracy against how far a measurement lies from its decision boundary, and against LiDAR returns."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
import polars as pl

from probe4d.diagnosis.sheets.grouping import Group
from probe4d.diagnosis.sheets.labels import LabelSheet
from probe4d.diagnosis.side_by_side import in_order
from probe4d.diagnosis.statistics.bootstrap import SceneSums, intervals, scene_sums
from probe4d.diagnosis.tables import SLICES_SCHEMA

__all__ = ["slices_table"]

_RETURNS_EDGES = (0.0, 5.0, 10.0, 20.0, 50.0, 100.0)
_MARGIN_BINS = 5


def slices_table(sheet: LabelSheet) -> pl.DataFrame:
    """Accuracy of every answerer in bins of `margin` and of `lidar_points`; columns of `SLICES_SCHEMA`.

    Margins are cut at the quintiles of the family, format and unit, since rules measure in units of their own;
    returns at 5, 10, 20, 50 and 100. Questions without a value are in no bin; empty bins have no row.
    """
    keys: list[tuple[Group, str, str, float, float | None]] = []
    sums: list[SceneSums] = []
    for cell in sheet.cells:
        for by, unit, low, high, items in _bins(sheet, cell):
            keys.append((cell, by, unit, low, high))
            sums.append(scene_sums(sheet.scenes[items], sheet.correct[:, items]))
    rows = [
        (name, cell.family, cell.format, by, unit, low, high, total / n, *bound, n)
        for (cell, by, unit, low, high), element, bounds in zip(keys, sums, intervals(sums), strict=True)
        for n in [int(element.denominators.sum())]
        for name, total, bound in zip(sheet.names, element.numerators.sum(axis=1), bounds.tolist(), strict=True)
    ]
    table = pl.DataFrame(rows, schema=SLICES_SCHEMA, orient="row")
    return in_order(table.with_columns(pl.col("low", "high").fill_nan(None)), "run", sheet.names)


def _bins(sheet: LabelSheet, cell: Group) -> Iterator[tuple[str, str, float, float | None, npt.NDArray[np.intp]]]:
    questions = sheet.questions[cell.items]
    facts = sheet.details["facts"][cell.items]
    units = facts.str.json_path_match("$.margin_unit").fill_null("unit of the rule").to_numpy()
    margins, returns = (
        questions[by].cast(pl.Float64).fill_null(float("nan")).to_numpy() for by in ("margin", "lidar_points")
    )
    for unit in dict.fromkeys(units[~np.isnan(margins)].tolist()):
        of_unit = np.where(units == unit, margins, np.nan)
        yield from _within("margin", unit, of_unit, _margin_edges(of_unit[~np.isnan(of_unit)]), cell)
    if not np.isnan(returns).all():
        yield from _within("lidar_points", "returns", returns, _RETURNS_EDGES, cell)


def _within(
    by: str, unit: str, values: npt.NDArray[np.float64], edges: tuple[float, ...], cell: Group
) -> Iterator[tuple[str, str, float, float | None, npt.NDArray[np.intp]]]:
    for low, high in zip(edges, (*edges[1:], None), strict=True):
        inside = (values >= low) & (values < (np.inf if high is None else high))
        if inside.any():
            yield by, unit, low, high, cell.items[inside]


def _margin_edges(margins: npt.NDArray[np.float64]) -> tuple[float, ...]:
    cuts = np.quantile(margins, np.arange(1, _MARGIN_BINS) / _MARGIN_BINS)
    return tuple(dict.fromkeys([float(min(0.0, margins.min())), *(float(round(cut, 3)) for cut in cuts)]))
