"""One question in readable lines, found by its id or the beginning of it."""

from __future__ import annotations

import polars as pl

from probe4d.benchmarks.benchmark import Benchmark
from probe4d.benchmarks.question import Question
from probe4d.benchmarks.suites import suite_prompt
from probe4d.errors import InputError
from probe4d.report.measured import measured
from probe4d.report.reference import answer_in_words, options_in_words

__all__ = ["description", "find_question", "prompt_of"]

SHOWN = 3


def find_question(benchmark: Benchmark, identity: str) -> Question:
    """Find a question by its id or by a beginning of it that no other id shares.

    Raises:
        InputError: No id, or more than one, begins like this.
    """
    ids = benchmark.columns("id")["id"]
    found = ids.filter(ids == identity)
    if not found.len():
        found = ids.filter(ids.str.starts_with(identity))
    if found.len() == 1:
        return benchmark.records(found)[0]
    where = benchmark.path or benchmark.record.suite
    if found.len():
        examples = ", ".join(found.head(SHOWN)) + (", …" if found.len() > SHOWN else "")
        raise InputError(
            f"{found.len():,} question ids begin with {identity!r}: {examples}.",
            path=where,
            remedy="Give more digits of the id.",
        )
    nearest = _nearest(ids, identity)
    raise InputError(
        f"holds no question {identity!r}; of its {ids.len():,} ids {nearest} begins most like it.",
        path=where,
        remedy="Take an id from the report's browser or from the column `id` of questions.parquet.",
    )


def description(question: Question, prompt: str | None) -> str:
    """Question, options, answer, everything measured, and the prompt as sent, in lines for a terminal.

    Args:
        question: The question.
        prompt: The whole prompt; null where the wording is not known.
    """
    asked = ", ".join(f"{frame:03d}" for frame in question.frames) or "the whole scene"
    if question.channel is not None:
        asked += f", {question.channel}"
    rows = [
        ("question", f"{question.id} ({question.suite}, {question.template})"),
        ("scene", f"{question.scene}, {question.keyframes or 'unknown'} key frames; asked about: {asked}"),
        ("text", question.question or "(not released)"),
        *((f"  {mark}", text) for mark, text in options_in_words(question)),
        ("reference", answer_in_words(question)),
        *measured(question),
    ]
    if question.links:
        rows.append(("related", ", ".join(question.links)))
    width = max(len(name) for name, _ in rows)
    lines = [f"{name:<{width}}  {value}".rstrip() for name, value in rows]
    if prompt is not None:
        lines += ["", "prompt", *(f"  {line}" for line in prompt.split("\n"))]
    return "\n".join(lines)


def prompt_of(question: Question, setting: str) -> str | None:
    """The whole prompt of a question under a setting; null where a release keeps the wording back.

    Raises:
        InputError: The question's suite is unknown or has no such setting.
    """
    word = suite_prompt(question.suite, setting)
    return None if question.question is None and question.prompt is None else word(question)


def _nearest(ids: pl.Series, identity: str) -> str:
    """The id that begins most like this one: in their order it stands next to it, before or behind."""
    around = [ids.filter(ids < identity).max(), ids.filter(ids > identity).min()]
    return max(
        (str(other) for other in around if other is not None), key=lambda other: (_shared(other, identity), other)
    )


def _shared(first: str, second: str) -> int:
    pairs = enumerate(zip(first, second, strict=False))
    return next((position for position, (one, other) in pairs if one != other), min(len(first), len(second)))
