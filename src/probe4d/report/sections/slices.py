"""Accuracy where measuring is easy and where it is hard."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from probe4d.diagnosis.controls.answerers import CONTENT, is_control
from probe4d.diagnosis.tables import Diagnosis
from probe4d.report import charts
from probe4d.report.lookup import Figure, asked, percent
from probe4d.report.sections.part import Key, Section, Table, figure_cells, number_columns, word_columns
from probe4d.wording import listed

__all__ = ["slices"]

LINES = 4  # runs in one chart of lines; all are in its table


def slices(diagnosis: Diagnosis, names: Sequence[str]) -> Section:
    """Chart accuracy against margin and LiDAR returns, a chart for each family, format and measure.

    Args:
        diagnosis: The slices.
        names: Runs and controls, in order.
    """
    drawn, rows = [], []
    every = [name for name in names if not is_control(name)] or [CONTENT]
    runs = every[:LINES]
    left_out = ""
    if len(every) > LINES:
        left_out = f" Drawn are the first {LINES} of {len(every)} runs, {listed(runs)}; the table holds all."
    keys = ["by", "unit", "family", "format"]
    for (by, unit, family, kind), part in diagnosis.slices.group_by(keys, maintain_order=True):
        # Runs that were asked different questions have bins of their own, which may begin alike.
        bins = part.select("from", "to").unique().sort("from", "to", nulls_last=True).with_row_index("place")
        named = bins.with_columns(bin=pl.Series([_bin(*ends) for ends in bins.select("from", "to").iter_rows()]))
        placed = part.join(named, on=["from", "to"], how="left", nulls_equal=True, maintain_order="left")
        what = "LiDAR returns" if by == "lidar_points" else f"margin ({unit})"
        title = f"{asked(str(family), str(kind)).capitalize()}: {what}"
        told = placed.select(
            pl.col("run").alias("name"),
            "bin",
            pl.col("place").cast(pl.Int64),
            pl.col("accuracy").alias("value"),
            "low",
            "high",
            "n",
        )
        shown = _with_one_set_of_bins(told.filter(pl.col("name").is_in(runs)))
        if shown.height:
            words = "; ".join(
                f"{name} {bin_}: {percent(value)}"
                for name, bin_, value in shown.select("name", "bin", "value").iter_rows()
            )
            drawn.append(charts.lines(title, words, shown, names))
        rows += [
            (title, row["name"], row["bin"], *figure_cells(Figure(row["value"], row["low"], row["high"], row["n"])))
            for row in told.iter_rows(named=True)
        ]
    colours = charts.run_colours(names)
    return Section(
        "slices",
        "Easy and hard measurements",
        "Accuracy against the margin, the distance of the measurement from the rule's decision boundary, and against "
        "the fewest LiDAR returns on an entity asked about. A model that measures does better to the right. A run "
        "whose questions fall into other bins than those of the first stands in the table alone." + left_out,
        drawn,
        Table(
            "Accuracy by bin",
            (*word_columns("Questions", "Run", "Bin"), *number_columns("Accuracy", "95 % interval", "n")),
            rows,
        ),
        [Key("dot", colours[name], name) for name in runs if name in colours],
    )


def _with_one_set_of_bins(told: pl.DataFrame) -> pl.DataFrame:
    """The rows of the first run, and of those with no other bins: who was asked a part has bins of that part."""
    bins = told.filter(pl.col("name") == pl.col("name").first())["bin"]
    return told.filter(pl.col("bin").is_in(bins.implode()).all().over("name"))


def _bin(low: float, high: float | None) -> str:
    return f"\u2265 {low:.3g}" if high is None else f"{low:.3g}\u2013{high:.3g}"
