"""Averages as the paper of a suite prints them, with the columns of its tables."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from probe4d.benchmarks.suite import Average
from probe4d.diagnosis.side_by_side import in_order
from probe4d.diagnosis.tables import Diagnosis
from probe4d.report import charts
from probe4d.report.lookup import NARROW, Figure, percent
from probe4d.report.sections.part import (
    Key,
    Section,
    Table,
    amount_bounds,
    bounds,
    dot_chart,
    number_columns,
    word_columns,
)
from probe4d.wording import UNIT_SYMBOLS, amount

__all__ = ["averages"]

_OF = {
    "accuracy": "accuracy",
    "tolerance_accuracy": "tolerance accuracy",
    "mean_absolute_error": f"mean error, {' and '.join(UNIT_SYMBOLS.values())} together",
}


def averages(diagnosis: Diagnosis) -> Section:
    """Chart each average of the paper; a table beside has its columns.

    Args:
        diagnosis: The averages that its suite knows, and the figures.
    """
    drawn, rows, more = [], [], []
    answerers = diagnosis.answerers()
    asked: dict[str, None] = {}
    for average in diagnosis.averages:
        found = _figures(diagnosis, average, answerers)
        whole = [(name, columns["all"]) for name, columns in found.items() if "all" in columns]
        if not whole:
            continue
        title = f"{average.name.removeprefix('paper_').replace('_', ' ').capitalize()}: {_OF[average.of]}"
        drawn.append(_chart(title, average, whole, answerers))
        asked |= dict.fromkeys(name for name, _ in whole)
        how = "all questions together" if average.pooled else f"mean of {len(average.columns)} columns"
        rows += [
            (title, how, name, _value(average, figure), _bounds(average, figure), f"{figure.n:,}")
            for name, figure in whole
        ]
        more.append(_table(title, average, found))
    colours = charts.run_colours(answerers)
    return Section(
        "averages",
        "Averages as the paper prints them",
        f"A dot is the average of a table of the suite's paper, the bar its 95{NARROW}% interval (whole-scene "
        "bootstrap). The paper averages some tables over all their questions together, others over their columns; "
        "an average is left out where one of its columns has no question. The tables have the columns, each "
        "as far as its questions were asked.",
        drawn,
        Table(
            "Averages of the paper",
            (*word_columns("Average", "Over", "Run"), *number_columns("Value", "95 % interval", "n")),
            rows,
        ),
        [Key("dot", colours[name], name) for name in answerers if name in asked],
        more=more,
    )


def _figures(diagnosis: Diagnosis, average: Average, answerers: Sequence[str]) -> dict[str, dict[str, Figure]]:
    """The figures of an average and of its columns, by answerer and then by column; `all` is the average."""
    own = diagnosis.figures.filter(pl.col("run").is_in(answerers), metric=average.name).drop_nulls("value")
    rows = in_order(own, "run", answerers).select("run", "relation", "value", "low", "high", "n")
    found: dict[str, dict[str, Figure]] = {}
    for run, column, *figure in rows.iter_rows():
        found.setdefault(run, {})[column] = Figure(*figure)
    return found


def _chart(title: str, average: Average, whole: Sequence[tuple[str, Figure]], names: Sequence[str]) -> charts.Chart:
    told = [(name, figure, _value(average, figure)) for name, figure in whole]
    return dot_chart(title, "Average", told, names, draw=charts.amounts if _is_error(average) else charts.dots)


def _table(title: str, average: Average, found: dict[str, dict[str, Figure]]) -> Table:
    """A row for each answerer, as in the paper: the average, then its columns."""
    rows = [
        (name, *("" if column not in own else _value(average, own[column]) for column in ("all", *average.columns)))
        for name, own in found.items()
    ]
    return Table(title, (*word_columns("Run"), *number_columns("Average", *average.columns)), rows)


def _is_error(average: Average) -> bool:
    return average.of == "mean_absolute_error"


def _value(average: Average, figure: Figure) -> str:
    return amount(figure.value) if _is_error(average) else percent(figure.value)


def _bounds(average: Average, figure: Figure) -> str:
    return amount_bounds(figure) if _is_error(average) else bounds(figure)
