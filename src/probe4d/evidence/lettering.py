"""Words in pictures, in the one font that comes with Pillow, so that a picture is the same on every machine."""

from __future__ import annotations

from functools import cache

from PIL import Image, ImageDraw, ImageFont

__all__ = ["frame_words", "letter", "text_px"]

_SMALLEST_PX, _PART_OF_SIDE = 11, 60
_UNREADABLE_PX = 6

_Font = ImageFont.ImageFont | ImageFont.FreeTypeFont


def frame_words(label: int) -> str:
    """What is written into every picture of a key frame: `frame 012`."""
    return f"frame {label:03d}"


def text_px(max_side_px: int) -> int:
    """Size of type that stays legible in a picture of that longest side."""
    return max(_SMALLEST_PX, round(max_side_px / _PART_OF_SIDE))


def letter(
    image: Image.Image,
    text: str,
    box: tuple[int, int, int, int],
    *,
    fill: int | tuple[int, int, int],
    size_px: int,
    anchor: str = "l",
) -> tuple[int, int, int, int]:
    """Write one line, smaller where it would not fit.

    Args:
        image: Where to write.
        text: The line.
        box: Left, top, right and bottom in pixels; the line is put in the middle of its height.
        fill: Colour in the image's mode.
        size_px: Largest size of type.
        anchor: `l`, `m` or `r`: to the left, in the middle or to the right of the box.

    Returns:
        Left, top, right and bottom of what was written.
    """
    left, top, right, bottom = box
    while size_px > _UNREADABLE_PX and _font(size_px).getlength(text) > right - left:
        size_px -= 1
    at = ({"l": left, "m": (left + right) / 2, "r": right}[anchor], (top + bottom) / 2)
    draw = ImageDraw.Draw(image)
    draw.text(at, text, fill=fill, font=_font(size_px), anchor=f"{anchor}m")
    written = draw.textbbox(at, text, font=_font(size_px), anchor=f"{anchor}m")
    return (int(written[0]), int(written[1]), int(written[2]) + 1, int(written[3]) + 1)


@cache
def _font(size_px: int) -> _Font:
    return ImageFont.load_default(size_px)
