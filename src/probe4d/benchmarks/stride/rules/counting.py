"""SC-4, SU-6, TM-1 and TM-4: how many objects there are around, or were and are seen no longer."""

from __future__ import annotations

import polars as pl

from probe4d.benchmarks.stride.rules.answered import Margin, answered, queries
from probe4d.benchmarks.stride.signals import Signals
from probe4d.benchmarks.stride.templates import TEMPLATES
from probe4d.benchmarks.stride.thresholds import (
    DENSITY_BOUNDS,
    DENSITY_RANGE_M,
    HISTORY_FRAMES,
    MEMORY_RANGE_M,
    SEEN_LEVEL,
    TRAFFIC_BOUNDS,
    TRAFFIC_RANGE_M,
    WELL_VISIBLE_LEVEL,
)

__all__ = ["ROAD_USERS", "currently_occluded", "density_around_ego", "no_longer_visible", "traffic_density"]

ROAD_USERS = ("car", "truck", "bus", "pedestrian", "bicycle", "motorcycle", "trailer", "construction vehicle")
"""Classes of what takes part in traffic."""

_FRAME = ["scene", "frame"]


def traffic_density(signals: Signals) -> pl.DataFrame:
    """SC-4: road users within `TRAFFIC_RANGE_M`."""
    road_users = signals.objects.filter(pl.col("label").is_in(ROAD_USERS))
    return _within(signals, road_users, "SC-4", TRAFFIC_RANGE_M, TRAFFIC_BOUNDS)


def density_around_ego(signals: Signals) -> pl.DataFrame:
    """SU-6: annotated objects of any kind within `DENSITY_RANGE_M`."""
    return _within(signals, signals.objects, "SU-6", DENSITY_RANGE_M, DENSITY_BOUNDS)


def no_longer_visible(signals: Signals) -> pl.DataFrame:
    """TM-1: tracks seen near in the frames before that have no box at the query frame.

    Not answered where the visibility of a box near in one of these frames is unknown.
    """
    here = signals.objects.select(*_FRAME, "track")
    gone = _seen_before(signals, SEEN_LEVEL).join(here, on=[*_FRAME, "track"], how="anti")
    return _how_many(signals, gone, "TM-1")


def currently_occluded(signals: Signals) -> pl.DataFrame:
    """TM-4: tracks well visible near in the frames before that are of visibility level 1 at the query frame.

    Not answered where the visibility of a box near in one of these frames is unknown.
    """
    occluded = signals.objects.filter(pl.col("visibility") < SEEN_LEVEL).select(*_FRAME, "track")
    return _how_many(
        signals, _seen_before(signals, WELL_VISIBLE_LEVEL).join(occluded, on=[*_FRAME, "track"], how="semi"), "TM-4"
    )


def _within(
    signals: Signals, objects: pl.DataFrame, template: str, range_m: float, bounds: tuple[int, ...]
) -> pl.DataFrame:
    """Count objects within a range.

    The margin is by how much the range would have to change until the answer does: until the nearest of the objects
    that make up the bin falls out, or the one that is one too many comes in.
    """
    ranges = objects.sort("range_m").group_by(_FRAME, maintain_order=True).agg(ranges_m=pl.col("range_m"))
    table = (
        queries(signals)
        .join(ranges, on=_FRAME, how="left", maintain_order="left")
        .with_columns(pl.col("ranges_m").fill_null(pl.lit([], pl.List(pl.Float64))))
        .with_columns(count=pl.col("ranges_m").list.eval(pl.element() <= range_m).list.sum())
    )
    bin_ = pl.sum_horizontal((pl.col("count") >= bound).cast(pl.Int32) for bound in bounds)
    names = dict(enumerate(TEMPLATES[template].options))
    least = bin_.replace_strict(dict(enumerate((0, *bounds))), return_dtype=pl.Int64)
    too_many = bin_.replace_strict(dict(enumerate(bounds)), default=None, return_dtype=pl.Int64)
    inside = pl.when(least > 0).then(range_m - pl.col("ranges_m").list.get(least - 1, null_on_oob=True))
    outside = pl.col("ranges_m").list.get(too_many - 1, null_on_oob=True) - range_m
    return answered(
        table,
        bin_.replace_strict(names, return_dtype=pl.String),
        {"count": pl.col("count"), "within_m": pl.lit(range_m)},
        Margin(pl.min_horizontal(inside, outside), "metres"),
    )


def _seen_before(signals: Signals, level: int) -> pl.DataFrame:
    """Tracks that were near and at least so visible in a frame of the history of each query frame."""
    seen = signals.objects.filter((pl.col("visibility") >= level) & (pl.col("range_m") <= MEMORY_RANGE_M))
    return _as_of_later(seen, range(1, HISTORY_FRAMES + 1)).select(*_FRAME, "track", "words").unique([*_FRAME, "track"])


def _as_of_later(objects: pl.DataFrame, later: range) -> pl.DataFrame:
    """Objects with the numbers of later frames for their own."""
    return pl.concat(objects.with_columns(pl.col("frame") + step) for step in later)


def _how_many(signals: Signals, found: pl.DataFrame, template: str) -> pl.DataFrame:
    near = signals.objects.filter(pl.col("range_m") <= MEMORY_RANGE_M)
    unknown = _as_of_later(near.filter(pl.col("visibility").is_null()), range(HISTORY_FRAMES + 1))
    counts = found.sort("track").group_by(_FRAME).agg(count=pl.len(), found=pl.col("words"), tracks=pl.col("track"))
    table = (
        queries(signals)
        .join(unknown, on=_FRAME, how="anti", maintain_order="left")
        .join(counts, on=_FRAME, how="left", maintain_order="left")
        .with_columns(pl.col("count").fill_null(0), pl.col("found", "tracks").fill_null(pl.lit([], pl.List(pl.String))))
    )
    options = TEMPLATES[template].options
    names = dict(enumerate(options))
    return answered(
        table,
        pl.col("count").clip(upper_bound=len(options) - 1).replace_strict(names, return_dtype=pl.String),
        {name: pl.col(name) for name in ("count", "found", "tracks")} | {"within_m": pl.lit(MEMORY_RANGE_M)},
    )
