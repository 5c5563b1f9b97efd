"""Frames of Waymo's perception data byte by byte, and the range image that a LiDAR would have of a small world."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from waymo_making import field, planar, surround_frame, transform

Floats = NDArray[np.float64]

START_US = 1_560_000_000_000_000
EXTRINSIC = planar(1.4, 0.1, 2.5, 2.2)
"""The roof LiDAR, which looks to the left and back."""
INCLINATIONS = np.radians([-17.0, -14.0, -11.5, -9.0, -7.0, -5.5, -4.0, -3.0, -2.0, -1.2, -0.6, 0.0, 0.6, 1.4])
"""From the lowest beam to the highest."""
COLUMNS = 240


class Object(NamedTuple):
    """An upright box of the world that is labelled, global.

    Its label is a little larger than it, as labels are, and it stands as much above the ground.
    """

    track: str
    kind: int
    centre_m: tuple[float, float, float]
    size_m: tuple[float, float, float]
    yaw: float

    margin_m: float = 0.1


OBJECTS = (
    Object("car", 1, (115.0, 203.0, 1.0), (4.5, 1.9, 1.8), 0.4),
    Object("walker", 2, (108.0, 194.0, 1.0), (0.6, 0.7, 1.8), -1.0),
    Object("rider", 4, (92.0, 205.0, 0.9), (1.8, 0.7, 1.6), 2.8),
    Object("sign", 3, (112.0, 210.0, 2.2), (0.3, 0.9, 0.9), 0.0),
)


def packed_matrix(values: NDArray[np.floating]) -> bytes:
    """`MatrixFloat`, compressed."""
    shape = b"".join(field(1, int(count)) for count in values.shape)
    data = np.ascontiguousarray(values, dtype="<f4").tobytes()
    return zlib.compress(field(1, data) + field(2, shape), 1)


def range_image(values: NDArray[np.floating], poses: NDArray[np.floating] | None = None) -> bytes:
    return field(2, packed_matrix(values)) + (b"" if poses is None else field(4, packed_matrix(poses)))


def laser(first: bytes, second: bytes | None = None, name: int = 1) -> bytes:
    return field(1, name) + field(2, first) + (b"" if second is None else field(3, second))


def laser_calibration(
    inclinations: Sequence[float] = tuple(INCLINATIONS), extrinsic: Sequence[float] = EXTRINSIC, name: int = 1
) -> bytes:
    given = b"".join(field(2, float(value)) for value in inclinations)
    span = field(3, float(INCLINATIONS[0])) + field(4, float(INCLINATIONS[-1]))
    return field(1, name) + given + span + field(5, transform(extrinsic))


def label(
    track: str | bytes = "a",
    kind: int = 1,
    box: Iterable[float] = (10.0, 2.0, 1.0, 2.0, 4.0, 1.5, 0.5),
    points: int | None = 5,
) -> bytes:
    """A `Label`; the box is centre x, y, z, width, length, height, heading in the vehicle frame."""
    numbers = b"".join(field(number, float(value)) for number, value in enumerate(box, 1))
    return field(1, numbers) + field(3, kind) + field(4, track) + (b"" if points is None else field(7, points))


def perception_frame(
    name: str,
    number: int,
    *,
    pose: Sequence[float] | None,
    lasers: Iterable[bytes] = (),
    calibrations: Iterable[bytes] = (),
    labels: Iterable[bytes] = (),
    stats: bytes = b"",
    cameras: Iterable[int] = range(1, 6),
    time_us: int | None = None,
) -> bytes:
    """`Frame`, a tenth of a second after the one before."""
    own_us = START_US + 100_000 * number if time_us is None else time_us
    images = surround_frame(number, pose, own_us / 1e6 + 0.05, cameras)
    context = field(1, name) + b"".join(field(3, one) for one in calibrations) + field(4, stats)
    rest = field(1, context) + field(2, own_us) + (b"" if pose is None else field(3, transform(pose)))
    return images + rest + b"".join(field(5, one) for one in lasers) + b"".join(field(6, one) for one in labels)


def vehicle_pose(time_s: float | Floats) -> tuple[Floats, Rotation]:
    """Where the vehicle of the small world is: it drives on, turns and sways."""
    time_s = np.asarray(time_s, dtype=np.float64)
    position = np.stack([100 + 9 * time_s, 200 + 1.5 * time_s, 0.02 * np.sin(time_s)], axis=-1)
    angles = np.stack([0.2 + 0.3 * time_s, 0.01 * np.cos(time_s), 0.02 * np.sin(3 * time_s)], axis=-1)
    return position, Rotation.from_euler("ZYX", angles)


class Scanned(NamedTuple):
    """What the roof LiDAR sees in one turn.

    Attributes:
        image: Range, intensity, elongation, zone, shape (rows, columns, 4).
        poses: Roll, pitch, yaw, x, y, z of every pixel, shape (rows, columns, 6).
        points: Where each return lies in the world, metres, shape (rows, columns, 3).
        hits: Returns on each object.
    """

    image: Floats
    poses: Floats
    points: Floats
    hits: dict[str, int]


def scanned(middle_s: float) -> Scanned:
    """One turn of the LiDAR in the small world: a plane and `OBJECTS`; the vehicle moves while it turns."""
    shape = (len(INCLINATIONS), COLUMNS)
    position, turn = vehicle_pose(middle_s + 0.1 * (np.arange(COLUMNS) + 0.5) / COLUMNS - 0.05)
    # The LiDAR turns clockwise from the back of the vehicle, whichever way its own axes look.
    bearing = np.pi - 2 * np.pi * (np.arange(COLUMNS) + 0.5) / COLUMNS
    inclination = np.broadcast_to(INCLINATIONS[::-1, np.newaxis], shape)
    level = np.cos(inclination)
    in_ego = np.stack([level * np.cos(bearing), level * np.sin(bearing), np.sin(inclination)], axis=-1)
    rays = np.einsum("cij,rcj->rci", turn.as_matrix(), in_ego)
    starts = np.broadcast_to(position + turn.apply(np.reshape(EXTRINSIC, (4, 4))[:3, 3]), rays.shape)
    ground = np.where(rays[..., 2] < 0, -starts[..., 2] / rays[..., 2], np.inf)
    range_m = np.stack([*(_distances(one, starts, rays) for one in OBJECTS), ground])
    nearest, range_m = range_m.argmin(axis=0), range_m.min(axis=0)
    is_seen = range_m < 75
    image = np.stack([range_m, 0.25 + np.indices(shape)[0], np.zeros(shape), np.full(shape, -1.0)], axis=-1)
    poses = np.broadcast_to(np.hstack([turn.as_euler("ZYX")[:, ::-1], position]), (*shape, 6))
    return Scanned(
        image=np.where(is_seen[..., np.newaxis], image, 0.0),
        poses=poses,
        points=starts + range_m[..., np.newaxis] * rays,
        hits={one.track: int(((nearest == at) & is_seen).sum()) for at, one in enumerate(OBJECTS)},
    )


def label_of(one: Object, middle_s: float, points: int) -> bytes:
    """The label of an object in the vehicle frame at a time; a vehicle that sways is taken to stand upright."""
    position, turn = vehicle_pose(middle_s)
    x, y, z = turn.inv().apply(np.array(one.centre_m) - position)
    length, width, height = (size + one.margin_m for size in one.size_m)
    heading = one.yaw - turn.as_euler("ZYX")[0]
    return label(one.track, one.kind, (x, y, z, width, length, height, heading), points)


def _distances(one: Object, starts: Floats, rays: Floats) -> Floats:
    """How far along each ray an object is (the slab method); infinite where the ray misses it."""
    into = Rotation.from_euler("z", one.yaw).inv().as_matrix()
    origins, along = (starts - np.array(one.centre_m)) @ into.T, rays @ into.T
    with np.errstate(divide="ignore"):
        near, far = np.sort([(sign * np.array(one.size_m) / 2 - origins) / along for sign in (-1, 1)], axis=0)
    first, last = near.max(axis=-1), far.min(axis=-1)
    return np.where((first > 0) & (first <= last), first, np.inf)
