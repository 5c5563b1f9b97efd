"""Collects what an audit finds, by question."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import polars as pl
from numpy.typing import NDArray

from probe4d.benchmarks.suite import AuditFinding

__all__ = ["Findings"]


class Findings:
    """What was found so far.

    Args:
        table: The questions; findings name them by their rows.
    """

    def __init__(self, table: pl.DataFrame) -> None:
        self._ids, self._rules = table["id"], table["rule"]
        self._found: list[tuple[int, AuditFinding]] = []

    def add(self, row: int, what: str, *, rule: str | None = None) -> None:
        """Add a finding about a question.

        Args:
            row: Row of the question.
            what: What is wrong, without a full stop.
            rule: Name of the check; null is the question's own rule.
        """
        found = AuditFinding(question=self._ids[row], rule=rule or self._rules[row], what=f"{what}.")
        self._found.append((row, found))

    def add_where(
        self,
        wrong: NDArray[np.bool_],
        rows: NDArray[np.int64],
        what: Callable[[int], str],
        *,
        rule: str | None = None,
    ) -> None:
        """Add a finding for each place of a mask.

        Args:
            wrong: Where something is wrong, shape (n,).
            rows: Rows of the questions, shape (n,).
            what: Says what is wrong at a place, without a full stop.
            rule: Name of the check; null is the question's own rule.
        """
        for place in np.flatnonzero(wrong).tolist():
            self.add(int(rows[place]), what(place), rule=rule)

    def in_order(self) -> list[AuditFinding]:
        """All findings, by the row of their question."""
        return [found for _, found in sorted(self._found, key=lambda pair: pair[0])]
