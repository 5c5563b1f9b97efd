"""Marks on the objects of a picture, and where objects lie in it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import polars as pl
from PIL import Image

from probe4d.evidence.outlines import COLOURS, Colour, Outline, draw_outlines
from probe4d.scenes.image_boxes import image_boxes_in
from probe4d.scenes.tables import Scenes

__all__ = ["Bounds", "Mark", "bounds_in_images", "draw_marks"]

Bounds = tuple[float, float, float, float]
"""Left, top, right and bottom as parts of the width and height of an image, 0 to 1."""


class Mark(NamedTuple):
    """An object to be marked in a picture.

    Attributes:
        text: What stands on its tag, such as a letter; empty for no tag.
        channel: Camera in whose image it is marked, or the LiDAR of a bird's-eye view.
        bounds: Where.
        colour: Of its outline; null takes one that no other mark of the picture has, as long as there are enough.
    """

    text: str
    channel: str
    bounds: Bounds
    colour: Colour | None = None


def bounds_in_images(scenes: Scenes, objects: Iterable[tuple[str, str]]) -> dict[tuple[str, str], Bounds]:
    """Where objects show in the images of cameras, as `image_boxes` has it, computed for these alone.

    Args:
        scenes: The scenes.
        objects: Channel of a camera, and token of a 3D box, which is looked for at its own key frame.

    Returns:
        Bounds by channel and token, without objects that the camera does not show.

    Raises:
        InputError: One of these cameras has no image size or no intrinsics there.
    """
    wanted = pl.DataFrame(list(objects), schema={"channel": pl.String(), "token": pl.String()}, orient="row").unique()
    shown = image_boxes_in(scenes, scenes.boxes.join(wanted, on="token"), wanted["token"])
    sizes = scenes.sensors.select("scene", "frame", "channel", "width", "height")
    places = (
        shown.join(wanted, on=["channel", "token"], how="semi")
        .join(sizes, on=["scene", "frame", "channel"])
        .with_columns(pl.col("left_px", "right_px") / pl.col("width"), pl.col("top_px", "bottom_px") / pl.col("height"))
        .select("channel", "token", "left_px", "top_px", "right_px", "bottom_px")
    )
    return {(channel, token): (*bounds,) for channel, token, *bounds in places.iter_rows()}


def draw_marks(image: Image.Image, marks: Sequence[Mark]) -> None:
    """Draw marks on an image, each in a colour of its own as long as there are enough.

    Args:
        image: An RGB image of the whole of what the bounds are parts of; it is changed.
        marks: The marks, whatever their channels.
    """
    draw_outlines(image, [_outline(mark, image.size, COLOURS[at % len(COLOURS)]) for at, mark in enumerate(marks)])


def _outline(mark: Mark, size_px: tuple[int, int], usual: Colour) -> Outline:
    (width, height), (left, top, right, bottom) = size_px, mark.bounds
    return Outline(left * width, top * height, right * width, bottom * height, mark.text, mark.colour or usual)
