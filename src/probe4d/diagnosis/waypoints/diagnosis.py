"""Scores the answers that are waypoints, beside the controls."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl

from probe4d.diagnosis.answer_book import AnswerBook, book_of
from probe4d.diagnosis.controls.answerers import CONSTANT_VELOCITY, STATIONARY
from probe4d.diagnosis.figures import Figures
from probe4d.diagnosis.parsing.once import REPLY, read_once, readings
from probe4d.diagnosis.parsing.waypoints import ParsedWaypoints, parse_waypoints
from probe4d.diagnosis.sheets.waypoints import WaypointSheet
from probe4d.diagnosis.side_by_side import beside
from probe4d.diagnosis.tables import WAYPOINTS_SCHEMA
from probe4d.diagnosis.waypoints.scores import (
    add_displacements,
    add_displacements_by_time,
    add_shared_displacements,
    displacements_of,
)

__all__ = ["DiagnosedWaypoints", "diagnose_waypoints"]

Values = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class DiagnosedWaypoints:
    """What was answered to the questions for waypoints.

    Attributes:
        book: The answers of the runs, and those of the controls to the questions of the first run that was asked any.
        figures: Columns of `FIGURES_SCHEMA`, as `probe4d.diagnosis.side_by_side.beside` orders them.
        waypoints: Columns of `WAYPOINTS_SCHEMA`: the runs in order, then the controls on the questions of the first.
    """

    book: AnswerBook[WaypointSheet]
    figures: pl.DataFrame
    waypoints: pl.DataFrame


def diagnose_waypoints(
    sheet: WaypointSheet, names: Sequence[str], rows: pl.DataFrame, *, suite: str
) -> DiagnosedWaypoints:
    """Score the answers of runs to questions for waypoints, each in its first variant.

    Beside them stand `control:stationary`, which stays at the origin, and `control:constant-velocity`, which goes
    straight on, or came straight here, at the speed of the query frame; the latter where facts tell a speed.

    Args:
        sheet: The questions; there may be none.
        names: The runs.
        rows: What they answered, columns of `ANSWERED_SCHEMA`; other questions may be among them.
        suite: Name of the suite.
    """
    records = _records(sheet, rows)
    known = records.filter(pl.col("waypoints").is_not_null())
    sheet = sheet.with_answers(_padded(known["waypoints"].to_list(), sheet.references.shape[1]))
    coded = known.select("run", "question", code=pl.int_range(pl.len()))
    records = records.join(coded, on=["run", "question"], how="left", maintain_order="left")
    sheet, controls = _controls(sheet)
    book = book_of(sheet, names, records.select("run", "item", "code"))
    tables, parts = [], []
    for items, together in book.sets():
        part = book.part(items, together)
        said = [codes[items] for codes in controls.values()]
        part = part.answered([*together, *controls], [*part.codes, *said])
        figures = Figures(part, suite)
        displacements = displacements_of(part)
        add_displacements(figures, part, part.names, displacements)
        add_shared_displacements(figures, part, part.names, displacements, together)
        add_displacements_by_time(figures, part, part.names)
        tables.append(figures.table())
        parts.append((items, part))
    items, first = parts[0]
    for control, codes in controls.items():
        book = book.with_answerer(control, items, codes[items])
    answered = [_table(records, book.sheet)]
    answered += [_of_control(control, first) for control in controls]
    return DiagnosedWaypoints(book, beside(tables, names, list(controls)), pl.concat(answered))


def _records(sheet: WaypointSheet, rows: pl.DataFrame) -> pl.DataFrame:
    """Columns run, question, variant, text, state, reason, waypoints and item, a row for each run and question."""
    items = sheet.questions.select(question="id", steps=pl.Series(sheet.steps)).with_row_index("item")
    own = rows.filter("main").join(items, on="question", maintain_order="left")
    return read_once(own, [*REPLY, "steps"], _parsed)


def _parsed(replies: pl.DataFrame) -> pl.DataFrame:
    """State, waypoints and reason of replies, row for row."""
    read = readings(replies, parse_waypoints, missing=ParsedWaypoints("missing"), count="steps")
    schema = {name: WAYPOINTS_SCHEMA[name] for name in ("state", "waypoints", "reason")}
    return pl.DataFrame({name: [getattr(one, name) for one in read] for name in schema}, schema=schema)


def _padded(answers: Sequence[Sequence[Sequence[float]]], steps: int) -> Values:
    """(answers, steps, 2), with NaN behind those that have fewer."""
    padded = np.full((len(answers), steps, 2), np.nan)
    for place, points in enumerate(answers):
        padded[place, : len(points)] = points
    return padded


def _controls(sheet: WaypointSheet) -> tuple[WaypointSheet, dict[str, npt.NDArray[np.intp]]]:
    """Put the answers of the controls to all questions into a sheet, and say by which codes they stand in it."""
    asked = ~np.isnan(sheet.references)
    stationary = np.where(asked, 0.0, np.nan)
    sign = np.where(sheet.directions == "past", -1.0, 1.0)
    ahead = sign[:, None] * sheet.speeds[:, None] * sheet.times
    straight = np.where(asked, np.stack([ahead, np.zeros_like(ahead)], axis=-1), np.nan)
    first = sheet.answers.shape[0]
    places = np.arange(sheet.scenes.size, dtype=np.intp) + first
    told = ~np.isnan(sheet.speeds) & ~np.isnan(sheet.times[:, 0])
    codes = {STATIONARY: places}
    if told.any():
        codes[CONSTANT_VELOCITY] = np.where(told, places + sheet.scenes.size, sheet.unanswered)
    return sheet.with_answers(np.concatenate([stationary, straight])), codes


def _table(records: pl.DataFrame, sheet: WaypointSheet) -> pl.DataFrame:
    """The rows of runs in the columns of `WAYPOINTS_SCHEMA`."""
    codes = records["code"].fill_null(int(sheet.unanswered)).to_numpy()
    return _measured(records, sheet, records["item"].to_numpy().astype(np.intp), codes)


def _of_control(control: str, part: WaypointSheet) -> pl.DataFrame:
    codes = part.codes[part.row(control)]
    said = [_points(part.answers[code]) if code >= 0 else None for code in codes]
    columns = {
        "run": control,
        "question": part.questions["id"],
        "variant": None,
        "text": None,
        "state": pl.Series(np.where(codes >= 0, "valid", "empty")),
        "reason": None,
        "waypoints": pl.Series(said, dtype=WAYPOINTS_SCHEMA["waypoints"]),
    }
    return _measured(pl.DataFrame(columns), part, np.arange(codes.size), codes)


def _points(answer: Values) -> list[list[float]]:
    return [point for point in answer.tolist() if point[0] == point[0]]


def _measured(
    records: pl.DataFrame, sheet: WaypointSheet, items: npt.NDArray[np.intp], codes: npt.NDArray[np.intp]
) -> pl.DataFrame:
    """Put what was read, what the questions are about and the errors beside records, in the order of the schema."""
    rows = sheet.part(items).answered(["this"], [codes])
    _, *errors = (pl.Series(part[0]).fill_nan(None) for part in displacements_of(rows))
    names = ("ade_m", "fde_m", "ade_m_penalised", "fde_m_penalised")
    columns = {"relation": rows.questions["relation"], "parsed": pl.Series(rows.parsed[0])}
    columns |= dict(zip(names, errors, strict=True))
    return records.with_columns(**columns).select(pl.col(name).cast(kind) for name, kind in WAYPOINTS_SCHEMA.items())
