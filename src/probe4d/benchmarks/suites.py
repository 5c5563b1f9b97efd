"""The suites that exist, and what can be done with each by its name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Literal

import msgspec
import polars as pl

from probe4d.benchmarks.b4dl import SUITE as B4DL
from probe4d.benchmarks.benchmark import Benchmark, BenchmarkRecord, refuse_taken
from probe4d.benchmarks.elsewhere import held_answers
from probe4d.benchmarks.lidar_hallu import SUITE as LIDAR_HALLU
from probe4d.benchmarks.question import Question
from probe4d.benchmarks.spatial_qa import SUITE as SPATIAL_QA
from probe4d.benchmarks.splits import split_findings
from probe4d.benchmarks.stride import SUITE as STRIDE
from probe4d.benchmarks.suite import AuditFinding, Prompt, Suite
from probe4d.benchmarks.taken_as_told import TakenAsTold
from probe4d.errors import InputError
from probe4d.scenes.tables import Scenes

__all__ = [
    "SUITES",
    "Checked",
    "answers_elsewhere",
    "before_letters",
    "build",
    "check",
    "deciding_size",
    "suite_named",
    "suite_prompt",
]

SUITES: dict[str, Suite] = {suite.name: suite for suite in (LIDAR_HALLU, SPATIAL_QA, STRIDE, B4DL)}
"""Suites by name."""


def suite_named(name: str) -> Suite:
    """Find a suite.

    Raises:
        InputError: There is none of this name.
    """
    if name not in SUITES:
        raise InputError(f"there is no suite {name!r}; known are {', '.join(SUITES)}.")
    return SUITES[name]


def suite_prompt(name: str, setting: str) -> Prompt:
    """Find how a suite words its questions under a setting.

    Args:
        name: Name of the suite.
        setting: Name of one of its settings, such as `default` or `anti-position`.

    Raises:
        InputError: There is no such suite, or it has no such setting.
    """
    suite = suite_named(name)
    if setting not in suite.prompts:
        raise InputError(f"{suite.name} has no setting {setting!r}; it has {', '.join(suite.prompts)}.")
    return suite.prompts[setting]


def answers_elsewhere(benchmark: Benchmark, questions: Sequence[Question], scenes: Scenes) -> pl.DataFrame:
    """What would be right if questions of a benchmark were asked of each of some scenes.

    What its suite's rules measure there, where the suite can say, and what the benchmark itself holds of questions
    worded alike. Of imported records, which were measured elsewhere, the two may differ; then both count.

    Returns:
        The columns of `probe4d.benchmarks.suite.ANSWERS_SCHEMA`.
    """
    held = held_answers(benchmark, questions, scenes)
    suite = SUITES.get(benchmark.record.suite)
    if suite is None or suite.answers_in is None:
        return held
    return pl.concat([suite.answers_in(questions, scenes), held]).unique()


def before_letters(record: BenchmarkRecord) -> str | None:
    """What stands before the letters by which questions call objects; null where they call none so.

    Args:
        record: Of the benchmark; of a suite that is not known its questions call no objects by letters.
    """
    suite = SUITES.get(record.suite)
    return None if suite is None or suite.before_letters is None else suite.before_letters(record)


def deciding_size(question: Question) -> Literal["width", "height"] | None:
    """Which size of the box that decides a question asks of; null where it asks how far away it is."""
    suite = SUITES.get(question.suite)
    return None if suite is None else suite.deciding_sizes.get(question.rule)


def build(suite: str, scenes: Scenes, out: Path | str | None = None, **parameters: Any) -> Benchmark:
    """Build a benchmark.

    Args:
        suite: Name of the suite, such as `lidar-hallu`.
        scenes: The scenes that answers are measured in.
        out: Folder to write to; nothing is written without it.
        parameters: Parameters of the suite (for `lidar-hallu` see `probe4d.benchmarks.lidar_hallu.build.Parameters`).

    Raises:
        InputError: There is no such suite, the folder holds other things than a benchmark, or a parameter or the scenes
            cannot be used.
    """
    known = suite_named(suite)
    if out is not None:
        refuse_taken(Path(out))
    return known.build(scenes, out, known.parameters(**parameters))


class Checked(msgspec.Struct, frozen=True, kw_only=True):
    """Outcome of a check.

    Attributes:
        questions: Number of questions checked.
        faulty: Number of questions with a finding.
        taken_as_told: Questions whose answers are taken as they are told, by why; of those it is checked what can be
            (see the audit of each suite).
        findings: What differs or breaks a promise of the benchmark; empty if all is well.
    """

    questions: int
    faulty: int
    taken_as_told: Sequence[TakenAsTold]
    findings: Sequence[AuditFinding]


def check(
    benchmark: Benchmark,
    dataroot: Path | str,
    *,
    version: str | None = None,
    done: Callable[[str], None] | None = None,
) -> Checked:
    """Derive every answer of a benchmark again from the dataset's raw tables.

    Args:
        benchmark: The benchmark.
        dataroot: Folder of the dataset that it was built from.
        version: Name of the folder of tables; null is the one that the benchmark was built from.
        done: Told of the id of each question that was checked, for progress bars.

    Raises:
        InputError: The benchmark's suite is unknown, or the dataset cannot be read.
    """
    suite = suite_named(benchmark.record.suite)
    derived = suite.audit_of(benchmark.record)(benchmark, Path(dataroot), version=version, done=done)
    findings = [*derived, *split_findings(benchmark.record, benchmark.columns("scene")["scene"].unique().to_list())]
    return Checked(
        questions=benchmark.height,
        faulty=len({finding.question for finding in findings if finding.question}),
        taken_as_told=[] if suite.taken_as_told is None else list(suite.taken_as_told(benchmark.table)),
        findings=findings,
    )
