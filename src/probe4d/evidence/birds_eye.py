"""The bird's-eye view: LiDAR points of a key frame from above, in the ego frame, heading up.

The picture is a raster of palette indices: greys for paper, rings and words, then one colour a height. Where
several points fall into a pixel the highest is seen.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from functools import lru_cache
from io import BytesIO
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from probe4d.evidence.lettering import frame_words, letter, line_px, text_px, width_px
from probe4d.evidence.marks import Bounds, Mark, draw_marks
from probe4d.evidence.pictures import PictureOptions
from probe4d.evidence.viridis import viridis
from probe4d.scenes.ego_vehicle import EGO_FRONT_M, EGO_HALF_WIDTH_M, EGO_REAR_M
from probe4d.scenes.tables import Scenes

__all__ = ["EXTENT_M", "LOWEST_M", "RING_STEP_M", "TOP_M", "bounds_from_above", "draw_birds_eye", "rasterised"]

EXTENT_M = 50.0
"""How far the picture reaches from the ego origin to the front, the back and either side, metres."""
RING_STEP_M = 10
"""Distance between rings around the ego origin, metres."""
LOWEST_M, TOP_M = -1.0, 4.0
"""Heights above the ego origin that have the first and the last colour, metres; what lies beyond has the same."""

_DOT_PART_OF_SIDE = 500
"""A point is a dot of this part of the panel's side."""

_GREYS = 32
"""Palette indices 0 (black) to 31 (white) are greys; colours of heights follow."""
_PAPER, _INK, _PANEL, _AXIS, _RING, _WORDS, _EGO = 255, 0, 8, 56, 96, 224, 255
"""Brightness of what is drawn in grey, 0 to 255. Nothing else in the panel is as bright as the ego vehicle."""
_EGO_OUTLINE_M = (
    (EGO_FRONT_M, 0.0),
    (EGO_FRONT_M - 1.1, EGO_HALF_WIDTH_M),
    (EGO_REAR_M, EGO_HALF_WIDTH_M),
    (EGO_REAR_M, -EGO_HALF_WIDTH_M),
    (EGO_FRONT_M - 1.1, -EGO_HALF_WIDTH_M),
)
"""The ego vehicle, pointed to the front."""
_MARGIN_PX = 4
_COMPRESSION = 2
_LEGEND = f"LiDAR from above, ego vehicle heading up, rings every {RING_STEP_M} m"

Bytes = NDArray[np.uint8]


class _Template(NamedTuple):
    """What all pictures of one size share.

    Attributes:
        canvas: Palette indices, shape (height, width). Points lie above all of it but the ego vehicle, so that
            nothing hides them.
        strip_px: Height of the strip above the panel, which is square.
    """

    canvas: Bytes
    strip_px: int


def draw_birds_eye(
    points_m: NDArray[np.floating] | None, label: int, options: PictureOptions, marks: Sequence[Mark] = ()
) -> bytes:
    """Draw a bird's-eye view as PNG, `max_side_px` high.

    PNG, since points are sharp and few: it is a third of the size of a good JPEG, and loses nothing.

    Args:
        points_m: x, y, z in the ego frame, metres, shape (n, 3), all finite; null leaves the picture blank but for
            the frame number.
        label: Frame number to be written.
        options: Size; the quality is of no account.
        marks: Objects that are marked in the panel (see `bounds_from_above`).
    """
    template = _template(options.max_side_px)
    canvas = template.canvas.copy()
    panel = canvas[template.strip_px :]
    if points_m is None:
        canvas[: template.strip_px] = _grey(_PAPER)
        panel[:] = 0
    else:
        points = rasterised(points_m, panel.shape[0])
        np.copyto(panel, points, where=(points > 0) & (panel != _grey(_EGO)))
    _write_frame(canvas, label, options.max_side_px)
    image = Image.fromarray(canvas)
    image.putpalette(_palette().tobytes())
    if marks:
        image = image.convert("RGB")
        drawn = image.crop((0, template.strip_px, *image.size))
        draw_marks(drawn, marks)
        image.paste(drawn, (0, template.strip_px))
    encoded = BytesIO()
    image.save(encoded, "PNG", compress_level=_COMPRESSION)
    return encoded.getvalue()


def bounds_from_above(scenes: Scenes, tokens: Iterable[str]) -> dict[str, Bounds]:
    """Where the footprints of boxes lie in the panel of the bird's-eye view of their own key frame.

    Args:
        scenes: The scenes.
        tokens: Tokens of 3D boxes.

    Returns:
        Bounds as parts of the panel, by token, without boxes that lie wholly beyond it.
    """
    wanted = pl.Series("token", sorted(set(tokens)), dtype=pl.String)
    boxes = scenes.boxes.filter(pl.col("token").is_in(wanted.implode()))
    x, y, yaw, length, width = boxes.select("ego_x", "ego_y", "ego_yaw", "length", "width").to_numpy().T
    ahead = (np.abs(np.cos(yaw)) * length + np.abs(np.sin(yaw)) * width) / 2
    aside = (np.abs(np.sin(yaw)) * length + np.abs(np.cos(yaw)) * width) / 2
    reach = np.stack([EXTENT_M - y - aside, EXTENT_M - x - ahead, EXTENT_M - y + aside, EXTENT_M - x + ahead], axis=-1)
    parts = np.clip(reach / (2 * EXTENT_M), 0, 1)
    shown = (parts[:, :2] < parts[:, 2:]).all(axis=1)
    named = boxes["token"].filter(pl.Series(shown))
    return {token: (*bounds,) for token, bounds in zip(named, parts[shown].tolist(), strict=True)}


def rasterised(points_m: NDArray[np.floating], side_px: int) -> Bytes:
    """Palette indices of the highest point in each pixel of a square panel, 0 without one, shape (side, side).

    Args:
        points_m: x, y, z in the ego frame, metres, shape (n, 3).
        side_px: Side of the panel.
    """
    pixels = np.floor((EXTENT_M - points_m[:, :2]) * (side_px / (2 * EXTENT_M)))
    inside = ((pixels >= 0) & (pixels < side_px)).all(axis=1)
    rows, columns = pixels[inside].astype(np.intp).T
    share = (points_m[inside, 2] - LOWEST_M) / (TOP_M - LOWEST_M)
    colours = _colour_of(share)
    panel = np.zeros(side_px * side_px, dtype=np.uint8)
    np.maximum.at(panel, rows * side_px + columns, colours)
    return _thickened(panel.reshape(side_px, side_px), max(1, round(side_px / _DOT_PART_OF_SIDE)))


def _colour_of(share: NDArray[np.floating]) -> Bytes:
    """Palette index of a height given as its share of the way from `LOWEST_M` to `TOP_M`, clipped to 0 and 1."""
    index: Bytes = (_GREYS + np.clip(share, 0, 1) * (255 - _GREYS)).astype(np.uint8)
    return index


def _thickened(panel: Bytes, dot_px: int) -> Bytes:
    """Every point as a square of `dot_px` pixels, the highest on top."""
    for _ in range(dot_px - 1):
        panel[1:] = np.maximum(panel[1:], panel[:-1])
        panel[:, 1:] = np.maximum(panel[:, 1:], panel[:, :-1])
    return panel


def _write_frame(canvas: Bytes, label: int, max_side_px: int) -> None:
    size_px = text_px(max_side_px)
    line = Image.new("L", (canvas.shape[1] // 3, line_px(size_px)), _PAPER)
    letter(line, frame_words(label), (_MARGIN_PX, 0, line.width, line.height), fill=_INK, size_px=size_px)
    canvas[: line.height, : line.width] = _grey(np.asarray(line))


@lru_cache(maxsize=4)
def _template(max_side_px: int) -> _Template:
    size_px = text_px(max_side_px)
    line = line_px(size_px)
    strip = 2 * line
    side = max_side_px - strip
    paper = Image.new("L", (side, max_side_px), _PAPER)
    letter(paper, _LEGEND, (_MARGIN_PX, line, side - _MARGIN_PX, strip), fill=_INK, size_px=size_px)
    panel = Image.new("L", (side, side), _PANEL)
    _draw_rings(panel, size_px)
    inset = size_px
    for word, at in {
        "front": (side / 2, inset),
        "back": (side / 2, side - inset),
        "left": (1.5 * inset, side / 2),
        "right": (side - 1.5 * inset, side / 2),
    }.items():
        _write_on_patch(panel, word, at, size_px)
    ImageDraw.Draw(panel).polygon([_place(x, y, side) for x, y in _EGO_OUTLINE_M], fill=_EGO)
    paper.paste(panel, (0, strip))
    canvas = _grey(np.asarray(paper))
    _draw_scale(canvas, line, size_px)
    return _Template(canvas, strip)


def _draw_rings(panel: Image.Image, size_px: int) -> None:
    """Axes, and rings with their radii: written twice, since points may lie on one of them."""
    side, middle = panel.width, panel.width / 2
    draw = ImageDraw.Draw(panel)
    draw.line((0, middle, side, middle), fill=_AXIS)
    draw.line((middle, 0, middle, side), fill=_AXIS)
    for radius_m in range(RING_STEP_M, int(EXTENT_M) + 1, RING_STEP_M):
        draw.circle((middle, middle), radius_m * side / (2 * EXTENT_M), outline=_RING)
        along = radius_m * math.sqrt(0.5)
        for at in (_place(along, -along, side), _place(-along, along, side)):
            _write_on_patch(panel, f"{radius_m} m", at, size_px)


def _place(x_m: float, y_m: float, side_px: int) -> tuple[float, float]:
    """Where a point of the ego frame lies in a panel: across and down, pixels."""
    scale = side_px / (2 * EXTENT_M)
    return (EXTENT_M - y_m) * scale, (EXTENT_M - x_m) * scale


def _write_on_patch(panel: Image.Image, text: str, at: tuple[float, float], size_px: int) -> None:
    """Write a word with its middle at a point, lines under it interrupted."""
    across, down = width_px(text, size_px) / 2 + 2, size_px * 0.6
    patch = (int(at[0] - across), int(at[1] - down), int(at[0] + across), int(at[1] + down))
    panel.paste(_PANEL, patch)
    letter(panel, text, patch, fill=_WORDS, size_px=size_px, anchor="m")


def _draw_scale(indices: Bytes, height: int, size_px: int) -> None:
    """The legend of heights: a bar of all colours between the lowest height and the highest."""
    width = indices.shape[1]
    left, right = round(width * 0.62), round(width * 0.86)
    bar = _colour_of(np.linspace(0, 1, right - left))
    indices[height // 4 : height - height // 4, left:right] = bar
    words = Image.new("L", (width, height), _PAPER)
    lowest, top = f"height {LOWEST_M:g} m", f"{TOP_M:g} m"
    letter(words, lowest, (width // 3, 0, left - 4, height), fill=_INK, size_px=size_px, anchor="r")
    letter(words, top, (right + 4, 0, width, height), fill=_INK, size_px=size_px)
    grey = _grey(np.asarray(words))
    indices[:height, width // 3 : left] = grey[:, width // 3 : left]
    indices[:height, right:] = grey[:, right:]


def _grey(brightness: int | Bytes) -> Bytes:
    """Palette index of a brightness from 0 to 255."""
    return np.asarray(brightness, dtype=np.uint8) // (256 // _GREYS)


@lru_cache(maxsize=1)
def _palette() -> Bytes:
    """Red, green and blue of every palette index, shape (256, 3)."""
    greys = np.linspace(0, 255, _GREYS).round().astype(np.uint8)
    return np.concatenate([np.repeat(greys[:, np.newaxis], 3, axis=1), viridis(256 - _GREYS)])
