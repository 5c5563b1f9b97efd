"""How near answers that are numbers come to the truth, template by template."""

from __future__ import annotations

from probe4d.benchmarks.question import NUMBER
from probe4d.diagnosis.overview import nearness
from probe4d.diagnosis.sheets.grouping import TEMPLATE
from probe4d.diagnosis.tables import Diagnosis
from probe4d.report import charts
from probe4d.report.lookup import WITHIN, Figure, Lookup, in_words, percent
from probe4d.report.nearness import error_in_words
from probe4d.report.sections.part import (
    Key,
    Section,
    Table,
    amount_bounds,
    count,
    dot_chart,
    figure_cells,
    number_columns,
    share,
    word_columns,
)

__all__ = ["numbers"]


def numbers(diagnosis: Diagnosis, lookup: Lookup) -> Section:
    """Chart tolerance accuracy, a chart for each template, unit and all; the table adds errors and what was read.

    Args:
        diagnosis: The answers.
        lookup: The figures.
    """
    names = diagnosis.answerers("numbers")
    groups = nearness(diagnosis).select("family", "part", "unit").unique(maintain_order=True)
    families = set(groups["family"]) - {"all"}
    drawn, rows = [], []
    for family, part, unit in groups.iter_rows():
        relation = part if family == "all" else TEMPLATE + part
        title = _title(family, part, several=len(families) > 1)
        found = [(name, lookup.get(name, "tolerance_accuracy", family, NUMBER, relation)) for name in names]
        some = [(name, figure) for name, figure in found if figure is not None]
        errors = {name: lookup.get(name, "mean_absolute_error", family, NUMBER, relation) for name, _ in some}
        shown = [(name, figure, _told(figure, errors[name], unit)) for name, figure in some]
        drawn.append(dot_chart(title, f"{WITHIN.capitalize()} of the truth, and mean error", shown, names))
        for name, figure in some:
            error = errors[name]
            wrapped = lookup.get(name, "mean_absolute_error_wrapped", family, NUMBER, relation)
            read = lookup.get(name, "valid_rate", family, NUMBER, relation)
            told = [("" if one is None else error_in_words(one.value, unit)) for one in (error, wrapped)]
            rows.append(
                (title, name, *figure_cells(figure), told[0], amount_bounds(error), told[1], count(error), share(read))
            )
    return Section(
        "numbers",
        "How near numbers come",
        f"A dot is the share of answers {WITHIN} of the truth, the bar its 95 % interval (whole-scene bootstrap); "
        "beside it stands the mean absolute error of the answers in which a number could be read. The controls never "
        "see a scene: control:fixed gives the median of each template in the other scenes, control:median that of its "
        "words.",
        drawn,
        Table(
            "Numbers",
            (
                *word_columns("Questions", "Run"),
                *number_columns(WITHIN.capitalize(), "95 % interval", "n", "Mean error", "95 % interval"),
                *number_columns("Shorter way round", "n of the error", "Read"),
            ),
            rows,
        ),
        [Key("dot", colour, name) for name, colour in charts.run_colours(names).items()],
    )


def _title(family: str, part: str, *, several: bool) -> str:
    """What the questions of a chart are called; the family is told where there are several."""
    if family == "all":
        return "All numbers" if part == "all" else f"All in {part}"
    words = f"{in_words(family)}: {in_words(part)}" if several else in_words(part)
    return words.capitalize()


def _told(figure: Figure, error: Figure | None, unit: str | None) -> str:
    told = percent(figure.value)
    return told if error is None else f"{told}, {error_in_words(error.value, unit)}"
