"""How much of each template can be answered from the words of its questions, without a picture."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
import numpy.typing as npt
import polars as pl

from probe4d.benchmarks.question import NUMBER
from probe4d.diagnosis.controls.answerers import CONTENT, FIXED, MEDIAN, SETTLED, FromWords
from probe4d.diagnosis.controls.fitting import ControlAnswers
from probe4d.diagnosis.controls.intervals import IntervalAnswers
from probe4d.diagnosis.intervals.scores import MIOU
from probe4d.diagnosis.sheets.by_kind import Sheets
from probe4d.diagnosis.sheets.intervals import IntervalSheet, ends_of
from probe4d.diagnosis.sheets.labels import SCORED_FORMATS, LabelSheet
from probe4d.diagnosis.sheets.numbers import NumberSheet, Values
from probe4d.diagnosis.statistics.bootstrap import SceneSums, intervals
from probe4d.diagnosis.statistics.interval_overlaps import CONVENTIONS, OVERLAPS
from probe4d.diagnosis.statistics.number_errors import within_tolerance
from probe4d.diagnosis.tables import WORDS_ALONE_SCHEMA, Diagnosis
from probe4d.wording import counted, in_percent, listed

__all__ = ["ENOUGH", "NEARLY_SOLVED", "balance_shines_through", "has_templates", "said_of_templates", "words_alone"]

NEARLY_SOLVED = 0.9
"""Share of a template's questions from which words alone nearly solve it."""

ENOUGH = 20
"""Questions below which nothing is said of a template."""

PART = 0.1
"""Share of a template's questions from which it is said that a part of it follows from what is asked about."""

_TEMPLATE = ["family", "format", "template"]
_OF_SCENE = ["right", "fixed", "known", "settled", "settled_right", "chance"]
"""What is summed over the questions of a template in a scene."""


def words_alone(sheets: Sheets, controls: ControlAnswers) -> pl.DataFrame:
    """Show what the controls get right of each template.

    Args:
        sheets: The questions.
        controls: What the controls answer to them.

    Returns:
        Columns of `WORDS_ALONE_SCHEMA`; families and templates in the order of the questions.
    """
    parts = [
        _of_labels(sheets.labels, controls.fixed, controls.content),
        _of_numbers(sheets.numbers, controls.numbers),
        _of_intervals(sheets.intervals, controls.intervals),
    ]
    rows = pl.concat([part.with_columns(pl.col(_OF_SCENE).cast(pl.Float64)) for part in parts])
    by_scene = (
        rows.group_by(*_TEMPLATE, "scene", maintain_order=True)
        .agg(pl.col(_OF_SCENE).sum(), n=pl.len())
        .sort("scene", maintain_order=True)
    )
    templates = _templates(rows)
    sums = [
        by_scene.join(templates[place], on=_TEMPLATE, maintain_order="left").select(
            pl.col(*_OF_SCENE, "n").cast(pl.Float64)
        )
        for place in range(templates.height)
    ]
    bounds = intervals([SceneSums(one["right"].to_numpy()[None], one["n"].to_numpy()) for one in sums])
    low, high = np.array(bounds).reshape(-1, 2).T
    nothing = pl.DataFrame(schema=dict.fromkeys([*_OF_SCENE, "n"], pl.Float64))
    shares = pl.concat([nothing, *(one.sum() for one in sums)]).with_columns(pl.col(_OF_SCENE) / pl.col("n"))
    shares = shares.with_columns(
        low=pl.Series(low, dtype=pl.Float64).fill_nan(None),
        high=pl.Series(high, dtype=pl.Float64).fill_nan(None),
        scenes=pl.Series([one.height for one in sums], dtype=pl.Int64),
    )
    return (
        _judged(templates.hstack(shares))
        .with_columns(learned_from=pl.lit(controls.learned_from or sheets.benchmark.fingerprint))
        .select(pl.col(name).cast(kind) for name, kind in WORDS_ALONE_SCHEMA.items())
    )


def _of_labels(sheet: LabelSheet, fixed: npt.NDArray[np.int8], content: FromWords) -> pl.DataFrame:
    """A row for each question whose answer is a label, with what `_OF_SCENE` names of it."""
    right = content.labels == sheet.references
    return sheet.questions.select(*_TEMPLATE, "scene").with_columns(
        right=pl.Series(right),
        fixed=pl.Series(fixed == sheet.references),
        known=pl.Series(content.known),
        settled=pl.Series(content.settled),
        settled_right=pl.Series(content.settled & right),
        chance=pl.Series(1.0 / sheet.option_counts),
    )


def _of_numbers(sheet: NumberSheet, values: Mapping[str, Values]) -> pl.DataFrame:
    """The same for each question for a number; no context settles one, and nobody guesses one."""
    right, fixed = (within_tolerance(values[name], sheet.references) for name in (MEDIAN, FIXED))
    return sheet.questions.select(*_TEMPLATE, "scene").with_columns(
        right=pl.Series(right),
        fixed=pl.Series(fixed),
        known=pl.Series(~np.isnan(values[MEDIAN])),
        settled=pl.lit(False),
        settled_right=pl.lit(False),
        chance=pl.lit(None, pl.Float64),
    )


def _of_intervals(sheet: IntervalSheet, answers: IntervalAnswers) -> pl.DataFrame:
    """The same for each question for an interval, whose overlap with the truth says how right an answer is."""
    right, fixed = (
        OVERLAPS[CONVENTIONS[0]](ends_of(answers.codes[name]), ends_of(sheet.references)) for name in (CONTENT, FIXED)
    )
    return sheet.questions.select(*_TEMPLATE, "scene").with_columns(
        right=pl.Series(right),
        fixed=pl.Series(fixed),
        known=pl.Series(answers.known),
        settled=pl.lit(False),
        settled_right=pl.lit(False),
        chance=pl.lit(None, pl.Float64),
    )


def _templates(rows: pl.DataFrame) -> pl.DataFrame:
    """The templates, those of a family and format side by side, in the order of the first."""
    templates = rows.select(_TEMPLATE).unique(maintain_order=True).with_row_index("place")
    return templates.sort(pl.col("place").min().over(_TEMPLATE[:2]), "place").drop("place")


def _judged(shares: pl.DataFrame) -> pl.DataFrame:
    """Say whose shares those of a template are, take out what it has none of, and say whether words solve it."""
    is_label = pl.col("format").is_in(SCORED_FORMATS)
    is_number = pl.col("format") == NUMBER
    return shares.with_columns(
        value="right",
        control=pl.when(is_number).then(pl.lit(MEDIAN)).otherwise(pl.lit(CONTENT)),
        metric=pl.when(is_label)
        .then(pl.lit("accuracy"))
        .when(is_number)
        .then(pl.lit("tolerance_accuracy"))
        .otherwise(pl.lit(MIOU + CONVENTIONS[0])),
        chance=pl.when(is_label).then("chance"),
        settled=pl.when(pl.col("format") == "yes-no").then("settled"),
        settled_value=pl.when(pl.col("settled") > 0).then(pl.col("settled_right") / pl.col("settled")),
        nearly_solved=(pl.col("right") >= NEARLY_SOLVED) & (pl.col("n") >= ENOUGH),
    )


def has_templates(words: pl.DataFrame) -> bool:
    """Whether a family and format has several templates, so that these say more than the family does."""
    return bool(words.select(pl.struct("family", "format").is_duplicated().any()).item())


def said_of_templates(diagnosis: Diagnosis) -> Iterator[str]:
    """Say which templates words alone nearly solve, and with which threshold, and of which they solve a part.

    Nothing is said where no family has several templates, and where the controls tell nothing of the words (see
    `balance_shines_through`).

    Args:
        diagnosis: What words alone give away.
    """
    judged = diagnosis.words_alone.filter(pl.col("n") >= ENOUGH)
    untold = balance_shines_through(diagnosis.balanced_in_context, diagnosis.learned_from) is not None
    if untold or not has_templates(diagnosis.words_alone) or not judged.height:
        return
    yield _said_of_solved(judged)
    parts = judged.filter(
        ~pl.col("nearly_solved"), pl.col("settled") >= PART, pl.col("settled_value") >= NEARLY_SOLVED
    ).sort("settled", descending=True, maintain_order=True)
    if parts.height:
        named = [
            f"{template} ({in_percent(settled)} % of its questions, {in_percent(value)} % of these right)"
            for template, settled, value in parts.select("template", "settled", "settled_value").iter_rows()
        ]
        yield (
            f"In part they solve {parts.height} more, by contexts that {100 * SETTLED:.0f} % or more of the questions "
            f"in other scenes answer alike: {listed(named)}."
        )


def _said_of_solved(judged: pl.DataFrame) -> str:
    solved = judged.filter("nearly_solved").sort("value", descending=True, maintain_order=True)
    begun = f"Words alone nearly solve ({100 * NEARLY_SOLVED:.0f} % right or more)"
    of = f"{counted(judged.height, 'template')} with {ENOUGH} questions or more"
    if not solved.height:
        return f"{begun} none of {of}."
    named = [
        f"{template} ({in_percent(value)} % of {n:,})"
        for template, value, n in solved.select("template", "value", "n").iter_rows()
    ]
    return f"{begun} {solved.height} of {of}: {listed(named)}."


def balance_shines_through(balanced: bool, learned_from: str | None) -> str | None:
    """What is to be known where controls learn inside a sample that is balanced in contents; null elsewhere.

    Args:
        balanced: Whether the questions are such a sample (`Diagnosis.balanced_in_context`).
        learned_from: Fingerprint of another benchmark that the controls learned from; null where there is none.
    """
    if not balanced or learned_from is not None:
        return None
    return (
        "In this sample Yes and No are equally frequent in every context, so that control:content, which learns from "
        "all of it but the question's scene, falls far below chance by construction, and what is set against it "
        "means nothing. Let it learn outside of the sample, from a benchmark that holds further questions of the same "
        "suite."
    )
