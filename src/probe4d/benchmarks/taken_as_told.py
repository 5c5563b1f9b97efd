"""Answers that a check takes as they are told: what they rest on is in no table of the dataset, or in words alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import msgspec
import polars as pl

__all__ = ["TakenAsTold", "resting_on", "taken_as_told"]


class TakenAsTold(msgspec.Struct, frozen=True):
    """Questions of a benchmark whose answers a check takes as they are told.

    Attributes:
        why: Why they are, a clause that follows `since`.
        by_template: How many, by template.
    """

    why: str
    by_template: Mapping[str, int]

    @property
    def questions(self) -> int:
        """How many, of all templates."""
        return sum(self.by_template.values())


def taken_as_told(questions: pl.DataFrame, why: str) -> Iterator[TakenAsTold]:
    """Count questions, if there are some.

    Args:
        questions: Those whose answers are taken as told, of a column `template`.
        why: Why they are, a clause that follows `since`.
    """
    if not questions.is_empty():
        counts = questions.group_by("template").len().sort("template")
        yield TakenAsTold(why, dict(counts.iter_rows()))


def resting_on(table: pl.DataFrame, needs: Sequence[str]) -> pl.DataFrame:
    """Questions that need one of some annotations.

    Args:
        table: Questions.
        needs: Names of annotations, as in `Question.needs`.
    """
    return table.filter(pl.col("needs").list.set_intersection(list(needs)).list.len() > 0)
