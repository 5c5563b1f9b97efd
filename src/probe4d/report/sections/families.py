"""The same model asked otherwise: what evidence and settings change, and whether answers survive being asked again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import polars as pl

from probe4d.diagnosis.sheet import SCORED_FORMATS
from probe4d.diagnosis.tables import Diagnosis, Kinship
from probe4d.report import charts
from probe4d.report.asked_otherwise import Told, of_kinship, of_variants, way_of_asking
from probe4d.report.lookup import Figure, Lookup, percent, points
from probe4d.report.sections.part import (
    Key,
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
from probe4d.report.statement import Statement

__all__ = ["families", "variants"]


def families(diagnosis: Diagnosis, lookup: Lookup, names: Sequence[str]) -> Section:
    """Chart, for each pair of runs of one model that differ in one thing, the difference in accuracy.

    The table adds what of the answers stays the same (`answers_alike`) and, for runs shown other scenes, which scene
    the answers are true of (`follows_shown`, `keeps_own`).

    Args:
        diagnosis: The kinships.
        lookup: The figures.
        names: Runs and controls, in order.
    """
    colours = charts.run_colours(names)
    drawn, rows = [], []
    for kinship in diagnosis.kinships:
        lines = list(_lines(lookup, kinship))
        rows += [_row(lookup, kinship, cell, figures) for cell, figures in lines]
        if not lines:
            continue
        table = pl.DataFrame(
            [
                (title_of(*cell), change.value, change.low, change.high, f"{percent(alike.value)} alike")
                for cell, (_, _, change, alike) in lines
            ],
            schema={name: pl.Float64() for name in ("name", "value", "low", "high", "told")}
            | {name: pl.String() for name in ("name", "told")},
            orient="row",
        )
        words = "; ".join(
            f"{name} {points(value)}, {alike}"
            for name, value, alike in table.select("name", "value", "told").iter_rows()
        )
        title = f"{_of(kinship, 0)} less {_of(kinship, 1)}"
        drawn.append(charts.differences(title, words, table, colours.get(kinship.run, "ink")))
    said = [of_kinship(diagnosis, lookup, kinship) for kinship in diagnosis.kinships]
    return Section(
        "families",
        "The same model, asked otherwise",
        "Runs of one model that differ in one thing alone: what it was shown, or the setting. A dot right of the "
        "line says by how many percentage points the first run is right more often than the second, left of it how "
        "much less often, with a 95 % interval, over the questions that both were asked. Beside it stands how many "
        "answers are the same in both, right or wrong.",
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
        [_with_run(one) for one in said if one is not None],
    )


def variants(diagnosis: Diagnosis, lookup: Lookup, names: Sequence[str]) -> Section:
    """Chart, for each run that asked questions in variants, how many are right in the first and how many in all.

    Args:
        diagnosis: The runs.
        lookup: The figures.
        names: Runs and controls, in order.
    """
    colours = charts.run_colours(names)
    drawn, rows, said = [], [], []
    for run in diagnosis.runs:
        lines = list(_variant_lines(lookup, run.name))
        if not lines:
            continue
        rows += [(run.name, run.record.setting, *line) for _, line in lines]
        table = pl.DataFrame([point for point, _ in lines], schema=["name", "false", "true", "told"], orient="row")
        words = "; ".join(
            f"{name} right {percent(true)}, in all {percent(false)}, {alike}"
            for name, false, true, alike in table.iter_rows()
        )
        title = f"{run.name}: {way_of_asking(run.record).lower()}"
        drawn.append(charts.ranges(title, words, table, colours.get(run.name, "ink")))
        said.append(of_variants(run.record, lookup, run.name))
    return Section(
        "variants",
        "The same question, asked again",
        "Questions asked more than once: with their options in another order, or with another seed. Filled is the "
        "share of right answers over all variants, hollow the share of questions that are right in every variant; "
        "beside it stands how many questions get one and the same answer throughout, right or wrong. A model that "
        "knows has both at one place.",
        drawn,
        Table(
            "Questions asked in variants",
            (
                *word_columns("Run", "Setting", "Questions"),
                *number_columns("Alike in all", "95 % interval", "Pairs alike", "Right", "95 % interval"),
                *number_columns("Right at first", "Right in all", "95 % interval", "Right in any", "n"),
            ),
            rows,
        ),
        [Key("dot", "ink", "right, mean of the variants"), Key("ring", "ink", "right in every variant")],
        [_with_run(one) for one in said if one is not None],
    )


Point = tuple[str, float, float, str]
"""A row of a chart: name, hollow and filled value, the words beside them."""


def _variant_lines(lookup: Lookup, run: str) -> Iterator[tuple[Point, tuple[str, ...]]]:
    """The figures of a run's variants by family and format, as a row of the chart and as cells of the table."""
    formats = [kind for kind in SCORED_FORMATS if lookup.get(run, "variants_alike", "all", kind) is not None]
    for cell in cells(lookup, "variants_alike"):
        alike, pairs, every, some, mean = (
            lookup.get(run, f"variants_{metric}", *cell)
            for metric in ("alike", "pairs_alike", "all_right", "any_right", "accuracy")
        )
        # Where one format alone has variants, its total is that of all, and says what it is the total of.
        one_format = cell == ("all", "all") and len(formats) == 1
        if alike is None or every is None or mean is None or one_format:
            continue
        first = lookup.get(run, "accuracy", *cell)
        title = title_of(*cell)
        yield (
            (title, every.value, mean.value, f"{percent(alike.value)} alike"),
            (
                *(title, percent(alike.value), bounds(alike), share(pairs), percent(mean.value), bounds(mean)),
                *(share(first), percent(every.value), bounds(every), share(some), count(alike)),
            ),
        )


Figures = tuple[Figure, Figure, Figure, Figure]
"""Accuracy of the first and of the second run, their difference, the share answered alike."""


def _lines(lookup: Lookup, kinship: Kinship) -> Iterator[tuple[tuple[str, str], Figures]]:
    """The figures of a kinship by family and format."""
    for cell in cells(lookup, "answers_alike"):
        first, second, change, alike = (
            lookup.get(kinship.name, metric, *cell)
            for metric in ("accuracy_of_first", "accuracy_of_second", "accuracy_change", "answers_alike")
        )
        if first is not None and second is not None and change is not None and alike is not None:
            yield cell, (first, second, change, alike)


def _row(lookup: Lookup, kinship: Kinship, cell: tuple[str, str], figures: Figures) -> tuple[str, ...]:
    first, second, change, alike = figures
    follows, keeps = (lookup.get(kinship.run, metric, *cell) for metric in ("follows_shown", "keeps_own"))
    return (
        *(_of(kinship, 0), _of(kinship, 1), title_of(*cell)),
        *(percent(first.value), percent(second.value), points(change.value), bounds(change, signed=True)),
        *(percent(alike.value), bounds(alike), f"{alike.n:,}"),
        *(share(follows), share(keeps), count(follows)),
    )


def _with_run(told: Told) -> Statement:
    """A statement of a run's verdict, for a reader who has no heading with the run's name above it."""
    return Statement(told.statement.tone, f"{told.run}: {told.statement.text}")


def _of(kinship: Kinship, place: int) -> str:
    """What a run of a kinship is called: its name, and what differs."""
    name = (kinship.run, kinship.against)[place]
    differs = (kinship.evidence if kinship.kind == "evidence" else kinship.settings)[place]
    return f"{name} ({differs})"
