"""Camera images of a dataset, read with the care that files of strangers need."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path

from PIL import Image, UnidentifiedImageError

from probe4d.errors import InputError
from probe4d.scenes.sensor_files import FETCH_AGAIN, read_sensor_file

__all__ = ["MAX_PIXELS", "fitted_px", "open_photograph", "whole_photograph"]

MAX_PIXELS = 64_000_000
"""More pixels than any camera of a vehicle has: a file that declares more is not decoded."""

_FORMATS = ("JPEG", "PNG")
_END_OF_JPEG = b"\xff\xd9"
_DAMAGE = (OSError, SyntaxError, ValueError, EOFError, IndexError, OverflowError, struct.error, zlib.error)
"""What Pillow raises for files that are no images or are damaged."""


def open_photograph(path: Path, box_px: tuple[int, int], *, may_grow: bool = True) -> Image.Image:
    """Read an image and fit it into a box, its aspect kept.

    A JPEG is decoded at the smallest of its scales (1, 1/2, 1/4, 1/8) that fills the box.

    Args:
        path: A JPEG or PNG file.
        box_px: Width and height of the box.
        may_grow: Whether an image that is smaller than the box is enlarged.

    Returns:
        An RGB image as wide as the box, or as high; as it is where it may not grow.

    Raises:
        InputError: The file cannot be read, is no such image, is damaged or cut off, or is larger than `MAX_PIXELS`.
    """
    with _sound(path) as image:
        return _resized(image, fitted_px(image.size, box_px, may_grow=may_grow))


def fitted_px(size_px: tuple[int, int], box_px: tuple[int, int], *, may_grow: bool = True) -> tuple[int, int]:
    """Width and height of an image that is fitted into a box as `open_photograph` does it."""
    scale = min(of_box / of_image for of_box, of_image in zip(box_px, size_px, strict=True))
    if not may_grow:
        scale = min(scale, 1)
    width, height = (max(1, round(side * scale)) for side in size_px)
    return width, height


def whole_photograph(path: Path) -> Image.Image:
    """Read an image in its full size, RGB.

    Args:
        path: A JPEG or PNG file.

    Raises:
        InputError: As for `open_photograph`.
    """
    with _sound(path) as image:
        return image.convert("RGB")


@contextmanager
def _sound(path: Path) -> Iterator[Image.Image]:
    """An image whose pixels are decoded in the block."""
    content = read_sensor_file(path)
    try:
        yield _opened(content, path)
    except _DAMAGE as error:
        raise InputError(f"is damaged ({error}).", path=path, remedy=FETCH_AGAIN) from error


def _opened(content: bytes, path: Path) -> Image.Image:
    if not content:
        raise InputError("is empty.", path=path, remedy=FETCH_AGAIN)
    try:
        image = Image.open(BytesIO(content), formats=_FORMATS)
    except UnidentifiedImageError as error:
        raise InputError("is no JPEG or PNG image.", path=path, remedy=FETCH_AGAIN) from error
    except (Image.DecompressionBombError, Image.DecompressionBombWarning) as error:
        raise _too_large(path) from error
    image.decodermaxblock = len(content)  # decoded in one go: Pillow's blocks of 64 KiB cost a tenth of the time
    if image.width * image.height > MAX_PIXELS:
        raise _too_large(path)
    if image.format != "PNG" and _END_OF_JPEG not in content[-1024:]:
        raise InputError("is cut off: the JPEG has no end.", path=path, remedy=FETCH_AGAIN)
    return image


def _resized(image: Image.Image, size_px: tuple[int, int]) -> Image.Image:
    image.draft("RGB", size_px)
    if image.mode != "RGB":
        image = image.convert("RGB")
    return image.resize(size_px, Image.Resampling.HAMMING)


def _too_large(path: Path) -> InputError:
    return InputError(
        f"declares more than {MAX_PIXELS // 1_000_000} million pixels, which no camera of a vehicle has.",
        path=path,
        remedy="Put the camera's image in its place.",
    )
