"""The groups of questions that figures are about, whatever the answers: by family, and within one by what splits it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import polars as pl

from probe4d.benchmarks.benchmark import BenchmarkRecord

__all__ = [
    "TEMPLATE",
    "Coded",
    "Group",
    "coded",
    "families_in_order",
    "groups_of_format",
    "split_groups",
    "text_codes",
    "total_groups",
]

TEMPLATE = "template:"
"""Beginning of the name, in the place of a relation, of a group that holds the questions of one template."""


@dataclass(frozen=True, eq=False)
class Group:
    """Questions that one figure is about.

    Attributes:
        family: Family, or `all`.
        format: Format, or `all`.
        relation: Relation, a template (see `TEMPLATE`) or another part, or `all`.
        items: Positions in the sheet, sorted by scene.
    """

    family: str
    format: str
    relation: str
    items: npt.NDArray[np.intp]


class Coded(NamedTuple):
    """Texts of questions as numbers: comparing and counting three million texts as objects takes gigabytes.

    Attributes:
        names: The distinct texts, sorted.
        codes: (questions,) the place of each question's text in `names`; -1 where it has none.
    """

    names: tuple[str, ...]
    codes: npt.NDArray[np.int32]

    def are(self, name: str) -> npt.NDArray[np.bool_]:
        """(questions,) whose text this is."""
        if name not in self.names:
            return np.zeros(self.codes.size, dtype=np.bool_)
        return np.equal(self.codes, self.names.index(name))


def coded(texts: pl.Series) -> Coded:
    """Number the texts of a column, which may lack some."""
    names = texts.drop_nulls().unique().sort()
    codes = texts.cast(pl.Enum(names)).to_physical().cast(pl.Int32).fill_null(-1)
    return Coded(tuple(names), codes.to_numpy())


def families_in_order(record: BenchmarkRecord, present: Iterable[str]) -> tuple[str, ...]:
    """Families of questions in the order of the benchmark's record, then those that it does not list, by name."""
    found = set(present)
    listed = [family for family in record.counts if family in found]
    return (*listed, *sorted(found.difference(listed)))


def text_codes(texts: pl.Series) -> npt.NDArray[np.intp]:
    """Number the distinct texts of a series from 0, in the order of the sorted texts."""
    return coded(texts).codes.astype(np.intp)


def total_groups(of: Coded, families: Sequence[str], scenes: npt.NDArray[np.intp], *, format: str) -> tuple[Group, ...]:
    """Each family, and everything last.

    Args:
        of: The family of each question.
        families: Families in the order of reports.
        scenes: (questions,) scene codes, by which the items of a group are sorted.
        format: Format of the groups.
    """
    order = np.argsort(scenes, kind="stable").astype(np.intp)
    parts = [Group(family, format, "all", order[of.are(family)[order]]) for family in families]
    return (*parts, Group("all", format, "all", order))


def split_groups(
    groups: Iterable[Group],
    values: Coded,
    *,
    prefix: str = "",
    order: Sequence[str] | None = None,
) -> tuple[Group, ...]:
    """One group for each value within each group, named after it.

    Args:
        groups: Groups of questions.
        values: By what questions are split; who has none is in no part.
        prefix: What stands before the value in a group's relation.
        order: The values in order; null sorts them.
    """
    found: list[Group] = []
    for group in groups:
        own = values.codes[group.items]
        present = {values.names[code]: code for code in np.unique(own).tolist() if code >= 0}
        names = [name for name in (present if order is None else order) if name in present]
        found += [replace(group, relation=prefix + name, items=group.items[own == present[name]]) for name in names]
    return tuple(found)


def groups_of_format(
    questions: pl.DataFrame, families: Sequence[str], scenes: npt.NDArray[np.intp], *, format: str
) -> tuple[Group, ...]:
    """Of questions of one format the templates and relations of each family, then each family and everything.

    Args:
        questions: Columns family, template and relation.
        families: Families in the order of reports.
        scenes: (questions,) scene codes, by which the items of a group are sorted.
        format: Format of the groups.
    """
    totals = total_groups(coded(questions["family"]), families, scenes, format=format)
    templates, relations = (coded(questions[name]) for name in ("template", "relation"))
    return (
        *split_groups(totals[:-1], templates, prefix=TEMPLATE),
        *split_groups(totals[:-1], relations),
        *totals,
    )
