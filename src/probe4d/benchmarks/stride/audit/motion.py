"""Derives how targets and the ego vehicle move over a window of key frames: TM-3, TM-5, TE-1, TE-4, TRJ-1 and TRJ-2."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from probe4d.benchmarks.stride.audit.derived import Derived, Line, chosen, degrees, metres, speed, values
from probe4d.benchmarks.stride.audit.encounters import seconds_to_collision
from probe4d.benchmarks.stride.audit.measuring import NO_ROW, Array, Drive, Flags, Rows
from probe4d.benchmarks.stride.audit.zones import ahead, separations
from probe4d.benchmarks.stride.templates import TEMPLATES
from probe4d.benchmarks.stride.thresholds import (
    ASIDE_M,
    EGO_TURN_DEG,
    FUTURE_POSITIONS,
    HISTORY_FRAMES,
    MOTION_FRAMES,
    MOVED_M,
    PATH_AHEAD_M,
    SPEED_CHANGE_MPS,
    STILL_MPS,
    TIME_TO_COLLISION_BOUNDS_S,
    TURN_DEG,
)

__all__ = [
    "ego_response",
    "future_ego_manoeuvre",
    "future_ego_position",
    "future_motion",
    "past_ego_manoeuvre",
    "recent_motion",
]

_STILL, _STEADY, _FASTER, _SLOWER, _LEFT, _RIGHT, _STOPS = range(7)
"""Places of the options of TRJ-1; the other patterns have all but the last."""
_HALF = 2
"""Steps in either half of a window."""
_RESPONSES = {_STOPS: 0, _SLOWER: 1, _LEFT: 2, _RIGHT: 3, _STEADY: 4}
"""Places of the options of TE-4 by manoeuvre."""


class _Motion(NamedTuple):
    """Motion over windows of k steps, n of them.

    Attributes:
        speeds: Of the steps, m/s, shape (n, k).
        mean: Mean speed along the way, shape (n,).
        change: Mean speed of the last half minus that of the first.
        turn: Change of heading, degrees to the left; NaN where either half is too slow to have one.
    """

    speeds: Array
    mean: Array
    change: Array
    turn: Array

    def facts(self) -> dict[str, list[Any]]:
        return {
            "speeds_mps": self.speeds.tolist(),
            "mean_speed_mps": values(self.mean),
            "speed_change_mps": values(self.change),
            "heading_change_deg": values(self.turn),
        }

    def facts_of_ego(self) -> dict[str, list[Any]]:
        ends = {"first_speed_mps": values(self.speeds[:, 0]), "last_speed_mps": values(self.speeds[:, -1])}
        return self.facts() | ends

    def patterns(self, turn_deg: float) -> Rows:
        """The first of still, turn, change of speed and steady that fits."""
        return np.select(
            [
                self.mean < STILL_MPS,
                self.turn > turn_deg,
                self.turn < -turn_deg,
                self.change > SPEED_CHANGE_MPS,
                self.change < -SPEED_CHANGE_MPS,
            ],
            [_STILL, _LEFT, _RIGHT, _FASTER, _SLOWER],
            _STEADY,
        )

    def lines(self, turn_deg: float, where: Flags | None = None) -> tuple[Line, ...]:
        """Those that a pattern rests on, of the windows that it decides."""
        asked = np.ones(len(self.mean), dtype=np.bool_) if where is None else where
        moves = asked & (self.mean >= STILL_MPS)
        turns = np.abs(self.turn) > turn_deg
        return (
            speed(np.where(asked, np.abs(self.mean - STILL_MPS), np.nan)),
            degrees(np.where(moves, np.abs(np.abs(self.turn) - turn_deg), np.nan)),
            speed(np.where(moves & ~turns, np.abs(np.abs(self.change) - SPEED_CHANGE_MPS), np.nan)),
        )

    def stops(self) -> tuple[Flags, Line]:
        """Whether the vehicle comes to a stop, and how far that is from changing."""
        starts, ends = self.speeds[:, 0] - STILL_MPS, STILL_MPS - self.speeds[:, -1]
        stops: Flags = (starts >= 0) & (ends > 0)
        return stops, speed(np.where(stops, np.minimum(starts, ends), np.abs(np.minimum(starts, ends))))


def recent_motion(drive: Drive, frame: Rows, target: Rows) -> Derived:
    """TM-3: the motion of a target in the history."""
    return _of_targets(drive, frame, target, "TM-3", np.arange(-HISTORY_FRAMES, 1))


def future_motion(drive: Drive, frame: Rows, target: Rows) -> Derived:
    """TE-1: its motion after the query frame."""
    return _of_targets(drive, frame, target, "TE-1", np.arange(MOTION_FRAMES + 1))


def past_ego_manoeuvre(drive: Drive, frame: Rows, _target: Rows) -> Derived:
    """TM-5: the motion of the ego vehicle in the history."""
    motion = _of_ego(drive, frame, np.arange(-HISTORY_FRAMES, 1))
    answers = chosen(TEMPLATES["TM-5"].options, motion.patterns(EGO_TURN_DEG))
    return Derived(answers, motion.facts(), motion.lines(EGO_TURN_DEG))


def future_ego_manoeuvre(drive: Drive, frame: Rows, _target: Rows) -> Derived:
    """TRJ-1: what the ego vehicle does after the query frame."""
    motion = _of_ego(drive, frame, np.arange(FUTURE_POSITIONS + 1))
    number, lines = _manoeuvres(motion)
    return Derived(chosen(TEMPLATES["TRJ-1"].options, number), motion.facts_of_ego(), lines)


def ego_response(drive: Drive, frame: Rows, target: Rows) -> Derived:
    """TE-4: the same, of targets in the way or soon met; standing and speeding up are no responses."""
    way = separations(ahead(PATH_AHEAD_M), drive.outlines[target])
    _, left = seconds_to_collision(drive, target)
    concerns = (way <= 0) | (left < TIME_TO_COLLISION_BOUNDS_S[-1])
    motion = _of_ego(drive, frame, np.arange(FUTURE_POSITIONS + 1))
    number, lines = _manoeuvres(motion)
    response = np.array([_RESPONSES.get(each, -1) for each in number.tolist()], dtype=np.int64)
    facts = {"time_to_collision_s": values(left), "way_separation_m": values(way)} | motion.facts_of_ego()
    return Derived(chosen(TEMPLATES["TE-4"].options, response, concerns & (response >= 0)), facts, lines)


def future_ego_position(drive: Drive, frame: Rows, _target: Rows) -> Derived:
    """TRJ-2: where the ego vehicle is after its last position."""
    end = drive.in_ego_frame(frame, drive.ego_places(frame, np.array([FUTURE_POSITIONS])))[:, 0]
    away, aside = np.hypot(end[:, 0], end[:, 1]), end[:, 1]
    moved = away >= MOVED_M
    number = np.select([~moved, np.abs(aside) <= ASIDE_M, aside > 0], [3, 0, 1], 2)
    facts = {"end_x_m": values(end[:, 0]), "end_y_m": values(aside), "end_distance_m": values(away)}
    off_aside = np.where(moved, np.abs(np.abs(aside) - ASIDE_M), np.nan)
    lines = metres(np.abs(away - MOVED_M)), metres(off_aside)
    return Derived(chosen(TEMPLATES["TRJ-2"].options, number, ~moved | (end[:, 0] > 0)), facts, lines)


def _manoeuvres(motion: _Motion) -> tuple[Rows, tuple[Line, ...]]:
    stops, line = motion.stops()
    lines = (line, *motion.lines(EGO_TURN_DEG, ~stops))
    return np.where(stops, _STOPS, motion.patterns(EGO_TURN_DEG)), lines


def _of_targets(drive: Drive, frame: Rows, target: Rows, template: str, steps: Rows) -> Derived:
    rows = np.stack([drive.row_of(target, int(step)) for step in steps], axis=1)
    there = (rows != NO_ROW).all(axis=1)
    places = drive.centre[rows, :2] @ np.array([1, 1j])
    motion = _motion(places, _times(drive, frame, steps), None)
    answers = chosen(TEMPLATES[template].options, motion.patterns(TURN_DEG), there)
    return Derived(answers, motion.facts(), motion.lines(TURN_DEG))


def _of_ego(drive: Drive, frame: Rows, steps: Rows) -> _Motion:
    places = drive.ego_places(frame, steps)[..., :2] @ np.array([1, 1j])
    headings = np.exp(1j * drive.headings)
    turns = np.angle(headings[frame + steps[-1]] / headings[frame + steps[0]], deg=True)
    return _motion(places, _times(drive, frame, steps), turns)


def _times(drive: Drive, frame: Rows, steps: Rows) -> Array:
    at = np.clip(frame[:, None] + steps, 0, drive.key_frames - 1)
    times: Array = drive.times_s[at]
    return times


def _motion(places: Any, times: Array, turns: Array | None) -> _Motion:
    """Motion along places x + iy, shape (n, k + 1); without headings it turns as its displacements do."""
    lengths, spans = np.abs(np.diff(places, axis=1)), np.diff(times, axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        speeds = lengths / spans
        first, last = (lengths[:, half].sum(axis=1) / spans[:, half].sum(axis=1) for half in _HALVES)
        mean = lengths.sum(axis=1) / (times[:, -1] - times[:, 0])
        begun, ended = places[:, _HALF] - places[:, 0], places[:, -1] - places[:, -1 - _HALF]
        turned = np.where(np.minimum(first, last) >= STILL_MPS, np.angle(ended * begun.conj(), deg=True), np.nan)
    return _Motion(speeds, mean, last - first, turned if turns is None else turns)


_HALVES = (slice(None, _HALF), slice(-_HALF, None))
