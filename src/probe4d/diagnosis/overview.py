"""The few figures that say how a diagnosis came out, without its files."""

from __future__ import annotations

from typing import NamedTuple

import polars as pl

from probe4d.diagnosis.tables import Diagnosis

__all__ = ["PARSER_CHANGED", "ParserChange", "accuracies", "parser_changes"]

PARSER_CHANGED = "parser_changed_"
"""Beginning of the metrics that `parser_changes` reads; the name of the other parser follows."""


class ParserChange(NamedTuple):
    """How many answers of a run another parser reads otherwise, of how many."""

    run: str
    parser: str
    changed: int
    n: int


def accuracies(diagnosis: Diagnosis) -> pl.DataFrame:
    """Accuracy by family and format.

    Returns:
        Columns family, format, and one for each run and control, in this order; the total comes with family `all`.
    """
    figures = diagnosis.figures.filter(
        (pl.col("metric") == "accuracy")
        & (pl.col("relation") == "all")
        & ((pl.col("format") != "all") | (pl.col("family") == "all"))
    )
    return figures.pivot(on="run", index=["family", "format"], values="value", maintain_order=True)


def parser_changes(diagnosis: Diagnosis) -> list[ParserChange]:
    """How many answers each other parser would have read otherwise, by run."""
    figures = diagnosis.figures.filter(pl.col("metric").str.starts_with(PARSER_CHANGED))
    return [
        ParserChange(run, metric.removeprefix(PARSER_CHANGED), round(value * n), n)
        for run, metric, value, n in figures.select("run", "metric", "value", "n").iter_rows()
    ]
