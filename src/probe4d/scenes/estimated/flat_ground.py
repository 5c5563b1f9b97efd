"""Where the ray through a pixel meets flat ground (STRIDE, A.1)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from probe4d.scenes.geometry import SE3

__all__ = ["bottom_centres", "ground_points", "planar_distance_m"]

Array = NDArray[np.float64]


def bottom_centres(boxes: ArrayLike) -> Array:
    """The pixels in the middle of the lower edges of boxes, where objects are taken to stand (STRIDE, A.1).

    Args:
        boxes: Left, top, right and bottom in pixels, shape (..., 4).

    Returns:
        u and v in pixels, shape (..., 2).
    """
    left, _, right, bottom = np.moveaxis(np.asarray(boxes, dtype=np.float64), -1, 0)
    return np.stack([(left + right) / 2, bottom], axis=-1)


def ground_points(pixels: ArrayLike, intrinsics: ArrayLike, ego_SE3_camera: SE3) -> Array:
    """Where the rays through pixels meet the plane z = 0 of the ego frame (STRIDE, A.1).

    The paper writes the ray in Waymo's camera frame (x forward, y left, z up): (1, -(u - c_x) / f_x,
    -(v - c_y) / f_y). In the camera frame of the house (x right, y down, z forward) the same ray is
    ((u - c_x) / f_x, (v - c_y) / f_y, 1). The camera is a pinhole: distortion is not taken out.

    Args:
        pixels: u (right) and v (down) in pixels, shape (..., 2).
        intrinsics: Camera matrices in pixels, shape (..., 3, 3), of which the focal lengths and the centre are used.
        ego_SE3_camera: Extrinsics of the cameras; leading axes broadcast.

    Returns:
        Points in the ego frame, metres, shape (..., 3), z = 0; NaN where the ray does not meet the plane ahead of
        the camera: it rises, runs level, or the camera lies in or below the plane that it looks down from.
    """
    u, v = np.moveaxis(np.asarray(pixels, dtype=np.float64), -1, 0)
    matrix = np.asarray(intrinsics, dtype=np.float64)
    ray_right = (u - matrix[..., 0, 2]) / matrix[..., 0, 0]
    ray_down = (v - matrix[..., 1, 2]) / matrix[..., 1, 1]
    in_camera = np.stack([ray_right, ray_down, np.ones_like(ray_right)], axis=-1)
    ray: Array = np.einsum("...ij,...j->...i", ego_SE3_camera.rotation, in_camera)
    origin = ego_SE3_camera.translation
    with np.errstate(divide="ignore", invalid="ignore"):
        scale = -origin[..., 2] / ray[..., 2]
        points = origin + scale[..., np.newaxis] * ray
    points[..., 2] = 0.0
    meets = np.isfinite(scale) & (scale > 0) & np.isfinite(points).all(axis=-1)
    return np.where(meets[..., np.newaxis], points, np.nan)


def planar_distance_m(points: ArrayLike) -> Array:
    """Distance from the origin of the ego frame over the ground, metres, shape (...); NaN stays NaN (STRIDE, A.1).

    Args:
        points: Points in the ego frame, metres, shape (..., 3).
    """
    at = np.asarray(points, dtype=np.float64)
    distance: Array = np.hypot(at[..., 0], at[..., 1])
    return distance
