"""An encoded picture, as models are sent it."""

from __future__ import annotations

import hashlib

import msgspec

__all__ = ["Image", "image_of"]


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
