"""How a run ended, in numbers."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

import msgspec
import polars as pl

from probe4d.models.secrets import REDACTED
from probe4d.runs.run import Run

__all__ = ["RunSummary", "summary_of"]

_PARTICULARS = re.compile(r"\S*[/\\]\S+|\b(?=[\w-]*\d)[\w-]{8,}|\d+\.\d+\w*|\d{4,}")
"""What differs between failures of one kind: paths and addresses, ids that hold a digit, times, large numbers."""


class RunSummary(msgspec.Struct, frozen=True, kw_only=True):
    """How a run ended.

    Attributes:
        run: Name of its folder.
        model: Name of the model asked.
        setting: Name of the setting.
        answers: Answers on disk.
        unanswered: Calls (questions, or variants of them) that got no answer.
        errors: These by their reason, the most frequent first; where reasons differ in ids, paths or times alone,
            these are left out, and they are counted as one.
        left_out: Questions that were not asked, by reason.
        tokens: Tokens generated.
        input_tokens: Tokens read.
        servers: Answers by the model that the server says gave them.
        redacted: Answers in whose text or reasoning `[redacted]` stands, as it does in place of a key.
    """

    run: str
    model: str
    setting: str
    answers: int
    unanswered: int
    errors: dict[str, int]
    left_out: dict[str, int]
    tokens: int
    input_tokens: int
    servers: dict[str, int]
    redacted: int = 0


def summary_of(run: Run) -> RunSummary:
    """Sum a run up."""
    answers = run.answers.filter(pl.col("error").is_null())
    errors = run.answers["error"].drop_nulls()
    return RunSummary(
        run=run.name,
        model=run.record.model,
        setting=run.record.setting,
        answers=answers.height,
        unanswered=errors.len(),
        errors=_counts_of_kinds(errors),
        left_out=_counts(line.reason for line in run.left_out),
        tokens=int(answers["tokens"].sum()),
        input_tokens=int(answers["input_tokens"].sum()),
        servers=_counts(answers["model"].drop_nulls()),
        redacted=answers.filter(
            pl.any_horizontal(pl.col("text", "reasoning").str.contains(REDACTED, literal=True))
        ).height,
    )


def _counts(texts: Iterable[str]) -> dict[str, int]:
    return dict(Counter(texts).most_common())


def _counts_of_kinds(failures: Iterable[str]) -> dict[str, int]:
    """How many failures of each kind there are; a kind of which all read alike keeps its words as they are."""
    kinds: dict[str, Counter[str]] = {}
    for failure, n in Counter(failures).items():
        kinds.setdefault(_PARTICULARS.sub("\u2026", failure), Counter())[failure] += n
    named = {next(iter(of)) if len(of) == 1 else kind: of.total() for kind, of in kinds.items()}
    return dict(Counter(named).most_common())
