"""Same-object contrasts: yes-no questions about one object and one interval whose answers are opposite."""

from __future__ import annotations

import polars as pl

__all__ = ["with_contrasts"]


def with_contrasts(table: pl.DataFrame) -> pl.DataFrame:
    """Fill `links` of yes-no questions with the ids of their contrasts, sorted.

    Two questions are a contrast if family, scene, frames and entities are equal and one answer is Yes, the
    other No. "The nearest car at frame 3" is one object, so equal entities at equal frames are one object.

    Args:
        table: Questions, columns of `QUESTION_SCHEMA`.
    """
    keys = ["family", "scene", "frames", "entities"]
    asked = table.filter((pl.col("format") == "yes-no") & (pl.col("entities").list.len() > 0))
    sides = asked.select(*keys, "id", "answer")
    links = (
        sides.join(sides, on=keys, suffix="_other")
        .filter(pl.col("answer") != pl.col("answer_other"))
        .group_by("id")
        .agg(pl.col("id_other").sort().alias("linked"))
    )
    return (
        table.join(links, on="id", how="left", maintain_order="left")
        .with_columns(links=pl.coalesce("linked", "links"))
        .drop("linked")
    )
