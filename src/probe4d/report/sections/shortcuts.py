"""Which feature of the text the answers follow."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from probe4d.diagnosis.controls.answerers import is_control
from probe4d.diagnosis.tables import Diagnosis
from probe4d.report import charts
from probe4d.report.followed import standing
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
            *(points(row["beyond"]), percent(row["truth"]), f"{row['n']:,}", standing(row)),
            row["rule"] if row["named"] else "",
        )
        for row in found.iter_rows(named=True)
    ]
    drawn = []
    colours = charts.run_colours(names)
    for name in (name for name in names if not is_control(name)):
        best = found.filter(pl.col("run") == name).unique(["family", "format"], keep="first", maintain_order=True)
        if best.height:
            told = [standing(row) for row in best.iter_rows(named=True)]
            lines = best.select(
                pl.format("{} {}: {}", "family", "format", "feature").alias("name"),
                pl.col("constant").alias("false"),
                pl.col("share").alias("true"),
                pl.Series("told", told, dtype=pl.String),
            )
            words = "; ".join(
                f"{label} {percent(true)}, constant {percent(false)}{note and f' ({note})'}"
                for label, false, true, note in lines.iter_rows()
            )
            drawn.append(charts.ranges(name, words, lines, colours.get(name, "ink")))
    return Section(
        "shortcuts",
        "What the answers follow",
        "How many of a model's own answers, right or wrong, one feature of the text predicts (filled), leaving the "
        "scored scene out, and how many a constant answer predicts (hollow). A long line is no shortcut yet: it is "
        "named if the gain, and what of it remains once the right answer is known, both reach 10 points and stay above "
        "0 at three times the width of their intervals (at once the width where it predicts 95 %). Marked are "
        "lines that are named, those that being right "
        "explains (truth) or explains in part (partly), and those that another feature surpasses (second).",
        drawn,
        Table(
            "Shortcut attribution",
            (
                *word_columns("Run", "Questions", "Feature"),
                *number_columns("Predicts", "Constant", "Gain", "95 % interval"),
                *number_columns("Gain beyond the truth", "Predicts of the truth", "n"),
                *word_columns("Standing", "Rule"),
            ),
            rows,
        ),
        [Key("dot", "ink", "the feature"), Key("ring", "ink", "a constant answer")],
    )
