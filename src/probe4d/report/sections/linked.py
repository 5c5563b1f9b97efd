"""Abilities that rest on one another, side by side: recalled and rebuilt, described and judged."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import polars as pl

from probe4d.diagnosis.linked import CONTRAST, PARTS, PARTS_RIGHT
from probe4d.diagnosis.statistics.bootstrap import FEW_SCENES
from probe4d.diagnosis.tables import Diagnosis
from probe4d.report import charts
from probe4d.report.lookup import NARROW, Figure, in_words, percent, points
from probe4d.report.sections.part import Key, Section, Table, bounds, number_columns, word_columns

__all__ = ["linked"]

_SIDES = {
    CONTRAST: ("accuracy: {one}", "accuracy: {other}"),
    PARTS: ("score of open answers: {name}", "accuracy of linked questions: {other}"),
    PARTS_RIGHT: ("score where all linked are right: {name}", "score elsewhere: {name}"),
}
"""What the two sides of a kind are called in the table."""


def linked(diagnosis: Diagnosis) -> Section:
    """Chart the sides of each pair of relations, a row a run, and of each run's open answers, a row a family and part.

    Args:
        diagnosis: The rows of `diagnosis.linked`; without any there is no chart.
    """
    rows, runs = diagnosis.linked, [run.name for run in diagnosis.runs]
    return Section(
        "linked",
        "Abilities that rest on one another",
        "Two figures a row, joined. Of two relations: how often the questions of the first are right (filled), and "
        "those of one that needs it (hollow); hold both against guessing, which differs with the number of options. "
        "Of open answers: their mean score as a part of the best one (filled), and how often the choice questions "
        "that they are linked with, about the same clip, are right (hollow); a long line to the right is a model that "
        "describes better than it judges. The last kind sets the scores of open answers whose linked questions are "
        f"all right (filled) beside the other scores (hollow). A difference has a 95{NARROW}% interval in which both "
        f"sides are drawn from the same scenes, and none below {FEW_SCENES} scenes.",
        [*_of_contrasts(rows, runs), *_of_wholes(rows, runs)],
        Table(
            "Differences",
            (
                *word_columns("Run", "First", "Second"),
                *number_columns("First", "Guessing", "n", "Second", "Guessing", "n"),
                *number_columns("Difference", "95 % interval"),
            ),
            [_cells(row) for row in rows.iter_rows(named=True)],
        ),
        [Key("dot", "ink", "the first"), Key("ring", "ink", "the second")],
    )


def _of_contrasts(rows: pl.DataFrame, runs: Sequence[str]) -> Iterator[charts.Chart]:
    own = rows.filter(pl.col("run").is_in(runs), kind=CONTRAST)
    for (one, other), pair in own.group_by("one", "other", maintain_order=True):
        lines = [_line(row["run"], row) for row in pair.iter_rows(named=True)]
        yield _chart(f"{in_words(str(one)).capitalize()}, then {in_words(str(other))}", lines, "ink")


def _of_wholes(rows: pl.DataFrame, runs: Sequence[str]) -> Iterator[charts.Chart]:
    colours = charts.run_colours(runs)
    for run in runs:
        for kind, title in (
            (PARTS, "open answers and their parts"),
            (PARTS_RIGHT, "scores by whether parts are right"),
        ):
            lines: dict[str, tuple[str, float, float, str]] = {}
            for row in rows.filter(run=run, kind=kind).iter_rows(named=True):
                family = in_words(row["name"]).capitalize()
                label = f"– {in_words(row['other'])}" if kind == PARTS and row["other"] != "all" else family
                while label in lines:  # a part may belong to several families, and a row is known by its label
                    label += NARROW
                lines[label] = _line(label, row)
            if lines:
                named = [(label, *rest) for label, (_, *rest) in lines.items()]
                yield _chart(f"{run}: {title}", named, colours[run])


def _line(label: str, row: dict[str, Any]) -> tuple[str, float, float, str]:
    """Label, second value, first value, and their difference in words."""
    return label, row["other_value"], row["one_value"], points(row["difference"])


def _chart(title: str, lines: Sequence[tuple[Any, ...]], colour: str) -> charts.Chart:
    table = pl.DataFrame(lines, schema=["name", "false", "true", "told"], orient="row")
    words = "; ".join(
        f"{name} {percent(first)} and {percent(second)}, {told}" for name, second, first, told in table.iter_rows()
    )
    return charts.ranges(title, words, table, colour)


def _cells(row: dict[str, Any]) -> tuple[str, ...]:
    words = {name: in_words(row[name]) for name in ("name", "one", "other")}
    first, second = (side.format(**words) for side in _SIDES[row["kind"]])
    is_enough = row["scenes"] >= FEW_SCENES
    low, high = (row[end] if is_enough else None for end in ("low", "high"))
    figure = Figure(row["difference"], low, high, row["scenes"])
    sides = [
        (percent(row[f"{side}_value"]), _chance(row[f"{side}_chance"]), f"{row[f'{side}_n']:,}")
        for side in ("one", "other")
    ]
    return row["run"], first, second, *sides[0], *sides[1], points(figure.value), bounds(figure, signed=True)


def _chance(chance: float | None) -> str:
    return "" if chance is None else percent(chance)
