"""Frames in which planners give waypoints, and how they become positions in the ego frame of the query frame."""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np
import numpy.typing as npt
import polars as pl

from probe4d.benchmarks.facts import query_frame
from probe4d.benchmarks.question import Question
from probe4d.benchmarks.source import SceneNames
from probe4d.errors import InputError
from probe4d.scenes.geometry import SE3
from probe4d.scenes.tables import Scenes

__all__ = ["FRAMES", "STEP_S", "Calibrations", "Frame", "ego_positions"]

Frame = Literal["ego", "lidar-uniad", "lidar-uniad-ego-origin"]
FRAMES: tuple[Frame, ...] = get_args(Frame)

STEP_S = 0.5
"""Seconds from one waypoint of UniAD to the next."""

Points = npt.NDArray[np.float64]


def ego_positions(points: Points, frame: Frame, ego_SE3_lidar: SE3) -> Points:
    """Convert waypoints of UniAD (STRIDE, App. C.3): x is flipped as in its planning metric, then lidar2ego applied.

    lidar2ego also moves by where the LiDAR is mounted, 0.94 m ahead of the ego origin on nuScenes, so that a vehicle
    that stands still would be there. `lidar-uniad-ego-origin` takes that off: what it gives is where the ego origin
    will be if the vehicle does not turn.

    Args:
        points: (steps, 2) x and y in metres in the LiDAR's frame, at the LiDAR's height.
        frame: One of the two frames of UniAD.
        ego_SE3_lidar: Where the LiDAR is mounted.

    Returns:
        (steps, 2) x and y in metres in the ego frame.
    """
    flipped = np.column_stack([-points[:, 0], points[:, 1], np.zeros(len(points))])
    placed = ego_SE3_lidar.apply(flipped)
    if frame == "lidar-uniad-ego-origin":
        placed = placed - ego_SE3_lidar.translation
    return placed[:, :2]


class Calibrations:
    """Where the reference LiDAR is mounted at the query frames of questions.

    Args:
        scenes: The dataset.
    """

    def __init__(self, scenes: Scenes) -> None:
        self._scenes = scenes
        self._names = SceneNames(scenes)
        lidar = scenes.sensors.filter(pl.col("channel") == scenes.reference_channel)
        mounted = lidar.select("scene", "frame", "sensor_qw", "sensor_qx", "sensor_qy", "sensor_qz", *_PLACE)
        self._mounted = {(scene, frame): rest for scene, frame, *rest in mounted.iter_rows()}

    def ego_SE3_lidar(self, question: Question) -> SE3:
        """The mounting at a question's query frame.

        Raises:
            InputError: The dataset does not hold that key frame, or no calibration of its reference LiDAR.
        """
        name, frame = self._names.of(question), query_frame(question)
        found = self._mounted.get((name, frame))
        if found is None or None in found:
            raise InputError(
                f"has no calibration of {self._scenes.reference_channel} for question {question.id} (scene "
                f"{question.scene}, frame {frame}).",
                path=self._scenes.root / self._scenes.version,
                remedy="Give the dataset that the benchmark was built from.",
            )
        return SE3.from_quaternion(found[:4], found[4:])


_PLACE = ("sensor_x", "sensor_y", "sensor_z")
