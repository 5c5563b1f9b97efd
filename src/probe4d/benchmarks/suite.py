"""What every suite offers: how it builds, how it checks itself, how it words a prompt."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, Protocol

import msgspec
import polars as pl

from probe4d.benchmarks.benchmark import Benchmark, BenchmarkRecord
from probe4d.benchmarks.question import Question
from probe4d.benchmarks.taken_as_told import TakenAsTold

__all__ = ["ANSWERS_SCHEMA", "AuditFinding", "Average", "LinkedContrast", "Prompt", "Suite"]

Prompt = Callable[[Question], str]
"""Turns a question into the whole text that a model gets."""

ANSWERS_SCHEMA: dict[str, pl.DataType] = {
    "question": pl.String(),  # id
    "scene": pl.String(),  # name of the scene that it is asked of
    "answer": pl.String(),  # as `Question.answer` is written, for the question's own options
}
"""What would be right in other scenes, a row for each right answer: none where a question has no answer there, two
where two of its options are true."""


class Audit(Protocol):
    """Derives a benchmark's answers again."""

    def __call__(
        self, benchmark: Benchmark, dataroot: Path, *, version: str | None, done: Callable[[str], None] | None
    ) -> Sequence[AuditFinding]:
        """Give everything that differs."""


class AuditFinding(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that an audit found wrong.

    Attributes:
        question: Id of the question; empty where the benchmark as a whole is at fault.
        rule: Rule of the answer, or name of the integrity check.
        what: What is stored and what was derived, as one sentence.
    """

    question: str
    rule: str
    what: str


@dataclass(frozen=True)
class Average:
    """A table of figures as the paper of a suite prints it: columns, and their average.

    Attributes:
        name: The metric of its rows in `figures.csv`, such as `paper_reasoning`.
        of: The metric that it is of.
        columns: Templates of each column, by its name.
        pooled: Whether the average is over the questions of all columns; else it is the plain mean of the columns.
    """

    name: str
    of: Literal["accuracy", "tolerance_accuracy", "mean_absolute_error"]
    columns: Mapping[str, tuple[str, ...]]
    pooled: bool


@dataclass(frozen=True)
class LinkedContrast:
    """An ability that the paper of a suite holds against others that need it.

    Attributes:
        name: What is contrasted, in words.
        easier: Relation of the questions that test the one.
        harder: Relations of those that test the others.
    """

    name: str
    easier: str
    harder: tuple[str, ...]


@dataclass(frozen=True)
class Suite:
    """A suite: who knows one knows them all.

    Attributes:
        name: Name on the command line and in `Question.suite`.
        version: Raised whenever rules, sampling or wording change.
        parameters: What a build of the suite is asked for, each documented with what it takes where it is left out.
        build: (scenes, folder or null, parameters) to a benchmark.
        audit_of: Of the record of a benchmark, what derives its answers again, by a path that shares no code with the
            rules; see `probe4d.benchmarks.suites.check`.
        prompts: Settings that the suite words itself, by name; `default` is always among them.
        families: Families in the order of reports.
        answers_in: (questions, scenes) to what would be right if each question were asked of each scene, in the
            columns of `ANSWERS_SCHEMA`; null where the suite does not say.
        averages: Tables of its paper whose averages are to be told under their own names.
        linked_contrasts: Pairs of relations whose accuracies are set side by side.
        balanced_in_context: Says of the record of a benchmark whether Yes and No were made equally frequent in every
            context of it; null where the suite has no such samples.
        before_letters: Of the record of a benchmark, what stands before the letters by which its questions call
            objects that have to be marked in pictures, such as `object `; null where they call none so.
        deciding_sizes: Which size of the box that decides (`witness` in facts) a rule asks of, by rule; of a rule that
            is not among them it is how far away the box is.
        taken_as_told: (questions) to those whose answers the audit takes as they are told, and why; null where it
            derives all.
        spoken: What a model is trained to say to a question, where that is not its reference as it stands.
    """

    name: str
    version: str
    parameters: Callable[..., msgspec.Struct]
    build: Callable[..., Benchmark]
    audit_of: Callable[[BenchmarkRecord], Audit]
    prompts: Mapping[str, Prompt]
    families: tuple[str, ...]
    answers_in: Callable[..., pl.DataFrame] | None = None
    averages: tuple[Average, ...] = ()
    linked_contrasts: tuple[LinkedContrast, ...] = ()
    balanced_in_context: Callable[[BenchmarkRecord], bool] | None = None
    before_letters: Callable[[BenchmarkRecord], str | None] | None = None
    taken_as_told: Callable[[pl.DataFrame], Iterable[TakenAsTold]] | None = None
    deciding_sizes: Mapping[str, Literal["width", "height"]] = field(default_factory=dict)
    spoken: Callable[[Question], str] | None = None
