"""The few figures that say how a diagnosis came out, without its files."""

from __future__ import annotations

from typing import NamedTuple

import polars as pl

from probe4d.diagnosis.controls import CONTENT, FIXED
from probe4d.diagnosis.sheet import SCORED_FORMATS
from probe4d.diagnosis.tables import Diagnosis, control_beside, in_order

__all__ = ["PARSER_CHANGED", "ParserChange", "accuracies", "numbers_asked", "parser_changes"]

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
        Columns family, format, and one for each run and control, in this order; null where a run was not asked any.
        Those of a control are about the most questions of the group that some run was asked.
        The total, of what each was asked, comes last, with family `all`.
    """
    return _by_group(diagnosis, "value")


def numbers_asked(diagnosis: Diagnosis) -> pl.DataFrame:
    """Of how many questions each figure of `accuracies` is the share, in the same rows and columns."""
    return _by_group(diagnosis, "n")


def _by_group(diagnosis: Diagnosis, values: str) -> pl.DataFrame:
    figures = diagnosis.figures.filter(
        (pl.col("metric") == "accuracy")
        & (pl.col("relation") == "all")
        & ((pl.col("format") != "all") | (pl.col("family") == "all"))
    )
    names = diagnosis.records["run"].unique(maintain_order=True).to_list()
    beside = {control_beside(control, run.name): control for control in (FIXED, CONTENT) for run in diagnosis.runs}
    figures = figures.with_columns(pl.col("run").replace(beside)).filter(pl.col("run").is_in(names))
    most = figures.filter(pl.col("n") == pl.col("n").max().over("run", "family", "format"))
    figures = in_order(most.unique(["run", "family", "format"], keep="first", maintain_order=True), "run", names)
    table = figures.pivot(on="run", index=["family", "format"], values=values, maintain_order=True)
    # A run that was asked a part comes with the families of that part, so the order of the rows is not that of all.
    families = {family: place for place, family in enumerate(diagnosis.benchmark.record.counts)}
    formats = {kind: place for place, kind in enumerate(SCORED_FORMATS)}
    place = pl.col("family").replace_strict(families, default=len(families), return_dtype=pl.Int64)
    kind = pl.col("format").replace_strict(formats, default=len(formats), return_dtype=pl.Int64)
    return table.sort(pl.col("family") == "all", place, kind, maintain_order=True)


def parser_changes(diagnosis: Diagnosis) -> list[ParserChange]:
    """How many answers each other parser would have read otherwise, by run."""
    figures = diagnosis.figures.filter(pl.col("metric").str.starts_with(PARSER_CHANGED))
    return [
        ParserChange(run, metric.removeprefix(PARSER_CHANGED), round(value * n), n)
        for run, metric, value, n in figures.select("run", "metric", "value", "n").iter_rows()
    ]
