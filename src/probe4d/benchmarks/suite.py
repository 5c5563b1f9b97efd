"""What every suite offers: how it builds, how it checks itself, how it words a prompt."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from probe4d.benchmarks.benchmark import Benchmark
from probe4d.benchmarks.question import Question

__all__ = ["Finding", "Prompt", "Suite"]

Prompt = Callable[[Question], str]
"""Turns a question into the whole text that a model gets."""


class Finding(msgspec.Struct, frozen=True, kw_only=True):
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
class Suite:
    """A suite: who knows one knows them all.

    Attributes:
        name: Name on the command line and in `Question.suite`.
        version: Raised whenever rules, sampling or wording change.
        build: Builds a benchmark from scenes; each suite documents its keyword parameters.
        audit: (benchmark, dataset root) to findings, by a path that shares no code with the rules.
        prompts: Settings that the suite words itself, by name; `default` is always among them.
        families: Families in the order of reports.
    """

    name: str
    version: str
    build: Callable[..., Benchmark]
    audit: Callable[[Benchmark, Path], Sequence[Finding]]
    prompts: Mapping[str, Prompt]
    families: tuple[str, ...]
