"""Questions for one number and everybody's answers as arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt
import polars as pl

from probe4d.benchmarks.benchmark import Benchmark
from probe4d.diagnosis.parsing.units import UNITS, Unit
from probe4d.diagnosis.sheets.grouping import TEMPLATE, Group, families_in_order, split_groups, text_codes, total_groups
from probe4d.diagnosis.statistics.number_errors import within_tolerance
from probe4d.errors import InputError

__all__ = ["NUMBER", "NumberSheet", "make_number_sheet", "scored_numbers", "unit_of_answer"]

NUMBER = "number"
"""The format of these questions."""

Values = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class NumberSheet:
    """Questions for one number, and a row of values for each answerer.

    Attributes:
        questions: The questions, columns of `QUESTION_SCHEMA` and unit.
        families: Families in the order of reports.
        scenes: (questions,) scene codes in the order of the sorted scene names.
        references: (questions,) the reference answers, each in its question's unit.
        names: Answerers: runs in order, then the controls.
        values: (answerers, questions) what they answered, in the unit of the question; NaN where that cannot be read.
    """

    questions: pl.DataFrame
    families: tuple[str, ...]
    scenes: npt.NDArray[np.intp]
    references: Values
    names: tuple[str, ...] = ()
    values: Values = field(default_factory=lambda: np.empty((0, 0)))

    @property
    def unanswered(self) -> np.float64:
        """The value of no answer."""
        return np.float64(np.nan)

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

    def answered(self, names: Sequence[str], answers: Sequence[Values]) -> NumberSheet:
        """The same questions with these answerers and their values."""
        shape = (len(names), self.scenes.size)
        return replace(self, names=tuple(names), values=np.array(answers, dtype=np.float64).reshape(shape))

    def row(self, name: str) -> int:
        """Row of an answerer."""
        return self.names.index(name)

    def part(self, items: npt.NDArray[np.intp]) -> NumberSheet:
        """The questions at these ascending positions, answered by nobody yet."""
        present = set(self.questions["family"][items])
        return NumberSheet(
            self.questions[items],
            tuple(family for family in self.families if family in present),
            np.unique(self.scenes[items], return_inverse=True)[1].astype(np.intp),
            self.references[items],
        )

    @cached_property
    def templates(self) -> tuple[Group, ...]:
        """One group for each family and template (see `TEMPLATE`)."""
        return split_groups(self.totals[:-1], self.questions["template"].to_numpy(), prefix=TEMPLATE)

    @cached_property
    def relations(self) -> tuple[Group, ...]:
        """One group for each family and relation, where questions have one."""
        return split_groups(self.totals[:-1], self.questions["relation"].to_numpy())

    @cached_property
    def units(self) -> tuple[Group, ...]:
        """For each family, and for all, one group for each unit, under its name as its relation."""
        return split_groups(self.totals, self._units, order=UNITS)

    @cached_property
    def totals(self) -> tuple[Group, ...]:
        """Each family, and everything."""
        return total_groups(self.questions["family"].to_numpy(), self.families, self.scenes, format=NUMBER)

    @cached_property
    def groups(self) -> tuple[Group, ...]:
        """Templates, relations, units and totals."""
        return (*self.templates, *self.relations, *self.units, *self.totals)

    def unit_of(self, group: Group) -> Unit | None:
        """The one unit of a group's questions; null where there are two."""
        units = set(self._units[group.items])
        return units.pop() if len(units) == 1 else None

    @cached_property
    def _units(self) -> npt.NDArray[np.object_]:
        return self.questions["unit"].to_numpy()


def unit_of_answer() -> pl.Expr:
    """The unit that the facts of a question give its answer (`unit`), or null where it is none that can be scored."""
    unit = pl.col("facts").str.json_path_match("$.unit")
    return pl.when(unit.is_in(UNITS)).then(unit).alias("unit")


def scored_numbers() -> pl.Expr:
    """Whether a question asks for a number that can be scored."""
    return (pl.col("format") == NUMBER) & unit_of_answer().is_not_null()


def make_number_sheet(benchmark: Benchmark) -> NumberSheet:
    """Take the questions for a number of a known unit out of a benchmark; there may be none.

    Raises:
        InputError: A reference answer is no number.
    """
    table = benchmark.table.filter(pl.col("format") == NUMBER).with_columns(unit_of_answer())
    table = table.filter(pl.col("unit").is_not_null())
    references = table["answer"].cast(pl.Float64, strict=False)
    wrong = table.filter(~references.is_finite().fill_null(False))
    for identity, answer in wrong.select("id", "answer").head(1).iter_rows():
        raise InputError(
            f"question {identity} of format {NUMBER} has the reference {answer!r}, which is no number.",
            path=benchmark.path,
            remedy="Build or import the benchmark again.",
        )
    families = families_in_order(benchmark.record, table["family"])
    return NumberSheet(table, families, text_codes(table["scene"]), references.to_numpy().astype(np.float64))
