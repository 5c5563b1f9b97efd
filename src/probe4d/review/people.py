"""Answers of people as a run, so that they stand beside those of models."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import polars as pl

from probe4d.benchmarks.benchmark import Benchmark
from probe4d.benchmarks.question import LETTERS
from probe4d.errors import InputError
from probe4d.review.decisions import Decisions, read_decisions
from probe4d.review.reasons import CANNOT_TELL
from probe4d.runs.run import Answer, LeftOut, Run, RunRecord, read_run, write_run
from probe4d.version import __version__

__all__ = ["HUMAN", "write_human_run"]

HUMAN = "human"
"""What a person is called where runs name their model."""

_NOT_IN_SHEET = "it is not in the sheet that a person answered"
_UNANSWERED = "the person left it open"


def write_human_run(benchmark: Benchmark, decisions: Path | str, out: Path | str) -> Run:
    """Write the answers of one person as a run (STRIDE's reviewers answer what models are asked).

    Questions that were not in the sheet, or left open, were not asked; who says that it cannot be told answers so,
    which is scored like a refusal.

    Args:
        benchmark: The benchmark that the sheet was made of.
        decisions: The file that the page of a sheet for answers downloaded.
        out: Folder of the run, which is named after it; such as `human`.

    Raises:
        InputError: The file cannot be read, is of another benchmark or holds no answer, an answer is none of its
            question's, or the folder is in use.
    """
    found = read_decisions(decisions, benchmark, mode="answer")
    given = {identity: one.answer for identity, one in found.items.items() if one.answer is not None}
    if not given:
        raise InputError("holds no answer.", path=decisions, remedy="Answer questions in the sheet, and save them.")
    _refuse_strange(benchmark.rows(list(given), "id", "format", "options"), given, Path(decisions))
    record = RunRecord(
        model=HUMAN,
        evidence=found.evidence,
        benchmark=benchmark.fingerprint,
        parameters={"reviewer": found.reviewer, "sheet": found.sheet},
        versions={"probe4d": __version__},
    )
    ids = benchmark.columns("id")["id"]
    answers = [Answer(question=one, text=given[one], finish_reason="stop") for one in ids if one in given]
    write_run(out, record, answers, left_out=list(_left_out(ids, found, given)))
    return read_run(out)


def _left_out(ids: Iterable[str], decisions: Decisions, given: dict[str, str]) -> Iterator[LeftOut]:
    asked = set(decisions.asked)
    for identity in ids:
        if identity not in given:
            yield LeftOut(question=identity, reason=_UNANSWERED if identity in asked else _NOT_IN_SHEET)


def _refuse_strange(asked: pl.DataFrame, given: dict[str, str], path: Path) -> None:
    """Refuse answers that are none of their question's."""
    for identity, kind, options in asked.iter_rows():
        known = ["Yes", "No"] if kind == "yes-no" else list(LETTERS[: len(options)])
        if kind not in ("yes-no", "choice") or given[identity] not in (*known, CANNOT_TELL):
            raise InputError(
                f"answers question {identity} with {given[identity]!r}, which is none of its answers.",
                path=path,
                remedy="Give the file as the page downloaded it.",
            )
