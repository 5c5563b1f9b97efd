"""What released scenario clusters say of the situations that clips are spread over (Fig. 3)."""

from __future__ import annotations

import re

import polars as pl

from probe4d.benchmarks.stride.tags import TOLD_SCHEMA

__all__ = ["plain_name", "situations_of"]

_TAGS = {
    "Construction": "construction",
    "Intersections": "intersection",
    "Pedestrians": "pedestrian",
    "Cyclists": "cyclist",
    "Foreign Object Debris": "foreign-object",
    "Special Vehicles": "special-vehicle",
}
"""Tags of the clusters that name a situation."""


def plain_name(cluster: str) -> str:
    """A cluster's name without what spellings differ in: case, hyphens, spaces, an s at the end."""
    return re.sub(r"[^a-z]", "", cluster.lower()).removesuffix("s")


def situations_of(frames: pl.DataFrame) -> pl.DataFrame:
    """Tags of key frames by their clusters.

    Args:
        frames: Columns scene, frame and cluster.

    Returns:
        Columns of `TOLD_SCHEMA`.
    """
    by_plain = {plain_name(name): tag for name, tag in _TAGS.items()}
    of_cluster = {name: by_plain.get(plain_name(name)) for name in frames["cluster"].drop_nulls().unique()}
    tag = pl.col("cluster").replace_strict(of_cluster, default=None, return_dtype=pl.String)
    return frames.select("scene", "frame", tag=tag).drop_nulls().select(*TOLD_SCHEMA)
