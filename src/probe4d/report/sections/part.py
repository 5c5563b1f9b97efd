"""What a part of a report consists of, and how figures read in its tables."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import polars as pl

from probe4d.diagnosis.sheets.labels import SCORED_FORMATS
from probe4d.report.charts import Chart, dots
from probe4d.report.lookup import SAME, Figure, Lookup, asked, interval, percent
from probe4d.report.statement import Statement
from probe4d.wording import amount, in_percent

__all__ = [
    "DOTS",
    "Column",
    "Key",
    "Section",
    "Table",
    "amount_bounds",
    "bounds",
    "cells",
    "count",
    "dot_chart",
    "figure_cells",
    "number",
    "number_columns",
    "prose_columns",
    "share",
    "title_of",
    "word_columns",
]


DOTS = {"name": pl.String, "value": pl.Float64, "low": pl.Float64, "high": pl.Float64, "told": pl.String}
"""Columns of the rows of `charts.dots`."""


@dataclass(frozen=True)
class Column:
    """A column of a table; numbers are set to the right, and prose is broken into lines."""

    name: str
    numeric: bool
    prose: bool = False


@dataclass(frozen=True)
class Table:
    """A table of texts, ready to be read."""

    caption: str
    columns: tuple[Column, ...]
    rows: Sequence[tuple[str, ...]]


@dataclass(frozen=True)
class Key:
    """An entry of a legend: a shape (`dot`, `ring`, `bar`) in a colour, and its meaning."""

    shape: str
    colour: str
    text: str


@dataclass(frozen=True)
class Section:
    """One part of the page; its statements stand before its charts, further tables behind its table."""

    anchor: str
    title: str
    intro: str
    charts: list[Chart]
    table: Table
    keys: list[Key] = field(default_factory=list)
    statements: list[Statement] = field(default_factory=list)
    more: list[Table] = field(default_factory=list)


def word_columns(*names: str) -> tuple[Column, ...]:
    """Columns of words."""
    return tuple(Column(name, numeric=False) for name in names)


def prose_columns(*names: str) -> tuple[Column, ...]:
    """Columns of sentences."""
    return tuple(Column(name, numeric=False, prose=True) for name in names)


def number_columns(*names: str) -> tuple[Column, ...]:
    """Columns of numbers."""
    return tuple(Column(name, numeric=True) for name in names)


def cells(lookup: Lookup, metric: str) -> Iterator[tuple[str, str]]:
    """Families by format, after the total of everything."""
    cells = lookup.cells(metric, (*SCORED_FORMATS, "all"))
    yield from (cell for cell in cells if cell == ("all", "all"))
    yield from (cell for cell in cells if "all" not in cell)
    yield from (cell for cell in cells if cell[0] == "all" and cell[1] != "all")


def title_of(family: str, kind: str) -> str:
    """What a group of questions is called at the head of a row or chart."""
    return asked(family, kind).capitalize()


def dot_chart(
    title: str,
    what: str,
    told: Sequence[tuple[str, Figure, str]],
    names: Sequence[str],
    *,
    draw: Callable[[str, str, pl.DataFrame, Sequence[str]], Chart] = dots,
) -> Chart:
    """A chart of figures, a dot each.

    Args:
        title: Its title.
        what: What a dot is, before the figures in words.
        told: Name, figure, and the figure as a text.
        names: Names that have a colour, all of them.
        draw: Draws it: `charts.dots` shares, `charts.amounts` what is none.
    """
    rows = [(name, *figure[:3], text) for name, figure, text in told]
    words = "; ".join(f"{name} {text}" for name, _, text in told)
    return draw(title, f"{what}: {words}.", pl.DataFrame(rows, schema=DOTS, orient="row"), names)


def figure_cells(figure: Figure) -> tuple[str, str, str]:
    """Value, interval and denominator of a figure, as cells."""
    return percent(figure.value), bounds(figure), f"{figure.n:,}"


def share(figure: Figure | None) -> str:
    """A share as a cell, empty without one."""
    return "" if figure is None else percent(figure.value)


def number(figure: Figure | None) -> str:
    """A count as a cell, empty without one."""
    return "" if figure is None else f"{figure.value:,.0f}"


def count(figure: Figure | None) -> str:
    """The denominator of a figure as a cell, empty without one."""
    return "" if figure is None else f"{figure.n:,}"


def bounds(figure: Figure | None, *, signed: bool = False) -> str:
    """The interval of a figure as a cell, in per cent, empty without one or where no scene differs."""
    if figure is None or figure.low is None or figure.high is None:
        return ""
    if interval(figure) == SAME:
        return ""
    ends = (in_percent(end, signed=signed) for end in (figure.low, figure.high))
    return " to ".join(ends).replace("-", "\u2212")


def amount_bounds(figure: Figure | None) -> str:
    """The interval of a length or an error as a cell, empty without one."""
    if figure is None or figure.low is None or figure.high is None:
        return ""
    return f"{amount(figure.low)} to {amount(figure.high)}"
