"""Questions for one number and everybody's answers as arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, cast

import numpy as np
import numpy.typing as npt
import polars as pl

from probe4d.benchmarks.benchmark import Benchmark
from probe4d.benchmarks.question import NUMBER
from probe4d.diagnosis.parsing.units import UNITS, Unit
from probe4d.diagnosis.sheets.answer_sheet import COLUMNS
from probe4d.diagnosis.sheets.grouping import TEMPLATE, Coded, Group, coded, split_groups, total_groups
from probe4d.diagnosis.sheets.right_or_wrong import RightOrWrongSheet
from probe4d.diagnosis.statistics.number_errors import within_tolerance
from probe4d.errors import InputError

__all__ = ["NumberSheet", "make_number_sheet", "number_questions", "unit_of_answer"]

Values = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False, kw_only=True)
class NumberSheet(RightOrWrongSheet):
    """Questions for one number, each with its `unit`, and a row of values for each answerer.

    Attributes:
        references: (questions,) the reference answers, each in its question's unit.
    """

    references: Values

    unanswered: ClassVar[np.generic] = np.float64(np.nan)
    of_questions: ClassVar[tuple[str, ...]] = ("references",)

    @property
    def values(self) -> Values:
        """(answerers, questions) what was answered, in the unit of the question; NaN where that cannot be read."""
        return self.codes

    @cached_property
    def correct(self) -> npt.NDArray[np.bool_]:
        """(answerers, questions): within the tolerance; what was not read is not."""
        return within_tolerance(self.values, self.references)

    @cached_property
    def read(self) -> npt.NDArray[np.bool_]:
        """(answerers, questions): whether there is a value."""
        return ~np.isnan(self.values)

    def differ(self, ones: Sequence[str], others: Sequence[str]) -> npt.NDArray[np.bool_]:
        """(pairs, questions): whether the two answerers of each pair give another value; none and none are alike."""
        own, other = (self.values[[self.row(name) for name in names]] for names in (ones, others))
        return np.not_equal(own, other) & ~(np.isnan(own) & np.isnan(other))

    @cached_property
    def templates(self) -> tuple[Group, ...]:
        """One group for each family and template (see `TEMPLATE`)."""
        return split_groups(self.totals[:-1], coded(self.questions["template"]), prefix=TEMPLATE)

    @cached_property
    def relations(self) -> tuple[Group, ...]:
        """One group for each family and relation, where questions have one."""
        return split_groups(self.totals[:-1], coded(self.questions["relation"]))

    @cached_property
    def units(self) -> tuple[Group, ...]:
        """For each family, and for all, one group for each unit, under its name as its relation."""
        return split_groups(self.totals, self._units, order=UNITS)

    @cached_property
    def totals(self) -> tuple[Group, ...]:
        """Each family, and everything."""
        return total_groups(coded(self.questions["family"]), self.families, self.scenes, format=NUMBER)

    @cached_property
    def groups(self) -> tuple[Group, ...]:
        """Templates, relations, units and totals."""
        return (*self.templates, *self.relations, *self.units, *self.totals)

    def unit_of(self, group: Group) -> Unit | None:
        """The one unit of a group's questions; null where there are two."""
        found = np.unique(self._units.codes[group.items])
        return cast(Unit, self._units.names[found[0]]) if found.size == 1 else None

    @cached_property
    def _units(self) -> Coded:
        return coded(self.questions["unit"])


def unit_of_answer() -> pl.Expr:
    """The unit that the facts of a question give its answer (`unit`), or null where it is none that can be scored."""
    unit = pl.col("facts").str.json_path_match("$.unit")
    return pl.when(unit.is_in(UNITS)).then(unit).alias("unit")


def number_questions(benchmark: Benchmark) -> pl.DataFrame:
    """The questions for a number that can be scored, with their `unit`; columns `COLUMNS` beside it."""
    table = benchmark.columns(*COLUMNS).filter(format=NUMBER)
    units = benchmark.rows(table["id"], "facts").select(unit_of_answer())
    return table.hstack(units).filter(pl.col("unit").is_not_null())


def make_number_sheet(benchmark: Benchmark) -> NumberSheet:
    """Take the questions for a number of a known unit out of a benchmark; there may be none.

    Raises:
        InputError: A reference answer is no number.
    """
    table = number_questions(benchmark)
    references = table["answer"].cast(pl.Float64, strict=False)
    wrong = table.filter(~references.is_finite().fill_null(False))
    for identity, answer in wrong.select("id", "answer").head(1).iter_rows():
        raise InputError(
            f"question {identity} of format {NUMBER} has the reference {answer!r}, which is no number.",
            path=benchmark.path,
            remedy="Build or import the benchmark again.",
        )
    return NumberSheet.of(benchmark, table, references=references.to_numpy().astype(np.float64))
