"""The image of one camera as it is, with nothing around it, and the objects marked that a question names."""

from __future__ import annotations

from collections.abc import Sequence

from PIL import Image

from probe4d.evidence.camera_grid import USUAL_PX, Camera
from probe4d.evidence.image import jpeg_of
from probe4d.evidence.marks import Mark, draw_marks
from probe4d.evidence.photographs import fitted_px, open_photograph
from probe4d.evidence.pictures import PictureOptions

__all__ = ["draw_blank_image", "draw_image"]


def draw_image(camera: Camera, options: PictureOptions, marks: Sequence[Mark] = ()) -> bytes:
    """Draw the image of a camera as JPEG, no larger than it is.

    Args:
        camera: The camera.
        options: Size and quality.
        marks: Objects that are marked in it, after it has got its size.

    Raises:
        InputError: The image cannot be read.
    """
    photograph = open_photograph(camera.path, _box_px(options), may_grow=False)
    draw_marks(photograph, marks)
    return jpeg_of(photograph, options.jpeg_quality)


def draw_blank_image(size_px: tuple[int, int] | None, options: PictureOptions) -> bytes:
    """Draw a black picture as large as that of a camera with such images, as JPEG.

    Args:
        size_px: Width and height of the camera's images; null where the dataset does not say.
        options: Size and quality.
    """
    size_px = fitted_px(size_px or USUAL_PX, _box_px(options), may_grow=False)
    return jpeg_of(Image.new("RGB", size_px), options.jpeg_quality)


def _box_px(options: PictureOptions) -> tuple[int, int]:
    return options.max_side_px, options.max_side_px
