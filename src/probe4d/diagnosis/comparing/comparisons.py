"""Which runs are compared, and in what two runs of one model differ."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import polars as pl

__all__ = ["RUN_FAMILIES_SCHEMA", "Comparison", "FamilyComparison", "run_families_table"]

RUN_FAMILIES_SCHEMA: dict[str, pl.DataType] = {
    "comparison": pl.String(),  # `X vs Y`
    "kind": pl.String(),  # evidence, setting
    "run": pl.String(),
    "against": pl.String(),
    "evidence": pl.String(),  # what X was shown
    "against_evidence": pl.String(),
    "setting": pl.String(),
    "against_setting": pl.String(),
    "n": pl.Int64(),  # questions that both were asked
    "model": pl.String(),  # of both runs, as the record of X names it
}


@dataclass(frozen=True)
class Comparison:
    """Two runs compared on the same questions."""

    run: str
    against: str

    @property
    def name(self) -> str:
        """Name in `figures.csv`."""
        return f"{self.run} vs {self.against}"


@dataclass(frozen=True)
class FamilyComparison:
    """Two runs of one model and one set of generation options that differ in one thing: what that did.

    `figures` holds, under `name` as the run and over the questions that both were asked, what it holds for any
    comparison: `accuracy_of_first`, `accuracy_of_second`, `accuracy_change` and `answers_alike`, by family and
    format and in all, and the same of numbers.

    Attributes:
        kind: What differs. `evidence`: the run saw something else than `against`, which is a run that saw nothing
            or, for black, shuffled and other-scene evidence, one that saw the question's own. `setting`: the run
            was asked in another setting than `against`, which is one of the setting `default`.
        run: Name of the run, the first of the comparison.
        against: Name of the run that it is held against, the second.
        evidence: What the run and the one it is held against were shown, in a few words, such as `cameras`,
            `shuffled:cameras`, `none`; `unknown` where a record does not say.
        settings: Settings of the run and of the one it is held against.
        questions: How many questions that are scored both were asked.
        model: The model of both, as the record of the run names it.
    """

    kind: Literal["evidence", "setting"]
    run: str
    against: str
    evidence: tuple[str, str]
    settings: tuple[str, str]
    questions: int
    model: str

    @property
    def name(self) -> str:
        """Name in `figures.csv`."""
        return Comparison(self.run, self.against).name


def run_families_table(comparisons: Sequence[FamilyComparison]) -> pl.DataFrame:
    """List the comparisons within families of runs; columns of `RUN_FAMILIES_SCHEMA`."""
    rows = [
        (one.name, one.kind, one.run, one.against, *one.evidence, *one.settings, one.questions, one.model)
        for one in comparisons
    ]
    return pl.DataFrame(rows, schema=RUN_FAMILIES_SCHEMA, orient="row")
