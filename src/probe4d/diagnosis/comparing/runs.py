"""Which runs are compared, and what the comparisons show on the questions that both were asked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

import polars as pl

from probe4d.benchmarks.suite import Average
from probe4d.diagnosis.answer_book import AnswerBook
from probe4d.diagnosis.comparing.changes import (
    add_interval_changes,
    add_judged_changes,
    add_label_changes,
    add_number_changes,
    add_text_changes,
    add_waypoint_changes,
    changes_table,
)
from probe4d.diagnosis.comparing.comparisons import Comparison, FamilyComparison
from probe4d.diagnosis.comparing.run_families import find_run_families
from probe4d.diagnosis.figures import Figures
from probe4d.diagnosis.judging.diagnosis import DiagnosedJudgements
from probe4d.diagnosis.sheets.answer_sheet import AnswerSheet
from probe4d.diagnosis.sheets.intervals import IntervalSheet
from probe4d.diagnosis.sheets.labels import LabelSheet
from probe4d.diagnosis.sheets.numbers import NumberSheet
from probe4d.diagnosis.sheets.texts import TextSheet
from probe4d.diagnosis.sheets.waypoints import WaypointSheet
from probe4d.diagnosis.side_by_side import in_order
from probe4d.diagnosis.tables import CHANGES_SCHEMA, FIGURES_SCHEMA
from probe4d.errors import InputError
from probe4d.runs.run import Run

__all__ = ["Compared", "compare_runs"]


@dataclass(frozen=True, eq=False)
class Compared:
    """The comparisons of a diagnosis.

    Attributes:
        comparisons: With the first run, and those asked for.
        run_families: Those within families of runs.
        figures: Columns of `FIGURES_SCHEMA`, comparisons in order.
        changes: Columns of `CHANGES_SCHEMA`, likewise.
        warnings: Runs that could not be compared, as sentences.
    """

    comparisons: tuple[Comparison, ...]
    run_families: tuple[FamilyComparison, ...]
    figures: pl.DataFrame
    changes: pl.DataFrame
    warnings: tuple[str, ...]


SheetT = TypeVar("SheetT", bound=AnswerSheet)


def compare_runs(
    labels: AnswerBook[LabelSheet],
    numbers: AnswerBook[NumberSheet],
    intervals: AnswerBook[IntervalSheet],
    waypoints: AnswerBook[WaypointSheet],
    judged: DiagnosedJudgements,
    texts: AnswerBook[TextSheet],
    runs: Sequence[Run],
    asked_for: Sequence[str],
    *,
    suite: str,
    averages: Sequence[Average] = (),
) -> Compared:
    """Compare the first run with each other one, runs as asked for, and the runs of each family.

    Args:
        labels: The answers of runs and controls to yes-no and choice questions.
        numbers: Those to questions for a number.
        intervals: Those to questions for an interval.
        waypoints: Those to questions for waypoints.
        judged: Those to questions of free text, as far as they were judged; runs that were judged otherwise than one
            another are not compared by their scores.
        texts: The same, by metrics of words.
        runs: The runs.
        asked_for: Further comparisons, `X:Y`.
        suite: Name of the suite.
        averages: Averages of its paper.

    Raises:
        InputError: A comparison names an unknown run, or two that were asked no question in common.
    """
    books = (labels, numbers, intervals, waypoints, judged.book, texts)

    def in_common(run: str, against: str) -> int:
        return sum(book.items(run, against).size for book in books)

    names = [run.name for run in runs]
    known = list(dict.fromkeys(name for book in books for name in book.names))
    wanted = [_parsed(text, known) for text in asked_for]
    for one in wanted:
        if not in_common(one.run, one.against):
            raise InputError(f"{one.run} and {one.against} were asked no question in common, so nothing compares them.")
    possible = [Comparison(name, names[0]) for name in names[1:]]
    families = find_run_families(runs, in_common)
    apart = [one for one in possible if not in_common(one.run, one.against)]
    apart += [Comparison(one.run, one.against) for one in families.comparisons if not one.questions]
    run_families = tuple(one for one in families.comparisons if one.questions)
    comparisons = tuple(dict.fromkeys([*(one for one in possible if one not in apart), *wanted]))
    every = tuple(dict.fromkeys([*comparisons, *(Comparison(one.run, one.against) for one in run_families)]))
    figures, changes = zip(
        _tables(labels, every, suite, partial(add_label_changes, averages=averages)),
        _tables(numbers, every, suite, partial(add_number_changes, averages=averages)),
        _tables(intervals, every, suite, add_interval_changes),
        _tables(waypoints, every, suite, add_waypoint_changes),
        _tables(
            judged.book, [one for one in every if judged.compares(one.run, one.against)], suite, add_judged_changes
        ),
        _tables(texts, every, suite, add_text_changes),
        strict=True,
    )
    order = [one.name for one in every]
    return Compared(
        comparisons,
        run_families,
        in_order(pl.concat(figures), "run", order),
        in_order(pl.concat(changes), "comparison", order),
        (
            *families.warnings,
            *(
                f"{one.run} and {one.against} are not compared: they were asked no question in common."
                for one in dict.fromkeys(apart)
            ),
        ),
    )


def _parsed(text: str, known: Sequence[str]) -> Comparison:
    # Names of controls hold a colon themselves, so every colon is tried.
    colons = [place for place, character in enumerate(text) if character == ":"]
    fitting = [Comparison(text[:place], text[place + 1 :]) for place in colons]
    fitting = [one for one in fitting if one.run in known and one.against in known]
    if not fitting:
        raise InputError(
            f"the comparison {text!r} is not of the form X:Y with names among {', '.join(known)}.",
            remedy="Name a run by its folder.",
        )
    return fitting[0]


def _tables(
    book: AnswerBook[SheetT],
    comparisons: Sequence[Comparison],
    suite: str,
    add_changes: Callable[[Figures, SheetT, Sequence[Comparison]], None],
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Figures and changes; comparisons over the same questions are worked out together."""
    shared: dict[bytes, list[Comparison]] = {}
    for one in comparisons:
        items = book.items(one.run, one.against)
        if items.size:
            shared.setdefault(items.tobytes(), []).append(one)
    figures, changes = [pl.DataFrame(schema=FIGURES_SCHEMA)], [pl.DataFrame(schema=CHANGES_SCHEMA)]
    for together in shared.values():
        answerers = dict.fromkeys(name for one in together for name in (one.run, one.against))
        sheet = book.part(book.items(together[0].run, together[0].against), list(answerers))
        rows = Figures(sheet, suite)
        add_changes(rows, sheet, together)
        figures.append(rows.table())
        changes.append(changes_table(sheet, together))
    return pl.concat(figures), pl.concat(changes)
