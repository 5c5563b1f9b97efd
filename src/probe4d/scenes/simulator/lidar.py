"""A LiDAR of 32 beams: casts rays against oriented cuboids and the ground, counts what hits what.

Beam elevations and the sensor's axes (x right, y forward, z up) are those of LIDAR_TOP in nuScenes
(Caesar et al. 2020, Table 2 and Fig. 1). A scan is instantaneous: the sensor does not move during a turn.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["BEAMS", "Cuboids", "Scan", "lidar_scan"]

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]

BEAMS = 32
COLUMNS = 900
RANGE_M = 90.0
ELEVATION = np.radians(np.linspace(-30.67, 10.67, BEAMS))
"""Elevation of each ring, radians; ring 0 points lowest."""

_AZIMUTH_STEP = 2 * np.pi / COLUMNS
_NOISE_M, _NOISE_LIMIT_M = 0.015, 0.04
_GROUND_REFLECTIVITY = 0.14


@dataclass(frozen=True)
class Cuboids:
    """Upright cuboids in the frame of the ego vehicle (x forward, y left, z up).

    Attributes:
        centres: Shape (N, 3), metres.
        sizes: Length, width, height, shape (N, 3), metres.
        yaws: Shape (N,), radians.
        inset_m: How far the body lies inside the cuboid on every side, as drawn boxes leave some room; shape (N,).
        reflectivity: Share of the light that comes back, shape (N,).
    """

    centres: Floats
    sizes: Floats
    yaws: Floats
    inset_m: Floats
    reflectivity: Floats


@dataclass(frozen=True)
class Scan:
    """One turn of the sensor.

    Attributes:
        points: x, y, z (sensor frame, metres), intensity (0-255), ring; shape (P, 5), float32.
        points_inside: Returns inside each cuboid, shape (N,).
        rays_alone: Rays that would hit each cuboid's body if nothing else were there, shape (N,).
        rays_hit: Rays that do hit it, shape (N,).
    """

    points: NDArray[np.float32]
    points_inside: Ints
    rays_alone: Ints
    rays_hit: Ints


def lidar_scan(cuboids: Cuboids, mount: Floats, itself: int, rng: np.random.Generator) -> Scan:
    """Cast all rays of one turn.

    Args:
        cuboids: Everything that stands on the ground plane z = 0.
        mount: Position of the sensor in the ego frame, shape (3,); it looks along the ego frame's x axis.
        itself: Index of the ego vehicle's own cuboid, whose returns the sensor leaves out.
        rng: Source of range noise and lost returns.
    """
    count = len(cuboids.yaws)
    rays, boxes, distance = _hits(cuboids, mount)
    directions = _directions()
    down = directions[:, 2] < 0
    nearest = np.full(len(directions), np.inf)
    nearest[down] = mount[2] / -directions[down, 2]
    owner = np.full(len(directions), -1)
    np.minimum.at(nearest, rays, distance)
    first = distance <= nearest[rays]
    owner[rays[first]] = boxes[first]
    alone = np.bincount(boxes, minlength=count)
    hit = np.bincount(owner[owner >= 0], minlength=count)

    reflectivity = np.where(owner >= 0, cuboids.reflectivity[owner], _GROUND_REFLECTIVITY)
    incidence = np.where(owner >= 0, 0.75, np.abs(directions[:, 2]))
    # Lost is a return of which too little light comes back: from dark, grazed or far surfaces, or by chance.
    strength = reflectivity * incidence**0.5 * (1 - (np.minimum(nearest, RANGE_M) / RANGE_M) ** 2)
    kept = (nearest < RANGE_M) & (owner != itself) & (strength > 0.012 + rng.exponential(0.004, len(nearest)))
    noise = np.clip(rng.normal(0, _NOISE_M, len(nearest)), -_NOISE_LIMIT_M, _NOISE_LIMIT_M)
    level = directions[kept] * (nearest + noise)[kept, None]
    intensity = np.rint(255 * np.clip(reflectivity * incidence**0.3 * rng.uniform(0.7, 1.1, len(nearest)), 0, 1))[kept]
    ring = np.tile(np.arange(BEAMS), COLUMNS)[kept]
    points = np.stack([-level[:, 1], level[:, 0], level[:, 2], intensity, ring], axis=1).astype(np.float32)
    return Scan(points, _inside(cuboids, mount, points, owner[kept], count), alone, hit)


def _inside(cuboids: Cuboids, mount: Floats, points: NDArray[np.float32], owner: Ints, count: int) -> Ints:
    """Count returns inside the cuboid that they came from; bodies lie inside their cuboids, and cuboids apart."""
    mine = owner >= 0
    box = owner[mine]
    sensor = points[mine, :3].astype(np.float64)
    offset = np.stack([sensor[:, 1], -sensor[:, 0], sensor[:, 2]], axis=1) + mount - cuboids.centres[box]
    cos, sin = np.cos(cuboids.yaws[box]), np.sin(cuboids.yaws[box])
    ahead, left = cos * offset[:, 0] + sin * offset[:, 1], cos * offset[:, 1] - sin * offset[:, 0]
    inside = (np.abs(np.stack([ahead, left, offset[:, 2]], axis=1)) <= cuboids.sizes[box] / 2).all(1)
    return np.bincount(box[inside], minlength=count)


@functools.cache
def _directions() -> Floats:
    """Unit vectors of all rays in the level frame at the sensor, column by column, shape (COLUMNS * BEAMS, 3)."""
    azimuth = np.repeat((np.arange(COLUMNS) + 0.5) * _AZIMUTH_STEP - np.pi, BEAMS)
    elevation = np.tile(ELEVATION, COLUMNS)
    flat = np.cos(elevation)
    return np.stack([flat * np.cos(azimuth), flat * np.sin(azimuth), np.sin(elevation)], axis=1)


def _hits(cuboids: Cuboids, mount: Floats) -> tuple[Ints, Ints, Floats]:
    """Rays that meet bodies: ray index, cuboid index and distance of each such pair (slab method)."""
    inset = np.minimum(cuboids.inset_m[:, None], cuboids.sizes * 0.2)
    half = cuboids.sizes / 2 - inset
    centres = cuboids.centres - mount
    rays, boxes = _candidates(centres, half, cuboids.yaws)
    directions = _directions()[rays]
    cos, sin = np.cos(cuboids.yaws), np.sin(cuboids.yaws)
    origin = -np.stack(
        [cos * centres[:, 0] + sin * centres[:, 1], cos * centres[:, 1] - sin * centres[:, 0], centres[:, 2]], axis=1
    )
    cos, sin = cos[boxes], sin[boxes]
    local = np.stack(
        [
            cos * directions[:, 0] + sin * directions[:, 1],
            cos * directions[:, 1] - sin * directions[:, 0],
            directions[:, 2],
        ],
        axis=1,
    )
    local = np.where(np.abs(local) < 1e-12, 1e-12, local)
    one = (-half[boxes] - origin[boxes]) / local
    two = (half[boxes] - origin[boxes]) / local
    enter, leave = np.minimum(one, two).max(1), np.maximum(one, two).min(1)
    met = (enter <= leave) & (enter > 0) & (enter < RANGE_M)
    return rays[met], boxes[met], enter[met]


def _candidates(centres: Floats, half: Floats, yaws: Floats) -> tuple[Ints, Ints]:
    """Pairs of ray and cuboid that may meet: rays within the cuboid's bounds in azimuth and elevation."""
    corners = np.array([[1, 1], [1, -1], [-1, -1], [-1, 1]]) * half[:, None, :2]
    cos, sin = np.cos(yaws)[:, None], np.sin(yaws)[:, None]
    x = centres[:, None, 0] + cos * corners[..., 0] - sin * corners[..., 1]
    y = centres[:, None, 1] + sin * corners[..., 0] + cos * corners[..., 1]
    middle = np.arctan2(centres[:, 1], centres[:, 0])
    off = np.angle(np.exp(1j * (np.arctan2(y, x) - middle[:, None])))
    local_x = -(np.cos(yaws) * centres[:, 0] + np.sin(yaws) * centres[:, 1])
    local_y = -(np.cos(yaws) * centres[:, 1] - np.sin(yaws) * centres[:, 0])
    near = np.hypot(np.maximum(np.abs(local_x) - half[:, 0], 0), np.maximum(np.abs(local_y) - half[:, 1], 0))
    far = np.hypot(x, y).max(1)
    around = near < 0.3
    begin = np.floor((middle + off.min(1) + np.pi) / _AZIMUTH_STEP - 0.5).astype(np.intp)
    columns = np.ceil((off.max(1) - off.min(1)) / _AZIMUTH_STEP).astype(np.intp) + 2
    columns = np.where(around, COLUMNS, np.minimum(columns, COLUMNS))
    near = np.maximum(near, 1e-3)
    top, bottom = centres[:, 2] + half[:, 2], centres[:, 2] - half[:, 2]
    highest = np.arctan2(top, np.where(top > 0, near, far))
    lowest = np.arctan2(bottom, np.where(bottom < 0, near, far))
    low = np.searchsorted(ELEVATION, lowest - 1e-9)
    rows = np.searchsorted(ELEVATION, highest + 1e-9) - low
    pairs = np.where(near < RANGE_M, columns * np.maximum(rows, 0), 0)
    boxes = np.repeat(np.arange(len(yaws)), pairs)
    within = np.arange(pairs.sum()) - np.repeat(np.cumsum(pairs) - pairs, pairs)
    height = np.maximum(rows, 1)[boxes]
    column = (begin[boxes] + within // height) % COLUMNS
    return column * BEAMS + low[boxes] + within % height, boxes
