"""Tables of several sets of questions as one: runs in order, and the controls beside each."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import polars as pl

__all__ = ["beside", "control_beside", "in_order", "runs_then_controls"]


def control_beside(control: str, run: str) -> str:
    """Name in `figures.csv` of a control on the questions of a run that was not asked what the first run was."""
    return f"{control} for {run}"


def in_order(table: pl.DataFrame, column: str, names: Sequence[str]) -> pl.DataFrame:
    """Sort the rows of a table by the place of a column's value among these names, rows of one value as they are."""
    rank = {name: place for place, name in enumerate(names)}
    return table.sort(pl.col(column).replace_strict(rank, return_dtype=pl.Int64), maintain_order=True)


def runs_then_controls(tables: Sequence[pl.DataFrame], names: Sequence[str], controls: Collection[str]) -> pl.DataFrame:
    """Unite tables that are about one set of questions each.

    Args:
        tables: A table with a column `run` for each set, that of the first run first.
        names: The runs.
        controls: The controls that stand beside the runs of each set.

    Returns:
        The rows of all runs in order, then those of the controls on the first set, whose questions are theirs.
    """
    is_control = pl.col("run").is_in(list(controls))
    rows = [*(table.filter(~is_control) for table in tables), tables[0].filter(is_control)]
    return in_order(pl.concat(rows), "run", [*names, *controls])


def beside(tables: Sequence[pl.DataFrame], names: Sequence[str], controls: Collection[str]) -> pl.DataFrame:
    """Unite figures likewise, and add those of the controls on the other sets, named after the runs of these.

    A run that was asked the same as the first has no controls of its own.
    """
    others = [
        table.filter(run=control).with_columns(run=pl.lit(control_beside(control, run)))
        for table in tables[1:]
        for run in table["run"].unique(maintain_order=True)
        if run not in controls
        for control in controls
    ]
    return pl.concat([runs_then_controls(tables, names, controls), *others])
