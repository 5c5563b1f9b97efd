"""How far waypoints lie from the reference, and the ways themselves, seen from above."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

import polars as pl

from probe4d.benchmarks.question import QUESTION_SCHEMA, WAYPOINTS, Question, questions_from
from probe4d.diagnosis.side_by_side import in_order
from probe4d.diagnosis.tables import Diagnosis
from probe4d.diagnosis.waypoints.scores import ADE, FDE, PARSE_RATE
from probe4d.report import charts
from probe4d.report.charts import Chart
from probe4d.report.displacements import metres, metres_between, named_in_figures, waypoint_groups
from probe4d.report.drawing import panel_svg
from probe4d.report.lookup import NARROW, Figure, Lookup, in_words, percent
from probe4d.report.sections.part import Key, Section, Table, count, number_columns, share, word_columns
from probe4d.report.trajectories import Trajectory, trajectories_of, waypoint_panel
from probe4d.wording import amount

__all__ = ["waypoints"]

SHOWN = 3
"""Questions of each relation that are drawn."""

Figures = Callable[[str], Figure | None]
"""Gives the figure of one answerer by the name of its metric."""

_METRES = {"name": pl.String, "value": pl.Float64, "low": pl.Float64, "high": pl.Float64, "told": pl.String}


def waypoints(diagnosis: Diagnosis, lookup: Lookup) -> Section:
    """Chart ADE with every answer counted, a chart for each family and relation, and draw some of the ways.

    The table has both conventions, FDE, and the figures over the questions that all runs could be read in.

    Args:
        diagnosis: The answers.
        lookup: The figures.
    """
    names, runs = diagnosis.answerers("waypoints"), [run.name for run in diagnosis.runs]
    drawn: list[Chart] = []
    rows: list[tuple[str, ...]] = []
    for family, relation in waypoint_groups(lookup):
        group = (family, WAYPOINTS, relation)
        title = in_words(relation).capitalize()
        known = {name: named_in_figures(lookup, name, runs, group) for name in names}
        found = {name: partial(_figure, lookup, own, group) for name, own in known.items() if own is not None}
        drawn.append(_chart(title, found, names))
        rows += [(title, name, *_cells(figure)) for name, figure in found.items()]
    colours = charts.run_colours(names)
    return Section(
        "waypoints",
        "How far waypoints are off",
        "A dot is ADE, the mean distance of waypoints from the reference in metres, over all questions; an answer that "
        f"cannot be read counts as standing at the origin (penalised). The bar is the 95{NARROW}% interval (whole-"
        "scene bootstrap). Past and future are never pooled. Below, the reference and answers seen from above, the ego "
        "vehicle in the middle, heading up: of each relation the nearest, a middle and the farthest answer of the "
        "first run that could be read. The controls never see a scene: control:stationary stays at the origin, "
        "control:constant-velocity goes straight on at the speed of the query frame.",
        [*drawn, *_pictures(diagnosis, names, colours)],
        Table(
            "Waypoints",
            (
                *word_columns("Questions", "Run"),
                *number_columns("Read", "n"),
                *number_columns("ADE penalised, m", "95 % interval", "FDE penalised, m"),
                *number_columns("ADE valid, m", "FDE valid, m", "n valid"),
                *number_columns("ADE shared, m", "FDE shared, m", "n shared"),
            ),
            rows,
        ),
        [Key("dot", "ink", "reference"), *(Key("dot", colour, name) for name, colour in colours.items())],
    )


def _figure(lookup: Lookup, name: str, group: tuple[str, str, str], metric: str) -> Figure | None:
    return lookup.get(name, metric, *group)


def _chart(title: str, found: Mapping[str, Figures], names: Sequence[str]) -> Chart:
    values = []
    for name, figure in found.items():
        ade, read = figure(f"{ADE}_penalised"), figure(PARSE_RATE)
        if ade is not None:
            told = metres(ade.value)
            told += "" if read is None or read.value == 1 else f", {percent(read.value)} read"
            values.append((name, *ade[:3], told))
    table = pl.DataFrame(values, schema=_METRES, orient="row")
    words = "; ".join(f"{name} {told}" for name, *_, told in values)
    return charts.amounts(f"{title}: ADE, m", f"ADE with unread answers at the origin: {words}.", table, names)


def _cells(figure: Figures) -> tuple[str, ...]:
    def cell(metric: str) -> str:
        found = figure(metric)
        return "" if found is None else amount(found.value)

    read = figure(PARSE_RATE)
    return (
        share(read),
        count(read),
        cell(f"{ADE}_penalised"),
        metres_between(figure(f"{ADE}_penalised")),
        cell(f"{FDE}_penalised"),
        *(cell(f"{ADE}_valid"), cell(f"{FDE}_valid"), count(figure(f"{ADE}_valid"))),
        *(cell(f"{ADE}_shared"), cell(f"{FDE}_shared"), count(figure(f"{ADE}_shared"))),
    )


def _pictures(diagnosis: Diagnosis, names: Sequence[str], colours: Mapping[str, str]) -> list[Chart]:
    """Some questions of each relation with everybody's answers, seen from above."""
    ways = trajectories_of(diagnosis, colours)
    chosen = _chosen(diagnosis, names)
    questions = questions_from(chosen.select(list(QUESTION_SCHEMA)), path=diagnosis.benchmark.file)
    told = [f"{run} is {metres(ade)} off" for run, ade in chosen.select("run", "ade_m").iter_rows()]
    return [_picture(question, ways.get(question.id, ()), off) for question, off in zip(questions, told, strict=True)]


def _picture(question: Question, answers: Sequence[Trajectory], told: str) -> Chart:
    asked = in_words(question.relation or question.template).capitalize()
    title = f"{asked}: {told}, {question.scene}, {question.id}"
    panel = waypoint_panel(question, answers)
    words = f"Seen from above, ego vehicle in the middle, heading up: {', '.join(one.text for one in panel.labels)}."
    return Chart(title, words, panel_svg(panel, title, words))


def _chosen(diagnosis: Diagnosis, names: Sequence[str]) -> pl.DataFrame:
    """The questions to be drawn, with the run that they are chosen by and its ADE.

    They are, of each relation, those of the nearest, a middle and the farthest answer of the first run with any that
    could be read, or where none has, of a control.
    """
    read = in_order(diagnosis.waypoints.drop_nulls("ade_m"), "run", names)
    own = read.filter(pl.col("run") == pl.col("run").first().over("relation")).sort("relation", "ade_m", "question")
    place, last = pl.int_range(pl.len()).over("relation"), pl.len().over("relation") - 1
    steps = [(last * step / (SHOWN - 1)).floor().cast(pl.Int64) for step in range(SHOWN)]
    picked = own.filter(pl.any_horizontal(place == step for step in steps)).select("run", "ade_m", id="question")
    return picked.join(diagnosis.benchmark.rows(picked["id"]), on="id", how="left", maintain_order="left")
