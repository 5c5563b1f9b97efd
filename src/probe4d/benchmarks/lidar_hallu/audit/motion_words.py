"""Words the ego vehicle's motion anew from recorded poses (the Ego layout of LiDAR-Hallu, Sec. IV)."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from itertools import product
from typing import Any

from probe4d.benchmarks.lidar_hallu.audit.tables import KeyFrame

__all__ = ["ego_motion"]

_NOISE = 1e-9
_SPANS = (
    re.compile(r"\bframes?\s(\d+)(?:\sto\s(?:frame\s)?|\s*[-\u2013]\s*)(\d+)"),
    re.compile(r"\bbetween\sframes?\s(\d+)\sand\s(?:frame\s)?(\d+)"),
    re.compile(r"\bfrom\s(\d+)\sto\s(\d+)"),
)
_FRAMES = (re.compile(r"\b(?:at|by|during|in)\sframe\s(\d+)"), re.compile(r"\bframe\s(\d+)"))


def ego_motion(text: str, key_frames: Sequence[KeyFrame], *, told: str) -> dict[str, Any]:
    """Word the ego motion that goes with a question.

    Args:
        text: The question with options and directive.
        key_frames: The scene's key frames in order.
        told: The text that the benchmark holds; it settles words whose number lies on a bound within rounding.
    """
    start, end, reason = _endpoints(text.lower(), len(key_frames) - 1)
    roles = [("the first referenced frame", start), ("the last referenced frame", end)]
    if start == end:
        roles = [("the referenced frame", start)]
    wordings = [
        " ".join(sentences) for sentences in product(*(_sentences(role, frame, key_frames) for role, frame in roles))
    ]
    words = told if told in wordings else wordings[0]
    return {"start_frame": start, "end_frame": end, "selection_reason": reason, "text": words}


def _endpoints(text: str, last: int) -> tuple[int, int, str]:
    found = [(int(a), int(b)) for pattern in _SPANS for a, b in pattern.findall(text)]
    ordered = [(a, b) for a, b in found if a <= b]
    if ordered:
        return min(last, min(a for a, _ in ordered)), min(last, max(b for _, b in ordered)), "question_interval"
    single = next((match for match in (pattern.search(text) for pattern in _FRAMES) if match), None)
    if single is None:
        return 0, last, "full_scene_fallback"
    start = min(max(0, min(last, int(single[1])) - 2), max(0, last - 4))
    return start, min(last, start + 4), "question_single_frame_window"


def _sentences(role: str, frame: int, key_frames: Sequence[KeyFrame]) -> list[str]:
    """Every sentence that the numbers allow: one, unless a number lies on a bound."""
    head = f"At {role}, frame {frame:03d}, "
    if frame == 0:
        return [
            f"{head}this is the initial ego pose of the sequence, with no previous frame available for relative motion."
        ]
    seconds, forward, left, turn_deg = _step(key_frames[frame - 1], key_frames[frame])
    path = math.hypot(forward, left)
    speed = path / seconds
    before = speed
    if frame > 1:
        seconds_before, *step_before, _ = _step(key_frames[frame - 2], key_frames[frame - 1])
        before = math.hypot(*step_before) / seconds_before
    parts = product(
        _graded(
            speed,
            ((0.2, "nearly stationary"), (2.0, "moving slowly"), (6.0, "moving at moderate speed")),
            "moving fast",
        ),
        _directions(forward, left, path),
        _graded(turn_deg, ((-5.0, "turning right"), (5.0, "keeping a similar heading")), "turning left"),
        _graded(
            (speed - before) / seconds,
            ((-0.5, "slowing down"), (0.5, "maintaining similar speed")),
            "speeding up",
        ),
    )
    return [
        f"{head}the ego vehicle is {pace} {direction} relative to the previous frame, {heading}, and {change}."
        for pace, direction, heading, change in parts
    ]


def _step(earlier: KeyFrame, later: KeyFrame) -> tuple[float, float, float, float]:
    """Seconds, metres forward and to the left in the earlier ego frame, and the turn in degrees."""
    seconds = max((later.timestamp_us - earlier.timestamp_us) * 1e-6, 1e-6)
    east, north = (b - a for a, b in zip(earlier.translation[:2], later.translation[:2], strict=True))
    yaw, yaw_later = _yaw(earlier), _yaw(later)
    moved = complex(east, north) * complex(math.cos(yaw), -math.sin(yaw))
    turn = math.remainder(yaw_later - yaw, math.tau)
    return seconds, moved.real, moved.imag, math.degrees(turn)


def _yaw(key_frame: KeyFrame) -> float:
    """Heading in radians; both terms are of second degree, so that the quaternion's length does not matter."""
    w, x, y, z = key_frame.rotation
    return math.atan2(2 * (w * z + x * y), w * w + x * x - y * y - z * z)


def _graded(value: float, grades: Sequence[tuple[float, str]], above: str) -> list[str]:
    """Words of a value: those of the first bound above it, and both neighbours where it lies on the bound."""
    words = [name for _, name in grades] + [above]
    place = sum(value >= bound for bound, _ in grades)
    near = [index for index, (bound, _) in enumerate(grades) if abs(value - bound) < _NOISE]
    return [words[place], *(words[index + 1 if place == index else index] for index in near)]


def _directions(forward: float, left: float, path: float) -> list[str]:
    along = "forward" if forward >= 0 else "backward"
    aside = "left" if left >= 0 else "right"
    choices = ["with little relative displacement"] if path < 0.2 + _NOISE else []
    if path >= 0.2 - _NOISE:
        if abs(left) < 0.25 * abs(forward) + _NOISE:
            choices.append(along)
        if abs(forward) < 0.25 * abs(left) + _NOISE:
            choices.append(aside)
        if abs(left) >= 0.25 * abs(forward) - _NOISE and abs(forward) >= 0.25 * abs(left) - _NOISE:
            choices.append(f"{along}-{aside}")
    return choices
