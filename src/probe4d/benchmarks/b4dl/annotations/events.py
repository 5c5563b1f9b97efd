"""What the objects of windows do, by all rules."""

from __future__ import annotations

import polars as pl

from probe4d.benchmarks.b4dl.annotations.own_motion import stays_of, stops_and_starts_of, turns_of
from probe4d.benchmarks.b4dl.annotations.passing import crossings_of, passes_of
from probe4d.benchmarks.b4dl.annotations.ranges import changes_of_range, kept_distances
from probe4d.benchmarks.b4dl.annotations.tracks import Tracks

__all__ = ["object_events"]


def object_events(tracks: Tracks) -> pl.DataFrame:
    """All events of objects, columns of `FOUND_SCHEMA`; only vehicles and cycles turn, for people turn on the spot."""
    is_vehicle = tracks.table.select(row=pl.int_range(pl.len()).cast(pl.Int64), category="category").filter(
        pl.col("category").str.split(".").list.first() == "vehicle"
    )
    return pl.concat(
        [
            changes_of_range(tracks),
            kept_distances(tracks),
            passes_of(tracks),
            crossings_of(tracks),
            stops_and_starts_of(tracks),
            turns_of(tracks).join(is_vehicle, on="row", how="semi", maintain_order="left"),
            stays_of(tracks, "stays where it is"),
        ]
    )
