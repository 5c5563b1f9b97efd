"""Scores answers of free text by metrics of words, beside a control that never looks."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
import polars as pl

from probe4d.diagnosis.answer_book import AnswerBook, book_of
from probe4d.diagnosis.controls.answerers import CONTENT
from probe4d.diagnosis.controls.nearest_questions import nearest_questions
from probe4d.diagnosis.figures import Figures
from probe4d.diagnosis.free_text.scores import add_text_figures, figure_name
from probe4d.diagnosis.judging.candidates import judged_answer
from probe4d.diagnosis.sheets.texts import TextSheet
from probe4d.diagnosis.side_by_side import beside
from probe4d.diagnosis.tables import TEXTS_SCHEMA
from probe4d.diagnosis.text_metrics.fingerprint import Fingerprint
from probe4d.diagnosis.text_metrics.metric import TextMetric
from probe4d.diagnosis.text_metrics.scoring import score_texts

__all__ = ["DiagnosedTexts", "diagnose_texts"]

_ANSWERED = {name: TEXTS_SCHEMA[name] for name in ("run", "question", "variant", "answer", "state", "source")}


@dataclass(frozen=True, eq=False)
class DiagnosedTexts:
    """What was answered in free text, by metrics of words.

    Attributes:
        book: The answers of the runs, and those of the control to the questions of the first run that was asked any.
        figures: Columns of `FIGURES_SCHEMA`, as `probe4d.diagnosis.side_by_side.beside` orders them.
        texts: Columns of `TEXTS_SCHEMA`: the runs in order, then the control on the questions of the first.
        fingerprints: What each metric was computed with, by its name in `figures`.
    """

    book: AnswerBook[TextSheet]
    figures: pl.DataFrame
    texts: pl.DataFrame
    fingerprints: Mapping[str, Fingerprint]


def diagnose_texts(
    sheet: TextSheet,
    names: Sequence[str],
    rows: pl.DataFrame,
    metrics: Sequence[TextMetric],
    *,
    suite: str,
    learned: pl.DataFrame | None = None,
    workers: int = 1,
    done: Callable[[object], None] | None = None,
) -> DiagnosedTexts:
    """Score the answers of runs to questions of free text, each in its first variant, word by word.

    Beside them stands `control:content`, which gives the reference of the most similar question in another scene (see
    `nearest_questions`). An answer that is missing, and one that ended in an error, is an empty text.

    Args:
        sheet: The questions; there may be none.
        names: The runs.
        rows: What they answered, columns of `ANSWERED_SCHEMA`; other questions may be among them.
        metrics: By what.
        suite: Name of the suite.
        learned: Questions that the control looks through, columns as in the sheet; null are all of the sheet.
        workers: Processes that compare texts.
        done: Told of each thousand questions that the control looks for (see `nearest_questions`), and of each
            thousand pairs compared (see `score_texts`).

    Raises:
        InputError: A metric lacks what it needs.
        RunError: The memory does not suffice.
    """
    said = _said(sheet, rows)
    places = sheet.questions.select(question="id").with_row_index("item")
    asked = book_of(sheet, names, said.join(places, on="question", maintain_order="left").with_columns(code=0))
    sets = asked.sets()
    known = sheet.questions if learned is None else learned
    controls = [_control(sheet.questions[items], known, done) for items, _ in sets]
    sheet, texts = _scored(sheet, pl.concat([said, *controls]), metrics, workers, done)
    ends = np.cumsum([said.height, *(control.height for control in controls)])
    runs, *of_controls = np.split(texts["code"].to_numpy().astype(np.intp), ends[:-1])
    book = book_of(
        sheet,
        names,
        said.join(places, on="question", maintain_order="left").with_columns(code=pl.Series(runs, dtype=pl.Int64)),
    )
    tables = []
    for (items, together), codes in zip(sets, of_controls, strict=True):
        part = book.part(items, together)
        part = part.answered([*together, CONTENT], [*part.codes, codes])
        figures = Figures(part, suite)
        add_text_figures(figures, part)
        tables.append(figures.table())
    return DiagnosedTexts(
        book.with_answerer(CONTENT, sets[0][0], of_controls[0]),
        beside(tables, names, [CONTENT]),
        _table(texts.head(ends[1]), sheet),
        {figure_name(name): scores.fingerprint for name, scores in sheet.scores.items()},
    )


def _said(sheet: TextSheet, rows: pl.DataFrame) -> pl.DataFrame:
    """The rows of runs, columns of `_ANSWERED`."""
    free = sheet.questions.select(question="id")
    own = rows.filter("main").join(free, on="question", how="semi", maintain_order="left")
    answers, _, unfit = judged_answer(own)
    nothing = unfit.is_in(["error", "missing"])
    return own.select("run", "question", "variant").with_columns(
        answer=pl.when(nothing).then(pl.lit("")).otherwise(answers),
        state=unfit.fill_null("valid"),
        source=pl.lit(None, pl.String),
    )


def _control(asked: pl.DataFrame, learned: pl.DataFrame, done: Callable[[object], None] | None) -> pl.DataFrame:
    """The rows of the control on questions, columns of `_ANSWERED`; an empty answer where no other scene has any."""
    others = learned.select("answer", source="id").with_row_index("place")
    found = nearest_questions(asked, learned, done=done)
    places = pl.DataFrame({"place": found}).with_columns(pl.col("place").replace(-1, None).cast(pl.UInt32))
    chosen = places.join(others, on="place", how="left", maintain_order="left")
    return asked.select(
        run=pl.lit(CONTENT),
        question="id",
        variant=pl.lit(None, pl.String),
        answer=chosen["answer"].fill_null(""),
        state=pl.when(chosen["source"].is_null()).then(pl.lit("empty")).otherwise(pl.lit("valid")),
        source=chosen["source"],
    )


def _scored(
    sheet: TextSheet,
    texts: pl.DataFrame,
    metrics: Sequence[TextMetric],
    workers: int,
    done: Callable[[object], None] | None,
) -> tuple[TextSheet, pl.DataFrame]:
    """Score each distinct pair of an answer and a reference once, and say which pair each answer is (`code`)."""
    references = sheet.questions.select(question="id", reference="answer")
    texts = texts.join(references, on="question", how="left", maintain_order="left")
    distinct = texts.select("answer", "reference").unique().sort("reference", "answer").with_row_index("code")
    scores = score_texts(
        distinct["answer"].to_list(), distinct["reference"].to_list(), metrics, workers=workers, done=done
    )
    texts = texts.join(distinct, on=["answer", "reference"], how="left", maintain_order="left")
    return replace(sheet, scores=scores), texts.with_columns(pl.col("code").cast(pl.Int64))


def _table(texts: pl.DataFrame, sheet: TextSheet) -> pl.DataFrame:
    """Answers with what each metric says of them, in the columns of `TEXTS_SCHEMA`."""
    codes: npt.NDArray[np.intp] = texts["code"].to_numpy().astype(np.intp)
    of_pairs = {figure_name(name): scores.of_pairs[codes] for name, scores in sheet.scores.items()}
    columns = {name: pl.Series(values, dtype=pl.Float64) for name, values in of_pairs.items()}
    known = texts.with_columns(**columns)
    lacking = {name: pl.lit(None, kind) for name, kind in TEXTS_SCHEMA.items() if name not in known.columns}
    return known.with_columns(**lacking).select(list(TEXTS_SCHEMA))
