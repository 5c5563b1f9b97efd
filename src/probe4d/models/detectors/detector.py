"""What finds objects in images: a small interface."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Protocol

import msgspec
from PIL import Image

__all__ = ["Detection", "Detector"]

Share = Annotated[float, msgspec.Meta(ge=0, le=1)]


class Detection(msgspec.Struct, frozen=True, kw_only=True):
    """One object found in an image.

    Attributes:
        category: The prompt that found it.
        left_px: Left edge of its box, pixels from the left edge of the image.
        top_px: Upper edge, pixels from the upper edge of the image.
        right_px: Right edge.
        bottom_px: Lower edge.
        confidence: How sure the detector is, 0 to 1.
        mask_quality: How good its mask is, 0 to 1; null where the detector makes none.
        area_px: Area of its mask in pixels; null where the detector makes none.
    """

    category: str
    left_px: float
    top_px: float
    right_px: float
    bottom_px: float
    confidence: Share
    mask_quality: Share | None = None
    area_px: float | None = None


class Detector(Protocol):
    """Finds objects by prompts."""

    @property
    def name(self) -> str:
        """What it is, in a word."""

    @property
    def fingerprint(self) -> str:
        """Digest of everything that its detections depend on but images and prompts."""

    def detect(self, images: Sequence[Image.Image], prompts: Sequence[str]) -> list[list[Detection]]:
        """Find objects.

        Args:
            images: RGB, of any sizes.
            prompts: What is looked for, such as `car`.

        Returns:
            For each image what was found, with boxes inside the image.

        Raises:
            RunError: The memory does not suffice.
        """
