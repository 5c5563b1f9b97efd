"""The best view of each track: the crop of an image that its caption is written from.

The choice follows NuScenes-SpatialQA, Sec. 3.1.2 and Appendix B.3.
"""

from __future__ import annotations

import numpy as np
import polars as pl
from numpy.typing import NDArray

from probe4d.errors import InputError
from probe4d.evidence.photographs import whole_photograph
from probe4d.scenes.tables import Scenes
from probe4d.store.files import inside

__all__ = ["BEST_VIEWS_SCHEMA", "best_views"]

BEST_VIEWS_SCHEMA: dict[str, pl.DataType] = {
    "scene": pl.String(),
    "track": pl.String(),
    "category": pl.String(),
    "frame": pl.Int32(),
    "channel": pl.String(),
    "token": pl.String(),  # of the 3D box
    "file": pl.String(),  # the image, relative to the dataset folder
    "mean_grey": pl.Float64(),  # of the image box, without margin: 0 (black) to 255 (white)
    "left_px": pl.Int32(),  # the crop, margin included: its first column of pixels
    "top_px": pl.Int32(),  # its first row
    "right_px": pl.Int32(),  # the first column beyond it
    "bottom_px": pl.Int32(),  # the first row beyond it
}

_CANDIDATES = 3
_MARGIN_PX = 100
_TRACK = ["scene", "track"]
_EDGES = ["left_px", "top_px", "right_px", "bottom_px"]


def best_views(scenes: Scenes, objects: pl.DataFrame) -> pl.DataFrame:
    """Choose the best view of each track.

    Of all views of a track in its scene the three whose image boxes have the largest area stand for choice, and the
    one with the highest mean grey (ITU-R 601 luma over the pixels that the image box touches) is taken. Of equal
    ones, in both steps, the earlier key frame comes first, then the channel by name. Only then does the crop get its
    margin, which would otherwise have a say in the brightness: 100 pixels on each side, as far as the image reaches.

    Args:
        scenes: The scenes; the images of their cameras are read.
        objects: Objects in views of these scenes, columns of `probe4d.benchmarks.spatial_qa.views.VIEWS_SCHEMA`.

    Returns:
        Columns of `BEST_VIEWS_SCHEMA`, a row for each track of a scene, sorted by scene and track.

    Raises:
        InputError: An image is missing, damaged or no image, or not as large as the dataset's tables say.
    """
    candidates = _largest(objects).join(
        scenes.sensors.select("scene", "frame", "channel", "file", image_width="width", image_height="height"),
        on=["scene", "frame", "channel"],
        validate="m:1",
        maintain_order="left",
    )
    candidates = candidates.with_columns(
        pl.col("left_px", "top_px").floor().cast(pl.Int32), pl.col("right_px", "bottom_px").ceil().cast(pl.Int32)
    )
    brightest = _best_first(candidates.with_columns(_mean_greys(scenes, candidates)), "mean_grey")
    return (
        brightest.unique(_TRACK, keep="first", maintain_order=True)
        .with_columns(
            (pl.col("left_px", "top_px") - _MARGIN_PX).clip(lower_bound=0),
            pl.min_horizontal(pl.col("right_px") + _MARGIN_PX, "image_width").alias("right_px"),
            pl.min_horizontal(pl.col("bottom_px") + _MARGIN_PX, "image_height").alias("bottom_px"),
        )
        .select(*BEST_VIEWS_SCHEMA)
    )


def _largest(objects: pl.DataFrame) -> pl.DataFrame:
    """The views of each track that stand for choice."""
    area = (pl.col("right_px") - pl.col("left_px")) * (pl.col("bottom_px") - pl.col("top_px"))
    ordered = _best_first(objects.with_columns(area=area), "area")
    return ordered.group_by(_TRACK, maintain_order=True).head(_CANDIDATES)


def _best_first(views: pl.DataFrame, measure: str) -> pl.DataFrame:
    """Views by track, those with the highest measure first."""
    return views.sort(*_TRACK, measure, "frame", "channel", descending=[False, False, True, False, False])


def _mean_greys(scenes: Scenes, candidates: pl.DataFrame) -> pl.Series:
    """Mean grey of each candidate's image box. Each image is read once, for all that it shows."""
    greys = np.zeros(candidates.height)
    by_image = candidates.with_row_index("row").group_by("file", "image_width", "image_height", maintain_order=True)
    for (file, *size_px), shown in by_image:
        grey = _grey_image(scenes, str(file), (size_px[0], size_px[1]))
        for row, left, top, right, bottom in shown.select("row", *_EDGES).iter_rows():
            greys[row] = grey[top:bottom, left:right].mean()
    return pl.Series("mean_grey", greys)


def _grey_image(scenes: Scenes, file: str, size_px: tuple[object, object]) -> NDArray[np.uint8]:
    """The grey values of an image, rows by columns."""
    path = inside(scenes.root, file)
    image = whole_photograph(path)
    if image.size != size_px:
        raise InputError(
            f"is {image.width} x {image.height} px, and the dataset's tables say {size_px[0]} x {size_px[1]}, so that"
            " objects are not where they are said to be.",
            path=path,
            remedy="Put the original image there, or scale width, height and intrinsics alike.",
        )
    return np.asarray(image.convert("L"))
