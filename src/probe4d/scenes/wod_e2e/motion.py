"""Poses of a sequence's frames: as recorded, or from the ego states where the records have none.

The format says that a frame's own pose is not filled in, and an image's may be the identity. Then the way from one
frame to the next is read from the states that each frame has of its past and future.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import polars as pl

from probe4d.scenes.geometry import SE3
from probe4d.scenes.wod_e2e.frames import Frame

__all__ = ["PoseSource", "Posed", "posed"]

PoseSource = Literal["recorded", "ego states"]

_HALF_CHORD_S = 0.25
"""Headings are those of the chord from a quarter of a second before to a quarter after: one state either way."""

_SHORTEST_CHORD_M = 0.25
"""Over a shorter chord nothing tells the heading; a car of 5 m turning radius turns by less than 3 degrees in it."""

_IDENTITY = SE3(np.eye(3), np.zeros(3))
_FRONT = "FRONT"


@dataclass(frozen=True)
class Posed:
    """A frame with its pose.

    Attributes:
        frame: The frame.
        timestamp_us: Its time.
        global_SE3_ego: The vehicle's pose at that time.
        source: Where the pose is from. Poses from ego states are flat: height, pitch and roll are 0, and the first
            frame of a sequence is the origin.
    """

    frame: Frame
    timestamp_us: int
    global_SE3_ego: SE3
    source: PoseSource


def posed(frames: Sequence[tuple[Frame, int]]) -> list[Posed | None]:
    """Poses of frames of one sequence.

    Recorded poses are taken where every frame has one, at the front camera's image or of its own, and they are not
    all the identity.

    Args:
        frames: Frames and their times in microseconds, in order of time.

    Returns:
        Each frame with its pose, or null where nothing says where the vehicle was.
    """
    recorded = [_recorded(frame) for frame, _ in frames]
    known = [pose for pose in recorded if pose is not None]
    if len(known) == len(frames) and not all(_is_identity(pose) for pose in known):
        return [Posed(*pair, pose, "recorded") for pair, pose in zip(frames, known, strict=True)]
    found: list[Posed | None] = []
    last: tuple[Frame, int, SE3] | None = None
    for frame, timestamp_us in frames:
        pose = _IDENTITY if last is None else _onwards(*last, frame, timestamp_us)
        if pose is not None:
            last = (frame, timestamp_us, pose)
        found.append(None if pose is None else Posed(frame, timestamp_us, pose, "ego states"))
    return found


def _recorded(frame: Frame) -> SE3 | None:
    front = frame.cameras.get(_FRONT)
    return frame.global_SE3_ego if front is None or front.global_SE3_ego is None else front.global_SE3_ego


def _is_identity(pose: SE3) -> bool:
    return bool((pose.rotation == _IDENTITY.rotation).all() and (pose.translation == 0).all())


def _onwards(before: Frame, before_us: int, start: SE3, frame: Frame, timestamp_us: int) -> SE3 | None:
    """Pose of a frame from the pose `start` of one before it: by its own past, else by the other's future."""
    elapsed_s = (timestamp_us - before_us) / 1e6
    now_SE3_then = _along(frame.past, -elapsed_s)
    if now_SE3_then is not None:
        return start.compose(now_SE3_then.inverse())
    then_SE3_now = _along(before.future, elapsed_s)
    return None if then_SE3_now is None else start.compose(then_SE3_now)


def _along(states: pl.DataFrame, time_s: float) -> SE3 | None:
    """Where the vehicle is at a time of its states, in the ego frame that they are in; null where they do not say.

    Between states it lies on the straight line from one to the next.
    """
    known = states.drop_nulls(["x_m", "y_m"])
    times_s = np.append(known["time_s"].to_numpy(), 0.0)  # at its own time it is at the origin
    order = np.unique(times_s, return_index=True)[1]
    wanted_s = time_s + np.array([-_HALF_CHORD_S, 0.0, _HALF_CHORD_S])
    times_s = times_s[order]
    if not times_s[0] <= wanted_s[0] <= wanted_s[-1] <= times_s[-1]:
        return None
    x, y = (np.interp(wanted_s, times_s, np.append(known[name].to_numpy(), 0.0)[order]) for name in ("x_m", "y_m"))
    ahead = np.array([x[2] - x[0], y[2] - y[0]])
    length = float(np.hypot(*ahead))
    cosine, sine = ahead / length if length >= _SHORTEST_CHORD_M else (1.0, 0.0)
    rotation = np.array([[cosine, -sine, 0.0], [sine, cosine, 0.0], [0.0, 0.0, 1.0]])
    return SE3(rotation, np.array([x[1], y[1], 0.0]))
