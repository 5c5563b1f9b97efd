"""Which templates a review keeps: each whole or not at all (STRIDE, App. A.6.1)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import polars as pl

from probe4d.errors import InputError
from probe4d.review.decisions import Decisions
from probe4d.review.reasons import OF_ITEMS
from probe4d.wording import counted

__all__ = ["TemplateOutcome", "template_outcomes"]


class TemplateOutcome(NamedTuple):
    """What became of a template.

    Attributes:
        name: The template.
        family: Its family.
        questions: How many questions it has.
        kept: How many of those that were looked at could be kept.
        rejected: How many could not.
        is_removed: Whether it is removed, with all its questions.
        reason: Why, in words; why it stays where its questions alone would have removed it; else empty.
    """

    name: str
    family: str
    questions: int
    kept: int
    rejected: int
    is_removed: bool
    reason: str

    @property
    def is_reviewed(self) -> bool:
        """Whether anything was decided on it or on its questions."""
        return bool(self.kept or self.rejected or self.reason or self.is_removed)


def template_outcomes(table: pl.DataFrame, decisions: Decisions, *, most_rejected: float) -> list[TemplateOutcome]:
    """Decide on every template of a benchmark.

    A decision on the template as a whole counts; without one it is removed where more than a share of the questions
    that were looked at is rejected. What nobody looked at stays.

    Args:
        table: Columns of `QUESTION_SCHEMA`.
        decisions: What was decided.
        most_rejected: The share, 0 to 1; at 0 one rejected question removes its template.

    Raises:
        InputError: The share is none.
    """
    if not 0 <= most_rejected <= 1:
        raise InputError(f"the share of rejected questions must be from 0 to 1, not {most_rejected:g}.")
    outcomes = []
    for (family, name), own in table.group_by("family", "template", maintain_order=True):
        verdicts = [decisions.items[one] for one in own["id"] if one in decisions.items]
        reasons = [one.reason or "other" for one in verdicts if one.verdict == "reject"]
        kept = sum(one.verdict == "keep" for one in verdicts)
        whole = decisions.templates.get(str(name))
        looked_at = kept + len(reasons)
        by_questions = looked_at > 0 and len(reasons) / looked_at > most_rejected
        is_removed = by_questions if whole is None or whole.verdict is None else whole.verdict == "remove"
        reason = ""
        if whole is not None and whole.verdict == "remove":
            reason = OF_ITEMS[whole.reason or "other"]
        elif is_removed:
            reason = _most_given(reasons, looked_at)
        elif whole is not None and whole.verdict == "keep":
            reason = "kept as a whole"
        outcomes.append(TemplateOutcome(str(name), str(family), own.height, kept, len(reasons), is_removed, reason))
    return outcomes


def _most_given(reasons: Sequence[str], looked_at: int) -> str:
    """The reasons that questions were rejected for, most frequent first."""
    words = [f"{OF_ITEMS[name]} ({n})" for name, n in Counter(reasons).most_common()]
    return f"{counted(len(reasons), 'question')} of {looked_at} rejected: {'; '.join(words)}"
