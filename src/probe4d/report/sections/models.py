"""Runs by the family and size of their models."""

from __future__ import annotations

from probe4d.diagnosis.comparing.model_names import size_in_words
from probe4d.diagnosis.overview import by_model
from probe4d.diagnosis.tables import Diagnosis
from probe4d.report.lookup import WITHIN, Figure, in_words, percent
from probe4d.report.sections.part import Section, Table, dot_chart, number_columns, word_columns

__all__ = ["models"]


def models(diagnosis: Diagnosis) -> Section:
    """Chart how right runs are by family and size of their models, a chart for each family of questions.

    Of one run, or where no name of a model tells a size, there is no chart.

    Args:
        diagnosis: The runs and the sizes of their models.
    """
    table, names = by_model(diagnosis), diagnosis.answerers()
    has_sizes = len(diagnosis.runs) > 1 and table["parameters"].count() > 0
    asked = table.columns[3:]
    drawn = []
    for column in asked if has_sizes else ():
        told = [
            (run, Figure(value, None, None, 0), ", ".join(filter(None, (percent(value), size_in_words(parameters)))))
            for parameters, run, value in table.select("parameters", "run", column).drop_nulls(column).iter_rows()
        ]
        drawn.append(dot_chart(in_words(column).capitalize(), "Right, by size of the model", told, names))
    rows = [
        (family or "", size_in_words(parameters), run, *("" if value is None else percent(value) for value in values))
        for family, parameters, run, *values in table.iter_rows()
    ]
    return Section(
        "models",
        "Models by family and size",
        "A dot is the share of right answers of a run; beside it stands the size of its model, as its name or "
        "--model-name tells it. Runs of one family of models stand together, from the smallest to the largest; sizes "
        f"that are not known come last. A number is right {WITHIN} of the truth. Intervals stand in the parts above.",
        drawn,
        Table(
            "Models",
            (*word_columns("Model family", "Size", "Run"), *number_columns(*map(in_words, asked))),
            rows,
        ),
    )
