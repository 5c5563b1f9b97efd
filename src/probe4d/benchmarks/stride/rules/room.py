"""SU-1, SU-2, SU-4 and SU-5: what objects leave of the way ahead and of the strips beside it (Sec. 3.1)."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

import polars as pl

from probe4d.benchmarks.stride.encounters import with_relative_velocity
from probe4d.benchmarks.stride.rules.answered import Margin, answered, queries, visible_targets
from probe4d.benchmarks.stride.signals import Signals
from probe4d.benchmarks.stride.templates import TEMPLATES
from probe4d.benchmarks.stride.thresholds import (
    BESIDE_AHEAD_M,
    BESIDE_BEHIND_M,
    FREE_AHEAD_M,
    LANE_CHANGE_AHEAD_M,
    LANE_CHANGE_BEHIND_M,
    LANE_CHANGE_LOOK_BACK_M,
    LANE_CHANGE_S,
    LEAST_ROOM_M,
    PATH_AHEAD_M,
)
from probe4d.benchmarks.stride.zones import Zone, ahead, footprints_of, nearest_in_zone, on_the_left, on_the_right

__all__ = ["drivable_region", "feasible_manoeuvre", "lane_change_clearance", "physical_constraint"]

_BLOCKS, _LIMITS_LEFT, _LIMITS_RIGHT, _NO_CONSTRAINT = TEMPLATES["SU-1"].options
_FRAME = ["scene", "frame"]

_Names = Mapping[tuple[int, ...], str]
"""Texts of options by what is free, 1 or 0 each."""

_FREE_REGIONS: _Names = dict(
    zip(
        [(1, 1, 1), (1, 1, 0), (1, 0, 1), (0, 1, 1), (1, 0, 0), (0, 1, 0), (0, 0, 1), (0, 0, 0)],
        TEMPLATES["SU-2"].options,
        strict=True,
    )
)
"""Names by whether the way ahead, the left and the right are free."""
_ONLY_FREE: _Names = dict(zip([(1, 0, 0), (0, 1, 0), (0, 0, 1), (0, 0, 0)], TEMPLATES["SU-5"].options, strict=True))
_SIDES: _Names = dict(zip([(1, 1), (1, 0), (0, 1), (0, 0)], TEMPLATES["SU-4"].options, strict=True))
"""Names by whether the left and the right are clear."""


def physical_constraint(signals: Signals) -> pl.DataFrame:
    """SU-1: which of the way ahead and the strips beside it the footprint of the target reaches into.

    The way counts before the strips; a target that reaches into both strips but not the way, from across behind the
    ego vehicle, has no answer. The margin is by how much the target is in a zone, or out of it.
    """
    targets = visible_targets(signals)
    footprints = footprints_of(targets)
    zones = {
        "ahead": ahead(PATH_AHEAD_M),
        "left": on_the_left(-BESIDE_BEHIND_M, FREE_AHEAD_M),
        "right": on_the_right(-BESIDE_BEHIND_M, FREE_AHEAD_M),
    }
    table = targets.with_columns(
        zone.separations_m(footprints).alias(f"{name}_separation_m") for name, zone in zones.items()
    )
    way, left, right = (pl.col(f"{name}_separation_m") for name in zones)
    answer = (
        pl.when(way <= 0)
        .then(pl.lit(_BLOCKS))
        .when((left <= 0) & (right > 0))
        .then(pl.lit(_LIMITS_LEFT))
        .when((left > 0) & (right <= 0))
        .then(pl.lit(_LIMITS_RIGHT))
        .when((left > 0) & (right > 0))
        .then(pl.lit(_NO_CONSTRAINT))
    )
    sides = pl.when(way > 0).then(pl.min_horizontal(left.abs(), right.abs()))
    return answered(
        table,
        answer,
        {
            "x_m": pl.col("ego_x_m"),
            "y_m": pl.col("ego_y_m"),
            "heading_deg": pl.col("yaw_rad").degrees(),
            "length_m": pl.col("length_m"),
            "width_m": pl.col("width_m"),
            **{f"{name}_separation_m": pl.col(f"{name}_separation_m") for name in zones},
        },
        Margin(pl.min_horizontal(way.abs(), sides), "metres", least=LEAST_ROOM_M),
    )


def drivable_region(signals: Signals) -> pl.DataFrame:
    """SU-2: which of three regions no footprint reaches into."""
    return _by_regions(signals, _FREE_REGIONS)


def feasible_manoeuvre(signals: Signals) -> pl.DataFrame:
    """SU-5: the only region of SU-2 that is free, or none; not answered where there are several."""
    return _by_regions(signals, _ONLY_FREE)


def lane_change_clearance(signals: Signals) -> pl.DataFrame:
    """SU-4: which strip beside the ego vehicle is clear, and stays so for `LANE_CHANGE_S`.

    A strip is not clear where a footprint reaches into it beside the ego vehicle, or behind it and comes up beside in
    time at its relative velocity. Where the velocity of an object behind is unknown and nothing else is in the strip,
    there is no answer.
    """
    table = queries(signals)
    for side, strip in (("left", on_the_left), ("right", on_the_right)):
        table = _with_side(signals, table, side, strip)
    sides = ("left", "right")
    nearest = {f"{side}_separation_m": _finite(pl.col(f"{side}_separation_m")) for side in sides}
    first = {f"{side}_arrival_s": pl.col(f"{side}_arrival_s") for side in sides}
    # When something comes up from behind matters only where nothing is beside already.
    in_time = (
        pl.when(pl.col(f"{side}_beside_m").fill_null(math.inf) > 0).then((arrival - LANE_CHANGE_S).abs())
        for side, arrival in zip(sides, first.values(), strict=True)
    )
    return answered(
        table,
        _named([_free(name) for name in nearest], _SIDES),
        nearest | first,
        *(Margin(separation.abs(), "metres", least=LEAST_ROOM_M) for separation in nearest.values()),
        *(Margin(each, "seconds") for each in in_time),
    )


def _by_regions(signals: Signals, names: _Names) -> pl.DataFrame:
    footprints = footprints_of(signals.objects)
    zones = {
        "ahead": ahead(FREE_AHEAD_M),
        "left": on_the_left(-BESIDE_BEHIND_M, BESIDE_AHEAD_M),
        "right": on_the_right(-BESIDE_BEHIND_M, BESIDE_AHEAD_M),
    }
    table = queries(signals)
    for name, zone in zones.items():
        separation = f"{name}_separation_m"
        objects = signals.objects.select(*_FRAME, zone.separations_m(footprints).alias(separation))
        table = nearest_in_zone(table, objects, separation)
    nearest = {f"{name}_separation_m": pl.col(f"{name}_separation_m") for name in zones}
    return answered(
        table,
        _named([_free(name) for name in nearest], names),
        nearest,
        *(Margin(separation.abs(), "metres", least=LEAST_ROOM_M) for separation in nearest.values()),
    )


def _with_side(signals: Signals, table: pl.DataFrame, side: str, strip: Callable[[float, float], Zone]) -> pl.DataFrame:
    """Add how far the nearest object is from taking the room of a side, and when the first from behind comes up."""
    separation = f"{side}_separation_m"
    objects = with_relative_velocity(signals, signals.objects)
    footprints = footprints_of(objects)
    front_m = pl.Series(footprints.corners()[..., 0].max(axis=1), dtype=pl.Float64)
    closing, way_m = pl.col("relative_x_mps"), (-LANE_CHANGE_BEHIND_M - front_m).clip(lower_bound=0)
    measured = objects.with_columns(
        beside=strip(-LANE_CHANGE_BEHIND_M, LANE_CHANGE_AHEAD_M).separations_m(footprints),
        behind=strip(-LANE_CHANGE_LOOK_BACK_M, -LANE_CHANGE_BEHIND_M).separations_m(footprints),
        arrival_s=pl.when(closing > 0).then(way_m / closing).when(closing <= 0).then(math.inf),
    )
    in_time = (
        pl.when(pl.col("arrival_s") <= LANE_CHANGE_S)
        .then("behind")
        .when(pl.col("arrival_s").is_not_null() | (pl.col("behind") > 0))
        .then(math.inf)
    )
    taking = measured.select(
        *_FRAME,
        pl.when((pl.col("beside") <= 0) | in_time.is_not_null())
        .then(pl.min_horizontal("beside", in_time))
        .alias(separation),
    )
    arriving = pl.when(pl.col("behind") <= 0).then("arrival_s")
    first = measured.group_by(_FRAME).agg(
        pl.col("beside").min().alias(f"{side}_beside_m"), _finite(arriving.min()).alias(f"{side}_arrival_s")
    )
    return nearest_in_zone(table, taking, separation).join(first, on=_FRAME, how="left", maintain_order="left")


def _finite(value: pl.Expr) -> pl.Expr:
    return pl.when(value.is_finite()).then(value)


def _free(separation: str) -> pl.Expr:
    """Whether nothing reaches into a zone; null where that is not known."""
    reached = (pl.col(separation) <= 0).fill_null(value=False)
    return pl.when(pl.col(f"{separation}_known")).then(~reached)


def _named(free: Sequence[pl.Expr], names: _Names) -> pl.Expr:
    """The name of a combination of what is free; null where one is not known or the combination has no name."""
    number = sum((each.cast(pl.Int32) * (1 << place) for place, each in enumerate(free)), pl.lit(0))
    by_number = {sum(bit << place for place, bit in enumerate(bits)): name for bits, name in names.items()}
    return number.replace_strict(by_number, default=None, return_dtype=pl.String)
