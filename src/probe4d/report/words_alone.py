"""What a verdict says of a benchmark itself: how far words alone answer it (LiDAR-Hallu, research question 1)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import polars as pl

from probe4d.benchmarks.intervals import interval_in
from probe4d.diagnosis.controls.answerers import CONTENT, FIXED
from probe4d.diagnosis.side_by_side import control_beside
from probe4d.diagnosis.tables import Diagnosis
from probe4d.diagnosis.words_alone import said_of_templates
from probe4d.report.lookup import Figure, Lookup, asked, interval, percent, points
from probe4d.report.statement import FEW, Statement
from probe4d.wording import counted, listed

__all__ = ["of_the_benchmark"]

_LEAD = 0.10  # of the content control over the fixed one that makes a family solvable without looking


class _Beside(NamedTuple):
    """What the controls got right of a family's questions, of the run that was asked most of them.

    Attributes:
        family: The family.
        kind: The format.
        content: Accuracy of the content control.
        fixed: Accuracy of the fixed control.
        without: Accuracy of the better of the constant answer and of guessing.
        run: Name of the run; the content control's where it is the first.
    """

    family: str
    kind: str
    content: Figure
    fixed: Figure
    without: float
    run: str

    @property
    def leads(self) -> bool:
        """Whether the words are so far ahead that the family can be answered from them, if the interval bears it."""
        return self.content.value >= self.without + _LEAD

    @property
    def constant(self) -> str:
        """The constant answer and what it gets."""
        if self.kind == "text":
            return f"the most frequent word gets {percent(self.fixed.value)}"
        return f"always {'A' if self.kind == 'choice' else 'No'} gets {percent(self.fixed.value)}"


def of_the_benchmark(diagnosis: Diagnosis, lookup: Lookup) -> Iterator[Statement]:
    """Say which families can be answered without looking, by the controls on most of their questions.

    Whichever run comes first, it is the run that was asked most of a family whose questions count. Where too few
    scenes were drawn from for an interval, the values are given, and that no more can be told.

    Where families have several templates, it is said too which of these the words nearly solve.

    Args:
        diagnosis: The benchmark and its runs.
        lookup: The figures to judge by.
    """
    families = [_beside(diagnosis, lookup, *cell) for cell in lookup.cells("accuracy") if cell[0] != "all"]
    asked_enough = [one for one in families if one is not None and one.content.n >= FEW]
    untold = [one for one in asked_enough if one.content.low is None]
    beaten = [
        one for one in asked_enough if one.leads and one.content.low is not None and one.content.low >= one.without
    ]
    for one in beaten:
        yield _answered(diagnosis, one)
    if untold:
        yield _untold(diagnosis, untold, everywhere=len(untold) == len(asked_enough))
    elif families and not beaten:
        yield Statement(
            "note",
            f"In no family of {FEW} questions or more do the words alone beat a constant answer by "
            f"{points(_LEAD, signed=False)} with an interval above it.",
        )
    yield from (Statement("note", sentence) for sentence in said_of_templates(diagnosis))


def _answered(diagnosis: Diagnosis, one: _Beside) -> Statement:
    """That a family can be answered from words, and from which."""
    options = _options(diagnosis, one.family, one.kind)
    by = "the words of the question"
    if one.kind == "choice":
        spans = all(interval_in(text) for text in options.explode().unique())
        by = "the lengths of the intervals offered" if spans else "the options offered"
    n = one.content.n
    which = f"{n:,} cases" if n == options.len() else f"{n:,} of {options.len():,} cases"
    return Statement(
        "note",
        f"{asked(one.family, one.kind).capitalize()} can be answered from {by} alone in {percent(one.content.value)} "
        f"of {which} ({interval(one.content)}); {one.constant}.",
    )


def _untold(diagnosis: Diagnosis, families: Sequence[_Beside], *, everywhere: bool) -> Statement:
    """That families are from too few scenes, and where the values would be a lead."""
    where = "any family" if everywhere else listed([asked(one.family, one.kind) for one in families])
    runs, names, kinds = zip(*((one.run, one.family, one.kind) for one in families), strict=True)
    cells = pl.DataFrame({"run": runs, "family": names, "format": kinds})
    questions = diagnosis.benchmark.columns("family", "format", "scene", "id").rename({"id": "question"})
    drawn_from = diagnosis.records.join(questions, on="question").join(cells, on=cells.columns)["scene"].n_unique()
    ahead = [
        f"{asked(one.family, one.kind)} ({percent(one.content.value)} of {one.content.n:,}, {one.constant})"
        for one in families
        if one.leads
    ]
    text = (
        f"Whether the words alone beat a constant answer in {where} cannot be told from {counted(drawn_from, 'scene')}."
    )
    if ahead:
        text += f" Of these questions they do, by {points(_LEAD, signed=False)} or more, in {listed(ahead)}."
    return Statement("note", text)


def _options(diagnosis: Diagnosis, family: str, kind: str) -> pl.Series:
    """The options of the benchmark's questions of a family and format, a row each."""
    options = diagnosis.benchmark.columns("family", "format", "options")
    return options.filter(family=family, format=kind)["options"]


def _beside(diagnosis: Diagnosis, lookup: Lookup, family: str, kind: str) -> _Beside | None:
    """What the controls got right on the most questions of a family that some run was asked; null without any."""
    chance = 0.5
    if kind != "yes-no":
        chance = float(np.mean(1 / _options(diagnosis, family, kind).list.len().to_numpy()))
    found = []
    for of in (None, *(run.name for run in diagnosis.runs)):
        names = [control if of is None else control_beside(control, of) for control in (CONTENT, FIXED)]
        content, fixed = (lookup.get(name, "accuracy", family, kind) for name in names)
        if content is not None and fixed is not None:
            found.append(_Beside(family, kind, content, fixed, max(fixed.value, chance), of or CONTENT))
    return max(found, key=lambda one: one.content.n, default=None)
