"""Measures a recorded scene for STRIDE: where the ego vehicle and objects are at each key frame, and how fast.

Rotations are scipy's, places in the ground plane complex numbers x + iy.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from probe4d.benchmarks.auditing.classes import label_of
from probe4d.benchmarks.auditing.gaps import Corners, footprint_corners
from probe4d.benchmarks.auditing.measuring import measure_scene
from probe4d.benchmarks.auditing.recorded import RecordedScene
from probe4d.benchmarks.stride.thresholds import (
    COUNTED_IMAGE_HEIGHT_PX,
    FIXED_CATEGORIES,
    HISTORY_FRAMES,
    LEAST_TARGET_HEIGHT_PX,
    MOST_RANGE_M,
    SEEN_LEVEL,
)

__all__ = ["NO_ROW", "Array", "Drive", "Flags", "Places", "Rows"]

Array = NDArray[np.float64]
Places = NDArray[np.complex128]
Rows = NDArray[np.int64]
Flags = NDArray[np.bool_]

NO_ROW = -1
"""Stands for a box that is not there."""

_WORDS = {"vehicle.emergency.police": "police vehicle", "movable_object.pushable_pullable": "pushable object"}
"""What categories are called whose last part says too little."""


class Drive:
    """A scene of F key frames, measured.

    Of several boxes of a track at a key frame the nearest counts. B boxes of T tracks are left.

    Args:
        scene: The scene as recorded.

    Attributes:
        key_frames: Number of key frames.
        times_s: Seconds since the first, shape (F,).
        headings: Of the ego vehicle in the global plane, radians, shape (F,).
        tokens: Tokens of boxes, shape (B,).
        tracks: Their instance tokens, likewise.
        words: What a sentence calls each, likewise.
        labels: Classes, empty where a box is of none, likewise.
        is_fixed: Which boxes are of what cannot move by itself, shape (B,).
        frame: Key frames, shape (B,).
        track: Numbers of tracks, in the order of their tokens, shape (B,).
        row_at: Row of each track at each key frame, `NO_ROW` where it has none, shape (T, F).
        level: Visibility levels, 0 where unknown, shape (B,).
        lidar_points: LiDAR returns, -1 where unknown, shape (B,).
        centre: Global, metres, shape (B, 3).
        ego: Centre in the ego frame of its key frame, metres, shape (B, 3).
        yaw: Heading in that frame, radians, shape (B,).
        size: Length, width and height, metres, shape (B, 3).
        range_m: Distance in the plane from the ego origin, shape (B,).
        channels: Channels of the C cameras.
        bounds: Left, top, right and bottom as parts of the image, NaN where it shows nothing, shape (C, B, 4).
    """

    def __init__(self, scene: RecordedScene) -> None:
        measured = measure_scene(scene)
        ranges = np.hypot(measured.ego[:, 0], measured.ego[:, 1])
        kept = _nearest_of_track(measured.tracks, measured.frame, ranges, measured.tokens)
        self.key_frames = measured.key_frames
        self.times_s = (scene.times_us - scene.times_us[:1]).astype(np.float64) * 1e-6
        self._origins = scene.ego_pose[:, :3]
        self._turns = Rotation.from_quat(scene.ego_pose[:, 3:]).as_matrix()
        self.headings: Array = np.arctan2(self._turns[:, 1, 0], self._turns[:, 0, 0])
        self.tokens, self.tracks, self.frame = measured.tokens[kept], measured.tracks[kept], measured.frame[kept]
        categories = measured.categories[kept].tolist()
        self.labels = np.array([label_of(category) or "" for category in categories], dtype=object)
        self.words = np.array([_words_of(category) for category in categories], dtype=object)
        self.is_fixed: Flags = np.array([category in FIXED_CATEGORIES for category in categories], dtype=np.bool_)
        names, self.track = np.unique(self.tracks.astype(str), return_inverse=True)
        self.row_at: Rows = np.full((len(names), self.key_frames), NO_ROW)
        self.row_at[self.track, self.frame] = np.arange(len(kept))
        self.level, self.lidar_points = scene.boxes.visibility[kept], measured.lidar_points[kept]
        self.centre, self.ego, self.yaw = scene.boxes.centre[kept], measured.ego[kept], measured.ego_yaw[kept]
        self.size, self.range_m = measured.size[kept], ranges[kept]
        self.channels: Sequence[str] = measured.channels
        self.bounds = _as_parts(measured.bounds_px[:, kept], scene.cameras.size_px, self.frame)

    def row_of(self, row: Rows, later: int) -> Rows:
        """Rows of the same tracks some key frames later, `NO_ROW` where there is none, shape (n,)."""
        frame = self.frame[row] + later
        inside = (frame >= 0) & (frame < self.key_frames)
        return np.where(inside, self.row_at[self.track[row], np.clip(frame, 0, self.key_frames - 1)], NO_ROW)

    def in_ego_frame(self, frame: Rows, points: Array) -> Array:
        """Points of the global frame, shape (n, k, 3), in the ego frames of key frames, shape (n, k, 2)."""
        moved = points - self._origins[frame][:, None]
        local: Array = np.einsum("nij,nki->nkj", self._turns[frame], moved)[..., :2]
        return local

    def ego_places(self, frame: Rows, steps: Rows) -> Array:
        """Global places of the ego vehicle some steps from key frames, shape (n, k, 3); all steps have to be there."""
        places: Array = self._origins[frame[:, None] + steps]
        return places

    @cached_property
    def ego_velocity(self) -> Array:
        """Velocity from the key frame before in the axes of the ego frame, m/s, shape (F, 2); NaN at the first."""
        moved = np.full_like(self._origins, np.nan)
        moved[1:] = np.diff(self._origins, axis=0)
        return self._velocity(np.arange(self.key_frames), moved)

    @cached_property
    def ego_speed(self) -> Array:
        """Speed in the global plane from the key frame before, m/s, shape (F,); NaN at the first."""
        speed = np.full(self.key_frames, np.nan)
        speed[1:] = np.abs(np.diff(self._origins[:, 0] + 1j * self._origins[:, 1])) / np.diff(self.times_s)
        return speed

    @cached_property
    def velocity(self) -> Array:
        """Velocity of boxes over ground from the key frame before, in the axes of the ego frame, m/s, shape (B, 2).

        NaN where the track has no box there.
        """
        before = self.row_of(np.arange(len(self.frame)), -1)
        moved = np.where((before != NO_ROW)[:, None], self.centre - self.centre[before], np.nan)
        return self._velocity(self.frame, moved)

    @cached_property
    def relative_velocity(self) -> Array:
        """Velocity of boxes minus that of the ego vehicle, shape (B, 2)."""
        relative: Array = self.velocity - self.ego_velocity[self.frame]
        return relative

    @cached_property
    def outlines(self) -> Corners:
        """Corners of footprints in the ego frames of their key frames, shape (B, 4)."""
        return footprint_corners(self.ego, self.size, self.yaw)

    @cached_property
    def largest_view(self) -> Rows:
        """Place of the camera that shows each box largest and high enough, `NO_ROW` without one, shape (B,)."""
        sides = self.bounds[..., 2:] - self.bounds[..., :2]
        high = sides[..., 1] * COUNTED_IMAGE_HEIGHT_PX >= LEAST_TARGET_HEIGHT_PX
        areas = np.where(high, sides.prod(axis=-1), -1.0)
        if not len(self.channels):
            return np.full(len(self.frame), NO_ROW)
        return np.where(areas.max(axis=0) >= 0, areas.argmax(axis=0), NO_ROW)

    @cached_property
    def is_target(self) -> Flags:
        """Which boxes may be in a red box: near, with LiDAR returns, in all of the history, and shown, shape (B,)."""
        rows = np.arange(len(self.frame))
        history = np.all([self.row_of(rows, -step) != NO_ROW for step in range(1, HISTORY_FRAMES + 1)], axis=0)
        near = self.range_m <= MOST_RANGE_M
        flags: Flags = history & near & (self.lidar_points != 0) & (self.largest_view != NO_ROW)
        return flags

    @cached_property
    def is_clear(self) -> Flags:
        """Which boxes are not occluded, as far as is known, shape (B,)."""
        clear: Flags = (self.level == 0) | (self.level >= SEEN_LEVEL)
        return clear

    def _velocity(self, frame: Rows, moved: Array) -> Array:
        elapsed = np.full(self.key_frames, np.nan)
        elapsed[1:] = np.diff(self.times_s)
        local = np.einsum("nij,ni->nj", self._turns[frame], moved)[:, :2]
        velocity: Array = local / elapsed[frame][:, None]
        return velocity


def _nearest_of_track(
    tracks: NDArray[np.object_], frame: Rows, ranges: Array, tokens: NDArray[np.object_]
) -> NDArray[np.int64]:
    """Rows of the nearest box of each track at each key frame, by token where two are equally near."""
    if not len(frame):
        return np.zeros(0, dtype=np.int64)
    order = np.lexsort([tokens.astype(str), ranges, frame, tracks.astype(str)])
    firsts = np.ones(len(order), dtype=np.bool_)
    firsts[1:] = (tracks[order][1:] != tracks[order][:-1]) | (frame[order][1:] != frame[order][:-1])
    return np.sort(order[firsts])


def _as_parts(bounds_px: Array, size_px: Array, frame: Rows) -> Array:
    """Bounds as parts of the width and height of each image, shape (C, B, 4)."""
    sizes = size_px[frame].transpose(1, 0, 2)
    parts: Array = bounds_px / np.concatenate([sizes, sizes], axis=-1)
    return parts


def _words_of(category: str) -> str:
    last = category.rsplit(".", 1)[-1].replace("_", " ")
    return label_of(category) or _WORDS.get(category, last)
