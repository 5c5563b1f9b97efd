"""Whole pictures of a video: a heading, what the sensors saw, a legend, and words beside it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from PIL import Image

from probe4d.evidence.birds_eye import LOWEST_M, TOP_M
from probe4d.evidence.lettering import frame_words, letter, line_px, width_px
from probe4d.report.video.camera_tiles import CameraTiles
from probe4d.report.video.cards import Cards
from probe4d.report.video.colours import INK, MUTED, PAPER, box_colours, height_colours
from probe4d.report.video.drawn_scene import DrawnScene
from probe4d.report.video.exchanges import Exchange
from probe4d.report.video.lidar_panel import LidarPanel
from probe4d.report.video.marking import Marking
from probe4d.report.video.options import VideoOptions
from probe4d.report.video.sensing import Sensing
from probe4d.report.video.words import fitted, plain

__all__ = ["Composition"]

_COLUMN_PART, _STRIP_PART = 0.34, 0.24
_PIXELS_A_LETTER, _SMALLEST_LETTERS_PX = 45, 11
_VIEWED = {
    "above": "LiDAR from above, ego vehicle heading up",
    "orbit": "LiDAR, seen from a point that turns round the ego vehicle",
    "cameras": "camera images",
}


class Composition:
    """Draws the pictures of a video.

    Args:
        recorded: The scene.
        sensing: Its sensors.
        options: What is shown, and how large.
        span: First and last key frame.
        title: Name of the scene.
        exchanges: Questions beside it.
        model: Name of the model that answered them; null without.

    Raises:
        InputError: There are no cameras to show, where some were asked for.
    """

    def __init__(
        self,
        recorded: DrawnScene,
        sensing: Sensing,
        options: VideoOptions,
        span: tuple[int, int],
        *,
        title: str,
        exchanges: Sequence[Exchange] = (),
        model: str | None = None,
    ) -> None:
        self._recorded = recorded
        width, height = options.size_px
        self._letters_px = letters = max(_SMALLEST_LETTERS_PX, round(height / _PIXELS_A_LETTER))
        self._line_px = line_px(letters)
        column = round(_COLUMN_PART * width) if exchanges else 0
        body = (width - column, height - 2 * self._line_px)
        cameras = sensing.cameras(options.cameras) if options.strip or options.view == "cameras" else {}
        strip = round(_STRIP_PART * body[1]) if options.strip else 0
        self._below = (body[0], body[1] - strip)
        self._lidar = self._tiles = self._cards = None
        marking = Marking(recorded, exchanges)
        if options.view != "cameras":
            self._lidar = LidarPanel(recorded, sensing, options, self._below, letters, span, marking)
        if cameras:
            room = (body[0], strip) if options.strip else body
            self._tiles = CameraTiles(recorded, sensing, cameras, options, room, letters, marking)
        if exchanges:
            self._cards = Cards(exchanges, (column, body[1]), letters, model)
        self._template = self._drawn_template(options, title)

    def draw(self, frame: int) -> Image.Image:
        """The picture of a key frame, RGB."""
        image = self._template.copy()
        self._write_moment(image, frame)
        top = self._line_px
        if self._lidar is not None:
            image.paste(self._lidar.draw(frame), (0, top))
            top += self._below[1]
        if self._tiles is not None:
            image.paste(self._tiles.draw(frame), (0, top))
        if self._cards is not None:
            image.paste(self._cards.draw(frame), (self._below[0], self._line_px))
        return image

    def _write_moment(self, image: Image.Image, frame: int) -> None:
        letters = self._letters_px
        time = f"{self._recorded.times_s[frame]:.1f} s"
        right = image.width - letters
        letter(image, time, (0, 0, right, self._line_px), fill=INK, size_px=letters, anchor="r")
        right -= width_px("000.0 s", letters) + letters
        words = f"{frame_words(frame)} of {frame_words(self._recorded.keyframes - 1).split()[-1]}"
        letter(image, words, (0, 0, right, self._line_px), fill=INK, size_px=letters, anchor="r")

    def _drawn_template(self, options: VideoOptions, title: str) -> Image.Image:
        """What all pictures share: the heading's words and the legend."""
        image = Image.new("RGB", options.size_px, PAPER)
        letters, line = self._letters_px, self._line_px
        room = image.width - width_px("frame 0000 of 0000  000.0 s", letters) - 3 * letters
        title = fitted(title, room - letters, letters)
        letter(image, title, (letters, 0, room, line), fill=INK, size_px=letters)
        after = 2 * letters + width_px(title, letters)
        if after + width_px(_VIEWED[options.view], letters) <= room:
            letter(image, _VIEWED[options.view], (after, 0, room, line), fill=MUTED, size_px=letters)
        top = image.height - line
        right = image.width - letters if options.view == "cameras" else self._draw_heights(image, top)
        self._draw_kinds(image, top, right, options)
        return image

    def _draw_heights(self, image: Image.Image, top: int) -> int:
        """The scale of heights at the right of the legend; give where it begins."""
        letters, line = self._letters_px, self._line_px
        low, high = f"height {LOWEST_M:g} m", f"{TOP_M:g} m"
        right = image.width - letters
        letter(image, high, (0, top, right, top + line), fill=MUTED, size_px=letters, anchor="r")
        right -= width_px(high, letters) + letters // 2
        left = right - 7 * letters
        colours = height_colours(np.linspace(LOWEST_M, TOP_M, right - left))
        bar = np.repeat(colours[np.newaxis], line // 2, axis=0)
        image.paste(Image.fromarray(bar), (left, top + line // 4))
        right = left - letters // 2
        letter(image, low, (0, top, right, top + line), fill=MUTED, size_px=letters, anchor="r")
        return right - width_px(low, letters) - letters

    def _draw_kinds(self, image: Image.Image, top: int, right: int, options: VideoOptions) -> None:
        """What the colours of boxes stand for, the most frequent first, as far as there is room."""
        letters, line = self._letters_px, self._line_px
        if options.coloured_by == "track":
            words = "boxes: a colour a track, dark where no LiDAR return lies in one"
            letter(image, words, (letters, top, right, top + line), fill=MUTED, size_px=letters)
            return
        left = letters
        for kind, colour in zip(
            self._recorded.kinds, box_colours(self._recorded.kinds, self._recorded.kinds, "class"), strict=True
        ):
            words = plain(kind)
            end = left + letters + letters // 3 + width_px(words, letters)
            if end > right:
                break
            image.paste(colour, (left, top + line // 4, left + letters, top + line - line // 4))
            letter(image, words, (left + letters + letters // 3, top, end, top + line), fill=MUTED, size_px=letters)
            left = end + letters
