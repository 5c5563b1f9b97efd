"""How far waypoints lie from the reference, and the ways themselves, seen from above."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from probe4d.benchmarks.question import Question, questions_from
from probe4d.diagnosis.controls import CONSTANT_VELOCITY, is_control
from probe4d.diagnosis.tables import Diagnosis
from probe4d.diagnosis.waypoint_scores import ADE, FDE, PARSE_RATE
from probe4d.diagnosis.waypoint_sheet import WAYPOINTS
from probe4d.report import charts
from probe4d.report.charts import Chart
from probe4d.report.displacements import metres, metres_between, waypoint_groups
from probe4d.report.drawing import panel_svg
from probe4d.report.lookup import Figure, Lookup, in_words, percent
from probe4d.report.sections.part import Key, Section, Table, count, number_columns, share, word_columns
from probe4d.report.trajectories import Trajectory, trajectories_of, waypoint_panel
from probe4d.wording import amount

__all__ = ["waypoints"]

SHOWN = 3
"""Questions of each relation that are drawn: the nearest, the middle and the farthest answer of the first run."""

_METRES = {"name": pl.String, "value": pl.Float64, "low": pl.Float64, "high": pl.Float64, "told": pl.String}


def waypoints(diagnosis: Diagnosis, lookup: Lookup) -> Section:
    """Chart ADE with every answer counted, a chart for each family and relation, and draw some of the ways.

    The table has both conventions, FDE, and the figures over the questions that all runs could be read in.

    Args:
        diagnosis: The answers.
        lookup: The figures.
    """
    names = diagnosis.answerers(labels=False, numbers=False)
    drawn: list[Chart] = []
    rows: list[tuple[str, ...]] = []
    for family, relation in waypoint_groups(lookup):
        title = in_words(relation).capitalize()
        found = [(name, lookup.get(name, f"{ADE}_penalised", family, WAYPOINTS, relation)) for name in names]
        some = [(name, figure) for name, figure in found if figure is not None]
        drawn.append(_chart(title, some, names, lookup, (family, relation)))
        rows += [(title, name, *_cells(lookup, name, family, relation)) for name, _ in some]
    colours = charts.run_colours(names)
    return Section(
        "waypoints",
        "How far waypoints are off",
        "A dot is ADE, the mean distance of waypoints from the reference in metres, over all questions; an answer that "
        "cannot be read counts as standing at the origin (penalised). The bar is the 95 % interval (whole-scene "
        "bootstrap). Past and future are never pooled. Below, the reference and answers seen from above, the ego "
        "vehicle in the middle, heading up: of each relation the nearest, a middle and the farthest answer of the "
        "first run that could be read. The controls never see a scene: control:stationary stays at the origin, "
        "control:constant-velocity goes straight on at the speed of the query frame.",
        [*drawn, *_pictures(diagnosis, colours)],
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


def _chart(
    title: str, some: Sequence[tuple[str, Figure]], names: Sequence[str], lookup: Lookup, group: tuple[str, str]
) -> Chart:
    family, relation = group
    values = []
    for name, figure in some:
        read = lookup.get(name, PARSE_RATE, family, WAYPOINTS, relation)
        told = metres(figure.value) + (
            "" if read is None or read.value == 1 else f", {percent(read.value)} read"
        )
        values.append((name, *figure[:3], told))
    table = pl.DataFrame(values, schema=_METRES, orient="row")
    words = "; ".join(f"{name} {told}" for name, *_, told in values)
    return charts.amounts(f"{title}: ADE, m", f"ADE with unread answers at the origin: {words}.", table, names)


def _cells(lookup: Lookup, name: str, family: str, relation: str) -> tuple[str, ...]:
    def figure(metric: str) -> Figure | None:
        return lookup.get(name, metric, family, WAYPOINTS, relation)

    def cell(metric: str) -> str:
        found = figure(metric)
        return "" if found is None else amount(found.value)

    read, penalised = figure(PARSE_RATE), figure(f"{ADE}_penalised")
    return (
        share(read),
        count(read),
        cell(f"{ADE}_penalised"),
        metres_between(penalised),
        cell(f"{FDE}_penalised"),
        *(cell(f"{ADE}_valid"), cell(f"{FDE}_valid"), count(figure(f"{ADE}_valid"))),
        *(cell(f"{ADE}_shared"), cell(f"{FDE}_shared"), count(figure(f"{ADE}_shared"))),
    )


def _pictures(diagnosis: Diagnosis, colours: dict[str, str]) -> list[Chart]:
    """Some questions of each relation with everybody's answers, seen from above."""
    ways = trajectories_of(diagnosis, colours)
    chosen = questions_from(_chosen(diagnosis))
    return [_picture(question, ways.get(question.id, ())) for question in chosen]


def _picture(question: Question, answers: Sequence[Trajectory]) -> Chart:
    title = f"{in_words(question.relation or question.template).capitalize()}, {question.scene}, {question.id}"
    panel = waypoint_panel(question, answers)
    words = f"Seen from above, ego vehicle in the middle, heading up: {', '.join(one.text for one in panel.labels)}."
    return Chart(title, words, panel_svg(panel, title, words))


def _chosen(diagnosis: Diagnosis) -> pl.DataFrame:
    """The questions to be drawn: of each relation the nearest, middle and farthest of the first answerer."""
    first = next((run.name for run in diagnosis.runs if _has_read(diagnosis, run.name)), CONSTANT_VELOCITY)
    own = diagnosis.waypoints.filter(run=first).drop_nulls("ade_m").sort("relation", "ade_m", "question")
    place, last = pl.int_range(pl.len()).over("relation"), pl.len().over("relation") - 1
    steps = [(last * step / (SHOWN - 1)).floor().cast(pl.Int64) for step in range(SHOWN)]
    picked = own.filter(pl.any_horizontal(place == step for step in steps)).select(id="question")
    return picked.join(diagnosis.benchmark.table, on="id", how="left", maintain_order="left")


def _has_read(diagnosis: Diagnosis, run: str) -> bool:
    return not is_control(run) and diagnosis.waypoints.filter(run=run)["parsed"].any()
