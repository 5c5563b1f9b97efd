"""Links between an open question and the choice questions whose answers its reference is composed of."""

from __future__ import annotations

from collections.abc import Iterable

import polars as pl

from probe4d.benchmarks.stride.templates import Template

__all__ = ["with_links"]


def with_links(table: pl.DataFrame, templates: Iterable[Template]) -> pl.DataFrame:
    """Fill `links` in both directions, ids sorted.

    A choice question is linked with an open one of the same scene and frame whose template has its template as a part
    and, where it asks about a target, of the same target.

    Args:
        table: Questions, columns of `QUESTION_SCHEMA`.
        templates: The templates of the edition.
    """
    parts = pl.DataFrame(
        [(opener.id, part) for opener in templates for part in opener.parts],
        schema={"opener": pl.String, "template": pl.String},
        orient="row",
    )
    clip = table.select("id", "template", "scene", "entities", frame=pl.col("frames").list.first())
    openers = clip.rename({"id": "opener_id", "template": "opener", "entities": "opener_entities"})
    found = (
        clip.join(parts, on="template")
        .join(openers, on=["opener", "scene", "frame"])
        .filter((pl.col("entities").list.len() == 0) | (pl.col("entities") == pl.col("opener_entities")))
    )
    both = pl.concat(
        [found.select("id", other="opener_id"), found.select(id="opener_id", other="id")],
    )
    links = both.group_by("id").agg(linked=pl.col("other").unique().sort())
    return (
        table.join(links, on="id", how="left", maintain_order="left")
        .with_columns(links=pl.coalesce("linked", "links"))
        .drop("linked")
    )
