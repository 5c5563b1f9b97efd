"""What controls answer to a whole benchmark, learning from it or from another one."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
import polars as pl

from probe4d.benchmarks.benchmark import Benchmark
from probe4d.benchmarks.question import INTERVAL
from probe4d.diagnosis.controls.answerers import MEDIAN, NUMBER_CONTROLS, FromWords, content_answers, fixed_control
from probe4d.diagnosis.controls.intervals import IntervalAnswers, interval_answers
from probe4d.diagnosis.sheets.by_kind import Sheets
from probe4d.diagnosis.sheets.labels import has_label
from probe4d.diagnosis.sheets.numbers import Values, number_questions
from probe4d.errors import InputError

__all__ = ["ControlAnswers", "control_answers"]

_CELL = ["family", "format"]
_MORE = "Let controls learn from a benchmark that asks such questions of further scenes, as one of another split does."


@dataclass(frozen=True, eq=False)
class ControlAnswers:
    """What the controls that learn answer to all questions of a benchmark.

    Attributes:
        fixed: Label codes that `control:fixed` answers to the questions of the sheet of labels, in its order.
        content: What `control:content` answers to them.
        numbers: What each control answers to the questions for a number, in the order of theirs.
        intervals: What controls answer to the questions for an interval, in the order of theirs.
        learned_from: Fingerprint of the benchmark that they learned from; null where that is the same.
        learnable: What of that benchmark they may learn from; null likewise.
    """

    fixed: npt.NDArray[np.int8]
    content: FromWords
    numbers: dict[str, Values]
    intervals: IntervalAnswers
    learned_from: str | None = None
    learnable: Benchmark | None = None

    @property
    def told(self) -> str | None:
        """What they learned from and how far that reached, as a sentence; null where it is the benchmark itself."""
        if self.learned_from is None:
            return None
        known, asked = int(self.content.known.sum()), self.content.known.size
        return (
            f"The controls learned from another benchmark (fingerprint {self.learned_from[:12]}). Of {asked:,} "
            f"questions that are answered by a label there is something to learn from for {known:,}; the others are "
            "answered No, with the first option, or with the most frequent word."
        )


def control_answers(sheets: Sheets, other: Benchmark | None = None) -> ControlAnswers:
    """Answer the questions of a benchmark from their text, by how others are answered.

    What is learned from is never of the scene of the question answered, and where it is of another benchmark, never a
    question of this one; `content_answers` says what of it counts.

    Args:
        sheets: The questions to answer.
        other: The questions to learn from; null learns from the benchmark itself.

    Raises:
        InputError: The other is of another suite, holds no context that is asked about, or leaves nothing to learn
            from of some family and format.
    """
    benchmark, labels, numbers, intervals = sheets.benchmark, sheets.labels, sheets.numbers, sheets.intervals
    if other is None:
        values = {name: answer(numbers, None) for name, answer in NUMBER_CONTROLS.items()}
        return ControlAnswers(fixed_control(labels), content_answers(labels), values, interval_answers(intervals))
    if other.record.suite != benchmark.record.suite:
        raise InputError(
            f"is of the suite {other.record.suite!r}, and the questions to be answered of {benchmark.record.suite!r}.",
            path=other.path,
            remedy="Let controls learn from a benchmark of the same suite.",
        )
    rest = _learnable(benchmark, other)
    _refuse_other_questions(_scored(benchmark), _scored(rest), rest)
    learned = Sheets(rest)
    content = content_answers(labels, learned.labels)
    values = {name: answer(numbers, learned.numbers) for name, answer in NUMBER_CONTROLS.items()}
    of_intervals = interval_answers(intervals, learned.intervals)
    for questions, known in (
        (labels.questions, content.known),
        (numbers.questions, ~np.isnan(values[MEDIAN])),
        (intervals.questions, of_intervals.known),
    ):
        _refuse_same_scenes(questions.select(_CELL).with_columns(known=pl.Series(known)), rest)
    fixed = fixed_control(labels, learned.labels)
    return ControlAnswers(fixed, content, values, of_intervals, learned_from=other.fingerprint, learnable=rest)


def _learnable(benchmark: Benchmark, other: Benchmark) -> Benchmark:
    """What of another benchmark controls may learn from: all but the questions that are asked."""
    asked = benchmark.columns("id")
    if other.columns("id").join(asked, on="id", how="semi").is_empty():
        return other
    return replace(other, table=other.table.join(asked, on="id", how="anti", maintain_order="left"))


def _scored(benchmark: Benchmark) -> pl.DataFrame:
    """Family, format and context, each combination once, of the questions that controls answer."""
    asked = [*_CELL, "context"]
    others = benchmark.columns(*asked, "options").filter(has_label() | (pl.col("format") == INTERVAL))
    return pl.concat([others.select(asked), number_questions(benchmark).select(asked)]).unique(maintain_order=True)


def _refuse_other_questions(asked: pl.DataFrame, rest: pl.DataFrame, other: Benchmark) -> None:
    """Refuse to learn where a family and format has no questions left, or none of a context that is asked about."""
    for (family, kind), own in asked.group_by(_CELL, maintain_order=True):
        what = f"{kind} questions of the family {family!r}"
        contexts = rest.filter(family=family, format=kind)["context"]
        if not contexts.len():
            raise InputError(f"holds no {what} but those to be answered.", path=other.path, remedy=_MORE)
        if not own["context"].is_in(contexts.implode()).any():
            raise InputError(
                f"holds no {what} of a context that is asked about: it has {contexts[0]!r}, for instance, and those to "
                f"be answered {own['context'][0]!r}.",
                path=other.path,
                remedy="Let controls learn from a larger benchmark that the same version of the suite built.",
            )


def _refuse_same_scenes(known: pl.DataFrame, other: Benchmark) -> None:
    """Refuse to learn where there is something to learn from for no question of a family and format."""
    cells = known.group_by(_CELL, maintain_order=True).agg(pl.col("known").any())
    for family, kind in cells.filter(~pl.col("known")).select(_CELL).head(1).iter_rows():
        raise InputError(
            f"asks {kind} questions of the family {family!r} only of scenes in which they are to be answered.",
            path=other.path,
            remedy=_MORE,
        )
