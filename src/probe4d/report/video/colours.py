"""Colours of what is drawn: bright lines over points whose colours are those of heights."""

from __future__ import annotations

import colorsys
import hashlib
from collections.abc import Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from probe4d.evidence.birds_eye import LOWEST_M, TOP_M
from probe4d.evidence.viridis import viridis
from probe4d.report.video.options import ColouredBy

__all__ = ["DARK", "EGO", "INK", "MUTED", "PAPER", "RIGHT", "RING", "Colour", "box_colours", "faded", "height_colours"]

Colour = tuple[int, int, int]

PAPER: Colour = (22, 27, 34)
"""What words stand on."""
DARK: Colour = (8, 10, 13)
"""What points and images stand on."""
INK: Colour = (228, 233, 239)
MUTED: Colour = (150, 161, 174)
RIGHT: Colour = (109, 220, 150)
RING: Colour = (52, 60, 70)
EGO: Colour = (255, 255, 255)

_OF_CLASS: dict[str, Colour] = {
    "car": (255, 159, 64),
    "truck": (255, 92, 80),
    "bus": (255, 120, 214),
    "pedestrian": (92, 200, 255),
    "bicycle": (200, 160, 255),
    "motorcycle": (150, 120, 255),
    "trailer": (214, 100, 120),
    "construction vehicle": (255, 206, 150),
    "barrier": (170, 178, 190),
    "traffic cone": (255, 245, 140),
}
_OF_OTHERS: Colour = (205, 205, 205)
_POINTS_DIMMED = 0.8
_HEIGHTS = 224
_FADED = 0.5


def box_colours(kinds: Sequence[str], tracks: Sequence[str], coloured_by: ColouredBy) -> list[Colour]:
    """A colour for each box, the same in every picture: of its class, or of its track."""
    if coloured_by == "class":
        return [_OF_CLASS.get(kind, _OF_OTHERS) for kind in kinds]
    return [_of_track(track) for track in tracks]


def faded(colour: Colour, share: float = _FADED) -> Colour:
    """A colour with some share of its brightness."""
    red, green, blue = (round(share * part) for part in colour)
    return red, green, blue


def height_colours(heights_m: NDArray[np.floating]) -> NDArray[np.uint8]:
    """Colours of points by their height in the ego frame, as in the bird's-eye view, shape (n, 3)."""
    share = np.clip((heights_m - LOWEST_M) / (TOP_M - LOWEST_M), 0, 1)
    colours: NDArray[np.uint8] = _heights()[(share * (_HEIGHTS - 1)).astype(np.intp)]
    return colours


@cache
def _heights() -> NDArray[np.uint8]:
    return (viridis(_HEIGHTS) * _POINTS_DIMMED).astype(np.uint8)


def _of_track(track: str) -> Colour:
    number = int.from_bytes(hashlib.sha256(track.encode()).digest()[:4])
    hue, bright = (number % 360) / 360, 0.85 + (number // 360 % 4) * 0.05
    red, green, blue = (round(255 * part) for part in colorsys.hsv_to_rgb(hue, 0.55, bright))
    return red, green, blue
