"""The ways of the ego vehicle and of the objects around it through the windows of sequences."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl
from numpy.typing import NDArray

from probe4d.benchmarks.b4dl.annotations.attributes import NO_ATTRIBUTE, PARKED
from probe4d.benchmarks.b4dl.annotations.thresholds import (
    LEAST_FRAMES,
    MOST_RANGE_M,
    MOST_SPACING_S,
    MOVES_MPS,
    PARKED_RADIUS_M,
    STANDS_MPS,
    STILL_RADIUS_M,
)
from probe4d.benchmarks.b4dl.annotations.ways import Array, Flags, Way, integral_of, runs_of

__all__ = ["Motions", "Tracks", "ego_motions", "tracks_in"]

_NAMES = {
    "human.pedestrian.stroller": "stroller",
    "human.pedestrian.wheelchair": "wheelchair",
    "human.pedestrian.personal_mobility": "person on a personal mobility device",
    "human.pedestrian.police_officer": "police officer",
    "human.pedestrian.construction_worker": "construction worker",
}
"""What a phrase calls objects of a class that it would call too roughly."""
_LEAST_RANGE_M = 1e-6  # so that a centre in the origin has a direction
_MOVERS = r"^(vehicle|human|animal)"
"""Categories of what can move by itself; cones and barriers have no phrases."""


@dataclass(frozen=True)
class Motions:
    """How n things move, each seen in a window of at most T key frames.

    Attributes:
        table: A row a thing: scene, sequence, start (first key frame of its window) and more of objects.
        way: Where they were.
        still_radius_m: How near to its median place each stays if it stands, shape (n,).
        parked: Where they are annotated as parked, shape (n, T).
    """

    table: pl.DataFrame
    way: Way
    still_radius_m: Array
    parked: Flags

    @cached_property
    def stands(self) -> Flags:
        """Where they clearly stand, shape (n, T)."""
        places = self.way.places_m
        slow = runs_of(_length(self.way.velocities_mps) < STANDS_MPS)
        along = slow.along(places)
        spread = _farthest(along, _mean(along))
        still = slow.where(spread <= STILL_RADIUS_M).mask(self.way.times_s.shape)
        # A box that trembles may seem to move at some key frames, and yet its track as a whole stays where it is.
        trembles = (_farthest(places, _median(places)) <= self.still_radius_m) & (
            (self._mean_speed_mps < STANDS_MPS) | self.parked.any(axis=1)
        )
        return still | (self.way.there & trembles[:, None])

    @cached_property
    def moves(self) -> Flags:
        """Where they clearly move, shape (n, T)."""
        fast: Flags = _length(self.way.velocities_mps) >= MOVES_MPS
        return fast & ~self.stands & ~self.parked

    @cached_property
    def velocities_mps(self) -> Array:
        """Over ground in the global plane, 0 where they stand, shape (n, T, 2)."""
        return np.where(self.stands[..., None], 0.0, self.way.velocities_mps)

    @cached_property
    def speeds_mps(self) -> Array:
        """Lengths of `velocities_mps`, shape (n, T)."""
        return _length(self.velocities_mps)

    @cached_property
    def lengths_m(self) -> Array:
        """Way covered since the first key frame, shape (n, T)."""
        return integral_of(self.speeds_mps, self.way.times_s)

    @property
    def forward_mps(self) -> Array:
        """Speed along their own heading, shape (n, T)."""
        return _forward(self.velocities_mps, self.way.headings_rad)

    @property
    def _mean_speed_mps(self) -> Array:
        """Distance from the first to the last place over the time between; 0 where these are one."""
        rows = np.arange(len(self.way.times_s))
        there = self.way.there
        first, last = there.argmax(axis=1), there.shape[1] - 1 - there[:, ::-1].argmax(axis=1)
        elapsed = self.way.times_s[rows, last] - self.way.times_s[rows, first]
        moved = _length(self.way.places_m[rows, last] - self.way.places_m[rows, first])
        speeds: Array = np.divide(moved, elapsed, out=np.zeros_like(moved), where=elapsed > 0)
        return speeds


@dataclass(frozen=True)
class Tracks(Motions):
    """Objects and the ego vehicle beside them. A track with a gap is two rows.

    Attributes:
        ego: The ego vehicle, a row a thing, at all key frames of the window.
        ego_places_m: Centres in the ego frame of each key frame, forward and left, shape (n, T, 2).
        half_lengths_m: Half of what their outlines take along the ego vehicle's heading, NaN if unknown, shape (n, T).
        attributes: Code of the annotated attribute, or `NO_ATTRIBUTE`, shape (n, T).
        lidar_points: NaN if unknown, shape (n, T).
        boxes: Row in the table of objects, -1 where a thing is not there, shape (n, T).
    """

    ego: Motions
    ego_places_m: Array
    half_lengths_m: Array
    attributes: NDArray[np.int8]
    lidar_points: Array
    boxes: NDArray[np.int64]

    @cached_property
    def ranges_m(self) -> Array:
        """Of their centres from the ego origin, shape (n, T)."""
        return _length(self.ego_places_m)

    @cached_property
    def nearer_m(self) -> tuple[Array, Array]:
        """How much nearer each came since its first key frame by its own way, and by the ego vehicle's; (n, T) each."""
        apart = self.way.places_m - self.ego.way.places_m
        towards = apart / np.maximum(_length(apart), _LEAST_RANGE_M)[..., None]
        by_object, by_ego = (
            integral_of((velocities * towards).sum(axis=-1), self.way.times_s)
            for velocities in (-self.velocities_mps, self.ego.velocities_mps)
        )
        return by_object, by_ego

    @cached_property
    def own_mps(self) -> Array:
        """Velocity over ground in the axes of the ego frame, forward and left, shape (n, T, 2)."""
        heading = self.ego.way.headings_rad
        ahead = _forward(self.velocities_mps, heading)
        return np.stack([ahead, _forward(self.velocities_mps, heading + np.pi / 2)], axis=-1)


def ego_motions(windows: pl.DataFrame, ego: pl.DataFrame) -> Motions:
    """The ego vehicle in each window, a row a window.

    Args:
        windows: Columns scene, sequence, start, end; sequences of one table have names of their own.
        ego: Columns of `EGO_SCHEMA`.
    """
    keys = _key_frames(windows).join(ego, on=["scene", "frame"], how="inner", maintain_order="left")
    dense = _Dense(keys, windows.height, _columns(windows))
    way = Way(_seconds(dense), dense("x_m", "y_m"), dense("yaw_rad"))
    return Motions(
        windows.select("scene", "sequence", "start"),
        way,
        np.full(windows.height, STILL_RADIUS_M),
        np.zeros(way.times_s.shape, dtype=bool),
    )


def tracks_in(windows: pl.DataFrame, ego: Motions, objects: pl.DataFrame, timestamps: pl.DataFrame) -> Tracks:
    """The objects that are near enough, with LiDAR returns, in three key frames of a window in a row.

    Args:
        windows: Columns scene, sequence, start, end.
        ego: What `ego_motions` gives for them.
        objects: Columns of `OBJECTS_SCHEMA` and attribute, sorted by scene, track, frame.
        timestamps: Columns scene, frame, timestamp_us.
    """
    seen = (
        objects.with_row_index("box_row")
        .filter(
            pl.col("category").str.contains(_MOVERS),
            pl.col("range_m") <= MOST_RANGE_M,
            (pl.col("lidar_points") > 0).fill_null(value=True),
        )
        .with_columns(words=pl.col("category").replace_strict(_NAMES, default=pl.col("words")))
        .join(timestamps, on=["scene", "frame"], how="inner", maintain_order="left")
    )
    # By window and track, as the tables are sorted; a gap in frames or in time begins a new row.
    rows = _key_frames(windows).join(seen, on=["scene", "frame"], how="inner").sort("window", "track", "frame")
    spacing_s = pl.col("timestamp_us").diff() * 1e-6
    goes_on = (
        (pl.col("window") == pl.col("window").shift(1))
        & (pl.col("track") == pl.col("track").shift(1))
        & (pl.col("frame") == pl.col("frame").shift(1) + 1)
        & (spacing_s <= MOST_SPACING_S)
        & (spacing_s > 0)
    ).fill_null(value=False)
    rows = rows.with_columns(piece=(~goes_on).cum_sum())
    rows = rows.filter(pl.len().over("piece") >= LEAST_FRAMES).with_columns(
        piece=pl.col("piece").rle_id().cast(pl.Int64)
    )
    table = rows.group_by("piece", maintain_order=True).first()
    dense = _Dense(rows.with_columns(row="piece"), table.height, _columns(windows))
    window = table["window"].to_numpy().astype(np.int64)
    own = Motions(
        table.select("window"),
        Way(*(part[window] for part in ego.way)),
        ego.still_radius_m[window],
        ego.parked[window],
    )
    attributes = dense("attribute", fill=NO_ATTRIBUTE).astype(np.int8)
    parked = attributes == PARKED
    yaw, length, width = dense("yaw_rad"), dense("length_m"), dense("width_m")
    return Tracks(
        table=table.select("window", "scene", "sequence", "start", "track", "category", "words"),
        way=Way(_seconds(dense), dense("x_m", "y_m"), yaw + own.way.headings_rad),
        still_radius_m=np.where(
            parked.any(axis=1) & (parked | (attributes == NO_ATTRIBUTE)).all(axis=1), PARKED_RADIUS_M, STILL_RADIUS_M
        ),
        parked=parked,
        ego=own,
        ego_places_m=dense("ego_x_m", "ego_y_m"),
        half_lengths_m=(np.abs(np.cos(yaw)) * length + np.abs(np.sin(yaw)) * width) / 2,
        attributes=attributes,
        lidar_points=dense("lidar_points"),
        boxes=dense("box_row", fill=-1).astype(np.int64),
    )


class _Dense:
    """Columns of rows with a place (row, column) as arrays of shape (n, T)."""

    def __init__(self, rows: pl.DataFrame, height: int, width: int) -> None:
        self._rows, self._shape = rows, (height, width)
        self._at = tuple(rows[name].to_numpy().astype(np.int64) for name in ("row", "column"))

    def __call__(self, *names: str, fill: float = np.nan) -> Array:
        values = np.full((*self._shape, len(names)), fill)
        values[self._at] = self._rows.select(pl.col(names).cast(pl.Float64).fill_null(fill)).to_numpy()
        return values if len(names) > 1 else values[..., 0]


def _key_frames(windows: pl.DataFrame) -> pl.DataFrame:
    """The key frames of windows, in order: columns scene, sequence, start, window, frame, row (of it) and column."""
    return (
        windows.select("scene", "sequence", "start", frame=pl.int_ranges("start", pl.col("end") + 1, dtype=pl.Int32))
        .with_row_index("window")
        .explode("frame")
        .with_columns(row=pl.col("window").cast(pl.Int64), column=pl.col("frame") - pl.col("start"))
    )


def _columns(windows: pl.DataFrame) -> int:
    """As many as the longest window has key frames, and as a rate needs."""
    longest = (windows["end"] - windows["start"]).max() or 0
    return max(int(longest) + 1, LEAST_FRAMES)  # type: ignore[arg-type]  # of integers


def _seconds(dense: _Dense) -> Array:
    """Times since each scene's clock began count in microseconds; differences keep them as doubles."""
    return dense("timestamp_us") * 1e-6


def _length(vectors: Array) -> Array:
    lengths: Array = np.hypot(vectors[..., 0], vectors[..., 1])
    return lengths


def _forward(vectors: Array, headings_rad: Array) -> Array:
    forward: Array = vectors[..., 0] * np.cos(headings_rad) + vectors[..., 1] * np.sin(headings_rad)
    return forward


def _mean(places: Array) -> Array:
    """Mean place of each row that has one, shape (n, 2)."""
    count = np.maximum((~np.isnan(places)).sum(axis=1), 1)
    means: Array = np.nansum(places, axis=1) / count
    return means


def _median(places: Array) -> Array:
    if not len(places):
        return np.empty((0, 2))
    medians: Array = np.nanmedian(places, axis=1)
    return medians


def _farthest(places: Array, centres: Array) -> Array:
    """Largest distance of a row's places from its centre, shape (n,)."""
    farthest: Array = np.fmax.reduce(_length(places - centres[:, None]), axis=1, initial=0.0)
    return farthest
