"""Whether one object hides another while the ego vehicle drives forward (NuScenes-SpatialQA, App. D).

The camera moves straight along the ego vehicle's heading, everything else stands still. A corner of object 2 is
hidden where the segment from the camera to it meets the box of object 1. The places from which a corner is hidden
form a convex set, so that on the camera's path they are one stretch, and all eight corners are hidden where their
stretches overlap. Each stretch is found in closed form; nothing is tried out step by step.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from probe4d.scenes.footprints import Footprints

__all__ = ["LONGEST_DRIVE_M", "STEP_M", "begins_ahead", "occlusion"]

STEP_M = 0.25
"""The places at which an occlusion is looked for are so far apart."""
LONGEST_DRIVE_M = 60.0

_ROUNDING = 1e-9  # steps by which a stretch may miss one of these places

Array = NDArray[np.float64]


class _Boxes(NamedTuple):
    """Upright boxes in the ego frame: footprints' corners, shape (n, 4), and heights of bottom and top, (n,)."""

    x: Array
    y: Array
    bottom: Array
    top: Array

    @classmethod
    def of(cls, pairs: pl.DataFrame, suffix: str) -> _Boxes:
        corners = Footprints.of(pairs, suffix).corners()
        middle, half = pairs["ego_z" + suffix].to_numpy(), pairs["height" + suffix].to_numpy() / 2
        return cls(corners[..., 0], corners[..., 1], middle - half, middle + half)


class _Stretch(NamedTuple):
    """Parts of the camera's path, metres from its place at the key frame, (n,); empty where `end` < `start`."""

    start: Array
    end: Array


def begins_ahead(pairs: pl.DataFrame) -> pl.Series:
    """Whether the camera drives at least one step before it comes to where object 1 begins along the heading: bool.

    Args:
        pairs: As for `occlusion`. Of the other pairs none is ever found hidden.
    """
    begins = _Boxes.of(pairs, "_1").x.min(axis=1)
    return pl.Series(begins - pairs["eye_x"].to_numpy() > STEP_M, dtype=pl.Boolean)


def occlusion(pairs: pl.DataFrame) -> pl.DataFrame:
    """Judge whether object 1 comes to hide all of object 2 while the ego vehicle drives forward.

    The camera stops every `STEP_M`, up to `LONGEST_DRIVE_M`, as long as it has not come to where object 1 begins
    along the heading. Object 2 counts as visible at the key frame itself: only later places are regarded. Boxes are
    taken to stand upright. Whether the ego vehicle would run into an object, or another object hides object 2, plays
    no part.

    Args:
        pairs: A row a pair, with columns ego_x, ego_y, ego_z, ego_yaw, length, width and height of both objects
            (suffixes `_1` and `_2`), and eye_x, eye_y, eye_z: the camera's place in the ego frame of the key frame.

    Returns:
        The pairs, with `holds` (never null) and `hidden_after_m`: how far the vehicle has driven when object 2 is
        first hidden, null where it never is.
    """
    eye_x, begins = pairs["eye_x"].to_numpy(), _Boxes.of(pairs, "_1").x.min(axis=1)
    ahead = begins_ahead(pairs)
    hidden_after = np.full(pairs.height, np.inf)
    hidden_after[ahead.to_numpy()] = _first_hidden(pairs.filter(ahead))
    hidden_after[hidden_after >= np.minimum(begins - eye_x, np.nextafter(LONGEST_DRIVE_M, np.inf))] = np.inf
    found = np.isfinite(hidden_after)
    return pairs.with_columns(
        holds=pl.Series(found, dtype=pl.Boolean),
        hidden_after_m=pl.Series(np.where(found, hidden_after, np.nan), dtype=pl.Float64).fill_nan(None),
    )


def _first_hidden(pairs: pl.DataFrame) -> Array:
    """The first of the places, metres driven, at which all corners are hidden; infinite where there is none, (n,)."""
    eye = [pairs[name].to_numpy() for name in ("eye_x", "eye_y", "eye_z")]
    screen, target = _Boxes.of(pairs, "_1"), _Boxes.of(pairs, "_2")
    start, end = np.full(pairs.height, -np.inf), np.full(pairs.height, np.inf)
    for z in (target.bottom, target.top):
        for corner in range(target.x.shape[1]):
            stretch = _hidden_stretch(screen, [target.x[:, corner], target.y[:, corner], z], eye)
            np.maximum(start, stretch.start, out=start)
            np.minimum(end, stretch.end, out=end)
    first = STEP_M * np.maximum(np.ceil(start / STEP_M - _ROUNDING), 1)
    return np.where(first <= end + STEP_M * _ROUNDING, first, np.inf)


def _hidden_stretch(screen: _Boxes, point: list[Array], eye: list[Array]) -> _Stretch:
    """The stretch of the camera's path from which the screens hide points, each coordinate of shape (n,).

    A line of sight from the point p to the camera, driven s metres from its place c, passes p + u (c - p) + v e,
    0 <= u <= 1, e the heading and s = v / u. Where that lies in the box, (u, v) lies in a convex polygon, on which
    v / u is least and greatest at vertices: at corners of the footprint, and where u enters and leaves its range.
    """
    towards = [of_eye - of_point for of_eye, of_point in zip(eye, point, strict=True)]
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        least_u, greatest_u = _levels(screen, point[2], towards[2])
        stretch = _Stretch(np.full(least_u.size, np.inf), np.full(least_u.size, -np.inf))
        for corner in range(screen.x.shape[1]):
            x, y = screen.x[:, corner], screen.y[:, corner]
            u = (y - point[1]) / towards[1] + 0.0  # never -0: the sign of v / 0 counts
            _extend(stretch, x, u, (u >= least_u) & (u <= greatest_u), point[0])
        for u in (least_u, greatest_u):
            y = point[1] + u * towards[1]
            for corner in range(screen.x.shape[1]):
                (x, start_y), (end_x, end_y) = ((screen.x[:, i], screen.y[:, i]) for i in (corner - 1, corner))
                share = (y - start_y) / (end_y - start_y)
                crosses = (share >= 0) & (share <= 1) & (least_u <= greatest_u)
                _extend(stretch, x + share * (end_x - x), u, crosses, point[0])
    return _Stretch(stretch.start - towards[0], stretch.end - towards[0])


def _levels(screen: _Boxes, z: Array, towards_z: Array) -> tuple[Array, Array]:
    """The range of u within [0, 1] in which a line of sight is between bottom and top; empty: least > greatest."""
    bounds = np.stack([screen.bottom - z, screen.top - z]) / towards_z
    level = towards_z == 0
    between = (screen.bottom <= z) & (z <= screen.top)
    least = np.where(level, np.where(between, 0.0, np.inf), np.maximum(bounds.min(axis=0), 0.0))
    greatest = np.where(level, 1.0, np.minimum(bounds.max(axis=0), 1.0))
    return least + 0.0, greatest + 0.0  # never -0


def _extend(stretch: _Stretch, x: Array, u: Array, valid: NDArray[np.bool_], point_x: Array) -> None:
    """Take vertices into stretches, still relative to the point; a vertex at the point itself (0 / 0) says nothing."""
    reached = (x - point_x) / u
    np.fmin(stretch.start, np.where(valid, reached, np.nan), out=stretch.start)
    np.fmax(stretch.end, np.where(valid, reached, np.nan), out=stretch.end)
