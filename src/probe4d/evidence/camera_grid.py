"""The surround grid: what all cameras of a key frame see, each under its name."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from io import BytesIO
from pathlib import Path
from typing import NamedTuple

from PIL import Image

from probe4d.errors import InputError
from probe4d.evidence.lettering import frame_words, letter, text_px
from probe4d.evidence.photographs import open_photograph
from probe4d.evidence.pictures import PictureOptions

__all__ = ["SURROUND", "Camera", "camera_name", "draw_grid", "in_grid_order"]

SURROUND: dict[str, str] = {
    "CAM_FRONT_LEFT": "front-left",
    "CAM_FRONT": "front",
    "CAM_FRONT_RIGHT": "front-right",
    "CAM_BACK_LEFT": "back-left",
    "CAM_BACK": "back",
    "CAM_BACK_RIGHT": "back-right",
}
"""The six cameras of nuScenes in the order of the grid, row by row, and what they are called in it."""

_GAP_PX = 6
_SMALLEST_TILE_PX = 120
_DEFAULT_SIZE_PX = (1600, 900)
_PAGE, _INK, _CAPTION, _CAPTION_INK = (255, 255, 255), (0, 0, 0), (32, 36, 42), (255, 255, 255)
_BLACK = (0, 0, 0)


class Camera(NamedTuple):
    """A camera of the grid.

    Attributes:
        channel: Its channel.
        path: Its image; null where the picture is blank.
        size_px: Width and height of its images as the dataset has them; null where it does not say.
    """

    channel: str
    path: Path | None
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
        """Left and top of a tile's caption."""
        row, column = divmod(number, self.columns)
        width, height = self.tile_px
        return column * (width + _GAP_PX), self.strip_px + row * (self.strip_px + height + _GAP_PX)


def draw_grid(cameras: Sequence[Camera], label: int, options: PictureOptions, *, black: bool = False) -> bytes:
    """Draw the grid of a key frame as JPEG.

    Args:
        cameras: At least one, in the order of the grid.
        label: Frame number to be written.
        options: Size and quality.
        black: Whether to leave it blank but for the frame number.

    Raises:
        InputError: An image cannot be read.
    """
    layout = _layout([camera.size_px or _DEFAULT_SIZE_PX for camera in cameras], options.max_side_px)
    grid = Image.new("RGB", layout.size_px, _PAGE)
    width, height = layout.size_px
    letter(grid, frame_words(label), (2, 0, width, layout.strip_px), fill=_INK, size_px=layout.text_px)
    if black:
        grid.paste(_BLACK, (0, layout.strip_px, width, height))
    else:
        for number, camera in enumerate(cameras):
            _draw_tile(grid, camera, layout.corner(number), layout)
    encoded = BytesIO()
    grid.save(encoded, "JPEG", quality=options.jpeg_quality)
    return encoded.getvalue()


def _draw_tile(grid: Image.Image, camera: Camera, corner: tuple[int, int], layout: _Layout) -> None:
    if camera.path is None:
        raise InputError(f"has no image of {camera.channel}.")
    (left, top), (width, height) = corner, layout.tile_px
    under = top + layout.strip_px
    grid.paste(_CAPTION, (left, top, left + width, under))
    box = (left + 4, top, left + width - 4, under)
    letter(grid, camera_name(camera.channel), box, fill=_CAPTION_INK, size_px=layout.text_px, anchor="m")
    photograph = open_photograph(camera.path, layout.tile_px)
    if photograph.size != layout.tile_px:
        grid.paste(_BLACK, (left, under, left + width, under + height))
    grid.paste(photograph, (left + (width - photograph.width) // 2, under + (height - photograph.height) // 2))


def _layout(sizes_px: Sequence[tuple[int, int]], max_side_px: int) -> _Layout:
    """Equal tiles as large as fit, none larger than the images."""
    columns = len(sizes_px) if len(sizes_px) <= 3 else math.ceil(math.sqrt(len(sizes_px)))
    rows = math.ceil(len(sizes_px) / columns)
    text = text_px(max_side_px)
    strip = round(text * 1.5)
    full_width, full_height = (max(sides) for sides in zip(*sizes_px, strict=True))
    aspect = full_height / full_width
    room_across = (max_side_px - (columns - 1) * _GAP_PX) // columns
    room_down = (max_side_px - strip - (rows - 1) * _GAP_PX) // rows - strip
    width = max(1, min(room_across, int(room_down / aspect), max(full_width, _SMALLEST_TILE_PX)))
    height = max(1, round(width * aspect))
    size = (columns * width + (columns - 1) * _GAP_PX, strip + rows * (strip + height) + (rows - 1) * _GAP_PX)
    return _Layout(columns, (width, height), text, strip, size)
