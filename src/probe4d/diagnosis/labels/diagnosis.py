"""Scores the answers that are labels, beside the controls, and shows what they depend on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from probe4d.benchmarks.suite import Average
from probe4d.diagnosis.answer_book import AnswerBook, book_of
from probe4d.diagnosis.controls.answerers import CONTENT, FIXED, LABEL_CONTROLS
from probe4d.diagnosis.controls.fitting import ControlAnswers
from probe4d.diagnosis.labels.branches import branches_of
from probe4d.diagnosis.labels.examination import Examination, examine
from probe4d.diagnosis.labels.pairs import EGO, EGO_PAPER, PLAIN, pairs_table
from probe4d.diagnosis.labels.reading import read_labels
from probe4d.diagnosis.sheets.labels import LabelSheet, label_of
from probe4d.diagnosis.side_by_side import beside, runs_then_controls
from probe4d.diagnosis.tables import RECORDS_SCHEMA
from probe4d.runs.run import Run

__all__ = ["DiagnosedLabels", "diagnose_labels"]


@dataclass(frozen=True, eq=False)
class DiagnosedLabels:
    """What was answered to yes-no and choice questions, and what it depends on.

    Attributes:
        book: The answers of the runs, and those of the controls to the questions of the first run that was asked any.
        figures: Columns of `FIGURES_SCHEMA`, as `probe4d.diagnosis.side_by_side.beside` orders them.
        records: Columns of `RECORDS_SCHEMA`: each answer in its first variant.
        variants: The same columns: every answer of the runs that asked in more than one variant.
        pairs: Columns of `PAIRS_SCHEMA`.
        shortcuts: Columns of `SHORTCUTS_SCHEMA`.
        slices: Columns of `SLICES_SCHEMA`.
        unpaired: Runs whose prompts the benchmark does not know, so that they have no pairs.
    """

    book: AnswerBook[LabelSheet]
    figures: pl.DataFrame
    records: pl.DataFrame
    variants: pl.DataFrame
    pairs: pl.DataFrame
    shortcuts: pl.DataFrame
    slices: pl.DataFrame
    unpaired: tuple[str, ...]


def diagnose_labels(
    sheet: LabelSheet,
    runs: Sequence[Run],
    rows: pl.DataFrame,
    *,
    parser: str,
    suite: str,
    averages: Sequence[Average] = (),
    controls: ControlAnswers,
) -> DiagnosedLabels:
    """Score the answers of runs to yes-no and choice questions, and show what they depend on.

    Args:
        sheet: The questions; there may be none.
        runs: The runs.
        rows: What they answered, columns of `ANSWERED_SCHEMA`; other questions may be among them.
        parser: Parser of the replies: `default`, `published` or `older`.
        suite: Name of the suite.
        averages: Averages of its paper.
        controls: What the controls answer to the whole sheet.
    """
    names = [run.name for run in runs]
    records = read_labels(rows, sheet, parser=parser)
    answers = records.filter("main")
    book = book_of(sheet, names, answers)
    layouts = {run.name: run.record.layout if run.record.layout in (EGO, EGO_PAPER) else PLAIN for run in runs}
    branches = {run.name: branches_of(run) for run in runs}
    # Runs that were asked the same questions are examined together.
    sets = book.sets()
    examined: list[Examination] = []
    for items, asked in sets:
        # A control answers a question alike whichever others were asked: what words tell does not depend on a sample.
        known = {FIXED: controls.fixed[items], CONTENT: controls.content.labels[items]}
        part = book.part(items, asked)
        examined.append(examine(part, layouts, records, branches, suite=suite, averages=averages, controls=known))
    first = examined[0]
    for control in LABEL_CONTROLS:
        book = book.with_answerer(control, sets[0][0], first.sheet.labels[first.sheet.row(control)])
    return DiagnosedLabels(
        book,
        beside([one.figures for one in examined], names, LABEL_CONTROLS),
        _records(book, answers),
        _with_correct(sheet, records.filter((~pl.col("main")).any().over("run"))),
        pairs_table(first.sheet, first.pairs),
        runs_then_controls([one.shortcuts for one in examined], names, LABEL_CONTROLS),
        runs_then_controls([one.slices for one in examined], names, LABEL_CONTROLS),
        tuple(name for one in examined for name in one.unpaired),
    )


def _records(book: AnswerBook[LabelSheet], answers: pl.DataFrame) -> pl.DataFrame:
    parts = [_with_correct(book.sheet, answers)]
    for control in LABEL_CONTROLS:
        items = book.items(control)
        asked = book.sheet.questions[items]
        codes = book.answers[book.names.index(control), items]
        about = zip(codes.tolist(), *asked.select("format", "options"), strict=True)
        said = [label_of(code, kind, options) for code, kind, options in about]
        rows = pl.DataFrame({"run": control, "question": asked["id"], "state": "valid", "label": said}).with_columns(
            pl.lit(None, pl.String).alias("variant"),
            pl.lit(None, pl.String).alias("text"),
            correct=pl.Series(codes == book.sheet.references[items]),
        )
        parts.append(rows.select(list(RECORDS_SCHEMA)))
    return pl.concat(parts)


def _with_correct(sheet: LabelSheet, records: pl.DataFrame) -> pl.DataFrame:
    references = pl.Series(sheet.references[records["item"].to_numpy()])
    return records.with_columns(correct=records["code"] == references).select(list(RECORDS_SCHEMA))
