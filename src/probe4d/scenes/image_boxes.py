"""Boxes of objects in camera images: where the part of a 3D box that an image shows begins and ends."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from probe4d.errors import InputError
from probe4d.scenes.canvas import bounds_on_canvas
from probe4d.scenes.projection import Cameras, project_boxes
from probe4d.scenes.tables import Scenes

__all__ = ["IMAGE_BOXES_SCHEMA", "image_boxes", "image_boxes_in", "refuse_unusable_cameras"]

Array = NDArray[np.float64]

IMAGE_BOXES_SCHEMA: dict[str, pl.DataType] = {
    "scene": pl.String(),
    "frame": pl.Int32(),
    "channel": pl.String(),
    "token": pl.String(),  # of the 3D box
    "left_px": pl.Float64(),
    "top_px": pl.Float64(),
    "right_px": pl.Float64(),
    "bottom_px": pl.Float64(),
    "camera_x": pl.Float64(),  # centre of the 3D box in the frame of the camera at its own time, metres: to the right
    "camera_y": pl.Float64(),  # down
    "camera_z": pl.Float64(),  # forward, along the optical axis
}

_GEOMETRY = ["x", "y", "z", "length", "width", "height", "qw", "qx", "qy", "qz"]
_MEASURED = ["left_px", "top_px", "right_px", "bottom_px", "camera_x", "camera_y", "camera_z"]
_PAIRS_AT_ONCE = 1 << 16  # of a reading and a box, so that memory does not grow with the number of scenes


def image_boxes(scenes: Scenes) -> pl.DataFrame:
    """Boxes in images, as nuscenes-devkit's `export_2d_annotations_as_json.py` makes them, before any rounding.

    The corners of a 3D box that lie in front of the camera (depth > 0) are projected, with the ego pose at the
    camera's own time; the image box bounds what their convex hull and the image, from 0 to its width and height, have
    in common. There is none where that is nothing, or has no width or no height because the hull only touches the
    image (on which the exporter fails, as on the line between only two corners in front).

    Args:
        scenes: The scenes. Every camera reading of a key frame is taken with every box of that key frame.

    Returns:
        Columns of `IMAGE_BOXES_SCHEMA`, a row for each box in each image that shows it, in the order of
        `scenes.sensors` and, within an image, of `scenes.boxes`.

    Raises:
        InputError: A camera reading has no image size, or no intrinsics of a pinhole camera.
    """
    readings = scenes.sensors.filter(pl.col("modality") == "camera")
    refuse_unusable_cameras(readings, scenes)
    pairs = (
        readings.select("scene", "frame")
        .with_row_index("reading")
        .join(
            scenes.boxes.select("scene", "frame").with_row_index("box"),
            on=["scene", "frame"],
            maintain_order="left_right",
        )
    )
    reading, box = pairs["reading"].to_numpy(), pairs["box"].to_numpy()
    canvases, geometry = _Canvases.of(readings), scenes.boxes.select(_GEOMETRY)
    shown, measured = [np.zeros(0, np.int64)], [np.zeros((0, len(_MEASURED)))]
    for start in range(0, pairs.height, _PAIRS_AT_ONCE):
        some = slice(start, start + _PAIRS_AT_ONCE)
        rows, values = _measure(geometry[box[some]], canvases.at(reading[some]))
        shown.append(rows + start)
        measured.append(values)
    rows = np.concatenate(shown)
    columns = pl.DataFrame(np.concatenate(measured), schema=_MEASURED)
    places = readings.select("scene", "frame", "channel")[reading[rows]]
    return places.with_columns(scenes.boxes["token"].gather(box[rows]), *columns).select(*IMAGE_BOXES_SCHEMA)


def image_boxes_in(scenes: Scenes, images: pl.DataFrame, tokens: Iterable[str]) -> pl.DataFrame:
    """Boxes in images, as `image_boxes` has them, of some objects in some images alone.

    Args:
        scenes: The scenes.
        images: The images, by `scene`, `frame` and `channel`; no others are looked at.
        tokens: Tokens of 3D boxes, which are looked for in those images that are of their own key frame.

    Returns:
        As `image_boxes`.

    Raises:
        InputError: As `image_boxes`, of these images.
    """
    boxes = scenes.boxes.filter(pl.col("token").is_in(pl.Series(list(tokens), dtype=pl.String).implode()))
    sensors = scenes.sensors.join(images, on=["scene", "frame", "channel"], how="semi", maintain_order="left")
    return image_boxes(replace(scenes, sensors=sensors, boxes=boxes))


class _Canvases(NamedTuple):
    """What cameras see, n of them.

    Attributes:
        cameras: The cameras.
        size_px: Width and height of their images, shape (n, 2).
        inward: Unit normals, in the camera frame, of the five planes through the camera's origin that bound what it
            sees, shape (n, 5, 3): a point is in front of it, and right of the left border of the image, left of the
            right one, below the upper and above the lower one, if it lies on the side that they point to.
    """

    cameras: Cameras
    size_px: Array
    inward: Array

    @classmethod
    def of(cls, readings: pl.DataFrame) -> _Canvases:
        cameras, size_px = Cameras.of(readings), readings.select("width", "height").to_numpy().astype(np.float64)
        from_left_and_top, forward = cameras.intrinsics[:, :2], cameras.intrinsics[:, 2:]
        from_right_and_bottom = size_px[..., np.newaxis] * forward - from_left_and_top
        normals = np.concatenate([forward, from_left_and_top, from_right_and_bottom], axis=1)
        return cls(cameras, size_px, normals / np.linalg.norm(normals, axis=-1, keepdims=True))

    def at(self, index: NDArray[np.integer]) -> _Canvases:
        return _Canvases(self.cameras.at(index), self.size_px[index], self.inward[index])


def _measure(boxes: pl.DataFrame, canvases: _Canvases) -> tuple[NDArray[np.int64], Array]:
    """Which of n boxes show on their canvases, each with one of its own, and the columns `_MEASURED` of these."""
    centre = canvases.cameras.camera_SE3_global.apply(boxes.select("x", "y", "z").to_numpy())
    reach = np.linalg.norm(boxes.select("length", "width", "height").to_numpy(), axis=1) / 2
    # Wholly behind one of the planes is outside the image, and most boxes are: only the others are projected.
    inside = np.einsum("nij,nj->ni", canvases.inward, centre)
    rows = np.flatnonzero((inside > -reach[:, np.newaxis]).all(axis=1))
    projected = project_boxes(boxes[rows], canvases.cameras.at(rows))
    in_front = np.where((projected.depth_m > 0)[..., np.newaxis], projected.pixels, np.nan)
    bounds = bounds_on_canvas(in_front, canvases.size_px[rows])
    shows = np.isfinite(bounds[:, 0])
    return rows[shows], np.hstack([bounds[shows], centre[rows[shows]]])


def refuse_unusable_cameras(readings: pl.DataFrame, scenes: Scenes) -> None:
    """Refuse camera readings that nothing can be projected into."""
    matrix = pl.col("intrinsics")
    bottom = [matrix.list.get(number, null_on_oob=True) for number in (6, 7, 8)]
    is_pinhole = (matrix.list.len() == 9) & pl.all_horizontal(
        entry == wanted for entry, wanted in zip(bottom, (0, 0, 1), strict=True)
    )
    for what, is_right in (
        ("has no image size", (pl.col("width") > 0) & (pl.col("height") > 0)),
        ("has no intrinsics of a pinhole camera (3 x 3, the last row 0 0 1)", is_pinhole),
    ):
        wrong = readings.filter(~is_right.fill_null(value=False))
        if wrong.height:
            scene, frame, channel = wrong.select("scene", "frame", "channel").row(0)
            raise InputError(
                f"{channel} {what}, so that nothing can be said to lie in its images.",
                path=scenes.root / scenes.version,
                row=f"{scene}, key frame {frame}",
                remedy="Mend the tables.",
            )
