"""Objects in views: which objects a camera image shows large and clearly enough to be asked about.

Filters follow NuScenes-SpatialQA, Appendix B.2.
"""

from __future__ import annotations

import math
from typing import Literal, NamedTuple, get_args

import msgspec
import polars as pl

from probe4d.errors import InputError
from probe4d.scenes.image_boxes import image_boxes
from probe4d.scenes.tables import Scenes

__all__ = [
    "VIEWS_SCHEMA",
    "Filters",
    "ObjectsInViews",
    "UnknownVisibility",
    "filtered",
    "objects_in_views",
    "shown_objects",
    "with_kinds",
]

UnknownVisibility = Literal["keep", "drop"]

VIEWS_SCHEMA: dict[str, pl.DataType] = {
    "scene": pl.String(),
    "frame": pl.Int32(),
    "channel": pl.String(),  # of the camera
    "token": pl.String(),  # of the 3D box
    "track": pl.String(),
    "category": pl.String(),
    "label": pl.String(),  # one of probe4d.scenes.classes.CLASSES, or null
    "kind": pl.String(),  # vehicle (categories `vehicle.*`, with or without a motor), pedestrian, or null
    "visibility": pl.UInt8(),  # level 1 to 4; null is unknown
    "lidar_points": pl.Int32(),
    "left_px": pl.Float64(),
    "top_px": pl.Float64(),
    "right_px": pl.Float64(),
    "bottom_px": pl.Float64(),
    "camera_x": pl.Float64(),  # centre in the frame of the camera at its own time, metres: to the right
    "camera_y": pl.Float64(),  # down
    "camera_z": pl.Float64(),  # forward
    "ego_x": pl.Float64(),  # centre in the ego frame of the key frame, metres
    "ego_y": pl.Float64(),
    "ego_z": pl.Float64(),
    "ego_yaw": pl.Float64(),  # radians
    "length": pl.Float64(),  # metres
    "width": pl.Float64(),
    "height": pl.Float64(),
}

_LEVELS = range(1, 5)


class Filters(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What an object must be like in an image to be asked about.

    Attributes:
        min_visibility: Lowest visibility level, 1 to 4; 4 is 80 to 100 % over all cameras of the key frame.
        unknown_visibility: What becomes of objects whose visibility the dataset does not say.
        min_side_px: The image box is wider and higher than this, in pixels.
    """

    min_visibility: int = 4
    unknown_visibility: UnknownVisibility = "keep"
    min_side_px: float = 40.0

    def __post_init__(self) -> None:
        if self.min_visibility not in _LEVELS:
            raise InputError(f"the lowest visibility must be a level from 1 to 4, not {self.min_visibility}.")
        if self.unknown_visibility not in get_args(UnknownVisibility):
            raise InputError(f"objects of unknown visibility are kept or dropped, not {self.unknown_visibility!r}.")
        if not (math.isfinite(self.min_side_px) and self.min_side_px >= 0):
            raise InputError(f"the smallest side of an image box must be at least 0 px, not {self.min_side_px}.")


class ObjectsInViews(NamedTuple):
    """Objects in the views that show them.

    Attributes:
        objects: Columns of `VIEWS_SCHEMA`, a row for each object in each camera image that shows it, sorted by scene,
            frame, channel and track. Rows that were kept with unknown visibility have none.
        exclusions: Number of image boxes that a filter left out, by reason; each is counted for the first that applies.
    """

    objects: pl.DataFrame
    exclusions: dict[str, int]


def shown_objects(scenes: Scenes) -> pl.DataFrame:
    """Find the objects that camera images show, however small or hidden.

    Args:
        scenes: The scenes.

    Returns:
        Columns of `VIEWS_SCHEMA`, a row for each object in each camera image that shows it, sorted by scene, frame,
        channel and track.

    Raises:
        InputError: A camera reading has no image size, or no intrinsics of a pinhole camera.
    """
    known = with_kinds(scenes.boxes.drop("scene", "frame"))
    joined = image_boxes(scenes).join(known, on="token", how="left", validate="m:1", maintain_order="left")
    return joined.select(*VIEWS_SCHEMA).sort("scene", "frame", "channel", "track")


def objects_in_views(scenes: Scenes, filters: Filters) -> ObjectsInViews:
    """Find the objects that camera images show, and leave out those too small or not visible enough.

    Args:
        scenes: The scenes.
        filters: What is left out.

    Raises:
        InputError: As `shown_objects`.
    """
    return filtered(shown_objects(scenes), filters)


def filtered(shown: pl.DataFrame, filters: Filters) -> ObjectsInViews:
    """Leave out objects that are too small in an image, or not visible enough.

    Args:
        shown: Columns of `VIEWS_SCHEMA`.
        filters: What is left out.
    """
    sides = [pl.col("right_px") - pl.col("left_px"), pl.col("bottom_px") - pl.col("top_px")]
    large = shown.filter(pl.all_horizontal(side > filters.min_side_px for side in sides))
    is_unknown = pl.col("visibility").is_null()
    clear = large.filter(is_unknown | (pl.col("visibility") >= filters.min_visibility))
    objects = clear if filters.unknown_visibility == "keep" else clear.filter(~is_unknown)
    counts = {
        f"image box at most {filters.min_side_px:g} px wide or high": shown.height - large.height,
        f"visibility below level {filters.min_visibility}": large.height - clear.height,
        "visibility unknown": clear.height - objects.height,
    }
    return ObjectsInViews(objects, {reason: count for reason, count in counts.items() if count})


def with_kinds(boxes: pl.DataFrame) -> pl.DataFrame:
    """Add the column `kind` of `VIEWS_SCHEMA`, which follows from `category`."""
    category = pl.col("category")
    return boxes.with_columns(
        kind=pl.when(category.str.starts_with("vehicle."))
        .then(pl.lit("vehicle"))
        .when(category.str.starts_with("human.pedestrian."))
        .then(pl.lit("pedestrian"))
    )
