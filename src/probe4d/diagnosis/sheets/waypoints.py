"""Questions for waypoints and everybody's answers as arrays."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar

import msgspec
import numpy as np
import numpy.typing as npt
import polars as pl

from probe4d.benchmarks.benchmark import Benchmark
from probe4d.benchmarks.question import WAYPOINTS
from probe4d.diagnosis.sheets.answer_sheet import COLUMNS, AnswerSheet
from probe4d.diagnosis.sheets.grouping import Group, coded, split_groups, total_groups
from probe4d.errors import InputError

__all__ = ["WaypointSheet", "make_waypoint_sheet", "steps_asked"]

UNPARSED = -1

Values = npt.NDArray[np.float64]
Points = tuple[tuple[float, float], ...]

_DIRECTIONS = ("future", "past")


@dataclass(frozen=True, eq=False, kw_only=True)
class WaypointSheet(AnswerSheet):
    """Questions for waypoints, and for each answerer the places of its answers in `answers`.

    Waypoints lie in the ego frame of the query frame, x forward and y left, in metres, in the order that was asked
    for; arrays of them have NaN behind the steps of questions that ask for fewer than others.

    Attributes:
        references: (questions, most steps, 2) the reference answers.
        times: (questions, most steps) seconds between each waypoint and the query frame; NaN where not known.
        speeds: (questions,) speed at the query frame in metres a second; NaN where not known.
        directions: (questions,) `future` or `past`.
        answers: (answers, most steps, 2) what was answered.
    """

    references: Values
    times: Values
    speeds: Values
    directions: npt.NDArray[np.object_]
    answers: Values

    unanswered: ClassVar[np.generic] = np.intp(UNPARSED)
    of_questions: ClassVar[tuple[str, ...]] = ("references", "times", "speeds", "directions")

    @cached_property
    def steps(self) -> npt.NDArray[np.intp]:
        """(questions,) how many waypoints each question asks for."""
        steps: npt.NDArray[np.intp] = (~np.isnan(self.references[:, :, 0])).sum(axis=1)
        return steps

    @cached_property
    def parsed(self) -> npt.NDArray[np.bool_]:
        """(answerers, questions): whether there are waypoints."""
        parsed: npt.NDArray[np.bool_] = np.not_equal(self.codes, UNPARSED)
        return parsed

    @cached_property
    def distances(self) -> Values:
        """(answerers, questions, most steps) distances from the reference in metres; NaN where nothing was read."""
        return self._distances(np.nan)

    @cached_property
    def penalised_distances(self) -> Values:
        """The same, with the ego vehicle at the origin where nothing was read (STRIDE, Sec. 5.4)."""
        return self._distances(0.0)

    def _distances(self, unparsed: float) -> Values:
        blank = np.full((1, *self.references.shape[1:]), unparsed)
        said = np.concatenate([self.answers, blank])[self.codes]  # the code -1 is the last
        distances: Values = np.linalg.norm(said - self.references, axis=-1)
        return distances

    def with_answers(self, answers: Values) -> WaypointSheet:
        """The same questions with further answers, whose codes follow those that there are."""
        return replace(self, answers=np.concatenate([self.answers, answers]))

    @cached_property
    def groups(self) -> tuple[Group, ...]:
        """One group for each family and relation: past and future are never one."""
        families = total_groups(coded(self.questions["family"]), self.families, self.scenes, format=WAYPOINTS)[:-1]
        return split_groups(families, coded(self.questions["relation"]))

    def times_of(self, group: Group) -> Values | None:
        """(steps,) seconds between each waypoint and the query frame; null where questions of a group differ."""
        times = np.unique(self.times[group.items], axis=0)
        known = ~np.isnan(times[0])
        return times[0][known] if len(times) == 1 and known.any() else None


class _Facts(msgspec.Struct, frozen=True):
    """What a question's facts say of its waypoints; other facts are passed over."""

    direction: str | None = None
    spacing_s: float | None = None
    speed_mps: float | None = None


def steps_asked() -> pl.Expr:
    """How many waypoints a question for them asks for, by the brackets of its reference."""
    return (pl.col("answer").str.count_matches("[", literal=True) - 1).alias("steps")


def make_waypoint_sheet(benchmark: Benchmark) -> WaypointSheet:
    """Take the questions for waypoints out of a benchmark; there may be none.

    What has no relation gets `future-waypoints` or `past-waypoints` by its direction; without that it is of the
    future.

    Raises:
        InputError: A reference answer is no list of points, or facts have another form.
    """
    table = benchmark.columns(*COLUMNS).filter(format=WAYPOINTS)
    read = [_question(benchmark, *row) for row in benchmark.rows(table["id"], "id", "answer", "facts").iter_rows()]
    most = max((len(points) for points, _ in read), default=1)
    references, times = np.full((len(read), most, 2), np.nan), np.full((len(read), most), np.nan)
    for place, (points, facts) in enumerate(read):
        references[place, : len(points)] = points
        times[place, : len(points)] = _times(len(points), facts)
    directions = np.array([facts.direction or _DIRECTIONS[0] for _, facts in read], dtype=object)
    relation = pl.coalesce("relation", pl.Series("direction", directions, dtype=pl.String) + "-waypoints")
    speeds = [np.nan if facts.speed_mps is None else facts.speed_mps for _, facts in read]
    return WaypointSheet.of(
        benchmark,
        table.with_columns(relation=relation),
        references=references,
        times=times,
        speeds=np.array(speeds, dtype=np.float64),
        directions=directions,
        answers=np.empty((0, most, 2)),
    )


def _times(steps: int, facts: _Facts) -> Values:
    """(steps,) seconds between each waypoint and the query frame; the past is told oldest first."""
    spacing = np.nan if facts.spacing_s is None else facts.spacing_s
    count = np.arange(1, steps + 1)
    return np.round(spacing * (count[::-1] if facts.direction == "past" else count), 6)


def _question(benchmark: Benchmark, identity: str, answer: str, facts: str) -> tuple[Points, _Facts]:
    def refused(what: str) -> InputError:
        return InputError(
            f"question {identity} of format {WAYPOINTS} {what}.",
            path=benchmark.path,
            remedy="Build or import the benchmark again.",
        )

    try:
        points: Any = msgspec.json.decode(answer, type=Points)
    except msgspec.DecodeError as error:
        raise refused(f"has the reference {answer!r}, which is no list of points [x, y]") from error
    if not points:
        raise refused("has a reference without a point")
    try:
        told = msgspec.json.decode(facts, type=_Facts)
    except msgspec.DecodeError as error:
        raise refused(f"has facts that do not fit ({error})") from error
    if told.direction not in (None, *_DIRECTIONS):
        raise refused(f"has the direction {told.direction!r}, which is none of {' and '.join(_DIRECTIONS)}")
    return points, told
