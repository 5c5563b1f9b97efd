"""One picture of the LiDAR's points, with boxes, trails and the ego vehicle."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from probe4d.evidence.lettering import line_px, width_px
from probe4d.report.video.colours import DARK, EGO, MUTED, RING, box_colours, faded, height_colours
from probe4d.report.video.drawn_scene import DrawnScene
from probe4d.report.video.lines import Labels, bounds_of, draw_boxes, draw_lines, label_boxes
from probe4d.report.video.marking import Marking
from probe4d.report.video.options import VideoOptions
from probe4d.report.video.points import draw_points
from probe4d.report.video.sensing import Blank, Sensing
from probe4d.report.video.viewpoints import Viewpoint, from_above, from_orbit
from probe4d.report.video.words import write_lines
from probe4d.scenes.ego_vehicle import EGO_FRONT_M, EGO_HALF_WIDTH_M, EGO_REAR_M
from probe4d.scenes.geometry import SE3

__all__ = ["LidarPanel"]

Array = NDArray[np.float64]

_EGO_HEIGHT_M = 1.6
_RING_STEP_M = 10
_RING_PIECES = 90
_FADED_TRAIL, _FADED_EMPTY = 0.7, 0.45
_PIXELS_A_STROKE = 360
_ORBIT_REACHES = 1.3
"""Distance of the orbiting viewpoint in reaches, so that what lies within one fills the picture."""
_WORDS_PART = 0.6


class LidarPanel:
    """Draws the LiDAR's points of key frames of one scene.

    Args:
        recorded: The scene.
        sensing: Its sensors.
        options: The view, how far it reaches, trails and colours.
        size_px: Width and height of the panel.
        letters_px: Size of the letters.
        span: First and last key frame that are shown, between which an orbiting viewpoint turns once.
        marking: Outlines what questions name.
    """

    def __init__(
        self,
        recorded: DrawnScene,
        sensing: Sensing,
        options: VideoOptions,
        size_px: tuple[int, int],
        letters_px: int,
        span: tuple[int, int],
        marking: Marking,
    ) -> None:
        self._recorded = recorded
        self._sensing = sensing
        self._options = options
        self._size_px = size_px
        self._letters_px = letters_px
        self._first, self._last = span
        self._marking = marking
        self._stroke_px = max(1, round(min(size_px) / _PIXELS_A_STROKE))

    def draw(self, frame: int) -> Image.Image:
        """The panel of a key frame, RGB; without points, words say why."""
        options, recorded = self._options, self._recorded
        viewpoint = self._viewpoint(frame)
        image = Image.new("RGB", self._size_px, DARK)
        rings = _rings(self._reach_m())
        draw_lines(image, viewpoint, rings, [RING] * len(rings[0]))
        points = self._sensing.points(frame)
        if not isinstance(points, Blank):
            canvas = np.array(image)
            draw_points(canvas, points, height_colours(points[:, 2]), viewpoint)
            image = Image.fromarray(canvas)
        ego_SE3_global = recorded.ego_SE3_global.at(np.array(frame))
        boxes = recorded.boxes(frame)
        corners = ego_SE3_global.apply(boxes.corners_m)
        bright = box_colours(boxes.kinds, boxes.tracks, options.coloured_by)
        drawn = [
            faded(colour, _FADED_EMPTY) if empty else colour
            for colour, empty in zip(bright, boxes.is_empty.tolist(), strict=True)
        ]
        way = _in_frame(ego_SE3_global, recorded.ego_way(frame, options.trail))
        draw_lines(image, viewpoint, way, [faded(EGO, _FADED_TRAIL)] * len(way[0]), self._stroke_px)
        pieces, whose = recorded.trails(frame, options.trail)
        trails = [faded(drawn[box], _FADED_TRAIL) for box in whose]
        draw_lines(image, viewpoint, _in_frame(ego_SE3_global, pieces), trails, self._stroke_px)
        draw_boxes(image, viewpoint, corners, drawn, self._stroke_px)
        draw_boxes(image, viewpoint, _ego_corners(), [EGO], self._stroke_px + 1)
        tags = self._marking.draw(image, viewpoint, corners, frame)
        labels = Labels(image, self._letters_px)
        for tag in tags:
            labels.reserve(tag)
        if isinstance(points, Blank):
            self._say(image, labels, f"No points: {points.channel} {points.why}")
        labels.reserve(bounds_of(viewpoint, _ego_corners()[0]))
        label_boxes(labels, viewpoint, boxes, corners, bright, range(len(corners)))
        self._label_rings(labels, viewpoint)
        return image

    def _viewpoint(self, frame: int) -> Viewpoint:
        if self._options.view == "above":
            return from_above(self._size_px, self._options.reach_m)
        turned = (frame - self._first) / max(1, self._last + 1 - self._first)
        return from_orbit(self._size_px, _ORBIT_REACHES * self._options.reach_m, 360 * turned)

    def _reach_m(self) -> float:
        """How far rings are drawn: to the corners from above, and over the ground that is near in orbit."""
        if self._options.view == "above":
            return self._options.reach_m * math.hypot(*self._size_px) / min(self._size_px)
        return 1.5 * self._options.reach_m

    def _say(self, image: Image.Image, labels: Labels, text: str) -> None:
        """Words in the upper left, which no label covers."""
        inset = self._letters_px
        box = (inset, inset, inset + round(_WORDS_PART * image.width), inset + 3 * line_px(self._letters_px))
        write_lines(image, text, box, fill=MUTED, size_px=self._letters_px)
        labels.reserve(box)

    def _label_rings(self, labels: Labels, viewpoint: Viewpoint) -> None:
        step = _ring_step_m(self._reach_m())
        for radius in range(step, int(self._reach_m()) + 1, step):
            at = viewpoint.in_view(radius * np.array([-math.sqrt(0.5), -math.sqrt(0.5), 0.0]))
            if viewpoint.is_perspective and at[2] <= 0:
                continue
            across, down = viewpoint.pixels(at).tolist()
            width = width_px(f"{radius} m", self._letters_px)
            if width < across < self._size_px[0] - width and 0 < down < self._size_px[1]:
                labels.write(f"{radius} m", [(across, down)], MUTED)


def _in_frame(target_SE3_source: SE3, pieces: tuple[Array, Array]) -> tuple[Array, Array]:
    return target_SE3_source.apply(pieces[0]), target_SE3_source.apply(pieces[1])


@cache
def _rings(reach_m: float) -> tuple[Array, Array]:
    """Circles round the ego origin on the ground as pieces, metres, shape (m, 3) each."""
    step = _ring_step_m(reach_m)
    radii = np.arange(step, reach_m + 1, step)
    turn = np.linspace(0, 2 * np.pi, _RING_PIECES + 1)
    circle = np.stack([np.cos(turn), np.sin(turn), np.zeros_like(turn)], axis=-1)
    rings = radii[:, np.newaxis, np.newaxis] * circle
    return rings[:, :-1].reshape(-1, 3), rings[:, 1:].reshape(-1, 3)


def _ring_step_m(reach_m: float) -> int:
    return _RING_STEP_M * max(1, round(reach_m / 80))


@cache
def _ego_corners() -> Array:
    """The ego vehicle as a box in the ego frame, shape (1, 8, 3), in the order of `box_corners`."""
    sides = [(EGO_HALF_WIDTH_M, _EGO_HEIGHT_M), (-EGO_HALF_WIDTH_M, _EGO_HEIGHT_M), (-EGO_HALF_WIDTH_M, 0.0)]
    sides.append((EGO_HALF_WIDTH_M, 0.0))
    return np.array([[(x, *side) for x in (EGO_FRONT_M, EGO_REAR_M) for side in sides]])
