"""Where boxes of earlier key frames would be in an image, if what is in them moved on as it did."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from probe4d.scenes.estimated.schema import BOX
from probe4d.scenes.geometry import SE3
from probe4d.scenes.projection import Cameras, project

__all__ = ["FASTEST_MPS", "Seen", "ego_poses", "global_places", "predicted_boxes", "seen_boxes"]

FASTEST_MPS = 40.0
"""Speed over the ground from which a change of place is a wrong place, and not a speed."""

_LEAST_DEPTH_M = 1.0
"""Depth below which a predicted place is too close to the camera, or behind it, for its box to mean anything."""

Array = NDArray[np.float64]


class Seen(NamedTuple):
    """Boxes of images, n of them.

    Attributes:
        boxes: Left, top, right and bottom in pixels, shape (n, 4).
        frames: Their key frames, shape (n,).
        times_s: When their images were taken, seconds, shape (n,).
        places: Where they stand on flat ground, in the global frame, metres, shape (n, 3); NaN where that is unknown.
        depths_m: Depth of these places along the optical axis, metres, shape (n,).
        velocities: How these places move, metres a second, shape (n, 3); NaN where that is unknown.
        categories: Codes of their classes, shape (n,).
        kinds: Codes of what they may be mistaken for, shape (n,).
        tracks: Numbers of their tracks, shape (n,).
    """

    boxes: Array
    frames: NDArray[np.int64]
    times_s: Array
    places: Array
    depths_m: Array
    velocities: Array
    categories: NDArray[np.int64]
    kinds: NDArray[np.int64]
    tracks: NDArray[np.int64]

    def at(self, rows: slice | NDArray[np.intp] | NDArray[np.bool_]) -> Seen:
        """Some of them; with a slice, views of them."""
        return Seen._make(values[rows] for values in self)

    def with_more(self, more: Seen) -> Seen:
        """These, and more after them."""
        return Seen._make(np.concatenate(pair) for pair in zip(self, more, strict=True))


def seen_boxes(
    objects: pl.DataFrame, cameras: Cameras, categories: NDArray[np.int64], kinds: NDArray[np.int64]
) -> Seen:
    """Boxes with their places in the global frame; of no track yet.

    Args:
        objects: Boxes in pixels, with `frame`, `timestamp_us`, `x_m`, `y_m` and the pose of `SENSORS_SCHEMA`.
        cameras: The camera of each box.
        categories: Codes of their classes.
        kinds: Codes of what they may be mistaken for.
    """
    places = global_places(objects, ego_poses(objects))
    return Seen(
        boxes=objects.select(BOX).to_numpy(),
        frames=objects["frame"].cast(pl.Int64).to_numpy(),
        times_s=objects["timestamp_us"].to_numpy() / 1e6,
        places=places,
        depths_m=cameras.camera_SE3_global.apply(places)[:, 2],
        velocities=np.full((objects.height, 3), np.nan),
        categories=categories,
        kinds=kinds,
        tracks=np.full(objects.height, -1, dtype=np.int64),
    )


def ego_poses(objects: pl.DataFrame) -> SE3:
    """global_SE3_ego at the time of each box's image, from the pose columns of `SENSORS_SCHEMA`."""
    rotation, translation = (
        objects.select(f"pose_{part}" for part in parts).to_numpy()
        for parts in (("qw", "qx", "qy", "qz"), ("x", "y", "z"))
    )
    return SE3.from_quaternion(rotation, translation)


def global_places(objects: pl.DataFrame, global_SE3_ego: SE3) -> Array:
    """Where objects stand, in the global frame, metres, shape (n, 3); NaN where that is unknown.

    Args:
        objects: Columns `x_m` and `y_m`, n rows.
        global_SE3_ego: The ego pose of each.
    """
    on_ground = objects.select(pl.col("x_m", "y_m").fill_null(float("nan")), z=pl.lit(0.0)).to_numpy()
    return global_SE3_ego.apply(on_ground)


def predicted_boxes(seen: Seen, camera: Cameras, time_s: float) -> Array:
    """Where boxes would be in the image of a camera.

    What is in a box moves on over the ground at its velocity, or stands where that is not known; the box keeps the
    size that it has at its depth. A box whose place is not known, or would be behind the camera, stays as it is.

    Args:
        seen: The boxes, n of them.
        camera: One camera, with transforms of shape (3, 3) and (3,).
        time_s: When its image is taken, seconds.

    Returns:
        Left, top, right and bottom in pixels, shape (n, 4).
    """
    elapsed_s = (time_s - seen.times_s)[:, np.newaxis]
    places = seen.places + np.nan_to_num(seen.velocities) * elapsed_s
    bottom = project(camera.camera_SE3_global.apply(places), camera.intrinsics)
    is_known = np.isfinite(bottom.depth_m) & (bottom.depth_m >= _LEAST_DEPTH_M) & (seen.depths_m > 0)
    scale = np.divide(seen.depths_m, bottom.depth_m, out=np.ones_like(seen.depths_m), where=is_known)
    half_width = (seen.boxes[:, 2] - seen.boxes[:, 0]) * scale / 2
    height = (seen.boxes[:, 3] - seen.boxes[:, 1]) * scale
    u, v = bottom.pixels.T
    moved = np.stack([u - half_width, v - height, u + half_width, v], axis=-1)
    return np.where(is_known[:, np.newaxis], moved, seen.boxes)
