"""Pools: the candidates of one template, as columns.

A pool has the columns view (row of the image), object_1, object_2 and so on (rows of the objects that the question
mentions, options last), answer, margin (null where the rule has none), and what the rule measured, each under the
name of its column in the rules.
"""

from __future__ import annotations

from collections import Counter

import numpy as np
import polars as pl
from numpy.typing import NDArray

from probe4d.benchmarks.sampling import mixed_ranks, rank

__all__ = ["OBJECTS", "Pools", "answered", "count_out", "drawn_ranks", "evened", "yes_or_no"]

Pools = dict[str, pl.DataFrame]

OBJECTS = tuple(f"object_{place}" for place in range(1, 6))
"""Columns of a pool for the objects that a question mentions."""


def yes_or_no(judged: pl.DataFrame) -> pl.DataFrame:
    """Put `answer` in the place of the column `holds`."""
    return judged.with_columns(
        answer=pl.when("holds").then(pl.lit("Yes")).when(~pl.col("holds")).then(pl.lit("No"))
    ).drop("holds")


def answered(pool: pl.DataFrame, template: str, reason: str, left_out: Counter[str]) -> pl.DataFrame:
    """Leave out the rows without an answer, and count them."""
    found = pool.filter(pl.col("answer").is_not_null())
    count_out(left_out, template, reason, pool.height - found.height)
    return found


def count_out(left_out: Counter[str], template: str, reason: str, count: int) -> None:
    """Count questions of a template that are left out."""
    if count:
        left_out[f"{template}: {reason}"] += count


def drawn_ranks(seed: int, draw: str, *keys: pl.Series) -> NDArray[np.uint64]:
    """Ranks of rows by the ranks of what they are made of.

    Args:
        seed: Seed of the build.
        draw: Name of the draw.
        keys: Ranks of the parts, UInt64.

    Returns:
        Shape (rows,).
    """
    return mixed_ranks(rank(seed, f"spatial-qa/{draw}", ""), *(key.to_numpy() for key in keys))


def evened(pool: pl.DataFrame, template: str, left_out: Counter[str]) -> pl.DataFrame:
    """Keep as many Yes as No of each scene, those of lowest `rank`.

    Args:
        pool: Columns scene, answer and rank among them.
        template: Its template, for what is counted.
        left_out: Where the others are counted.
    """
    place = pl.col("rank").rank("ordinal").over("scene", "answer")
    yes = (pl.col("answer") == "Yes").sum().over("scene")
    fewer = pl.min_horizontal(yes, pl.len().over("scene") - yes)
    kept = pool.filter(place <= fewer)
    count_out(left_out, template, "left out so that as many are Yes as No in each scene", pool.height - kept.height)
    return kept
