"""Boxes, trails and rings as lines, and labels that leave one another room."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from probe4d.evidence.lettering import letter, line_px, width_px
from probe4d.report.video.colours import DARK, Colour
from probe4d.report.video.drawn_scene import EDGES, Boxes
from probe4d.report.video.viewpoints import Viewpoint

__all__ = ["Bounds", "Labels", "bounds_in_picture", "bounds_of", "draw_boxes", "draw_lines", "label_boxes"]

Array = NDArray[np.float64]

Bounds = tuple[float, float, float, float]
"""Left, top, right and bottom in pixels."""

_GAP_PX = 3
_PATCH_DARKNESS = 0.7
_TOLD_BY_COLOUR = frozenset({"barrier", "traffic cone"})
"""Stand in long rows, whose labels would leave no room for others."""
_FRONT, _UNDER = [2, 3], [2, 3, 6, 7]  # corners at the bottom of the front, and of all of it


def draw_lines(
    image: Image.Image,
    viewpoint: Viewpoint,
    pieces_m: tuple[Array, Array],
    colours: Sequence[Colour],
    width_px: int = 1,
) -> None:
    """Draw straight lines.

    Args:
        image: RGB; changed.
        viewpoint: From where they are seen.
        pieces_m: Both ends of each in the frame that the viewpoint sees, metres, shape (n, 3) each.
        colours: One for each.
        width_px: Of the lines.
    """
    draw = ImageDraw.Draw(image)
    cut, which = viewpoint.lines(*pieces_m)
    for ends, line in zip(cut.tolist(), which.tolist(), strict=True):
        draw.line(ends, fill=colours[line], width=width_px)


def draw_boxes(
    image: Image.Image, viewpoint: Viewpoint, corners_m: Array, colours: Sequence[Colour], width_px: int = 1
) -> None:
    """Draw the edges of boxes, and under each a line from its middle to its front.

    Args:
        image: RGB; changed.
        viewpoint: From where they are seen.
        corners_m: In the frame that the viewpoint sees, metres, shape (n, 8, 3), in the order of `box_corners`.
        colours: One for each box.
        width_px: Of the lines.
    """
    if not len(corners_m):
        return
    middle, front = corners_m[:, _UNDER].mean(axis=1), corners_m[:, _FRONT].mean(axis=1)
    starts = np.concatenate([corners_m[:, EDGES[:, 0]], middle[:, np.newaxis]], axis=1)
    ends = np.concatenate([corners_m[:, EDGES[:, 1]], front[:, np.newaxis]], axis=1)
    each = [colour for colour in colours for _ in range(starts.shape[1])]
    draw_lines(image, viewpoint, (starts.reshape(-1, 3), ends.reshape(-1, 3)), each, width_px)


class Labels:
    """Labels of a picture; one for which there is no room is left out.

    Args:
        image: RGB; changed.
        size_px: Of the letters.
    """

    def __init__(self, image: Image.Image, size_px: int) -> None:
        self._image = image
        self._size_px = size_px
        self._taken: list[Bounds] = []

    def reserve(self, box: Bounds) -> None:
        """Keep a place free: left, top, right and bottom."""
        self._taken.append(box)

    def write(self, text: str, places: Sequence[tuple[float, float]], colour: Colour) -> None:
        """Write a label on a dark patch, at the first place where there is room.

        Args:
            text: One line.
            places: Where its middle may be, pixels right and down.
            colour: Of the letters.
        """
        width, height = width_px(text, self._size_px) + 2 * _GAP_PX, line_px(self._size_px)
        for across, down in places:
            left, top = round(across - width / 2), round(down - height / 2)
            box = (left, top, left + width, top + height)
            if left < 0 or top < 0 or box[2] > self._image.width or box[3] > self._image.height:
                continue
            if any(
                left < right and le < box[2] and top < low and high < box[3] for le, high, right, low in self._taken
            ):
                continue
            self._taken.append(box)
            patch = Image.blend(self._image.crop(box), Image.new("RGB", (width, height), DARK), _PATCH_DARKNESS)
            self._image.paste(patch, box[:2])
            letter(self._image, text, (left + _GAP_PX, top, box[2], box[3]), fill=colour, size_px=self._size_px)
            return

    def around(self, text: str, bounds: Bounds) -> list[tuple[float, float]]:
        """Where the middle of a label may be beside something: above it, to its right, to its left, below it."""
        left, top, right, bottom = bounds
        half, down = width_px(text, self._size_px) / 2 + 2 * _GAP_PX, line_px(self._size_px) / 2 + 1
        across, middle = (left + right) / 2, (top + bottom) / 2
        return [(across, top - down), (right + half, middle), (left - half, middle), (across, bottom + down)]


def bounds_of(viewpoint: Viewpoint, points_m: Array) -> Bounds:
    """Left, top, right and bottom of points that all lie before a viewpoint, pixels."""
    pixels = viewpoint.pixels(viewpoint.in_view(points_m))
    return (*pixels.min(axis=0).tolist(), *pixels.max(axis=0).tolist())


def bounds_in_picture(viewpoint: Viewpoint, corners_m: Array) -> Bounds | None:
    """Left, top, right and bottom of what a picture shows of a box's edges, pixels; null where it shows none of them.

    Args:
        viewpoint: From where it is seen.
        corners_m: Its corners in the frame that the viewpoint sees, metres, shape (8, 3), in the order of
            `box_corners`.
    """
    cut, _ = viewpoint.lines(corners_m[EDGES[:, 0]], corners_m[EDGES[:, 1]])
    if not len(cut):
        return None
    ends = cut.reshape(-1, 2)
    return (*ends.min(axis=0).tolist(), *ends.max(axis=0).tolist())


def label_boxes(
    labels: Labels, viewpoint: Viewpoint, boxes: Boxes, corners_m: Array, colours: Sequence[Colour], rows: Iterable[int]
) -> None:
    """Label boxes with their class and distance, the nearest first, but for barriers and cones.

    Args:
        labels: Where labels are written.
        viewpoint: From where the boxes are seen.
        boxes: All boxes of the key frame.
        corners_m: Their corners in the frame that the viewpoint sees.
        colours: One for each box.
        rows: Which of them.
    """
    shown: dict[int, Bounds] = {}
    for row in sorted(rows, key=lambda row: (float(boxes.range_m[row]), boxes.tracks[row])):
        if not viewpoint.is_perspective or viewpoint.in_view(corners_m[row])[:, 2].min() > 0:
            shown[row] = bounds_of(viewpoint, corners_m[row])
            labels.reserve(shown[row])
    for row, bounds in shown.items():
        if boxes.kinds[row] in _TOLD_BY_COLOUR:
            continue
        text = f"{boxes.kinds[row]} {boxes.range_m[row]:.0f} m"
        labels.write(text, labels.around(text, bounds), colours[row])
