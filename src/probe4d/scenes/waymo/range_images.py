"""Range images: a LiDAR's returns by row (inclination) and column (azimuth), as points.

Of a column, the middle has the azimuth pi (1 - (2 column + 1) / width), less the yaw of the LiDAR's extrinsics; of a
row, row 0 is the highest beam (Waymo Open Dataset, `range_image_utils.py`). While the LiDAR turns the vehicle moves:
where the record has the vehicle's pose at every pixel, points are taken to the frame's own pose by it.
"""

from __future__ import annotations

import math
import zlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

from probe4d.scenes.geometry import SE3
from probe4d.scenes.waymo.frames import Points
from probe4d.scenes.waymo_format.messages import parsed
from probe4d.scenes.waymo_format.values import Unfit, transform

__all__ = ["read_points"]

_TOP = 1  # number of the LiDAR on the roof
_CHANNELS = 4  # range, intensity, elongation, whether it lies in a zone without labels
_POSE_CHANNELS = 6  # roll, pitch, yaw, x, y, z
_MOST_BYTES = 256 << 20  # a hundred times a range image; what unpacks to more is none


def read_points(frame: Any, global_SE3_ego: SE3) -> Points | None:
    """Returns of the roof LiDAR of a frame's message (`Frame` of `MESSAGES`), first returns, then second ones.

    Args:
        frame: The message.
        global_SE3_ego: The frame's pose, in whose vehicle frame points are given.

    Returns:
        The points, or None where the record has no range image of the roof LiDAR.

    Raises:
        Unfit: A range image cannot be unpacked, has another shape, or lacks a calibration that can be used.
    """
    lasers = [laser for laser in frame.lasers if laser.name == _TOP and laser.ri_return1.range_image_compressed]
    if not lasers:
        return None
    (laser,) = lasers[:1]
    first = _matrix(laser.ri_return1.range_image_compressed, _CHANNELS, "a range image")
    returns = [first]
    if laser.ri_return2.range_image_compressed:
        returns.append(_matrix(laser.ri_return2.range_image_compressed, _CHANNELS, "a range image"))
    poses = None
    if laser.ri_return1.range_image_pose_compressed:
        poses = _matrix(laser.ri_return1.range_image_pose_compressed, _POSE_CHANNELS, "poses of a range image")
    if any(image.shape[:2] != first.shape[:2] for image in (*returns, *([] if poses is None else [poses]))):
        raise Unfit("has range images and poses of different sizes")
    ego_SE3_lidar, inclinations = _calibration(frame, first.shape[0])
    values = [_points(image, inclinations, ego_SE3_lidar, poses, global_SE3_ego) for image in returns]
    return Points(np.concatenate(values), ego_SE3_lidar)


def _matrix(packed: bytes, channels: int, noun: str) -> NDArray[np.float32]:
    """A packed matrix of floats, shape (rows, columns, channels)."""
    unpacking = zlib.decompressobj()
    try:
        data = unpacking.decompress(packed, _MOST_BYTES)
    except zlib.error as error:
        raise Unfit(f"has {noun} that cannot be unpacked ({error})") from error
    message = parsed("MatrixFloat", data) if unpacking.eof else None
    if message is None:
        raise Unfit(f"has {noun} that cannot be unpacked")
    shape, count = tuple(message.shape.dims), len(message.data) / 4
    if len(shape) != 3 or shape[2] != channels or min(shape) < 1 or math.prod(shape) != count:
        raise Unfit(f"has {noun} of shape {shape} with {count:g} values instead of (rows, columns, {channels})")
    return np.frombuffer(message.data, dtype="<f4").reshape(shape)


def _calibration(frame: Any, rows: int) -> tuple[SE3, NDArray[np.float64]]:
    """Extrinsics of the roof LiDAR, and the inclination of each row, radians, row 0 first."""
    found = [given for given in frame.context.laser_calibrations if given.name == _TOP]
    extrinsics = transform(found[0], "extrinsic", "extrinsics of the roof LiDAR") if found else None
    if extrinsics is None:
        raise Unfit("has a range image of the roof LiDAR and no extrinsics")
    given = np.array(found[0].beam_inclinations, dtype=np.float64)
    if not len(given):
        lowest, highest = found[0].beam_inclination_min, found[0].beam_inclination_max
        given = lowest + (np.arange(rows) + 0.5) / rows * (highest - lowest)
    if len(given) != rows or not np.isfinite(given).all():
        raise Unfit(f"has {len(given)} inclinations for the {rows} rows of its range image")
    return extrinsics, given[::-1]


def _points(
    image: NDArray[np.float32],
    inclinations: NDArray[np.float64],
    ego_SE3_lidar: SE3,
    poses: NDArray[np.float32] | None,
    global_SE3_ego: SE3,
) -> NDArray[np.float32]:
    """Returns of one range image as `Points.values` has them; pixels without a return have no positive range."""
    rows, columns = np.nonzero(image[..., 0] > 0)
    height, width = image.shape[:2]
    range_m = image[rows, columns, 0].astype(np.float64)
    turned = math.atan2(ego_SE3_lidar.rotation[1, 0], ego_SE3_lidar.rotation[0, 0])
    azimuth = math.pi * (1 - (2 * columns + 1) / width) - turned
    inclination = inclinations[rows]
    level_m = range_m * np.cos(inclination)
    in_lidar = np.stack([level_m * np.cos(azimuth), level_m * np.sin(azimuth), range_m * np.sin(inclination)], axis=-1)
    if poses is not None:
        then = _pixel_poses(poses[rows, columns].astype(np.float64))
        in_ego = global_SE3_ego.inverse().apply(then.apply(ego_SE3_lidar.apply(in_lidar)))
        in_lidar = ego_SE3_lidar.inverse().apply(in_ego)
    ring = height - 1 - rows
    return np.column_stack([in_lidar, image[rows, columns, 1], ring]).astype(np.float32)


def _pixel_poses(values: NDArray[np.float64]) -> SE3:
    """global_SE3_ego of pixels: turns by roll about x, then by pitch about y, then by yaw about z, and a shift.

    Args:
        values: Roll, pitch, yaw, x, y, z, shape (n, 6).
    """
    (sin_r, sin_p, sin_y), (cos_r, cos_p, cos_y) = np.sin(values[:, :3].T), np.cos(values[:, :3].T)
    rotation = np.empty((len(values), 3, 3))
    rotation[:, 0] = np.stack(
        [cos_y * cos_p, cos_y * sin_p * sin_r - sin_y * cos_r, cos_y * sin_p * cos_r + sin_y * sin_r], axis=-1
    )
    rotation[:, 1] = np.stack(
        [sin_y * cos_p, sin_y * sin_p * sin_r + cos_y * cos_r, sin_y * sin_p * cos_r - cos_y * sin_r], axis=-1
    )
    rotation[:, 2] = np.stack([-sin_p, cos_p * sin_r, cos_p * cos_r], axis=-1)
    return SE3(rotation, values[:, 3:])
