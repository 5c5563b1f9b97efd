"""Streets of a simulated scene: a main street, a cross street, their lanes and what stands beside them.

All coordinates are global metres and radians. Traffic keeps to the right. A position on a street is (s, d):
metres along its centre line and metres to the left of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["LANE_WIDTH_M", "Path", "Street", "joined", "lane_change", "straight_across", "street"]

Floats = NDArray[np.float64]

LANE_WIDTH_M = 3.5
BIKE_LANE_WIDTH_M = 1.4
PARKING_WIDTH_M = 2.4
SIDEWALK_WIDTH_M = 3.4


@dataclass(frozen=True)
class Path:
    """A smooth curve, sampled every metre.

    Attributes:
        points: Positions, shape (K, 2), metres.
        yaw: Headings, shape (K,), radians, unwrapped.
    """

    points: Floats
    yaw: Floats

    @property
    def length_m(self) -> float:
        """Length in metres."""
        return float(len(self.yaw) - 1)

    def at(self, s: Floats | float, d: Floats | float = 0.0) -> tuple[Floats, Floats, Floats]:
        """Position and heading at `s` metres along and `d` metres to the left; held at both ends."""
        grid = np.arange(len(self.yaw), dtype=np.float64)
        yaw = np.asarray(np.interp(s, grid, self.yaw))
        x = np.interp(s, grid, self.points[:, 0]) - d * np.sin(yaw)
        y = np.interp(s, grid, self.points[:, 1]) + d * np.cos(yaw)
        return x, y, yaw

    def nearest(self, x: float, y: float) -> float:
        """Metres along the path to its sample nearest to a position."""
        return float(np.argmin(np.hypot(self.points[:, 0] - x, self.points[:, 1] - y)))

    def shifted(self, d: float) -> Path:
        """The parallel curve `d` metres to the left."""
        normal = np.stack([-np.sin(self.yaw), np.cos(self.yaw)], axis=1)
        return _resampled(self.points + d * normal)

    def reversed(self) -> Path:
        """The same curve travelled the other way."""
        return Path(self.points[::-1].copy(), self.yaw[::-1] + np.pi)


def _resampled(points: Floats) -> Path:
    along = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(points, axis=0).T))])
    grid = np.arange(0.0, along[-1], 1.0)
    even = np.stack([np.interp(grid, along, points[:, axis]) for axis in (0, 1)], axis=1)
    dx, dy = np.gradient(even, axis=0).T
    return Path(even, np.unwrap(np.arctan2(dy, dx)))


def _curve(x: float, y: float, yaw: float, pieces: Sequence[tuple[float, float]]) -> Path:
    """Straights and arcs (length in metres, curvature in 1/m), curvature blended over 10 m as on real roads."""
    curvature = np.concatenate([np.full(round(length), value) for length, value in pieces])
    curvature = np.convolve(np.pad(curvature, 5, mode="edge"), np.full(11, 1 / 11), mode="valid")
    heading = yaw + np.concatenate([[0.0], np.cumsum(curvature)])
    middle = (heading[:-1] + heading[1:]) / 2
    steps = np.stack([np.cos(middle), np.sin(middle)], axis=1)
    points = np.concatenate([[[0.0, 0.0]], np.cumsum(steps, axis=0)]) + np.array([x, y])
    return Path(points, heading)


def joined(first: Path, leave_s: float, second: Path, enter_s: float) -> Path:
    """Follow `first` to `leave_s`, then a cubic Hermite curve to `enter_s` on `second`, then `second`."""
    before, after = first.points[: int(leave_s) + 1], second.points[int(enter_s) :]
    start, end = before[-1], after[0]
    chord = float(np.hypot(*(end - start)))
    from_yaw, to_yaw = first.yaw[int(leave_s)], second.yaw[int(enter_s)]
    u = np.linspace(0.0, 1.0, 60)[1:-1, None]
    tangents = 1.15 * chord * np.array([[np.cos(from_yaw), np.sin(from_yaw)], [np.cos(to_yaw), np.sin(to_yaw)]])
    bend = (
        (2 * u**3 - 3 * u**2 + 1) * start
        + (u**3 - 2 * u**2 + u) * tangents[0]
        + (3 * u**2 - 2 * u**3) * end
        + (u**3 - u**2) * tangents[1]
    )
    return _resampled(np.concatenate([before, bend, after]))


def lane_change(path: Path, changes: Sequence[tuple[float, float]], over_m: float = 32.0) -> Path:
    """Shift a path sideways by `by` metres to the left from `s` on, for each (s, by), over `over_m` metres."""
    s = np.arange(len(path.yaw), dtype=np.float64)
    d = np.zeros_like(s)
    for start, by in changes:
        d += by * (1 - np.cos(np.pi * np.clip((s - start) / over_m, 0, 1))) / 2
    normal = np.stack([-np.sin(path.yaw), np.cos(path.yaw)], axis=1)
    return _resampled(path.points + d[:, None] * normal)


def straight_across(path: Path, s: float, from_d: float, to_d: float) -> Path:
    """The straight line across a street at `s`, from one lateral position to another."""
    x, y, _ = path.at(np.full(2, s), np.array([from_d, to_d]))
    return _resampled(np.linspace([x[0], y[0]], [x[1], y[1]], 200))


@dataclass(frozen=True)
class Street:
    """A main street and the cross street that meets it at a right angle.

    Attributes:
        roads: Centre lines of the main (0) and the cross street (1).
        junction_s: Where the junction's centre lies on each of them.
        lanes: Lanes in each direction.
    """

    roads: tuple[Path, Path]
    junction_s: tuple[float, float]
    lanes: int

    @property
    def half_width_m(self) -> float:
        """From the centre line to the outer edge of the outer lane."""
        return self.lanes * LANE_WIDTH_M

    @property
    def bike_d(self) -> float:
        """Middle of the bicycle lane, metres from the centre line."""
        return self.half_width_m + BIKE_LANE_WIDTH_M / 2

    @property
    def parking_d(self) -> float:
        """Middle of the parking strip."""
        return self.half_width_m + BIKE_LANE_WIDTH_M + PARKING_WIDTH_M / 2

    @property
    def curb_d(self) -> float:
        """Where the sidewalk begins."""
        return self.half_width_m + BIKE_LANE_WIDTH_M + PARKING_WIDTH_M

    @property
    def wall_d(self) -> float:
        """Where the buildings begin."""
        return self.curb_d + SIDEWALK_WIDTH_M

    @property
    def stop_before_junction_m(self) -> float:
        """Distance of the stop line from the junction's centre."""
        return self.curb_d + 5.5

    @property
    def crosswalk_before_junction_m(self) -> float:
        """Distance of the crosswalk's middle from the junction's centre."""
        return self.curb_d + 2.5

    def lane(self, road: int, direction: int, number: int) -> Path:
        """Centre of a lane in its driving direction: `direction` 1 along the centre line, -1 against it.

        Args:
            road: 0 for the main street, 1 for the cross street.
            direction: 1 or -1.
            number: 0 for the lane next to the centre line.
        """
        return self.beside(road, direction, (number + 0.5) * LANE_WIDTH_M)

    def beside(self, road: int, direction: int, distance_m: float) -> Path:
        """The curve `distance_m` to the right of the centre line as seen in the driving direction."""
        path = self.roads[road].shifted(-direction * distance_m)
        return path if direction == 1 else path.reversed()

    def junction_on(self, path: Path, road: int) -> float:
        """Metres along a lane to its point nearest to the junction's centre."""
        x, y, _ = self.roads[road].at(self.junction_s[road])
        return path.nearest(float(x), float(y))


def street(rng: np.random.Generator, *, bend: bool) -> Street:
    """Lay out the streets of a scene somewhere on a map of two kilometres.

    Args:
        rng: Source of the layout.
        bend: Whether the main street curves on the way to the junction.
    """
    lanes = int(rng.integers(1, 3))
    x, y = rng.uniform(700, 1900, 2)
    yaw = rng.uniform(-np.pi, np.pi)
    turn = rng.choice([-1.0, 1.0]) * rng.uniform(0.5, 0.9)  # total heading change of the bend, radians
    early = turn / 60 if bend else 0.0
    late = rng.choice([-1.0, 0.0, 1.0]) * rng.uniform(0.2, 0.6) / 80
    main = _curve(x, y, yaw, [(110, 0.0), (60, early), (170, 0.0), (80, late), (180, 0.0)])
    junction_s = 260.0
    centre_x, centre_y, heading = main.at(junction_s)
    across = float(heading) + np.pi / 2
    cross_s = 190.0
    start = (float(centre_x) - cross_s * np.cos(across), float(centre_y) - cross_s * np.sin(across))
    cross = _curve(*start, across, [(2 * cross_s, 0.0)])
    return Street((main, cross), (junction_s, cross_s), lanes)
