"""Waypoints seen from above: the reference and what was answered, in the ego frame of the query frame, in metres.

The way begins, or of the past ends, at the ego vehicle; a dot is a waypoint. Answers are named in the order given, in
the colours that runs and controls have in charts.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import msgspec
import polars as pl

from probe4d.benchmarks.facts import waypoint_facts
from probe4d.benchmarks.question import WAYPOINTS, Question
from probe4d.diagnosis.controls.answerers import STATIONARY
from probe4d.diagnosis.tables import Diagnosis
from probe4d.report.shapes import PANEL, Label, Panel, Point, Shape, View, extent_for

__all__ = ["Trajectory", "is_about_waypoints", "reference_of", "trajectories_of", "waypoint_panel"]

REFERENCE = "reference"

_LINE = 16.0  # from name to name in the legend of a panel
_EDGE = 8.0
_FARTHER = 3.0  # times the reach of the reference up to which an answer decides how much a panel shows
_LEAST_REACH_M = 8.0


class Trajectory(NamedTuple):
    """A way to be drawn.

    Attributes:
        name: What it is called in the legend.
        colour: Name of its colour, such as `run-0`.
        points: Its waypoints (x, y) in metres, as they were asked for.
    """

    name: str
    colour: str
    points: tuple[Point, ...]


def is_about_waypoints(question: Question) -> bool:
    """Whether a question asks for waypoints."""
    return question.format == WAYPOINTS


def reference_of(question: Question) -> tuple[Point, ...]:
    """The reference waypoints, not rounded where facts hold them so; none where the answer is no list of points."""
    told = waypoint_facts(question).waypoints_m
    if told is not None:
        return told
    try:
        return msgspec.json.decode(question.answer, type=tuple[Point, ...])
    except msgspec.DecodeError:
        return ()


def trajectories_of(diagnosis: Diagnosis, colours: Mapping[str, str]) -> dict[str, list[Trajectory]]:
    """Everybody's waypoints, as far as they could be read, by question; who stands still has no way to be drawn.

    Args:
        diagnosis: The answers.
        colours: Colour of each answerer that is drawn, in the order of the legend.
    """
    found: dict[str, list[Trajectory]] = {}
    read = diagnosis.waypoints.filter(pl.col("parsed") & (pl.col("run") != STATIONARY))
    for run, question, points in read.select("run", "question", "waypoints").iter_rows():
        if run in colours:
            ways = found.setdefault(question, [])
            ways.append(Trajectory(run, colours[run], tuple((x, y) for x, y in points)))
    return found


def waypoint_panel(question: Question, answers: Sequence[Trajectory] = (), *, frame: int | None = None) -> Panel:
    """Draw the reference and answers.

    Args:
        question: A question for waypoints.
        answers: What was answered.
        frame: Key frame whose boxes lie below; null for none.
    """
    reference = Trajectory(REFERENCE, "ink", reference_of(question))
    ways = [*reversed(answers), reference]  # the reference lies over the answers
    view = View(_extent(reference, answers))
    shapes = [shape for way in ways for shape in _way(question, way, view)]
    labels = _legend([reference, *answers], view, at_top=_is_past(question))
    labels += _times(question, reference, view)
    at = "query frame" if frame is None else f"query frame {frame:03d}"
    return Panel(at, PANEL, int(view.extent_m), frame, shapes, labels)


def _extent(reference: Trajectory, answers: Sequence[Trajectory]) -> int:
    """Half width that shows the reference, and of the answers what is not far off."""
    most = _FARTHER * max(_LEAST_REACH_M, *(_reach(point) for point in reference.points), 0.0)
    near = [point for way in answers for point in way.points if _reach(point) <= most]
    return extent_for([*reference.points, *near, (_LEAST_REACH_M, 0.0)])


def _reach(point: Point) -> float:
    return max(abs(point[0]), abs(point[1]))


def _way(question: Question, way: Trajectory, view: View) -> list[Shape]:
    from_here = [*way.points, (0.0, 0.0)] if _is_past(question) else [(0.0, 0.0), *way.points]
    line = Shape(f"way {way.colour}", view.path(from_here))
    return [line, Shape(f"way-dots {way.colour}", view.dots(way.points, 3.2))]


def _legend(ways: Sequence[Trajectory], view: View, *, at_top: bool) -> list[Label]:
    """The names of ways, a line each, in a corner on the side of the ego vehicle to which none leads."""
    first = 2 * _EDGE if at_top else PANEL - _EDGE - _LINE * (len(ways) - 1)
    labels = []
    for line, way in enumerate(ways):
        outside = any(_reach(point) > view.extent_m for point in way.points)
        text = f"{way.name} (leaves the picture)" if outside else way.name
        labels.append(Label(f"way-name {way.colour}", _EDGE, first + _LINE * line, "start", text))
    return labels


def _times(question: Question, reference: Trajectory, view: View) -> list[Label]:
    """How long before or after the query frame the farthest waypoint of the reference is."""
    spacing = waypoint_facts(question).spacing_s
    if spacing is None or not reference.points:
        return []
    past = _is_past(question)
    time, point = spacing * len(reference.points), reference.points[0 if past else -1]
    x, y = view.at(point)
    if math.hypot(x - PANEL / 2, y - PANEL / 2) < 2 * _EDGE:
        return []  # it would lie on the ego vehicle
    sign = "\u2212" if past else "+"
    text = f"{sign}{time:g} s"
    return [Label("way-name ink", round(x + _EDGE, 1), round(y + 4, 1), "start", text)]


def _is_past(question: Question) -> bool:
    return waypoint_facts(question).direction == "past"
