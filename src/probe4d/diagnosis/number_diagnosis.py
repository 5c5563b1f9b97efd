"""Scores the answers that are numbers, beside the controls."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from probe4d.benchmarks.benchmark import Benchmark
from probe4d.diagnosis.answers import answered_rows
from probe4d.diagnosis.controls import NUMBER_CONTROLS
from probe4d.diagnosis.figures import Figures
from probe4d.diagnosis.number_scores import add_number_scores, within_tolerance
from probe4d.diagnosis.number_sheet import NumberSheet, Values, make_number_sheet
from probe4d.diagnosis.parsing.numbers import ParsedNumber, parse_number
from probe4d.diagnosis.tables import FIGURES_SCHEMA, NUMBERS_SCHEMA, control_beside, in_order
from probe4d.runs.run import Run, asked_of

__all__ = ["DiagnosedNumbers", "diagnose_numbers"]


@dataclass(frozen=True, eq=False)
class DiagnosedNumbers:
    """What runs answered to the questions for a number.

    Attributes:
        figures: Columns of `FIGURES_SCHEMA`: the runs in order, then the controls on the questions of the first run
            that was asked any, then those beside runs that were asked others.
        numbers: Columns of `NUMBERS_SCHEMA`: the same runs, then the controls on the questions of the first.
    """

    figures: pl.DataFrame
    numbers: pl.DataFrame


@dataclass(frozen=True, eq=False)
class _Answered:
    """The answers of one run, and where its questions stand in the sheet, ascending."""

    name: str
    items: np.ndarray[tuple[int], np.dtype[np.intp]]
    rows: pl.DataFrame
    values: Values


def diagnose_numbers(benchmark: Benchmark, runs: Sequence[Run]) -> DiagnosedNumbers:
    """Score the answers of runs to questions for a number of a known unit, each in its first variant.

    Args:
        benchmark: The questions; one whose facts give no unit is not scored.
        runs: Runs of that benchmark, checked (see `read_answers`).

    Raises:
        InputError: A reference answer is no number, or a run answers what its setting does not ask.
    """
    sheet = make_number_sheet(benchmark)
    empty = DiagnosedNumbers(pl.DataFrame(schema=FIGURES_SCHEMA), pl.DataFrame(schema=NUMBERS_SCHEMA))
    if not sheet.scenes.size:
        return empty
    answered = [one for run in runs if (one := _answers_of(run, sheet, benchmark)).items.size]
    sets: dict[bytes, list[_Answered]] = {}
    for one in answered:
        sets.setdefault(one.items.tobytes(), []).append(one)
    asked = [(together[0].items, together) for together in sets.values()] or [(np.arange(sheet.scenes.size), [])]
    parts = [_with_controls(sheet.part(items), together) for items, together in asked]
    tables = [_figures(part, benchmark.record.suite) for part in parts]
    names = [one.name for one in answered]
    of_control = pl.col("run").is_in(NUMBER_CONTROLS)
    own = [table.filter(~of_control) for table in tables]
    beside = [
        table.filter(run=control).with_columns(run=pl.lit(control_beside(control, one.name)))
        for table, (_, together) in zip(tables[1:], asked[1:], strict=True)
        for one in together
        for control in NUMBER_CONTROLS
    ]
    return DiagnosedNumbers(
        pl.concat([in_order(pl.concat(own), "run", names), tables[0].filter(of_control), *beside]),
        pl.concat(
            [
                empty.numbers,
                *(_numbers(one, sheet) for one in answered),
                *(_numbers_of_control(control, parts[0]) for control in NUMBER_CONTROLS),
            ]
        ),
    )


def _answers_of(run: Run, sheet: NumberSheet, benchmark: Benchmark) -> _Answered:
    asked = sheet.questions.with_row_index("item").join(
        asked_of(run, benchmark).select("id"), on="id", how="semi", maintain_order="left"
    )
    rows = pl.DataFrame(schema={**NUMBERS_SCHEMA, "item": pl.UInt32()})
    if asked.height:
        given = answered_rows(run, asked.drop("unit")).filter("main")
        rows = _parsed(given.join(asked.select("item", "unit"), on="item", how="left", maintain_order="left"))
    items = rows["item"].to_numpy().astype(np.intp)
    return _Answered(run.name, items, rows, rows["value"].fill_null(np.nan).to_numpy())


def _parsed(rows: pl.DataFrame) -> pl.DataFrame:
    """Put state, reason and value beside replies, each distinct one read once."""
    keys = ["part", "unit", "finish_reason", "error"]
    distinct = rows.unique(keys, maintain_order=True).select(keys)
    readings = [
        ParsedNumber("missing")
        if text is None and not error
        else parse_number(text or "", unit=unit, finish_reason=finish_reason, error=error)
        for text, unit, finish_reason, error in distinct.iter_rows()
    ]
    schema = {"state": pl.String(), "value": pl.Float64(), "reason": pl.String()}
    read = distinct.hstack(pl.DataFrame(readings, schema=schema, orient="row"))
    return rows.join(read, on=keys, how="left", nulls_equal=True, maintain_order="left")


def _with_controls(part: NumberSheet, together: Sequence[_Answered]) -> NumberSheet:
    names = [*(one.name for one in together), *NUMBER_CONTROLS]
    controls = [answer(part) for answer in NUMBER_CONTROLS.values()]
    return part.answered(names, [*(one.values for one in together), *controls])


def _figures(part: NumberSheet, suite: str) -> pl.DataFrame:
    figures = Figures(part, suite)
    add_number_scores(figures, part)
    return figures.table()


def _numbers(one: _Answered, sheet: NumberSheet) -> pl.DataFrame:
    references = sheet.references[one.items]
    return one.rows.with_columns(
        reference=pl.Series(references), within_tolerance=pl.Series(within_tolerance(one.values, references))
    ).select(list(NUMBERS_SCHEMA))


def _numbers_of_control(control: str, part: NumberSheet) -> pl.DataFrame:
    values = part.values[part.names.index(control)]
    answered = ~np.isnan(values)
    columns = {
        "run": control,
        "question": part.questions["id"],
        "variant": None,
        "text": None,
        "state": pl.Series(np.where(answered, "valid", "empty")),
        "reason": None,
        "unit": part.questions["unit"],
        "reference": part.references,
        "value": pl.Series(values).fill_nan(None),
        "within_tolerance": within_tolerance(values, part.references),
    }
    return pl.DataFrame(columns, schema=NUMBERS_SCHEMA)
