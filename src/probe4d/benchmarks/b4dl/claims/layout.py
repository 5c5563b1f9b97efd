"""Where the things of a scene are at each key frame, as arrays of tracks by frames."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl
from numpy.typing import NDArray

from probe4d.benchmarks.b4dl.claims.vocabulary import Meaning, matches
from probe4d.benchmarks.tracked_motion import ego_of, objects_of
from probe4d.scenes.tables import Scenes

__all__ = ["Layout", "Paths", "layouts_of"]

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]

_WITH_RIDER, _PARKED = "cycle.with_rider", "vehicle.parked"


@dataclass(frozen=True, eq=False)
class Paths:
    """How things go, n of them over f key frames; NaN where a thing has no box.

    Attributes:
        x_m: Global place, shape (n, f).
        y_m: Global place, shape (n, f).
        yaw_rad: Global heading without jumps at half a turn, shape (n, f).
        ego_x_m: Place in the ego frame of each key frame, shape (n, f).
        ego_y_m: The same.
        times_s: Of the key frames, shape (f,).
    """

    x_m: Array
    y_m: Array
    yaw_rad: Array
    ego_x_m: Array
    ego_y_m: Array
    times_s: Array

    def of(self, rows: NDArray[np.int64], first: int, last: int) -> Paths:
        """Some things over the frames from the first to the last, both included."""
        frames = slice(first, last + 1)
        return Paths(
            self.x_m[rows, frames],
            self.y_m[rows, frames],
            self.yaw_rad[rows, frames],
            self.ego_x_m[rows, frames],
            self.ego_y_m[rows, frames],
            self.times_s[frames],
        )

    @cached_property
    def range_m(self) -> Array:
        """From the ego origin, shape (n, f)."""
        ranges: Array = np.hypot(self.ego_x_m, self.ego_y_m)
        return ranges

    @cached_property
    def steps_m(self) -> tuple[Array, Array]:
        """Way over ground from each frame to the next, along the global axes, each of shape (n, f - 1)."""
        return np.diff(self.x_m, axis=1), np.diff(self.y_m, axis=1)

    @cached_property
    def speed_mps(self) -> Array:
        """Speed over ground from each frame to the next, shape (n, f - 1)."""
        speeds: Array = np.hypot(*self.steps_m) / np.diff(self.times_s)
        return speeds


@dataclass(frozen=True, eq=False)
class Layout:
    """A scene.

    Attributes:
        scene: Its name.
        tracks: Names of the things, n.
        categories: Of the things, n.
        paths: How they go.
        ego: How the ego vehicle goes; one row, and its own frame is that of the first key frame.
        reach_m: Half the diagonal of each thing's outline, shape (n,).
        lidar_points: Shape (n, f); NaN where there is no box, -1 where it is not known.
        visibility: Shape (n, f); NaN where there is no box or it is not known.
        ridden: Whether a cycle has a rider, shape (n, f).
        parked: Whether a vehicle is annotated as parked, shape (n, f).
        boxes: Tokens by row and frame.
    """

    scene: str
    tracks: list[str]
    categories: list[str]
    paths: Paths
    ego: Paths
    reach_m: Array
    lidar_points: Array
    visibility: Array
    ridden: Mask
    parked: Mask
    boxes: dict[tuple[int, int], str]

    @property
    def frames(self) -> int:
        """Number of key frames."""
        return len(self.paths.times_s)

    @cached_property
    def annotated(self) -> Mask:
        """Where things have a box, shape (n, f)."""
        return ~np.isnan(self.paths.x_m)

    @cached_property
    def seen(self) -> Mask:
        """Where a thing surely shows in the LiDAR: near, hit several times, and not hidden, shape (n, f)."""
        hit = (self.lidar_points >= LEAST_POINTS) | (self.lidar_points < 0)
        near = np.nan_to_num(self.paths.range_m, nan=np.inf) <= SEEN_RANGE_M
        shown: Mask = self.annotated & hit & near & ~(self.visibility < LEAST_VISIBILITY)
        return shown

    @cached_property
    def _known(self) -> dict[Meaning, tuple[Mask, Mask]]:
        return {}

    def meant(self, meaning: Meaning) -> tuple[Mask, Mask]:
        """Things that surely are what a word means, and those that may be, each of shape (n,)."""
        if meaning not in self._known:
            both = np.array([matches(meaning, category) for category in self.categories], dtype=bool).reshape(-1, 2)
            self._known[meaning] = (both[:, 0], both[:, 1])
        return self._known[meaning]


LEAST_POINTS = 5
"""LiDAR returns from which a thing surely shows; below, it may be said not to be there."""
SEEN_RANGE_M = 40.0
"""Farther off, a thing may be said not to be there."""
LEAST_VISIBILITY = 2
"""Visibility level (40 % and more) from which a thing surely shows."""


def layouts_of(scenes: Scenes) -> Iterator[Layout]:
    """Each scene in turn."""
    ego = ego_of(scenes)
    attributes = pl.col("attributes").list
    states = scenes.boxes.select(
        "scene", box="token", ridden=attributes.contains(_WITH_RIDER), parked=attributes.contains(_PARKED)
    )
    objects = objects_of(scenes, ego).join(states, on=["scene", "box"], how="left", maintain_order="left")
    by_scene = {str(name): rows for (name,), rows in objects.partition_by("scene", as_dict=True).items()}
    for (name,), way in ego.partition_by("scene", as_dict=True, maintain_order=True).items():
        yield _layout(str(name), way, by_scene.get(str(name), objects.clear()))


def _layout(scene: str, way: pl.DataFrame, objects: pl.DataFrame) -> Layout:
    tracks = objects.unique("track", keep="first", maintain_order=True)
    row_of = {track: row for row, track in enumerate(tracks["track"])}
    rows = np.array([row_of[track] for track in objects["track"]], dtype=np.int64)
    frames = objects["frame"].to_numpy().astype(np.int64)
    shape = (len(row_of), int(way["frame"].max() or 0) + 1 if len(way) else 0)  # type: ignore[arg-type]

    def grid(values: pl.Series) -> Array:
        filled = np.full(shape, np.nan)
        filled[rows, frames] = values.cast(pl.Float64).to_numpy()
        return filled

    times = _along(way, "timestamp_us", shape[1]) * 1e-6
    yaw = _along(way, "yaw_rad", shape[1])
    reach = np.zeros(shape[0])
    np.maximum.at(
        reach,
        rows,
        objects.select(((pl.col("length_m") ** 2 + pl.col("width_m") ** 2).sqrt() / 2).fill_null(0.0))
        .to_series()
        .to_numpy(),
    )
    return Layout(
        scene=scene,
        tracks=tracks["track"].to_list(),
        categories=tracks["category"].to_list(),
        paths=Paths(
            grid(objects["x_m"]),
            grid(objects["y_m"]),
            _unwrapped(grid(objects["yaw_rad"]) + yaw),
            grid(objects["ego_x_m"]),
            grid(objects["ego_y_m"]),
            times,
        ),
        ego=_ego_paths(way, times, yaw),
        reach_m=reach,
        lidar_points=grid(objects["lidar_points"].fill_null(-1)),
        visibility=grid(objects["visibility"]),
        ridden=grid(objects["ridden"].fill_null(value=False)) > 0,
        parked=grid(objects["parked"].fill_null(value=False)) > 0,
        boxes=dict(zip(zip(rows.tolist(), frames.tolist(), strict=True), objects["box"], strict=True)),
    )


def _along(way: pl.DataFrame, name: str, frames: int) -> Array:
    values = np.full(frames, np.nan)
    values[way["frame"].to_numpy()] = way[name].cast(pl.Float64).to_numpy()
    return values


def _ego_paths(way: pl.DataFrame, times_s: Array, yaw_rad: Array) -> Paths:
    x, y = (_along(way, name, len(times_s))[None, :] for name in ("x_m", "y_m"))
    nowhere = np.full_like(x, np.nan)
    return Paths(x, y, _unwrapped(yaw_rad[None, :]), nowhere, nowhere, times_s)


def _unwrapped(heading_rad: Array) -> Array:
    """Headings that change by less than half a turn from one that is known to the next that is."""
    rows, known = np.arange(len(heading_rad))[:, None], ~np.isnan(heading_rad)
    last = np.maximum.accumulate(np.where(known, np.arange(heading_rad.shape[1]), 0), axis=1)
    filled = np.nan_to_num(heading_rad[rows, last], nan=0.0)
    return np.where(known, np.unwrap(filled, axis=1), np.nan)
