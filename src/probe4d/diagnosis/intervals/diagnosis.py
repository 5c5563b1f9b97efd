"""Scores the answers that are intervals, beside the controls."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl

from probe4d.diagnosis.answer_book import AnswerBook, book_of
from probe4d.diagnosis.controls.fitting import ControlAnswers
from probe4d.diagnosis.controls.intervals import INTERVAL_CONTROLS
from probe4d.diagnosis.figures import Figures
from probe4d.diagnosis.intervals.scores import add_overlaps, overlaps_of
from probe4d.diagnosis.intervals.shortcuts import interval_shortcuts
from probe4d.diagnosis.parsing.intervals import ParsedInterval, parse_interval
from probe4d.diagnosis.parsing.once import REPLY, read_once, readings
from probe4d.diagnosis.sheets.intervals import UNREAD, Codes, IntervalSheet, ends_of, to_codes
from probe4d.diagnosis.shortcuts.attribution import add_shortcut_shares
from probe4d.diagnosis.side_by_side import beside, runs_then_controls
from probe4d.diagnosis.statistics.interval_overlaps import OVERLAPS
from probe4d.diagnosis.tables import INTERVALS_SCHEMA

__all__ = ["DiagnosedIntervals", "diagnose_intervals"]


@dataclass(frozen=True, eq=False)
class DiagnosedIntervals:
    """What was answered to the questions for an interval.

    Attributes:
        book: The answers of the runs, and those of the controls to the questions of the first run that was asked any.
        figures: Columns of `FIGURES_SCHEMA`, as `probe4d.diagnosis.side_by_side.beside` orders them.
        intervals: Columns of `INTERVALS_SCHEMA`: the runs in order, then the controls on the questions of the first.
        shortcuts: Columns of `SHORTCUTS_SCHEMA`, likewise.
    """

    book: AnswerBook[IntervalSheet]
    figures: pl.DataFrame
    intervals: pl.DataFrame
    shortcuts: pl.DataFrame


def diagnose_intervals(
    sheet: IntervalSheet, names: Sequence[str], rows: pl.DataFrame, *, suite: str, controls: ControlAnswers
) -> DiagnosedIntervals:
    """Score the answers of runs to questions for an interval, each in its first variant.

    Args:
        sheet: The questions; there may be none.
        names: The runs.
        rows: What they answered, columns of `ANSWERED_SCHEMA`; other questions may be among them.
        suite: Name of the suite.
        controls: What the controls answer to the whole sheet.
    """
    records = _records(sheet, rows)
    book = book_of(sheet, names, records.select("run", "item", "code"))
    tables, shortcuts, parts = [], [], []
    for items, together in book.sets():
        part = book.part(items, together)
        said = {name: codes[items] for name, codes in controls.intervals.codes.items()}
        part = part.answered([*part.names, *said], [*part.codes, *said.values()])
        figures = Figures(part, suite)
        add_overlaps(figures, part, part.names, overlaps_of(part))
        followed = interval_shortcuts(part)
        add_shortcut_shares(figures, part.groups, followed)
        tables.append(figures.table())
        shortcuts.append(followed)
        parts.append((items, part))
    items, first = parts[0]
    answered = [_measured(records, sheet, records["item"].to_numpy().astype(np.intp), records["code"].to_numpy())]
    for control in INTERVAL_CONTROLS:
        codes = first.codes[first.row(control)]
        book = book.with_answerer(control, items, codes)
        answered.append(_of_control(control, first, codes))
    return DiagnosedIntervals(
        book,
        beside(tables, names, INTERVAL_CONTROLS),
        pl.concat(answered),
        runs_then_controls(shortcuts, names, INTERVAL_CONTROLS),
    )


def _records(sheet: IntervalSheet, rows: pl.DataFrame) -> pl.DataFrame:
    """Columns run, question, variant, text, state, reason, code and item, a row for each run and question asked."""
    items = sheet.questions.select(question="id").with_row_index("item")
    return read_once(rows.filter("main").join(items, on="question", maintain_order="left"), REPLY, _parsed)


def _parsed(replies: pl.DataFrame) -> pl.DataFrame:
    """State, reason and code of replies, row for row."""
    read = readings(replies, parse_interval, missing=ParsedInterval("missing"))
    ends = np.array([one.interval or (UNREAD, UNREAD) for one in read], dtype=np.int64).reshape(-1, 2)
    return pl.DataFrame({
        "state": pl.Series([one.state for one in read], dtype=pl.String),
        "reason": pl.Series([one.reason for one in read], dtype=pl.String),
        "code": np.where(ends[:, 0] == UNREAD, UNREAD, to_codes(*ends.T)),
    })  # fmt: skip


def _of_control(control: str, part: IntervalSheet, codes: Codes) -> pl.DataFrame:
    columns = {
        "run": control,
        "question": part.questions["id"],
        "variant": None,
        "text": None,
        "state": pl.Series(np.where(codes == UNREAD, "empty", "valid")),
        "reason": None,
    }
    return _measured(pl.DataFrame(columns), part, np.arange(codes.size), codes)


def _measured(records: pl.DataFrame, sheet: IntervalSheet, items: npt.NDArray[np.intp], codes: Codes) -> pl.DataFrame:
    """Put what was read, the reference and the overlaps beside records, in the order of the schema."""
    said, references = ends_of(codes), ends_of(sheet.references[items])
    ends = {"first": said[:, 0], "last": said[:, 1]}
    columns = {name: pl.Series(np.where(codes == UNREAD, np.nan, one)).fill_nan(None) for name, one in ends.items()}
    columns |= {"reference_first": pl.Series(references[:, 0]), "reference_last": pl.Series(references[:, 1])}
    columns |= {f"iou_{name}": pl.Series(overlap(said, references)) for name, overlap in OVERLAPS.items()}
    return records.with_columns(**columns).select(pl.col(name).cast(kind) for name, kind in INTERVALS_SCHEMA.items())
