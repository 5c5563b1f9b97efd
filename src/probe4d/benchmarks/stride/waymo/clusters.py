"""SC-7: which kind of driving scenario a scene is of, as released with the data."""

from __future__ import annotations

import polars as pl

from probe4d.benchmarks.sampling import ranks
from probe4d.benchmarks.stride.rules.answered import answered, queries
from probe4d.benchmarks.stride.templates.waymo import WAYMO_TEMPLATES
from probe4d.benchmarks.stride.waymo.signals import EstimatedSignals
from probe4d.benchmarks.stride.waymo.situations import plain_name

__all__ = ["RELEASED_CLUSTERS", "offered_clusters", "scene_class"]

RELEASED_CLUSTERS = (
    "Construction",
    "Intersections",
    "Pedestrians",
    "Cyclists",
    "Multi-Lane Maneuvers",
    "Single-Lane Maneuvers",
    "Cut-ins",
    "Foreign Object Debris",
    "Special Vehicles",
    "Spotlight",
)
"""The scenario clusters that WOD-E2E tells apart, but `Others`."""
_OTHERS = "other"


def offered_clusters(found: pl.Series) -> tuple[str, ...]:
    """The clusters that options are drawn from: those of a dataset, and of the released ones those that it lacks.

    Names that differ in case, hyphens, spaces or an s at their end are one. `Others` is not among them: it is no kind.

    Args:
        found: Clusters of the dataset's frames.
    """
    names = [name for name in found.drop_nulls().unique().sort() if plain_name(name) != _OTHERS]
    known = {plain_name(name) for name in names}
    return (*names, *(name for name in RELEASED_CLUSTERS if plain_name(name) not in known))


def scene_class(signals: EstimatedSignals) -> pl.DataFrame:
    """SC-7: the cluster of the key frame among others, drawn by seed, scene and frame."""
    template = WAYMO_TEMPLATES["SC-7"]
    offered = pl.DataFrame({"other": signals.clusters}, schema={"other": pl.String})
    asked = queries(signals).join(
        signals.driving.frames.filter(pl.col("cluster").is_in(signals.clusters)).select("scene", "frame", "cluster"),
        on=["scene", "frame"],
        maintain_order="left",
    )
    pairs = (
        asked.select("scene", "frame", "cluster")
        .join(offered, how="cross")
        .filter(pl.col("cluster") != pl.col("other"))
    )
    keys = pairs.select(pl.concat_str("scene", "frame", "other", separator="/")).to_series()
    drawn = (
        pairs.with_columns(rank=ranks(keys, seed=signals.seed, family=f"stride/{template.id}"))
        .sort("scene", "frame", "rank")
        .group_by("scene", "frame", maintain_order=True)
        .agg(pl.col("other").head(template.option_count - 1))
        .filter(pl.col("other").list.len() == template.option_count - 1)
    )
    table = asked.join(drawn, on=["scene", "frame"], maintain_order="left")
    options = pl.concat_list(pl.concat_list("cluster"), "other")
    return answered(table, pl.col("cluster"), {"cluster": pl.col("cluster")}, options=options)
