"""Measures a recorded scene: where its ego vehicle and every track are at each key frame.

Rotations are scipy's, places in the ground plane complex numbers x + iy.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from probe4d.benchmarks.auditing.recorded import RecordedScene

__all__ = ["Array", "Drive", "Flags", "Places", "Way", "first_and_last"]

Array = NDArray[np.float64]
Places = NDArray[np.complex128]
Flags = NDArray[np.bool_]

_NOWHERE = complex(np.nan, np.nan)

SEEN_POINTS, SEEN_LEVEL, SEEN_RANGE_M = 5, 2, 40.0
"""What surely shows in the LiDAR has as many returns, is as visible, and is as near (`docs/b4dl-grounding.md`)."""


class Way:
    """How one thing goes over f key frames, or the ego vehicle.

    Attributes:
        place: Global, metres, shape (f,); NaN where it has no box.
        seen_at: In the ego frame of each key frame, metres, shape (f,); NaN of the ego vehicle.
        heading: Global, radians, shape (f,).
        times_s: Of the key frames, shape (f,).
    """

    def __init__(self, place: Places, seen_at: Places, heading: Array, times_s: Array) -> None:
        self.place, self.seen_at, self.heading, self.times_s = place, seen_at, heading, times_s

    def over(self, first: int, last: int) -> Way:
        """Between two key frames, both included."""
        part = slice(first, last + 1)
        return Way(self.place[part], self.seen_at[part], self.heading[part], self.times_s[part])

    @property
    def range_m(self) -> Array:
        """From the ego origin, shape (f,)."""
        ranges: Array = np.abs(self.seen_at)
        return ranges

    @property
    def speed_mps(self) -> Array:
        """From each key frame to the next, shape (f - 1,)."""
        speeds: Array = np.abs(np.diff(self.place)) / np.diff(self.times_s)
        return speeds

    @property
    def extent_m(self) -> float:
        """Diagonal of the area along the global axes that it moves in."""
        return float(np.hypot(np.nanmax(self.place.real) - np.nanmin(self.place.real), _spread(self.place.imag)))

    @property
    def way_m(self) -> float:
        """Over ground, without gaps."""
        return float(np.nansum(np.abs(np.diff(self.place))))

    @property
    def turned_deg(self) -> float:
        """From the first heading to the last, the shorter way round."""
        return float(np.degrees(np.angle(np.exp(1j * (self.heading[-1] - self.heading[0])))))


def _spread(values: Array) -> float:
    return float(np.nanmax(values) - np.nanmin(values))


class Drive:
    """A scene of F key frames, measured: T tracks.

    Of several boxes of a track at a key frame the nearest counts.

    Attributes:
        tracks: Instance tokens, T of them.
        categories: Their categories.
        tokens: Of boxes, empty where there is none, shape (T, F).
        lidar_points: -1 where unknown or without a box, shape (T, F).
        ego: How the ego vehicle goes.
    """

    def __init__(self, scene: RecordedScene) -> None:
        boxes, pose = scene.boxes, scene.ego_pose
        self.key_frames = len(pose)
        self.times_s: Array = scene.times_us.astype(np.float64) * 1e-6
        self.tracks, row = np.unique(np.array(boxes.tracks, dtype=str), return_inverse=True)
        self._row_of = {name: place for place, name in enumerate(self.tracks.tolist())}
        shape = (len(self.tracks), self.key_frames)
        ego_heading = _headings(Rotation.from_quat(pose[:, 3:]))
        ego_place = pose[:, 0] + 1j * pose[:, 1]
        self.ego = Way(ego_place, np.full(self.key_frames, _NOWHERE), ego_heading, self.times_s)
        self.categories = [""] * shape[0]
        self.tokens = np.full(shape, "", dtype=object)
        self.lidar_points = np.full(shape, -1, dtype=np.int64)
        self._level = np.zeros(shape, dtype=np.int64)
        self._place, self._seen_at = np.full(shape, _NOWHERE), np.full(shape, _NOWHERE)
        self._heading = np.full(shape, np.nan)
        self._called: dict[Callable[[str], bool], Flags] = {}
        if not len(boxes.tokens):
            return
        turned = Rotation.from_quat(pose[boxes.frame, 3:]).inv()
        ego = turned.apply(boxes.centre - pose[boxes.frame, :3])
        heading = _headings(turned * Rotation.from_quat(boxes.quaternion))
        order = np.lexsort([np.array(boxes.tokens, dtype=str), np.hypot(ego[:, 0], ego[:, 1])])[::-1]
        for box in order.tolist():
            at = (int(row[box]), int(boxes.frame[box]))
            self.categories[at[0]] = boxes.categories[box] or ""
            self.tokens[at], self.lidar_points[at] = boxes.tokens[box], boxes.lidar_points[box]
            self._level[at] = boxes.visibility[box]
            self._place[at] = complex(*boxes.centre[box, :2])
            self._seen_at[at] = complex(*ego[box, :2])
            self._heading[at] = heading[box] + ego_heading[at[1]]

    def row_of(self, track: object) -> int | None:
        """Row of a track; null where the scene has none of that name."""
        return self._row_of.get(track) if isinstance(track, str) else None

    def way(self, row: int) -> Way:
        """How a track goes."""
        return Way(self._place[row], self._seen_at[row], self._heading[row], self.times_s)

    @cached_property
    def there(self) -> Flags:
        """Where tracks have a box, shape (T, F)."""
        there: Flags = ~np.isnan(self._seen_at.real)
        return there

    @property
    def seen_at(self) -> Places:
        """Where tracks are in the ego frame, metres, shape (T, F)."""
        return self._seen_at

    @cached_property
    def shows(self) -> Flags:
        """Where tracks surely show in the LiDAR, shape (T, F)."""
        hit = (self.lidar_points >= SEEN_POINTS) | (self.lidar_points < 0)
        clear = (self._level == 0) | (self._level >= SEEN_LEVEL)
        near = np.nan_to_num(np.abs(self._seen_at), nan=np.inf) <= SEEN_RANGE_M
        shown: Flags = self.there & hit & clear & near
        return shown

    def widened(self, first: int, last: int) -> tuple[int, int]:
        """Key frames with the one before and the one after."""
        return max(first - 1, 0), min(last + 1, self.key_frames - 1)

    def called(self, by: Callable[[str], bool]) -> Flags:
        """Which tracks are of categories that a word means, shape (T,).

        Args:
            by: Whether it means a category; asked once of each.
        """
        if by not in self._called:
            means = {category: by(category) for category in set(self.categories)}
            self._called[by] = np.array([means[category] for category in self.categories], dtype=np.bool_)
        return self._called[by]


def first_and_last(there: Flags) -> tuple[int, int]:
    """The first and last place of a mask that has one."""
    places = np.flatnonzero(there)
    return int(places[0]), int(places[-1])


def _headings(rotation: Rotation) -> Array:
    ahead = rotation.apply([1.0, 0.0, 0.0])
    headings: Array = np.arctan2(ahead[:, 1], ahead[:, 0])
    return headings
