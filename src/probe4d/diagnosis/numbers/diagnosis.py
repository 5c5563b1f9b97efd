"""Scores the answers that are numbers, beside the controls."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from probe4d.benchmarks.suite import Average
from probe4d.diagnosis.answer_book import AnswerBook, book_of
from probe4d.diagnosis.controls.answerers import NUMBER_CONTROLS
from probe4d.diagnosis.controls.fitting import ControlAnswers
from probe4d.diagnosis.figures import Figures
from probe4d.diagnosis.numbers.scores import add_nearness, add_number_averages, nearness_of
from probe4d.diagnosis.parsing.numbers import ParsedNumber, parse_number
from probe4d.diagnosis.parsing.once import REPLY, read_once, readings
from probe4d.diagnosis.sheets.numbers import NumberSheet, Values
from probe4d.diagnosis.side_by_side import beside
from probe4d.diagnosis.statistics.number_errors import within_tolerance
from probe4d.diagnosis.tables import NUMBERS_SCHEMA

__all__ = ["DiagnosedNumbers", "diagnose_numbers"]


@dataclass(frozen=True, eq=False)
class DiagnosedNumbers:
    """What was answered to the questions for a number.

    Attributes:
        book: The answers of the runs, and those of the controls to the questions of the first run that was asked any.
        figures: Columns of `FIGURES_SCHEMA`: the runs in order, then the controls on the questions of the first run
            that was asked any, then those beside runs that were asked others.
        numbers: Columns of `NUMBERS_SCHEMA`: the same runs, then the controls on the questions of the first.
    """

    book: AnswerBook[NumberSheet]
    figures: pl.DataFrame
    numbers: pl.DataFrame


def diagnose_numbers(
    sheet: NumberSheet,
    names: Sequence[str],
    rows: pl.DataFrame,
    *,
    suite: str,
    averages: Sequence[Average] = (),
    controls: ControlAnswers,
) -> DiagnosedNumbers:
    """Score the answers of runs to questions for a number of a known unit, each in its first variant.

    Args:
        sheet: The questions; there may be none.
        names: The runs.
        rows: What they answered, columns of `ANSWERED_SCHEMA`; other questions may be among them.
        suite: Name of the suite.
        averages: Averages of its paper.
        controls: What the controls answer to the whole sheet.
    """
    records = _records(sheet, rows)
    book = book_of(sheet, names, records.rename({"value": "code"}))
    numbers = [records.select(list(NUMBERS_SCHEMA))]
    parts, tables = [], []
    for items, together in book.sets():
        part = book.part(items, together)
        said = [controls.numbers[name][items] for name in NUMBER_CONTROLS]
        part = part.answered([*part.names, *NUMBER_CONTROLS], [*part.values, *said])
        figures = Figures(part, suite)
        add_nearness(figures, part, part.names, nearness_of(part))
        add_number_averages(figures, part, averages, part.names, nearness_of(part))
        parts.append((items, part))
        tables.append(figures.table())
    first_items, first = parts[0]
    for control in NUMBER_CONTROLS:
        values = first.values[first.row(control)]
        book = book.with_answerer(control, first_items, values)
        numbers.append(_of_control(control, first, values))
    return DiagnosedNumbers(book, beside(tables, names, NUMBER_CONTROLS), pl.concat(numbers))


def _records(sheet: NumberSheet, rows: pl.DataFrame) -> pl.DataFrame:
    """Columns of `NUMBERS_SCHEMA` and item (position in the sheet), a row for each run and question asked of it."""
    items = sheet.questions.select("unit", question="id").with_row_index("item")
    own = read_once(rows.filter("main").join(items, on="question", maintain_order="left"), [*REPLY, "unit"], _parsed)
    references = sheet.references[own["item"].to_numpy()]
    within = within_tolerance(own["value"].fill_null(np.nan).to_numpy(), references)
    own = own.with_columns(reference=pl.Series(references), within_tolerance=pl.Series(within))
    return own.select(*(pl.col(name).cast(kind) for name, kind in NUMBERS_SCHEMA.items()), "item")


def _parsed(replies: pl.DataFrame) -> pl.DataFrame:
    """State, value and reason of replies, row for row."""
    read = readings(replies, parse_number, missing=ParsedNumber("missing"), unit="unit")
    return pl.DataFrame(read, schema={name: NUMBERS_SCHEMA[name] for name in ParsedNumber._fields}, orient="row")


def _of_control(control: str, part: NumberSheet, values: Values) -> pl.DataFrame:
    columns = {
        "run": control,
        "question": part.questions["id"],
        "variant": None,
        "text": None,
        "state": pl.Series(np.where(np.isnan(values), "empty", "valid")),
        "reason": None,
        "unit": part.questions["unit"],
        "reference": part.references,
        "value": pl.Series(values).fill_nan(None),
        "within_tolerance": within_tolerance(values, part.references),
    }
    return pl.DataFrame(columns, schema=NUMBERS_SCHEMA)
