"""The groups of questions that figures are about, whatever the answers: by family, and within one by what splits it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
import polars as pl

from probe4d.benchmarks.benchmark import BenchmarkRecord

__all__ = [
    "TEMPLATE",
    "Group",
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


def families_in_order(record: BenchmarkRecord, present: Iterable[str]) -> tuple[str, ...]:
    """Families of questions in the order of the benchmark's record, then those that it does not list, by name."""
    found = set(present)
    listed = [family for family in record.counts if family in found]
    return (*listed, *sorted(found.difference(listed)))


def text_codes(texts: pl.Series) -> npt.NDArray[np.intp]:
    """Number the distinct texts of a series from 0, in the order of the sorted texts."""
    return texts.cast(pl.Enum(texts.unique().sort())).to_physical().to_numpy().astype(np.intp)


def total_groups(
    of: npt.NDArray[np.object_], families: Sequence[str], scenes: npt.NDArray[np.intp], *, format: str
) -> tuple[Group, ...]:
    """Each family, and everything last.

    Args:
        of: (questions,) family of each question.
        families: Families in the order of reports.
        scenes: (questions,) scene codes, by which the items of a group are sorted.
        format: Format of the groups.
    """
    order = np.argsort(scenes, kind="stable").astype(np.intp)
    parts = [Group(family, format, "all", order[of[order] == family]) for family in families]
    return (*parts, Group("all", format, "all", order))


def split_groups(
    groups: Iterable[Group],
    values: npt.NDArray[np.object_],
    *,
    prefix: str = "",
    order: Sequence[str] | None = None,
) -> tuple[Group, ...]:
    """One group for each value within each group, named after it.

    Args:
        groups: Groups of questions.
        values: (questions,) by what they are split; null where a question is in no part.
        prefix: What stands before the value in a group's relation.
        order: The values in order; null sorts them.
    """
    found: list[Group] = []
    for group in groups:
        own = values[group.items]
        present = {value for value in own if value is not None}
        names = sorted(present) if order is None else [name for name in order if name in present]
        found += [replace(group, relation=prefix + name, items=group.items[own == name]) for name in names]
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
    totals = total_groups(questions["family"].to_numpy(), families, scenes, format=format)
    templates, relations = (questions[name].to_numpy() for name in ("template", "relation"))
    return (
        *split_groups(totals[:-1], templates, prefix=TEMPLATE),
        *split_groups(totals[:-1], relations),
        *totals,
    )
