"""Runs of one model that differ in one thing: what evidence adds, what false evidence costs, what settings change."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from probe4d.benchmarks.question import INTERVAL, NUMBER
from probe4d.diagnosis.comparing.comparisons import FamilyComparison
from probe4d.diagnosis.tables import Diagnosis
from probe4d.report import charts
from probe4d.report.evidence_shown import with_names
from probe4d.report.few_scenes import figures_to_judge_by
from probe4d.report.lookup import WITHIN, Lookup, percent, points
from probe4d.report.run_families import Effect, asks_the_same, of_comparison
from probe4d.report.sections.part import (
    Section,
    Table,
    bounds,
    cells,
    count,
    number_columns,
    share,
    title_of,
    word_columns,
)

__all__ = ["run_families"]

_COLUMNS = ("name", "value", "low", "high", "told")
"""Of the table that a chart of differences takes."""


def run_families(diagnosis: Diagnosis, lookup: Lookup, names: Sequence[str]) -> Section:
    """Chart, for each pair of runs of one model that differ in one thing, the difference in accuracy.

    The table adds what of the answers stays the same (`answers_alike`) and, for runs shown other scenes, which scene
    the answers are true of (`follows_shown`, `keeps_own`).

    Args:
        diagnosis: The runs and their comparisons.
        lookup: The figures.
        names: Runs and controls, in order.
    """
    colours = charts.run_colours(names)
    drawn, rows = [], []
    for comparison in (one for one in diagnosis.run_families if not asks_the_same(one)):
        groups = [*cells(lookup, "answers_alike"), *lookup.cells("answers_alike", (NUMBER, INTERVAL))]
        lines = [(cell, Effect.of(lookup, comparison, *cell)) for cell in groups]
        found = [(cell, effect) for cell, effect in lines if effect is not None]
        rows += [_row(lookup, comparison, cell, effect) for cell, effect in found]
        if not found:
            continue
        table = pl.DataFrame(
            [(title_of(*cell), *effect.change[:3], f"{percent(effect.alike.value)} alike") for cell, effect in found],
            schema={name: pl.Float64() if name in ("value", "low", "high") else pl.String() for name in _COLUMNS},
            orient="row",
        )
        words = "; ".join(
            f"{name} {points(value)}, {alike}"
            for name, value, alike in table.select("name", "value", "told").iter_rows()
        )
        title = f"{_of(comparison, 0)} less {_of(comparison, 1)}"
        drawn.append(charts.differences(title, words, table, colours.get(comparison.run, "ink")))
    judged = figures_to_judge_by(diagnosis)
    said = [of_comparison(diagnosis, judged, comparison) for comparison in diagnosis.run_families]
    return Section(
        "run-families",
        "The same model, asked otherwise",
        "Runs of one model that differ in one thing alone: what it was shown, or the setting. A dot right of the "
        "line says by how many percentage points the first run is right more often than the second, left of it how "
        "much less often, with a 95 % interval, over the questions that both were asked. Beside it stands how many "
        f"answers are the same in both, right or wrong. A number is right {WITHIN} of the truth, and "
        "an interval as far as it overlaps it.",
        drawn,
        Table(
            "Runs of one model",
            (
                *word_columns("Run", "Held against", "Questions"),
                *number_columns("Right", "Right in the other", "Difference", "95 % interval", "Answered alike"),
                *number_columns("95 % interval", "n"),
                *number_columns("True of the scene shown", "True of its own", "n of these"),
            ),
            rows,
        ),
        [],
        with_names(diagnosis, said),
    )


def _row(lookup: Lookup, comparison: FamilyComparison, cell: tuple[str, str], effect: Effect) -> tuple[str, ...]:
    follows, keeps = (lookup.get(comparison.run, metric, *cell) for metric in ("follows_shown", "keeps_own"))
    return (
        *(_of(comparison, 0), _of(comparison, 1), title_of(*cell)),
        *(percent(effect.first.value), percent(effect.second.value)),
        *(points(effect.change.value), bounds(effect.change, signed=True)),
        *(percent(effect.alike.value), bounds(effect.alike), f"{effect.alike.n:,}"),
        *(share(follows), share(keeps), count(follows)),
    )


def _of(comparison: FamilyComparison, place: int) -> str:
    """What a run of a comparison is called: its name, and what differs."""
    name = (comparison.run, comparison.against)[place]
    differs = (comparison.evidence if comparison.kind == "evidence" else comparison.settings)[place]
    return f"{name} ({differs})"
