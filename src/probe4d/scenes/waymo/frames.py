"""What one frame of Waymo's perception data holds: its time, pose, cameras, laser labels, points."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from probe4d.scenes.geometry import SE3
from probe4d.scenes.waymo_format.cameras import Camera

__all__ = ["CATEGORIES", "RIDDEN", "Frame", "LaserLabel", "Points", "Segment"]

CATEGORIES: dict[int, str] = {
    0: "unknown",
    1: "vehicle",
    2: "human.pedestrian",
    3: "static_object.sign",
    4: "vehicle.bicycle",
}
"""Categories by the numbers of types in Waymo's data, named so that only what is a fact has one of the ten classes.

A vehicle may be a car, a truck, a bus or a motorcycle, and Waymo does not say which.
"""

RIDDEN = "vehicle.bicycle"
"""The category whose boxes hold a rider: Waymo's cyclists."""


@dataclass(frozen=True)
class LaserLabel:
    """A box drawn around LiDAR points.

    Attributes:
        track: Id of the object, the same in all frames of a segment.
        category: One of `CATEGORIES`.
        ego_SE3_box: Its pose in the vehicle frame, upright, x along the length.
        size: Length, width, height, metres.
        lidar_points: Returns of all LiDARs in it; null where the record does not say.
    """

    track: str
    category: str
    ego_SE3_box: SE3
    size: tuple[float, float, float]
    lidar_points: int | None


@dataclass(frozen=True)
class Points:
    """Returns of the LiDAR on the roof.

    Attributes:
        values: x, y, z in the LiDAR's frame at the pose of its frame, metres; intensity as recorded; ring, 0 the
            lowest; first returns, then second ones; float32, shape (n, 5).
        ego_SE3_lidar: Extrinsics.
    """

    values: NDArray[np.float32]
    ego_SE3_lidar: SE3


@dataclass(frozen=True)
class Segment:
    """What the record says of the segment: time of day, place and weather; null where it does not."""

    time_of_day: str | None
    location: str | None
    weather: str | None


@dataclass(frozen=True)
class Frame:
    """One frame of a segment.

    The ego frame is Waymo's vehicle frame: x forward, y left, z up, origin at the middle of the rear axle.

    Attributes:
        timestamp_us: When the roof LiDAR's turn began.
        global_SE3_ego: The vehicle's pose in about the middle of that turn.
        cameras: By channel, in the order of `CHANNELS`.
        labels: Laser labels.
        points: Returns of the roof LiDAR; null where the record has no range image of it.
        segment: What the record says of the segment.
    """

    timestamp_us: int
    global_SE3_ego: SE3
    cameras: Mapping[str, Camera]
    labels: tuple[LaserLabel, ...]
    points: Points | None
    segment: Segment
