"""Checks the links between open questions and the questions whose answers their references are composed of."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

import polars as pl

from probe4d.benchmarks.stride.templates import TEMPLATES, Template
from probe4d.benchmarks.suite import AuditFinding

__all__ = ["link_findings"]


def link_findings(
    table: pl.DataFrame, templates: Iterable[Template] = tuple(TEMPLATES.values())
) -> Iterator[AuditFinding]:
    """See that each question links those of its clip which it is a part of, or is composed of, and no others.

    A question without a target is a part of every open question of its clip, one with a target only of those about
    the same.

    Args:
        table: The questions.
        templates: The templates that they are of.
    """
    parts = {(opener.id, part) for opener in templates for part in opener.parts}
    columns = ("id", "template", "scene", "frames", "entities", "links")
    of_clip: dict[tuple[str, tuple[int, ...]], list[tuple[str, str, list[str]]]] = defaultdict(list)
    rows = [dict(zip(columns, row, strict=True)) for row in table.select(columns).iter_rows()]
    for row in rows:
        of_clip[row["scene"], tuple(row["frames"])].append((row["id"], row["template"], row["entities"]))
    for row in rows:
        others = of_clip[row["scene"], tuple(row["frames"])]
        expected = sorted(
            {
                identity
                for identity, template, entities in others
                if _are_linked((row["template"], row["entities"]), (template, entities), parts)
            }
        )
        if row["links"] != expected:
            yield AuditFinding(
                question=row["id"], rule="links", what=f"links: stored {row['links']!r}, derived {expected!r}."
            )


def _are_linked(one: tuple[str, list[str]], other: tuple[str, list[str]], parts: set[tuple[str, str]]) -> bool:
    return any(
        (opener, part) in parts and (not about or about == of_opener)
        for (opener, of_opener), (part, about) in ((one, other), (other, one))
    )
