"""An encoded picture, as models are sent it."""

from __future__ import annotations

import hashlib
from io import BytesIO

import msgspec
from PIL import Image as PillowImage

__all__ = ["Image", "image_of", "jpeg_of"]


class Image(msgspec.Struct, frozen=True):
    """An encoded picture.

    Attributes:
        content: Bytes of the file.
        media_type: `image/jpeg` or `image/png`.
        digest: SHA-256 of the bytes, 64 hexadecimal digits.
    """

    content: bytes
    media_type: str
    digest: str


def image_of(content: bytes, media_type: str) -> Image:
    """An image with its digest."""
    return Image(content, media_type, hashlib.sha256(content).hexdigest())


def jpeg_of(pixels: PillowImage.Image, quality: int) -> bytes:
    """Encode pixels as JPEG of a quality from 1 to 95."""
    encoded = BytesIO()
    pixels.save(encoded, "JPEG", quality=quality)
    return encoded.getvalue()
