"""The images of cameras at a key frame, side by side, boxes drawn into them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from PIL import Image

from probe4d.evidence.camera_grid import USUAL_PX, camera_name
from probe4d.evidence.lettering import letter, line_px
from probe4d.evidence.photographs import fitted_px
from probe4d.report.video.colours import DARK, INK, MUTED, PAPER, box_colours
from probe4d.report.video.drawn_scene import DrawnScene
from probe4d.report.video.lines import Labels, draw_boxes, label_boxes
from probe4d.report.video.marking import Marking
from probe4d.report.video.options import VideoOptions
from probe4d.report.video.sensing import Blank, Sensing
from probe4d.report.video.words import write_lines

__all__ = ["CameraTiles"]

_GAP_PX = 4
_FEW = 3
_LABELLED_PX = 200
"""Height of an image from which boxes in it are labelled."""
_LABELLED_M = 60.0
_PIXELS_A_STROKE = 600


class _Tile(NamedTuple):
    left: int
    top: int
    size_px: tuple[int, int]


class CameraTiles:
    """Draws the camera images of key frames of one scene.

    Boxes of which it is known that no LiDAR return lies in them are left out: most stand behind something.

    Args:
        recorded: The scene.
        sensing: Its sensors.
        cameras: Channels in the order in which they are shown, with the size of their images where it is known.
        options: Colours.
        size_px: Width and height of all of it.
        letters_px: Size of the letters.
        marking: Outlines what questions name.
    """

    def __init__(
        self,
        recorded: DrawnScene,
        sensing: Sensing,
        cameras: Mapping[str, tuple[int, int] | None],
        options: VideoOptions,
        size_px: tuple[int, int],
        letters_px: int,
        marking: Marking,
    ) -> None:
        self._recorded = recorded
        self._sensing = sensing
        self._options = options
        self._size_px = size_px
        self._letters_px = letters_px
        self._marking = marking
        self._tiles = _placed(cameras, size_px, line_px(letters_px))

    def draw(self, frame: int) -> Image.Image:
        """The images of a key frame, RGB; where one cannot be read, words say why."""
        image = Image.new("RGB", self._size_px, PAPER)
        for channel, tile in self._tiles.items():
            left, top, (width, height) = tile
            caption = line_px(self._letters_px)
            box = (left, top, left + width, top + caption)
            letter(image, camera_name(channel), box, fill=INK, size_px=self._letters_px, anchor="m")
            image.paste(self._drawn(frame, channel, (width, height)), (left, top + caption))
        return image

    def _drawn(self, frame: int, channel: str, size_px: tuple[int, int]) -> Image.Image:
        tile = Image.new("RGB", size_px, DARK)
        photograph = self._sensing.photograph(frame, channel, size_px)
        if isinstance(photograph, Blank):
            inset = self._letters_px
            box = (inset, inset, size_px[0] - inset, size_px[1] - inset)
            write_lines(tile, f"No image: {channel} {photograph.why}", box, fill=MUTED, size_px=self._letters_px)
            return tile
        self._draw_boxes(photograph, frame, channel)
        spare = [(side - own) // 2 for side, own in zip(size_px, photograph.size, strict=True)]
        tile.paste(photograph, (spare[0], spare[1]))
        return tile

    def _draw_boxes(self, photograph: Image.Image, frame: int, channel: str) -> None:
        viewpoint = self._sensing.through(frame, channel, photograph.size)
        boxes = self._recorded.boxes(frame)
        kept = np.flatnonzero(~boxes.is_empty)
        colours = box_colours(boxes.kinds, boxes.tracks, self._options.coloured_by)
        if viewpoint is not None:
            stroke = max(1, round(min(photograph.size) / _PIXELS_A_STROKE))
            draw_boxes(photograph, viewpoint, boxes.corners_m[kept], [colours[row] for row in kept], stroke)
        labels = Labels(photograph, self._letters_px)
        for tag in self._marking.draw(photograph, viewpoint, boxes.corners_m, frame, channel):
            labels.reserve(tag)
        if viewpoint is not None and photograph.height >= _LABELLED_PX:
            near = [int(row) for row in kept if boxes.range_m[row] <= _LABELLED_M]
            label_boxes(labels, viewpoint, boxes, boxes.corners_m, colours, near)


def _placed(
    cameras: Mapping[str, tuple[int, int] | None], size_px: tuple[int, int], caption_px: int
) -> dict[str, _Tile]:
    """Equal tiles in one row or two, or below one another where they are few, whichever makes them largest."""
    aspect = max((size or USUAL_PX for size in cameras.values()), key=lambda size: size[0] / size[1])
    many = len(cameras)
    columns = {many, -(-many // 2)} if many > _FEW else {many, 1}
    best = max(sorted(columns), key=lambda number: _room(many, number, size_px, caption_px, aspect))
    rows = -(-many // best)
    width, height = _room(many, best, size_px, caption_px, aspect)
    across = (size_px[0] - best * width - (best - 1) * _GAP_PX) // 2
    down = (size_px[1] - rows * (height + caption_px) - (rows - 1) * _GAP_PX) // 2
    places = {}
    for number, channel in enumerate(cameras):
        row, column = divmod(number, best)
        left, top = across + column * (width + _GAP_PX), down + row * (height + caption_px + _GAP_PX)
        places[channel] = _Tile(left, max(0, top), (width, height))
    return places


def _room(
    count: int, columns: int, size_px: tuple[int, int], caption_px: int, aspect: tuple[int, int]
) -> tuple[int, int]:
    """Width and height of a tile in so many columns."""
    rows = -(-count // columns)
    width = (size_px[0] - (columns - 1) * _GAP_PX) // columns
    height = (size_px[1] - (rows - 1) * _GAP_PX) // rows - caption_px
    return fitted_px(aspect, (max(1, width), max(1, height)))
