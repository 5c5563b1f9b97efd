"""How a run ended, in numbers."""

from __future__ import annotations

from collections import Counter

import msgspec
import polars as pl

from probe4d.runs.run import Run

__all__ = ["RunSummary", "summary_of"]


class RunSummary(msgspec.Struct, frozen=True, kw_only=True):
    """How a run ended.

    Attributes:
        run: Name of its folder.
        model: Name of the model asked.
        setting: Name of the setting.
        answers: Answers on disk.
        unanswered: Questions and variants that got no answer.
        errors: These by their reason, the most frequent first.
        left_out: Questions that were not asked, by reason.
        tokens: Tokens generated.
        input_tokens: Tokens read.
        servers: Answers by the model that the server says gave them.
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
        errors=_counts(errors),
        left_out=dict(Counter(one.reason for one in run.left_out).most_common()),
        tokens=int(answers["tokens"].sum()),
        input_tokens=int(answers["input_tokens"].sum()),
        servers=_counts(answers["model"].drop_nulls()),
    )


def _counts(texts: pl.Series) -> dict[str, int]:
    return dict(Counter(texts).most_common())
