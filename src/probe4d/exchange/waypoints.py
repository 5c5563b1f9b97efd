"""Imports waypoints of planners that answer no questions, such as UniAD, as a run beside those of models.

STRIDE scores such a planner on its future waypoints alone (App. C.3): questions of other formats, and of the past where
the file has none of it, are left out of the run, with the reason.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

from probe4d.benchmarks.benchmark import Benchmark
from probe4d.benchmarks.facts import waypoint_facts
from probe4d.benchmarks.question import WAYPOINTS, Question
from probe4d.errors import InputError
from probe4d.exchange.problems import Problem, refuse_problems
from probe4d.exchange.waypoint_frames import FRAMES, STEP_S, Calibrations, Frame, ego_positions
from probe4d.exchange.waypoint_rows import Addresses, points_in, waypoint_rows
from probe4d.runs.run import Answer, LeftOut, RunRecord, refuse_used, write_run
from probe4d.scenes.tables import Scenes
from probe4d.version import __version__
from probe4d.wording import counted

__all__ = ["ImportedWaypoints", "import_waypoints"]

_DECIMALS = 6

Points = tuple[tuple[float, float], ...]


@dataclass(frozen=True)
class ImportedWaypoints:
    """What was imported.

    Attributes:
        record: Content of `run.json`.
        answers: How many questions were answered.
        missing: How many of those that the file should answer were not.
        left_out: How many of the benchmark's others were left out.
    """

    record: RunRecord
    answers: int
    missing: int
    left_out: int


def import_waypoints(
    benchmark: Benchmark,
    file: Path | str,
    run: Path | str,
    *,
    model: str | None = None,
    frame: Frame = "ego",
    scenes: Scenes | None = None,
    allow_missing: bool = False,
    problems: Path | str | None = None,
) -> ImportedWaypoints:
    """Write the waypoints of a file as a run of a benchmark.

    Each row names a question (`question`, `question_id` or `id`), or a key frame, by `scene` and `frame` or, with the
    dataset, by its token (`token`, `sample_token`), and holds `waypoints`: a list of points [x, y] in metres.

    Args:
        benchmark: The benchmark that asks for waypoints.
        file: A `.csv`, `.tsv`, `.jsonl` or `.json` file.
        run: Folder of the run, new or empty.
        model: Name of the planner; null is the file's name.
        frame: Frame of the points. `ego` is that of the questions, with as many points as they ask for; the others
            are UniAD's (see `ego_positions`), of whose steps the first so many count.
        scenes: The dataset, for its calibrations and tokens; the frames of UniAD need it.
        allow_missing: Whether questions may go without an answer.
        problems: JSON-lines file that gets every row that cannot be used and every id that is missing.

    Raises:
        InputError: The benchmark asks for no waypoints, the dataset is missing or is another one, or rows are
            unknown, repeated, of no use or missing; the message names the first ten of each. Then there is no run.
    """
    file, run = Path(file), Path(run)
    refuse_used(run)
    if frame not in FRAMES:
        raise InputError(f"there is no frame {frame!r} of waypoints.", remedy=f"Give one of {', '.join(FRAMES)}.")
    if frame != "ego" and scenes is None:
        raise InputError(
            f"waypoints in the frame {frame} need the calibration of the LiDAR.",
            remedy="Give the dataset (scenes=, --data DATAROOT).",
        )
    questions = benchmark.records(benchmark.columns("id", "format").filter(pl.col("format") == WAYPOINTS)["id"])
    if not questions:
        raise InputError("asks for no waypoints.", path=benchmark.path, remedy="Give a benchmark that does.")
    placing = _Placing(frame, None if scenes is None or frame == "ego" else Calibrations(scenes))
    answers, found = _answers(file, Addresses(questions, scenes), placing)
    answered = {_direction(question) for question in questions if question.id in answers}
    gaps = [one.id for one in questions if one.id not in answers and _direction(one) in answered]
    if not allow_missing:
        found += [Problem(problem="missing", question=identity) for identity in gaps]
    refuse_problems(file, found, answered=len(answers), listing=None if problems is None else Path(problems))
    record = RunRecord(
        model=model or file.stem,
        benchmark=benchmark.fingerprint,
        parameters={"frame": frame},
        versions={"probe4d": __version__},
    )
    left_out = list(_left_out(benchmark.columns("id")["id"], questions, answered))
    write_run(run, record, [_answer(identity, points) for identity, points in answers.items()], (), left_out)
    return ImportedWaypoints(record, len(answers), len(gaps), len(left_out))


@dataclass(frozen=True)
class _Placing:
    """Turns the points of a row into an answer to a question."""

    frame: Frame
    calibrations: Calibrations | None

    def placed(self, question: Question, points: Points) -> Points | str:
        """As many points as the question asks for, in its frame, or why that is not possible, in words."""
        count = len(json.loads(question.answer))
        if self.calibrations is None:
            if len(points) != count:
                return f"has {counted(len(points), 'waypoint')} where {count:,} are asked for"
            return points
        told = waypoint_facts(question)
        if _direction(question) == "past":
            return f"answers a question about the past, of which the frame {self.frame} has none"
        if told.spacing_s not in (None, STEP_S):
            return f"answers a question for every {told.spacing_s:g} s, where its waypoints are {STEP_S:g} s apart"
        if len(points) < count:
            return f"has {counted(len(points), 'waypoint')} where the first {count:,} are asked for"
        lidar = np.array(points[:count], dtype=np.float64).reshape(-1, 2)
        placed = ego_positions(lidar, self.frame, self.calibrations.ego_SE3_lidar(question))
        return tuple((round(x, _DECIMALS) + 0.0, round(y, _DECIMALS) + 0.0) for x, y in placed.tolist())


def _answers(file: Path, addresses: Addresses, placing: _Placing) -> tuple[dict[str, Points], list[Problem]]:
    """Points by question, in the order of the file, and what of it cannot be used."""
    answers: dict[str, Points] = {}
    rows: dict[str, str] = {}
    problems: list[Problem] = []
    for row in waypoint_rows(file):
        named = addresses.of(file, row)
        if not named.questions:
            problems.append(Problem(problem="unknown", question=named.name, where=row.where))
            continue
        points = points_in(file, row)
        for question in named.questions:
            if question.id in rows:
                first = rows[question.id]
                problems.append(Problem(problem="repeated", question=question.id, where=row.where, first=first))
                continue
            rows[question.id] = row.where
            placed = points if isinstance(points, str) else placing.placed(question, points)
            if isinstance(placed, str):
                problems.append(Problem(problem="unusable", question=named.name, where=row.where, why=placed))
            else:
                answers[question.id] = placed
    return answers, problems


def _direction(question: Question) -> str:
    return waypoint_facts(question).direction or "future"


def _answer(identity: str, points: Sequence[tuple[float, float]]) -> Answer:
    return Answer(question=identity, text=json.dumps([list(point) for point in points]), finish_reason="stop")


def _left_out(ids: Iterable[str], questions: Sequence[Question], answered: set[str]) -> Iterator[LeftOut]:
    directions = {question.id: _direction(question) for question in questions}
    for identity in ids:
        if identity not in directions:
            yield LeftOut(question=identity, reason="asks for no waypoints")
        elif (direction := directions[identity]) not in answered:
            yield LeftOut(question=identity, reason=f"asks for waypoints of the {direction}, of which there are none")
