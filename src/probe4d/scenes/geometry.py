"""Rigid transforms and bearings over arrays.

A transform `target_SE3_source` is a pair (rotation, translation): rotation matrices of shape (..., 3, 3)
and translations of shape (..., 3) in metres, so that a point `p` given in the source frame lies at
`rotation @ p + translation` in the target frame. Quaternions are w-x-y-z; leading axes broadcast.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = [
    "SE3",
    "SECTORS",
    "SECTOR_BOUNDS_DEG",
    "bearing_deg",
    "rotation_of_quaternion",
    "sector_index",
    "sector_margin_deg",
    "yaw_of_rotation",
]

Array = NDArray[np.float64]

SECTORS: tuple[str, ...] = (
    "front",
    "front-left",
    "left",
    "back-left",
    "back",
    "back-right",
    "right",
    "front-right",
)
"""The eight sectors around the ego vehicle, counter-clockwise, 45 degrees each (LiDAR-Hallu, Sec. III-B)."""

SECTOR_BOUNDS_DEG: dict[str, tuple[float, float]] = {
    "front": (-22.5, 22.5),
    "front-left": (22.5, 67.5),
    "left": (67.5, 112.5),
    "back-left": (112.5, 157.5),
    "back": (157.5, -157.5),
    "back-right": (-157.5, -112.5),
    "right": (-112.5, -67.5),
    "front-right": (-67.5, -22.5),
}
"""Bearings of each sector, lower bound included and upper excluded; `back` passes through 180 degrees."""

_SECTOR_DEG = 360 / len(SECTORS)
_BORDERS_DEG = np.arange(len(SECTORS)) * _SECTOR_DEG - 157.5  # ascending, from the one between back and back-right


class SE3(NamedTuple):
    """Rigid transforms `target_SE3_source`.

    Attributes:
        rotation: Rotation matrices, shape (..., 3, 3).
        translation: Origin of the source frame in the target frame, metres, shape (..., 3).
    """

    rotation: Array
    translation: Array

    @classmethod
    def from_quaternion(cls, quaternion: ArrayLike, translation: ArrayLike) -> SE3:
        """Transforms from quaternions w-x-y-z, shape (..., 4), and translations in metres, shape (..., 3)."""
        return cls(rotation_of_quaternion(quaternion), np.asarray(translation, dtype=np.float64))

    def inverse(self) -> SE3:
        """The transforms the other way round: `source_SE3_target`."""
        transposed = np.swapaxes(self.rotation, -1, -2)
        return SE3(transposed, -_rotate(transposed, self.translation))

    def compose(self, other: SE3) -> SE3:
        """`target_SE3_source.compose(source_SE3_origin)` is `target_SE3_origin`."""
        return SE3(self.rotation @ other.rotation, _rotate(self.rotation, other.translation) + self.translation)

    def apply(self, points: ArrayLike) -> Array:
        """Points given in the source frame, metres, shape (..., 3), in the target frame.

        Leading axes of points and transforms broadcast: for many points under each of n transforms of
        shape (n, 3, 3), index the transforms with `at` first.
        """
        return _rotate(self.rotation, np.asarray(points, dtype=np.float64)) + self.translation

    def at(self, index: NDArray[np.integer] | slice | tuple[slice | None, ...]) -> SE3:
        """Transforms at an index of the leading axes: numbers of transforms, or a slice.

        `transforms.at((slice(None), None))` gives n transforms an axis of many points each.
        """
        return SE3(self.rotation[index], self.translation[index])


def _rotate(rotation: Array, vectors: Array) -> Array:
    rotated: Array = np.einsum("...ij,...j->...i", rotation, vectors)
    return rotated


def rotation_of_quaternion(quaternion: ArrayLike) -> Array:
    """Rotation matrices, shape (..., 3, 3), of quaternions w-x-y-z of any length but zero, shape (..., 4).

    A quaternion of zero length gives NaN.
    """
    given = np.asarray(quaternion, dtype=np.float64)
    with np.errstate(invalid="ignore", divide="ignore"):
        w, x, y, z = np.moveaxis(given / np.linalg.norm(given, axis=-1, keepdims=True), -1, 0)
    rotation = np.empty((*given.shape[:-1], 3, 3))
    rotation[..., 0, 0] = 1 - 2 * (y * y + z * z)
    rotation[..., 0, 1] = 2 * (x * y - w * z)
    rotation[..., 0, 2] = 2 * (x * z + w * y)
    rotation[..., 1, 0] = 2 * (x * y + w * z)
    rotation[..., 1, 1] = 1 - 2 * (x * x + z * z)
    rotation[..., 1, 2] = 2 * (y * z - w * x)
    rotation[..., 2, 0] = 2 * (x * z - w * y)
    rotation[..., 2, 1] = 2 * (y * z + w * x)
    rotation[..., 2, 2] = 1 - 2 * (x * x + y * y)
    return rotation


def yaw_of_rotation(rotation: ArrayLike) -> Array:
    """Heading in radians, (-pi, pi], counter-clockwise from x: where the x axis points in the x-y plane."""
    matrix = np.asarray(rotation, dtype=np.float64)
    heading: Array = np.arctan2(matrix[..., 1, 0], matrix[..., 0, 0])
    return heading


def bearing_deg(x: ArrayLike, y: ArrayLike) -> Array:
    """Bearing of points of the ego frame in degrees, (-180, 180], 0 ahead, positive to the left."""
    bearing: Array = np.degrees(np.arctan2(np.asarray(y, dtype=np.float64), np.asarray(x, dtype=np.float64)))
    return bearing


def sector_index(bearing: ArrayLike) -> NDArray[np.int64]:
    """Index in `SECTORS` of bearings in degrees; lower borders belong to a sector, upper ones do not.

    front is [-22.5, 22.5), front-left [22.5, 67.5) and so on; back is [157.5, 180] and [-180, -157.5)
    (LiDAR-Hallu, Sec. III-B).
    """
    # Compared with the borders themselves: shifting a bearing first would round it across one.
    place = np.searchsorted(_BORDERS_DEG, np.asarray(bearing, dtype=np.float64), side="right")
    index: NDArray[np.int64] = (place + len(SECTORS) // 2) % len(SECTORS)
    return index


def sector_margin_deg(bearing: ArrayLike) -> Array:
    """Degrees from bearings to the nearest border between two sectors, 0 to 22.5."""
    past_border = (np.asarray(bearing, dtype=np.float64) + _SECTOR_DEG / 2) % _SECTOR_DEG
    margin: Array = np.minimum(past_border, _SECTOR_DEG - past_border)
    return margin
