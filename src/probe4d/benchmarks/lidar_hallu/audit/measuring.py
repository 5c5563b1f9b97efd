"""Measures recorded boxes from the ego vehicle, with quaternions and angles rather than the builds' matrices."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from scipy.spatial.transform import Rotation

from probe4d.benchmarks.lidar_hallu.audit.tables import KeyFrame

__all__ = [
    "CLASSES",
    "SECTOR_CENTRES_DEG",
    "MeasuredScene",
    "Sight",
    "annotated_again",
    "measure_scene",
    "nearest_of",
    "sector_margin_deg",
    "sector_of",
]

CLASSES = (
    *("car", "truck", "bus", "pedestrian", "bicycle"),
    *("motorcycle", "trailer", "construction vehicle", "barrier", "traffic cone"),
)
"""The ten classes, in the order that breaks ties."""

SECTOR_CENTRES_DEG = {
    "front": 0.0,
    "front-left": 45.0,
    "left": 90.0,
    "back-left": 135.0,
    "back": 180.0,
    "back-right": -135.0,
    "right": -90.0,
    "front-right": -45.0,
}
"""Bearing of the middle of each 45-degree sector (Sec. III-B)."""

_NOISE = 1e-9
"""What two ways of computing the same distance (metres) or angle (degrees) may differ by."""

_BORDER_DEG = 1e-6
"""How far beyond an end of the annotated range a bearing is still taken as on it, as design documents say."""


class Sight(NamedTuple):
    """An object seen from the ego vehicle at one key frame: ground-plane position in metres, bearing in degrees."""

    frame: int
    label: str
    track: str
    box: str
    x: float
    y: float
    distance_m: float
    bearing_deg: float
    lidar_points: int | None


class MeasuredScene(NamedTuple):
    """A scene from the ego vehicle.

    Attributes:
        key_frames: The key frames as recorded.
        everywhere: Objects that count, by key frame and class.
        annotated: Those of them inside the annotated bearing range.
    """

    key_frames: Sequence[KeyFrame]
    everywhere: Sequence[Mapping[str, Sequence[Sight]]]
    annotated: Sequence[Mapping[str, Sequence[Sight]]]

    def present(self, frame: int) -> list[str]:
        """Classes with an annotated object at a key frame, in class order."""
        return [label for label in CLASSES if self.annotated[frame].get(label)]


def nearest_of(sights: Sequence[Sight], *, told: str | None = None) -> Sight | None:
    """The nearest of some objects; of equally near ones the one that is told, else the first track."""
    if not sights:
        return None
    bound = min(sight.distance_m for sight in sights) + _NOISE
    return min((sight for sight in sights if sight.distance_m <= bound), key=lambda s: (s.box != told, s.track, s.box))


def measure_scene(
    key_frames: Sequence[KeyFrame], *, min_lidar_points: int, annotated_deg: tuple[float, float] | None
) -> MeasuredScene:
    """Turn every box into the ego frame of its key frame: x forward, y left (Eq. 2).

    Args:
        key_frames: The scene's key frames in order.
        min_lidar_points: Fewest LiDAR returns of a box that counts; unknown counts.
        annotated_deg: Bearings from and to, counter-clockwise, both included to 1e-6 degrees; from a
            bearing to itself, and null, is all around.
    """
    everywhere: list[dict[str, list[Sight]]] = []
    for frame, key_frame in enumerate(key_frames):
        seen: dict[str, list[Sight]] = {}
        for sight in _nearest_of_tracks(_sights(frame, key_frame, min_lidar_points)):
            seen.setdefault(sight.label, []).append(sight)
        everywhere.append(seen)
    if annotated_deg is None or math.remainder(annotated_deg[1] - annotated_deg[0], 360) == 0:
        return MeasuredScene(key_frames, everywhere, everywhere)
    start, end = annotated_deg

    def is_inside(sight: Sight) -> bool:
        return (sight.bearing_deg - start + _BORDER_DEG) % 360 <= (end - start) % 360 + 2 * _BORDER_DEG

    annotated = [{label: list(filter(is_inside, sights)) for label, sights in seen.items()} for seen in everywhere]
    return MeasuredScene(key_frames, everywhere, annotated)


def _sights(frame: int, key_frame: KeyFrame, min_lidar_points: int) -> list[Sight]:
    boxes = [box for box in key_frame.boxes if box.lidar_points is None or box.lidar_points >= min_lidar_points]
    if not boxes:
        return []
    w, x, y, z = key_frame.rotation
    offsets = np.array([box.centre for box in boxes]) - np.array(key_frame.translation)
    forward, left, _ = Rotation.from_quat([x, y, z, w]).inv().apply(offsets).T.tolist()
    return [
        Sight(
            frame,
            box.label,
            box.track,
            box.token,
            ahead,
            aside,
            math.hypot(ahead, aside),
            math.degrees(math.atan2(aside, ahead)),
            box.lidar_points,
        )
        for box, ahead, aside in zip(boxes, forward, left, strict=True)
    ]


def _nearest_of_tracks(sights: Sequence[Sight]) -> list[Sight]:
    """Of the boxes of one track and class at one key frame only the nearest, with those as near within rounding."""
    bounds: dict[tuple[str, str], float] = {}
    for sight in sights:
        key = (sight.label, sight.track)
        bounds[key] = min(sight.distance_m, bounds.get(key, math.inf))
    return [sight for sight in sights if sight.distance_m <= bounds[sight.label, sight.track] + _NOISE]


def annotated_again(scene: MeasuredScene, min_lidar_points: int) -> list[tuple[str, ...]]:
    """Tokens of the boxes that count where a track has several of one class at one key frame, a tuple a place."""
    places: list[tuple[str, ...]] = []
    for key_frame in scene.key_frames:
        tokens: dict[tuple[str, str], list[str]] = {}
        for box in key_frame.boxes:
            if box.lidar_points is None or box.lidar_points >= min_lidar_points:
                tokens.setdefault((box.label, box.track), []).append(box.token)
        places += [tuple(sorted(several)) for several in tokens.values() if len(several) > 1]
    return places


def _turn(from_deg: float, to_deg: float) -> float:
    """Signed angle from one bearing to another, [-180, 180)."""
    return (to_deg - from_deg + 180) % 360 - 180


def sector_margin_deg(bearing_deg: float) -> float:
    """Angle from a bearing to the nearest border between two sectors."""
    return min(abs(_turn(centre + 22.5, bearing_deg)) for centre in SECTOR_CENTRES_DEG.values())


def sector_of(bearing_deg: float, *, told: str | None = None) -> str:
    """Sector of a bearing: the one whose middle is nearest.

    A border belongs to the sector whose lower end it is; within rounding, to that of the two which is told.
    """
    turns = {sector: _turn(centre, bearing_deg) for sector, centre in SECTOR_CENTRES_DEG.items()}
    first, second = sorted(turns, key=lambda sector: abs(turns[sector]))[:2]
    if abs(turns[second]) - abs(turns[first]) > 2 * _NOISE:
        return first
    if told in (first, second):
        return str(told)
    return first if turns[first] < 0 else second
