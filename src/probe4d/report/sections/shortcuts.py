"""Which feature of the text the answers follow."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from probe4d.diagnosis.tables import Diagnosis
from probe4d.report import charts
from probe4d.report.lookup import Figure, asked, percent, points
from probe4d.report.sections.part import Key, Section, Table, bounds, number_columns, word_columns

__all__ = ["shortcuts"]


def shortcuts(diagnosis: Diagnosis, names: Sequence[str]) -> Section:
    """Chart, for each run, the best feature of every family and format against a constant; the table holds all.

    Args:
        diagnosis: The shortcuts.
        names: Runs and controls, in order.
    """
    found = diagnosis.shortcuts.sort("named", "excess", descending=True, maintain_order=True)
    rows = [
        (
            *(row["run"], asked(row["family"], row["format"]), row["feature"]),
            *(percent(row["share"]), percent(row["constant"]), points(row["excess"])),
            bounds(Figure(row["excess"], row["low"], row["high"], row["n"]), signed=True),
            f"{row['n']:,}",
            f"named: {row['rule']}" if row["named"] else "",
        )
        for row in found.iter_rows(named=True)
    ]
    drawn = []
    colours = charts.run_colours(names)
    for name in (name for name in names if not name.startswith("control:")):
        best = found.filter(pl.col("run") == name).unique(["family", "format"], keep="first", maintain_order=True)
        if best.height:
            lines = best.select(
                pl.format("{} {}: {}", "family", "format", "feature").alias("name"),
                pl.col("constant").alias("false"),
                pl.col("share").alias("true"),
            )
            words = "; ".join(
                f"{label} {percent(true)}, constant {percent(false)}" for label, false, true in lines.iter_rows()
            )
            drawn.append(charts.ranges(name, words, lines, colours.get(name, "ink")))
    return Section(
        "shortcuts",
        "What the answers follow",
        "How many of a model's own answers, right or wrong, one feature of the text predicts (filled), leaving the "
        "scored scene out, and how many a constant answer predicts (hollow). A long line is a shortcut; it is named "
        "only if it gains 10 points and its interval lies above 0.",
        drawn,
        Table(
            "Shortcut attribution",
            (
                *word_columns("Run", "Questions", "Feature"),
                *number_columns("Predicts", "Constant", "Gain", "95 % interval", "n"),
                *word_columns("Rule"),
            ),
            rows,
        ),
        [Key("dot", "ink", "the feature"), Key("ring", "ink", "a constant answer")],
    )
