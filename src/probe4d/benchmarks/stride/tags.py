"""Tags of a clip: which challenging situations it shows, for the spread of a benchmark and its card (Fig. 3)."""

from __future__ import annotations

import polars as pl

from probe4d.benchmarks.stride.thresholds import (
    DIRECTION_DEG,
    LANE_FAR_SIDE_M,
    PATH_AHEAD_M,
    STILL_MPS,
    TRAFFIC_BOUNDS,
    TRAFFIC_RANGE_M,
)

__all__ = ["ORDINARY", "TAGS", "TOLD_SCHEMA", "crosses_ahead", "is_cycle", "is_road_user", "moves", "tags_of"]

TAGS: dict[str, str] = {
    "pedestrian": "a pedestrian",
    "cyclist": "a bicycle or motorcycle that moves",
    "intersection": "an intersection, by label or by the description of the scene",
    "construction": "a barrier, a traffic cone, a construction vehicle or a construction worker",
    "special-vehicle": "a bus, a trailer, a construction vehicle, or a vehicle of police, fire brigade or ambulance",
    "foreign-object": "debris, something pushed or pulled, or an animal",
    "crossing": "a road user that moves across ahead of the ego vehicle, on its way or in a lane beside it",
    "dense-traffic": f"{TRAFFIC_BOUNDS[-1]} road users or more",
    "bad-weather": "rain, fog or snow, by label or by the description of the scene",
    "night": "darkness, by label or by the description of the scene",
}
"""Tags and what they mean; objects count up to 50 m from the ego vehicle at the query frame."""

ORDINARY = "ordinary"
"""What stands for a clip without a tag, where clips are drawn by turns."""

_CYCLES = ("bicycle", "motorcycle")
_BUILDING_SITE = ("barrier", "traffic cone", "construction vehicle")
_SPECIAL = ("bus", "trailer", "construction vehicle")
_FOREIGN = r"^(?:movable_object\.(?:debris|pushable_pullable)|animal)"


TOLD_SCHEMA: dict[str, pl.DataType] = {"scene": pl.String(), "frame": pl.Int32(), "tag": pl.String()}
"""Tags that the data itself gives to key frames."""


def tags_of(conditions: pl.DataFrame, objects: pl.DataFrame, told: pl.DataFrame | None = None) -> pl.DataFrame:
    """Tag clips.

    Args:
        conditions: Clips with what `conditions_of` says of them.
        objects: The columns of `Signals.objects`.
        told: Columns of `TOLD_SCHEMA`; null where the data says nothing of situations.

    Returns:
        Columns scene, frame and tags: names in the order of `TAGS`, perhaps none.
    """
    near = objects.filter(pl.col("range_m") <= TRAFFIC_RANGE_M)
    seen = near.group_by("scene", "frame").agg(*_SHOWN)
    found = conditions.rename({"rain": "bad-weather"}).join(
        seen, on=["scene", "frame"], how="left", maintain_order="left"
    )
    given = pl.DataFrame(schema=TOLD_SCHEMA) if told is None else told
    found = found.join(
        given.group_by("scene", "frame").agg(told="tag"), on=["scene", "frame"], how="left", maintain_order="left"
    ).with_columns(pl.col("told").fill_null(pl.lit([], pl.List(pl.String))))
    names = [pl.when(pl.col(name) | pl.col("told").list.contains(name)).then(pl.lit(name)) for name in TAGS]
    return found.select("scene", "frame", tags=pl.concat_list(names).list.drop_nulls())


def is_cycle() -> pl.Expr:
    """Whether an object is a bicycle or a motorcycle."""
    return pl.col("label").is_in(_CYCLES).fill_null(value=False)


def is_road_user() -> pl.Expr:
    """Whether an object is a vehicle, a cycle or a person."""
    return pl.col("category").str.contains(r"^(?:vehicle|human)\b")


def moves() -> pl.Expr:
    """Whether an object moves over ground; one whose velocity is not known does not."""
    speed = (pl.col("velocity_x_mps").pow(2) + pl.col("velocity_y_mps").pow(2)).sqrt()
    return (speed >= STILL_MPS).fill_null(value=False)


def crosses_ahead() -> pl.Expr:
    """Whether an object moves across the heading of the ego vehicle, ahead of it: on its way or in a lane beside it."""
    direction = pl.arctan2("velocity_y_mps", "velocity_x_mps").degrees().abs()
    across = direction.is_between(DIRECTION_DEG, 180 - DIRECTION_DEG, closed="none").fill_null(value=False)
    ahead = pl.col("ego_x_m").is_between(0, PATH_AHEAD_M) & (pl.col("ego_y_m").abs() <= LANE_FAR_SIDE_M)
    return moves() & across & ahead


def _any(what: pl.Expr, name: str) -> pl.Expr:
    return what.fill_null(value=False).any().alias(name)


_SHOWN = (
    _any(pl.col("label") == "pedestrian", "pedestrian"),
    _any(is_cycle() & moves(), "cyclist"),
    _any(
        pl.col("label").is_in(_BUILDING_SITE) | pl.col("category").str.ends_with("construction_worker"),
        "construction",
    ),
    _any(pl.col("label").is_in(_SPECIAL) | pl.col("category").str.starts_with("vehicle.emergency"), "special-vehicle"),
    _any(pl.col("category").str.contains(_FOREIGN), "foreign-object"),
    _any(is_road_user() & crosses_ahead(), "crossing"),
    (is_road_user().sum() >= TRAFFIC_BOUNDS[-1]).alias("dense-traffic"),
)
