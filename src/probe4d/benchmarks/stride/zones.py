"""Zones beside and ahead of the ego vehicle, and how far objects are from reaching into them."""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from probe4d.benchmarks.stride.thresholds import LANE_FAR_SIDE_M, PATH_HALF_WIDTH_M
from probe4d.scenes.ego_vehicle import EGO_FRONT_M, EGO_HALF_WIDTH_M, EGO_REAR_M
from probe4d.scenes.footprints import Footprints, separations_m

__all__ = ["Zone", "ahead", "ego_footprints", "footprints_of", "nearest_in_zone", "on_the_left", "on_the_right"]

Array = NDArray[np.float64]

_PLACE = {"own": ("ego_x_m", "ego_y_m", "yaw_rad"), "query": ("query_x_m", "query_y_m", "query_yaw_rad")}
"""Columns of centre and heading."""


class Zone(NamedTuple):
    """A rectangle along the axes of an ego frame, in metres, borders included."""

    back_m: float
    front_m: float
    right_m: float
    left_m: float

    def separations_m(self, footprints: Footprints) -> pl.Series:
        """How far footprints are from reaching into the zone, below 0 where they do (see `footprints.separations_m`).

        Null where a footprint has no size.
        """
        n = len(footprints.centre)
        middle = [(self.back_m + self.front_m) / 2, (self.right_m + self.left_m) / 2]
        half_size = [(self.front_m - self.back_m) / 2, (self.left_m - self.right_m) / 2]
        own = Footprints(np.tile(middle, (n, 1)), np.tile(half_size, (n, 1)), np.zeros(n))
        return pl.Series(separations_m(own, footprints), dtype=pl.Float64).fill_nan(None)


def ahead(front_m: float) -> Zone:
    """The way straight ahead, from the ego origin on."""
    return Zone(0.0, front_m, -PATH_HALF_WIDTH_M, PATH_HALF_WIDTH_M)


def on_the_left(back_m: float, front_m: float) -> Zone:
    """The strip left of the way, a lane wide."""
    return Zone(back_m, front_m, PATH_HALF_WIDTH_M, LANE_FAR_SIDE_M)


def on_the_right(back_m: float, front_m: float) -> Zone:
    """The strip right of the way, a lane wide."""
    return Zone(back_m, front_m, -LANE_FAR_SIDE_M, -PATH_HALF_WIDTH_M)


def footprints_of(objects: pl.DataFrame, frame: Literal["own", "query"] = "own") -> Footprints:
    """Footprints of objects, with columns length_m and width_m.

    Args:
        objects: The objects.
        frame: Whether in the ego frames of their own key frames (columns ego_x_m, ego_y_m, yaw_rad) or in those of
            query frames (columns query_x_m, query_y_m, query_yaw_rad, see `windows.objects_later`).
    """
    x, y, yaw = _PLACE[frame]
    return Footprints(
        objects.select(x, y).to_numpy(),
        objects.select("length_m", "width_m").to_numpy().astype(np.float64) / 2,
        objects[yaw].to_numpy().astype(np.float64),
    )


def ego_footprints(origins_m: Array, yaws_rad: Array) -> Footprints:
    """Footprints of the ego vehicle at n places of its origin, shape (n, 2), with headings of shape (n,)."""
    along = np.stack([np.cos(yaws_rad), np.sin(yaws_rad)], axis=-1)
    half_size = np.array([(EGO_FRONT_M - EGO_REAR_M) / 2, EGO_HALF_WIDTH_M])
    return Footprints(
        origins_m + along * (EGO_FRONT_M + EGO_REAR_M) / 2, np.tile(half_size, (len(yaws_rad), 1)), yaws_rad
    )


def nearest_in_zone(queries: pl.DataFrame, objects: pl.DataFrame, separation: str) -> pl.DataFrame:
    """How far the nearest object is from reaching into a zone at each query frame.

    Args:
        queries: Columns scene and frame.
        objects: Columns scene, frame and the separation.
        separation: Name of that column; null where it is not known.

    Returns:
        The queries with that column, null without any object; and `{separation}_known`, false where an object of
        unknown separation could be in the zone though no other is.
    """
    value = pl.col(separation)
    known = f"{separation}_known"
    nearest = objects.group_by("scene", "frame").agg(
        value.min(), ((value.min() <= 0).fill_null(value=False) | (value.null_count() == 0)).alias(known)
    )
    return queries.join(nearest, on=["scene", "frame"], how="left", maintain_order="left").with_columns(
        pl.col(known).fill_null(value=True)
    )
