"""The suites that exist, and what can be done with each by its name."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Literal

import msgspec
import polars as pl

from probe4d.benchmarks.b4dl import SUITE as B4DL
from probe4d.benchmarks.benchmark import Benchmark, BenchmarkRecord, refuse_taken
from probe4d.benchmarks.elsewhere import held_answers
from probe4d.benchmarks.lidar_hallu import SUITE as LIDAR_HALLU
from probe4d.benchmarks.question import Evidence, Format, Question
from probe4d.benchmarks.spatial_qa import SUITE as SPATIAL_QA
from probe4d.benchmarks.splits import split_findings
from probe4d.benchmarks.stride import SUITE as STRIDE
from probe4d.benchmarks.suite import AuditFinding, Prompt, Suite
from probe4d.benchmarks.taken_as_told import TakenAsTold
from probe4d.errors import InputError
from probe4d.scenes.tables import Scenes
from probe4d.store.files import whole_file

__all__ = [
    "SUITES",
    "Checked",
    "PromptLine",
    "answers_elsewhere",
    "before_letters",
    "build",
    "check",
    "deciding_size",
    "prompt_lines",
    "suite_named",
    "suite_prompt",
    "write_prompts",
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
    findings = [*derived, *split_findings(benchmark.record, benchmark.table["scene"].unique().to_list())]
    return Checked(
        questions=benchmark.table.height,
        faulty=len({finding.question for finding in findings if finding.question}),
        taken_as_told=[] if suite.taken_as_told is None else list(suite.taken_as_told(benchmark.table)),
        findings=findings,
    )


class PromptLine(msgspec.Struct, frozen=True, kw_only=True):
    """One line of a prompts file: what it takes to ask one question.

    Attributes:
        question: Id of the question; an answer in `answers.jsonl` names it.
        scene: Name of the scene.
        format: Form of the answer.
        frames: Key frames that the question asks about.
        prompt: The whole text.
        options: Texts of the options in the order of their letters.
        evidence: Key frames and sensor channels to be shown; no views means all.
    """

    question: str
    scene: str
    format: Format
    frames: tuple[int, ...]
    prompt: str
    options: tuple[str, ...]
    evidence: Evidence


def prompt_lines(benchmark: Benchmark, *, setting: str = "default") -> Iterator[PromptLine]:
    """Word every question of a benchmark, in its order.

    Args:
        benchmark: The benchmark.
        setting: Setting of its suite, such as `default` or `anti-position`.

    Raises:
        InputError: The suite has no such setting, or a question cannot be worded.
    """
    word = suite_prompt(benchmark.record.suite, setting)
    for question in benchmark.each_question():
        yield PromptLine(
            question=question.id,
            scene=question.scene,
            format=question.format,
            frames=question.frames,
            prompt=word(question),
            options=question.options,
            evidence=question.evidence,
        )


def write_prompts(
    benchmark: Benchmark,
    path: Path | str,
    *,
    setting: str = "default",
    done: Callable[[object], None] | None = None,
) -> int:
    """Write every prompt of a benchmark as JSON lines (see `PromptLine`), and return how many.

    Args:
        benchmark: The benchmark, or a part of it.
        path: The file.
        setting: Setting of its suite.
        done: Told of the id of each question that was worded, for progress bars.

    Raises:
        InputError: As `prompt_lines`, or the file cannot be written.
    """
    encode = msgspec.json.Encoder().encode
    written = 0
    with whole_file(path) as temporary, open(temporary, "wb") as file:
        for line in prompt_lines(benchmark, setting=setting):
            file.write(encode(line) + b"\n")
            written += 1
            if done is not None:
                done(line.question)
    return written
