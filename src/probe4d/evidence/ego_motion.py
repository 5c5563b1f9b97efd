"""How the ego vehicle moves, in words: the ego-motion text of LiDAR-Hallu's B4DL-Ego layout.

The words for speed, direction, heading and acceleration describe the step from the previous key frame to
the one named. Which two key frames are named follows from the question's text alone, never from its answer.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from probe4d.scenes.geometry import rotation_of_quaternion, yaw_of_rotation

__all__ = [
    "EgoMotion",
    "Selection",
    "Steps",
    "ego_motion",
    "frame_phrases",
    "frames_named",
    "nearest_frame",
    "scene_phrases",
    "scene_poses",
    "select_frames",
    "steps_of",
]

_INTERVALS = tuple(
    re.compile(pattern)
    for pattern in (
        r"\bfrom frames? (\d+) to (?:frame )?(\d+)",
        r"\bbetween frames? (\d+) and (?:frame )?(\d+)",
        r"\bduring frames? (\d+) to (?:frame )?(\d+)",
        r"\bframes? (\d+) to (?:frame )?(\d+)",
        r"\bframes? (\d+)\s*[-–]\s*(\d+)",
        r"\bfrom (\d+) to (\d+)",
    )
)
_SINGLE_FRAMES = (re.compile(r"\b(?:at|in|during|by) frame (\d+)"), re.compile(r"\bframe (\d+)"))

SPEEDS = (
    (0.2, "nearly stationary"),
    (2.0, "moving slowly"),
    (6.0, "moving at moderate speed"),
    (math.inf, "moving fast"),
)
"""Upper bounds in m/s, and words."""
STILL_M = 0.2
SIDE_RATIO = 0.25
TURN_DEG = 5.0
ACCELERATION_MPS2 = 0.5
WINDOW_BEFORE, WINDOW = 2, 4


class Selection(NamedTuple):
    """The key frames that a text refers to, and why.

    The reasons: `question_interval`, `question_single_frame_window`, `full_scene_fallback`.
    """

    start_frame: int
    end_frame: int
    reason: str


class EgoMotion(NamedTuple):
    """The ego-motion text of a question and the key frames it names."""

    start_frame: int
    end_frame: int
    selection_reason: str
    text: str


def select_frames(text: str, frames: Sequence[int]) -> Selection:
    """Find the key frames that a question refers to.

    Args:
        text: The question with options and directive.
        frames: Indices of the scene's key frames, ascending, at least one.
    """
    first, last = frames[0], frames[-1]
    named = frames_named(text)
    if named is None:
        return Selection(first, last, "full_scene_fallback")
    if isinstance(named, tuple):
        return Selection(nearest_frame(named[0], frames), nearest_frame(named[1], frames), "question_interval")
    frame = nearest_frame(named, frames)
    start = min(max(frame - WINDOW_BEFORE, first), max(last - WINDOW, first))
    return Selection(start, min(start + WINDOW, last), "question_single_frame_window")


def frames_named(text: str) -> tuple[int, int] | int | None:
    """The frames that a text names: first and last of all its intervals, else its first single frame, else null."""
    lowered = text.lower()
    spans = [(int(a), int(b)) for pattern in _INTERVALS for a, b in pattern.findall(lowered)]
    spans = [(a, b) for a, b in spans if a <= b]
    if spans:
        return min(a for a, _ in spans), max(b for _, b in spans)
    found = next(filter(None, (pattern.search(lowered) for pattern in _SINGLE_FRAMES)), None)
    return None if found is None else int(found.group(1))


class Steps(NamedTuple):
    """The steps to key frames from the ones before, in the ego frame of the one before; all (n - 1,).

    Attributes:
        forward_m: How far ahead.
        left_m: How far to the left.
        displacement_m: Distance, without height.
        speed_mps: Mean speed.
        turn_deg: Change of heading, to the left positive, -180 to 180.
        acceleration_mps2: Change of the mean speed since the step before; 0 for the first step.
    """

    forward_m: NDArray[np.float64]
    left_m: NDArray[np.float64]
    displacement_m: NDArray[np.float64]
    speed_mps: NDArray[np.float64]
    turn_deg: NDArray[np.float64]
    acceleration_mps2: NDArray[np.float64]


def _steps(timestamps_us: Sequence[int], xy_m: NDArray[np.float64], yaw_rad: NDArray[np.float64]) -> Steps:
    """Measure the steps between at least two key frames.

    Args:
        timestamps_us: (n,) times.
        xy_m: (n, 2) ego positions in the global frame; height plays no part.
        yaw_rad: (n,) ego headings in the global frame.
    """
    seconds = np.maximum(np.diff(np.asarray(timestamps_us, dtype=np.float64) / 1e6), 1e-6)
    step = np.diff(xy_m, axis=0)
    cosine, sine = np.cos(yaw_rad[:-1]), np.sin(yaw_rad[:-1])
    forward = cosine * step[:, 0] + sine * step[:, 1]
    left = -sine * step[:, 0] + cosine * step[:, 1]
    displacement = np.hypot(forward, left)
    speed = displacement / seconds
    acceleration = (speed - np.concatenate((speed[:1], speed[:-1]))) / seconds
    turn_deg = np.degrees((np.diff(yaw_rad) + math.pi) % (2 * math.pi) - math.pi)
    return Steps(forward, left, displacement, speed, turn_deg, acceleration)


def frame_phrases(
    timestamps_us: Sequence[int], xy_m: NDArray[np.float64], yaw_rad: NDArray[np.float64]
) -> list[str | None]:
    """Describe the step to each key frame from the one before.

    Args:
        timestamps_us: (n,) times.
        xy_m: (n, 2) ego positions in the global frame; height plays no part.
        yaw_rad: (n,) ego headings in the global frame.

    Returns:
        One phrase a key frame; null for the first, which has no step.
    """
    if len(timestamps_us) < 2:
        return [None] * len(timestamps_us)
    steps = _steps(timestamps_us, xy_m, yaw_rad)
    return [None, *(_phrase(*step) for step in zip(*(terms.tolist() for terms in steps), strict=True))]


def scene_phrases(keyframes: pl.DataFrame) -> dict[str, dict[int, str | None]]:
    """Describe every step of every scene.

    Args:
        keyframes: Columns of `KEYFRAMES_SCHEMA`.

    Returns:
        Scene to key-frame index to phrase (see `frame_phrases`), indices ascending.
    """
    return {
        scene: dict(zip(poses["frame"].to_list(), frame_phrases(*_arrays(poses)), strict=True))
        for scene, poses in scene_poses(keyframes).items()
    }


def scene_poses(keyframes: pl.DataFrame) -> dict[str, pl.DataFrame]:
    """Key frames by scene, in order, with the heading `yaw_rad` in the global frame as a further column.

    Args:
        keyframes: Columns of `KEYFRAMES_SCHEMA`.
    """
    quaternions = keyframes.select(f"pose_q{axis}" for axis in "wxyz").to_numpy()
    yaw = pl.Series("yaw_rad", yaw_of_rotation(rotation_of_quaternion(quaternions)))
    by_scene = keyframes.with_columns(yaw).sort("scene", "frame").group_by("scene", maintain_order=True)
    return {str(scene): poses for (scene,), poses in by_scene}


def steps_of(poses: pl.DataFrame) -> Steps:
    """Measure the steps between the key frames of a scene, at least two (see `scene_poses`)."""
    return _steps(*_arrays(poses))


def _arrays(poses: pl.DataFrame) -> tuple[list[int], NDArray[np.float64], NDArray[np.float64]]:
    """Times, positions and headings of `scene_poses`."""
    return poses["timestamp_us"].to_list(), poses.select("pose_x", "pose_y").to_numpy(), poses["yaw_rad"].to_numpy()


def ego_motion(text: str, phrases: Mapping[int, str | None]) -> EgoMotion:
    """The ego-motion text that goes with a question.

    Args:
        text: The question with options and directive.
        phrases: The scene's phrases by key-frame index (see `scene_phrases`).
    """
    selection = select_frames(text, list(phrases))
    start, end = selection.start_frame, selection.end_frame
    roles = {start: "the first referenced frame", end: "the last referenced frame"}
    if start == end:
        roles = {start: "the referenced frame"}
    sentences = [_sentence(role, frame, phrases[frame]) for frame, role in roles.items()]
    return EgoMotion(start, end, selection.reason, " ".join(sentences))


def _phrase(
    forward_m: float, left_m: float, displacement_m: float, speed_mps: float, turn_deg: float, acceleration_mps2: float
) -> str:
    return (
        f"{_speed(speed_mps)} {_direction(forward_m, left_m, displacement_m)} relative to the previous frame, "
        f"{_heading(turn_deg)}, and {_acceleration(acceleration_mps2)}"
    )


def _sentence(role: str, frame: int, phrase: str | None) -> str:
    if phrase is None:
        return (
            f"At {role}, frame {frame:03d}, this is the initial ego pose of the sequence, "
            "with no previous frame available for relative motion."
        )
    return f"At {role}, frame {frame:03d}, the ego vehicle is {phrase}."


def nearest_frame(frame: int, frames: Sequence[int]) -> int:
    """The key frame nearest to one that a text names; of two equally near the earlier."""
    return min(frames, key=lambda available: (abs(available - frame), available))


def _speed(speed_mps: float) -> str:
    return next(words for bound, words in SPEEDS if speed_mps < bound)


def _direction(forward_m: float, left_m: float, displacement_m: float) -> str:
    if displacement_m < STILL_M:
        return "with little relative displacement"
    along = "forward" if forward_m >= 0 else "backward"
    across = "left" if left_m >= 0 else "right"
    if abs(left_m) < SIDE_RATIO * abs(forward_m):
        return along
    if abs(forward_m) < SIDE_RATIO * abs(left_m):
        return across
    return f"{along}-{across}"


def _heading(turn_deg: float) -> str:
    if turn_deg < -TURN_DEG:
        return "turning right"
    return "turning left" if turn_deg > TURN_DEG else "keeping a similar heading"


def _acceleration(acceleration_mps2: float) -> str:
    if acceleration_mps2 < -ACCELERATION_MPS2:
        return "slowing down"
    return "speeding up" if acceleration_mps2 > ACCELERATION_MPS2 else "maintaining similar speed"
