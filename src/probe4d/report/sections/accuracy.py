"""Accuracy of every answerer, group by group."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from probe4d.report import charts
from probe4d.report.lookup import Lookup, asked, percent
from probe4d.report.sections.part import (
    DOTS,
    Key,
    Section,
    Table,
    cells,
    figure_cells,
    number_columns,
    share,
    word_columns,
)

__all__ = ["accuracy"]


def accuracy(lookup: Lookup, names: Sequence[str]) -> Section:
    """Chart accuracy, a chart for each family and format; the table adds valid_rate and accuracy_control_wrong.

    Args:
        lookup: The figures.
        names: Runs and controls, in order.
    """
    drawn, rows = [], []
    for family, kind in cells(lookup, "accuracy"):
        found = [(name, lookup.get(name, "accuracy", family, kind)) for name in names]
        some = [(name, figure) for name, figure in found if figure is not None]
        # Runs that were asked a part stand beside those that were asked all.
        mixed = len({figure.n for _, figure in some}) > 1
        values = [
            (name, *figure[:3], percent(figure.value) + (f" of {figure.n:,}" if mixed else "")) for name, figure in some
        ]
        title = asked(family, kind).capitalize()
        words = "; ".join(f"{name} {percent(value)}" for name, value, *_ in values)
        table = pl.DataFrame(values, schema=DOTS, orient="row")
        drawn.append(charts.dots(title, f"Accuracy: {words}.", table, names))
        for name, figure in some:
            valid = lookup.get(name, "valid_rate", family, kind)
            hard = lookup.get(name, "accuracy_control_wrong", family, kind)
            rows.append((title, name, *figure_cells(figure), share(valid), share(hard)))
    return Section(
        "accuracy",
        "Accuracy beside its controls",
        "A dot is the share of right answers, the bar its 95 % interval (whole-scene bootstrap). The controls never "
        "see a scene: control:fixed always says A or No, control:content guesses from the words alone, with the "
        "statistics of the other scenes.",
        drawn,
        Table(
            "Accuracy",
            (
                *word_columns("Questions", "Run"),
                *number_columns("Accuracy", "95 % interval", "n", "Valid", "Right where control:content is wrong"),
            ),
            rows,
        ),
        [Key("dot", colour, name) for name, colour in charts.run_colours(names).items()],
    )
