"""Derives the courses of TRJ-3 and TRJ-4 and what comes of them, measured of the positions that texts list."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from probe4d.benchmarks.stride.audit.later import Later, tracks_later
from probe4d.benchmarks.stride.audit.measuring import Array, Drive, Flags, Places
from probe4d.benchmarks.stride.audit.zones import ego_outlines, gaps_or_depths
from probe4d.benchmarks.stride.thresholds import (
    CLEARANCE_PARTS,
    CLEARANCE_REACH_M,
    FUTURE_POSITIONS,
    STILL_MPS,
    STOP_WITHIN_S,
    STRETCHES,
    SWERVE_LEAST_M,
    SWERVE_M,
)

__all__ = ["DRIVEN", "Clearance", "Clearances", "apart_m", "possible_courses"]

DRIVEN = "driven"

_LEAST_SEGMENT_M = 0.5
"""Between positions that are nearer the ego vehicle keeps its heading."""
_EQUAL_M = 1e-9


def possible_courses(drive: Drive, frame: int) -> dict[str, Array]:
    """What each course would be from a query frame, by name, shape (5, 2) each; those that could not be are left out.

    All are in the ego frame of the query frame, metres, not rounded.
    """
    steps = np.arange(FUTURE_POSITIONS + 1)
    one = np.array([frame])
    places = drive.in_ego_frame(one, drive.ego_places(one, steps))[0]
    times = drive.times_s[frame + steps] - drive.times_s[frame]
    velocity = drive.ego_velocity[frame]
    driven = places[1:]
    courses = {
        DRIVEN: driven,
        "slower": STRETCHES[0] * driven,
        "faster": STRETCHES[1] * driven,
        "constant velocity": np.outer(times[1:], velocity),
    }
    if driven[-1, 0] >= SWERVE_LEAST_M:
        share = steps[1:] / FUTURE_POSITIONS
        aside = SWERVE_M * (3 * share**2 - 2 * share**3)
        courses["swerving to the left"] = driven + np.outer(aside, [0, 1])
        courses["swerving to the right"] = driven - np.outer(aside, [0, 1])
    speed = float(np.hypot(*velocity))
    if speed >= STILL_MPS:
        courses["braking"] = _braked(places, times, speed)
    return courses


def apart_m(course: Array, driven: Array) -> tuple[float, float]:
    """Mean and last distance of two lists of positions."""
    distances = np.linalg.norm(course - driven, axis=1)
    return float(distances.mean()), float(distances[-1])


class Clearance(NamedTuple):
    """How near a course comes to an object.

    Attributes:
        metres: Least gap of outlines, below 0 the deepest overlap; null where none comes within reach.
        tracks: Instance tokens of the objects that may be meant: one, but where several are equally near.
        words: What these are called.
    """

    metres: float | None
    tracks: tuple[str | None, ...]
    words: tuple[str | None, ...]


class Clearances:
    """Gaps of courses of one query frame to all objects.

    Args:
        drive: The scene.
        frame: The query frame, with its future.
    """

    def __init__(self, drive: Drive, frame: int) -> None:
        self._drive = drive
        self._later = tracks_later(drive, frame)

    def of(self, course: Array) -> Clearance:
        """The clearance of a course of positions, shape (5, 2)."""
        places = np.concatenate([[0], course @ np.array([1, 1j])])
        headings = _headings(places)
        least = np.full(self._later.there[:, 1:].shape, np.inf)
        begun = _places_before(self._later)
        for share in np.arange(1, CLEARANCE_PARTS + 1) / CLEARANCE_PARTS:
            own = ego_outlines(places[:-1] + share * np.diff(places), headings)
            shift = (1 - share) * (begun - self._later.centres[:, 1:])
            others = self._later.outlines[:, 1:] + shift[..., None]
            near = self._later.there[:, 1:] & _within_reach(own, others)
            track, step = np.nonzero(near)
            gaps = gaps_or_depths(own[step], others[track, step])
            least[track, step] = np.minimum(least[track, step], gaps)
        return self._nearest(least.min(axis=1, initial=np.inf))

    def _nearest(self, gaps: Array) -> Clearance:
        nearest = gaps.min(initial=np.inf)
        if nearest > CLEARANCE_REACH_M:
            return Clearance(None, (None,), (None,))
        rows = self._later.rows.max(axis=1)[gaps <= nearest + _EQUAL_M]
        names: Any = self._drive
        return Clearance(float(nearest), tuple(names.tracks[rows]), tuple(names.words[rows]))


def _braked(places: Array, times: Array, speed: float) -> Array:
    """Positions along the driven way while braking evenly to a stop."""
    ways = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(places, axis=0), axis=1))])
    left = np.maximum(STOP_WITHIN_S - times[1:], 0.0)
    covered = speed * (STOP_WITHIN_S**2 - left**2) / (2 * STOP_WITHIN_S)
    return np.stack([np.interp(covered, ways, places[:, axis]) for axis in range(2)], axis=-1)


def _headings(places: Places) -> Array:
    """Heading on arrival at each position but the first, radians; the vehicle starts straight ahead."""
    headings, heading = [], 0.0
    for moved in np.diff(places).tolist():
        heading = float(np.angle(moved)) if abs(moved) >= _LEAST_SEGMENT_M else heading
        headings.append(heading)
    return np.array(headings)


def _places_before(later: Later) -> Places:
    """Where each track was at the step before, or is where it had no box then, shape (T, S - 1)."""
    before: Places = np.where(later.there[:, :-1], later.centres[:, :-1], later.centres[:, 1:])
    return before


def _within_reach(own: Places, others: Places) -> Flags:
    """Whether circles around outlines are near enough, shape (T, S - 1)."""
    middle, other_middle = own.mean(axis=-1), others.mean(axis=-1)
    radii = np.abs(own[:, 0] - middle) + np.abs(others[..., 0] - other_middle)
    reach: Flags = np.abs(middle - other_middle) <= radii + CLEARANCE_REACH_M
    return reach
