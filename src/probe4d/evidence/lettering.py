"""Words in pictures, in the one font that comes with Pillow, so that a picture is the same on every machine."""

from __future__ import annotations

import math
from functools import cache

from PIL import Image, ImageDraw, ImageFont

__all__ = ["frame_words", "letter", "line_px", "text_px", "width_px"]

_SMALLEST_PX, _PART_OF_SIDE = 11, 60
_UNREADABLE_PX = 6


def frame_words(label: int) -> str:
    """What is written into every picture of a key frame: `frame 012`."""
    return f"frame {label:03d}"


def text_px(max_side_px: int) -> int:
    """Size of type that stays legible in a picture of that longest side."""
    return max(_SMALLEST_PX, round(max_side_px / _PART_OF_SIDE))


def line_px(size_px: int) -> int:
    """Height of a line of that size of type, with air."""
    return round(size_px * 1.5)


def letter(
    image: Image.Image,
    text: str,
    box: tuple[int, int, int, int],
    *,
    fill: int | tuple[int, int, int],
    size_px: int,
    anchor: str = "l",
) -> None:
    """Write one line, smaller where it would not fit.

    Args:
        image: Where to write.
        text: The line.
        box: Left, top, right and bottom in pixels; the line is put in the middle of its height.
        fill: Colour in the image's mode.
        size_px: Largest size of type.
        anchor: `l`, `m` or `r`: to the left, in the middle or to the right of the box.
    """
    left, top, right, bottom = box
    while size_px > _UNREADABLE_PX and _font(size_px).getlength(text) > right - left:
        size_px -= 1
    at = ({"l": left, "m": (left + right) / 2, "r": right}[anchor], (top + bottom) / 2)
    ImageDraw.Draw(image).text(at, text, fill=fill, font=_font(size_px), anchor=f"{anchor}m")


def width_px(text: str, size_px: int) -> int:
    """Width of a line in pixels."""
    return math.ceil(_font(size_px).getlength(text))


@cache
def _font(size_px: int) -> ImageFont.ImageFont | ImageFont.FreeTypeFont:
    return ImageFont.load_default(size_px)
