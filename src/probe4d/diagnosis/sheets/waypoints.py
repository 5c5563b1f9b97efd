"""Questions for waypoints and everybody's answers as arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt
import polars as pl

from probe4d.benchmarks.benchmark import Benchmark
from probe4d.diagnosis.sheets.grouping import Group, families_in_order, text_codes
from probe4d.errors import InputError

__all__ = ["WAYPOINTS", "WaypointSheet", "make_waypoint_sheet", "steps_asked"]

WAYPOINTS = "waypoints"
"""The format of these questions."""

UNPARSED = -1

Values = npt.NDArray[np.float64]
Points = tuple[tuple[float, float], ...]

_DIRECTIONS = ("future", "past")


@dataclass(frozen=True, eq=False)
class WaypointSheet:
    """Questions for waypoints, and a row of answers for each answerer.

    Waypoints lie in the ego frame of the query frame, x forward and y left, in metres, in the order that was asked
    for; arrays of them have NaN behind the steps of questions that ask for fewer than others.

    Attributes:
        questions: The questions, columns of `QUESTION_SCHEMA`.
        families: Families in the order of reports.
        scenes: (questions,) scene codes in the order of the sorted scene names.
        references: (questions, most steps, 2) the reference answers.
        times: (questions, most steps) seconds between each waypoint and the query frame; NaN where not known.
        speeds: (questions,) speed at the query frame in metres a second; NaN where not known.
        directions: (questions,) `future` or `past`.
        answers: (answers, most steps, 2) what was answered, by the codes below.
        names: Answerers: runs in order, then the controls.
        codes: (answerers, questions) places in `answers`; -1 where an answer could not be read.
    """

    questions: pl.DataFrame
    families: tuple[str, ...]
    scenes: npt.NDArray[np.intp]
    references: Values
    times: Values
    speeds: Values
    directions: npt.NDArray[np.object_]
    answers: Values
    names: tuple[str, ...] = ()
    codes: npt.NDArray[np.intp] = field(default_factory=lambda: np.empty((0, 0), dtype=np.intp))

    @property
    def unanswered(self) -> np.intp:
        """The code of no answer."""
        return np.intp(UNPARSED)

    @cached_property
    def steps(self) -> npt.NDArray[np.intp]:
        """(questions,) how many waypoints each question asks for."""
        steps: npt.NDArray[np.intp] = (~np.isnan(self.references[:, :, 0])).sum(axis=1)
        return steps

    @cached_property
    def parsed(self) -> npt.NDArray[np.bool_]:
        """(answerers, questions): whether there are waypoints."""
        return np.not_equal(self.codes, UNPARSED)

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

    def answered(self, names: Sequence[str], answers: Sequence[npt.NDArray[np.intp]]) -> WaypointSheet:
        """The same questions with these answerers and their codes."""
        shape = (len(names), self.scenes.size)
        return replace(self, names=tuple(names), codes=np.array(answers, dtype=np.intp).reshape(shape))

    def with_answers(self, answers: Values) -> WaypointSheet:
        """The same questions with further answers, whose codes follow those that there are."""
        return replace(self, answers=np.concatenate([self.answers, answers]))

    def row(self, name: str) -> int:
        """Row of an answerer."""
        return self.names.index(name)

    def part(self, items: npt.NDArray[np.intp]) -> WaypointSheet:
        """The questions at these ascending positions, answered by nobody yet."""
        present = set(self.questions["family"][items])
        return replace(
            self,
            questions=self.questions[items],
            families=tuple(family for family in self.families if family in present),
            scenes=np.unique(self.scenes[items], return_inverse=True)[1].astype(np.intp),
            references=self.references[items],
            times=self.times[items],
            speeds=self.speeds[items],
            directions=self.directions[items],
            names=(),
            codes=np.empty((0, 0), dtype=np.intp),
        )

    @cached_property
    def groups(self) -> tuple[Group, ...]:
        """One group for each family and relation: past and future are never one."""
        families, relations = (self.questions[name].to_numpy() for name in ("family", "relation"))
        order = np.argsort(self.scenes, kind="stable")
        found = []
        for family in self.families:
            for relation in sorted(set(relations[families == family])):
                where = (families == family) & (relations == relation)
                found.append(Group(family, WAYPOINTS, relation, order[where[order]]))
        return tuple(found)

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
    table = benchmark.table.filter(pl.col("format") == WAYPOINTS)
    read = [_question(benchmark, *row) for row in table.select("id", "answer", "facts").iter_rows()]
    most = max((len(points) for points, _ in read), default=1)
    references, times = np.full((len(read), most, 2), np.nan), np.full((len(read), most), np.nan)
    for place, (points, facts) in enumerate(read):
        references[place, : len(points)] = points
        times[place, : len(points)] = _times(len(points), facts)
    directions = np.array([facts.direction or _DIRECTIONS[0] for _, facts in read], dtype=object)
    relation = pl.coalesce("relation", pl.Series("direction", directions, dtype=pl.String) + "-waypoints")
    speeds = [np.nan if facts.speed_mps is None else facts.speed_mps for _, facts in read]
    return WaypointSheet(
        table.with_columns(relation=relation),
        families_in_order(benchmark.record, table["family"]),
        text_codes(table["scene"]),
        references,
        times,
        np.array(speeds, dtype=np.float64),
        directions,
        np.empty((0, most, 2)),
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
