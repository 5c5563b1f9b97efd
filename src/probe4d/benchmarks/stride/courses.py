"""Courses of the ego vehicle: the driven one, wrong ones made of it, and how clear of objects each keeps (Sec. 3.1)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from probe4d.benchmarks.stride.signals import Signals
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
from probe4d.benchmarks.stride.windows import ego_window, in_ego_frame, objects_later
from probe4d.benchmarks.stride.zones import ego_footprints, footprints_of
from probe4d.scenes.footprints import Footprints, gaps_m, separations_m

__all__ = ["COURSE_DECIMALS", "DRIVEN", "courses_of"]

Array = NDArray[np.float64]

DRIVEN = "driven"
"""Name of the course that the ego vehicle really took."""
COURSE_DECIMALS = 1
"""Decimals of positions, as they stand in questions; what is measured is measured of these."""

_LEAST_SEGMENT_M = 0.5
"""Between positions that are nearer the ego vehicle keeps its heading: rounding would turn it."""


class _Drive(NamedTuple):
    """What wrong courses are made of, n drives in the ego frame of their query frame.

    Attributes:
        positions_m: The driven positions, the origin first, shape (n, 6, 2).
        times_s: When, shape (n, 6).
        velocity_mps: Velocity at the query frame, shape (n, 2).
    """

    positions_m: Array
    times_s: Array
    velocity_mps: Array

    @property
    def ways_m(self) -> Array:
        """Way from the origin to each position, shape (n, 6)."""
        moved = np.diff(self.positions_m, axis=1)
        lengths = np.hypot(moved[..., 0], moved[..., 1])
        return np.concatenate([np.zeros((len(lengths), 1)), np.cumsum(lengths, axis=1)], axis=1)


@lru_cache(maxsize=1)  # two rules ask for the same
def courses_of(signals: Signals) -> pl.DataFrame:
    """Make the courses of every query frame with its future, and measure them.

    Returns:
        Columns scene, frame, course (its name), positions_m (lists of [x, y], rounded to `COURSE_DECIMALS`), ade_m and
        end_distance_m (mean and last distance from the driven positions), clearance_m (least gap between outlines;
        below 0 the deepest overlap; null where no object comes within `CLEARANCE_REACH_M`), nearest_track and
        nearest_words (of the object that decides it). Courses that could not be driven are left out.
    """
    window = ego_window(signals, 0, FUTURE_POSITIONS)
    drive = _Drive(
        in_ego_frame(signals, window.table, window.positions_m),
        window.times_s,
        window.table.select("velocity_x_mps", "velocity_y_mps").to_numpy(),
    )
    queries = window.table.select("scene", "frame", "yaw_rad").with_row_index("query")
    objects = _with_place_before(signals, queries)
    tables = []
    driven = _rounded(drive.positions_m[:, 1:])
    for name, make in _COURSES.items():
        positions, possible = make(drive)
        positions = _rounded(positions)
        apart = np.hypot(*np.moveaxis(positions - driven, -1, 0))
        measured = queries.select(
            "scene",
            "frame",
            "query",
            course=pl.lit(name),
            positions_m=pl.Series(positions.tolist(), dtype=pl.List(pl.List(pl.Float64))),
            ade_m=pl.Series(apart.mean(axis=1), dtype=pl.Float64),
            end_distance_m=pl.Series(apart[:, -1], dtype=pl.Float64),
            possible=pl.Series(possible, dtype=pl.Boolean),
        )
        tables.append(measured.join(_clearances(positions, objects), on="query", how="left", maintain_order="left"))
    return pl.concat(tables).filter("possible").drop("possible", "query").sort("scene", "frame", maintain_order=True)


def _rounded(positions_m: Array) -> Array:
    return np.round(positions_m, COURSE_DECIMALS) + 0.0


def _with_place_before(signals: Signals, queries: pl.DataFrame) -> pl.DataFrame:
    """Objects at each step but the first, with their centre at the step before, or the same where they had no box."""
    objects = signals.objects.drop_nulls(["length_m", "width_m"])
    later = objects_later(signals, queries, objects, range(FUTURE_POSITIONS + 1))
    key = ["scene", "frame", "track", "step"]
    before = later.select("scene", "frame", "track", pl.col("step") + 1, before_x_m="query_x_m", before_y_m="query_y_m")
    return (
        later.filter(pl.col("step") > 0)
        .join(before, on=key, how="left", maintain_order="left")
        .join(queries.select("scene", "frame", "query"), on=["scene", "frame"], how="left", maintain_order="left")
        .with_columns(
            before_x_m=pl.coalesce("before_x_m", "query_x_m"), before_y_m=pl.coalesce("before_y_m", "query_y_m")
        )
    )


def _clearances(positions_m: Array, objects: pl.DataFrame) -> pl.DataFrame:
    """Least gaps to objects of courses, shape (n, 5, 2): columns query, clearance_m, nearest_track, nearest_words.

    The ego vehicle and the objects move evenly between two positions, and are compared `CLEARANCE_PARTS` times there;
    their headings are those that they arrive with.
    """
    origin = np.zeros((len(positions_m), 1, 2))
    places, headings = np.concatenate([origin, positions_m], axis=1), _headings_rad(positions_m)
    query, step = objects["query"].to_numpy(), objects["step"].to_numpy()
    outlines = footprints_of(objects, "query")
    before = objects.select("before_x_m", "before_y_m").to_numpy()
    heading = headings[query, step - 1]
    least = np.full(objects.height, np.inf)
    for part in range(1, CLEARANCE_PARTS + 1):
        share = part / CLEARANCE_PARTS
        own = ego_footprints((1 - share) * places[query, step - 1] + share * places[query, step], heading)
        others = outlines._replace(centre=(1 - share) * before + share * outlines.centre)
        near = np.flatnonzero(_may_be_near(own, others))
        first, second = (Footprints(*(values[near] for values in outline)) for outline in (own, others))
        separations = separations_m(first, second)
        least[near] = np.minimum(least[near], np.where(separations > 0, gaps_m(first, second), separations))
    return (
        objects.select("query", nearest_track="track", nearest_words="words")
        .with_columns(clearance_m=pl.Series(least, dtype=pl.Float64))
        .filter(pl.col("clearance_m") <= CLEARANCE_REACH_M)
        .sort("query", "clearance_m", "nearest_track")
        .unique("query", keep="first", maintain_order=True)
    )


def _may_be_near(first: Footprints, second: Footprints) -> NDArray[np.bool_]:
    """Whether circles around two footprints are within reach."""
    reach = sum(np.hypot(*footprints.half_size.T) for footprints in (first, second)) + CLEARANCE_REACH_M
    near: NDArray[np.bool_] = np.hypot(*(first.centre - second.centre).T) <= reach
    return near


def _headings_rad(positions_m: Array) -> Array:
    """Heading on arrival at each position: along the last segment that is long enough, at first straight ahead."""
    headings = np.zeros(positions_m.shape[:2])
    place, heading = np.zeros((len(positions_m), 2)), np.zeros(len(positions_m))
    for step in range(positions_m.shape[1]):
        moved = positions_m[:, step] - place
        far = np.hypot(*moved.T) >= _LEAST_SEGMENT_M
        heading = np.where(far, np.arctan2(moved[:, 1], moved[:, 0]), heading)
        headings[:, step], place = heading, positions_m[:, step]
    return headings


def _driven(drive: _Drive) -> tuple[Array, NDArray[np.bool_]]:
    return drive.positions_m[:, 1:], np.ones(len(drive.positions_m), dtype=bool)


def _stretched(factor: float) -> Callable[[_Drive], tuple[Array, NDArray[np.bool_]]]:
    """The driven way at another speed, scaled as a whole."""

    def make(drive: _Drive) -> tuple[Array, NDArray[np.bool_]]:
        return factor * drive.positions_m[:, 1:], np.ones(len(drive.positions_m), dtype=bool)

    return make


def _swerving(aside_m: float) -> Callable[[_Drive], tuple[Array, NDArray[np.bool_]]]:
    """The driven positions, moved aside smoothly; where the way forward is long enough to swerve on."""

    def make(drive: _Drive) -> tuple[Array, NDArray[np.bool_]]:
        share = np.arange(1, FUTURE_POSITIONS + 1) / FUTURE_POSITIONS
        smooth = share**2 * (3 - 2 * share)
        positions = drive.positions_m[:, 1:] + np.stack([np.zeros_like(smooth), aside_m * smooth], axis=-1)
        return positions, drive.positions_m[:, -1, 0] >= SWERVE_LEAST_M

    return make


def _constant_velocity(drive: _Drive) -> tuple[Array, NDArray[np.bool_]]:
    """On at the velocity of the query frame."""
    positions = drive.velocity_mps[:, None] * drive.times_s[:, 1:, None]
    return positions, np.ones(len(positions), dtype=bool)


def _braking(drive: _Drive) -> tuple[Array, NDArray[np.bool_]]:
    """Along the driven way, evenly slower until the vehicle stands after `STOP_WITHIN_S`, at its end at the latest."""
    speed = np.hypot(*drive.velocity_mps.T)
    braked = np.minimum(drive.times_s[:, 1:], STOP_WITHIN_S)
    covered = speed[:, None] * braked * (1 - braked / (2 * STOP_WITHIN_S))
    ways = drive.ways_m
    positions = np.empty((len(speed), FUTURE_POSITIONS, 2))
    for row in range(len(speed)):
        for axis in range(2):
            positions[row, :, axis] = np.interp(covered[row], ways[row], drive.positions_m[row, :, axis])
    return positions, speed >= STILL_MPS


_COURSES: Mapping[str, Callable[[_Drive], tuple[Array, NDArray[np.bool_]]]] = {
    DRIVEN: _driven,
    "slower": _stretched(STRETCHES[0]),
    "faster": _stretched(STRETCHES[1]),
    "swerving to the left": _swerving(SWERVE_M),
    "swerving to the right": _swerving(-SWERVE_M),
    "constant velocity": _constant_velocity,
    "braking": _braking,
}
"""How courses are made: positions, shape (n, 5, 2), and whether each could be driven."""
