"""The surround grid: what all cameras of a key frame see, each under its name."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from PIL import Image

from probe4d.evidence.image import jpeg_of
from probe4d.evidence.lettering import frame_words, letter, line_px, text_px
from probe4d.evidence.marks import Mark, draw_marks
from probe4d.evidence.photographs import open_photograph
from probe4d.evidence.pictures import PictureOptions

__all__ = ["SURROUND", "USUAL_PX", "Camera", "camera_name", "draw_blank_grid", "draw_grid", "in_grid_order"]

SURROUND: dict[str, str] = {
    "CAM_FRONT_LEFT": "front-left",
    "CAM_FRONT": "front",
    "CAM_FRONT_RIGHT": "front-right",
    "CAM_BACK_LEFT": "back-left",
    "CAM_BACK": "back",
    "CAM_BACK_RIGHT": "back-right",
}
"""The six cameras of nuScenes in the order of the grid, row by row, and what they are called in it."""

USUAL_PX = (1600, 900)
"""Width and height that images are taken to have where a dataset does not say."""

_GAP_PX = 6
_SMALLEST_TILE_PX = 120
_MARGIN_PX = 4
_PAPER, _INK, _CAPTION, _CAPTION_INK = (255, 255, 255), (0, 0, 0), (32, 36, 42), (255, 255, 255)
_BLACK = (0, 0, 0)


class Camera(NamedTuple):
    """A camera of the grid.

    Attributes:
        channel: Its channel.
        path: Its image.
        size_px: Width and height of its images as the dataset has them; null where it does not say.
    """

    channel: str
    path: Path
    size_px: tuple[int, int] | None


def camera_name(channel: str) -> str:
    """What a camera is called in pictures and prompts: in words if it is one of nuScenes, else by its channel."""
    return SURROUND.get(channel, channel)


def in_grid_order(bearings_deg: Mapping[str, float]) -> tuple[str, ...]:
    """Channels in the order of the grid.

    The cameras of nuScenes have their fixed places. Others go by where they look: those that look ahead from left
    to right, then those that look back, as one sees them who turns left all the way round.

    Args:
        bearings_deg: Bearing of each camera's optical axis in the ego frame, degrees, positive to the left.
    """
    if all(channel in SURROUND for channel in bearings_deg):
        return tuple(channel for channel in SURROUND if channel in bearings_deg)

    def place(channel: str) -> tuple[bool, float, str]:
        bearing = bearings_deg[channel]
        backward = abs(bearing) > 90
        return backward, bearing % 360 if backward else -bearing, channel

    return tuple(sorted(bearings_deg, key=place))


class _Layout(NamedTuple):
    columns: int
    tile_px: tuple[int, int]
    text_px: int
    strip_px: int
    size_px: tuple[int, int]

    def corner(self, number: int) -> tuple[int, int]:
        """Left and top of a tile's caption, which lies above its image."""
        row, column = divmod(number, self.columns)
        width, height = self.tile_px
        return column * (width + _GAP_PX), self.strip_px + row * (self.strip_px + height + _GAP_PX)


def draw_grid(cameras: Sequence[Camera], label: int, options: PictureOptions, marks: Sequence[Mark] = ()) -> bytes:
    """Draw the grid of a key frame as JPEG.

    Args:
        cameras: At least one, in the order of the grid.
        label: Frame number to be written.
        options: Size and quality.
        marks: Objects that are marked in the images of their cameras.

    Raises:
        InputError: An image cannot be read.
    """
    layout = _layout(tuple(camera.size_px for camera in cameras), options.max_side_px)
    grid = _captions(tuple(camera.channel for camera in cameras), layout).copy()
    for number, camera in enumerate(cameras):
        photograph = open_photograph(camera.path, layout.tile_px)
        draw_marks(photograph, [mark for mark in marks if mark.channel == camera.channel])
        left, top = layout.corner(number)
        spare_across, spare_down = (side - of for side, of in zip(layout.tile_px, photograph.size, strict=True))
        grid.paste(photograph, (left + spare_across // 2, top + layout.strip_px + spare_down // 2))
    return _finished(grid, label, layout, options)


def draw_blank_grid(sizes_px: Sequence[tuple[int, int] | None], label: int, options: PictureOptions) -> bytes:
    """Draw a picture as large as the grid of such cameras, black but for the frame number, as JPEG.

    Args:
        sizes_px: Width and height of each camera's images; null where the dataset does not say.
        label: Frame number to be written.
        options: Size and quality.
    """
    layout = _layout(tuple(sizes_px), options.max_side_px)
    grid = Image.new("RGB", layout.size_px, _PAPER)
    grid.paste(_BLACK, (0, layout.strip_px, *layout.size_px))
    return _finished(grid, label, layout, options)


def _finished(grid: Image.Image, label: int, layout: _Layout, options: PictureOptions) -> bytes:
    box = (_MARGIN_PX, 0, grid.width - _MARGIN_PX, layout.strip_px)
    letter(grid, frame_words(label), box, fill=_INK, size_px=layout.text_px)
    return jpeg_of(grid, options.jpeg_quality)


@lru_cache(maxsize=8)
def _captions(channels: tuple[str, ...], layout: _Layout) -> Image.Image:
    """A grid without its images."""
    grid = Image.new("RGB", layout.size_px, _PAPER)
    width, height = layout.tile_px
    for number, channel in enumerate(channels):
        left, top = layout.corner(number)
        under = top + layout.strip_px
        grid.paste(_CAPTION, (left, top, left + width, under))
        grid.paste(_BLACK, (left, under, left + width, under + height))
        box = (left + _MARGIN_PX, top, left + width - _MARGIN_PX, under)
        letter(grid, camera_name(channel), box, fill=_CAPTION_INK, size_px=layout.text_px, anchor="m")
    return grid


@lru_cache(maxsize=64)
def _layout(sizes_px: tuple[tuple[int, int] | None, ...], max_side_px: int) -> _Layout:
    """Equal tiles as large as fit, none larger than the images."""
    columns = len(sizes_px) if len(sizes_px) <= 3 else math.ceil(math.sqrt(len(sizes_px)))
    rows = math.ceil(len(sizes_px) / columns)
    text = text_px(max_side_px)
    strip = line_px(text)
    full_width, full_height = (max(sides) for sides in zip(*(size or USUAL_PX for size in sizes_px), strict=True))
    aspect = full_height / full_width
    room_across = (max_side_px - (columns - 1) * _GAP_PX) // columns
    room_down = (max_side_px - strip - (rows - 1) * _GAP_PX) // rows - strip
    width = max(1, min(room_across, int(room_down / aspect), max(full_width, _SMALLEST_TILE_PX)))
    height = max(1, min(round(width * aspect), room_down))
    size = (columns * width + (columns - 1) * _GAP_PX, strip + rows * (strip + height) + (rows - 1) * _GAP_PX)
    return _Layout(columns, (width, height), text, strip, size)
