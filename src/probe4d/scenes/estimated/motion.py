"""Where objects are around the ego vehicle, and how that changes (STRIDE, A.1)."""

from __future__ import annotations

import numpy as np
import polars as pl

from probe4d.scenes.estimated.filters import image_slices
from probe4d.scenes.estimated.flat_ground import bottom_centres, ground_points, planar_distance_m
from probe4d.scenes.estimated.overlap import covered_shares
from probe4d.scenes.estimated.prediction import ego_poses, global_places
from probe4d.scenes.estimated.schema import BOX, LANE_BINS
from probe4d.scenes.geometry import SE3, SECTORS, bearing_deg, sector_index

__all__ = ["LANE_WIDTH_M", "LEAST_CLOSING_MPS", "lane_bins", "with_motion", "with_occlusion", "with_places"]

LANE_WIDTH_M = 3.6
"""Width of a lane: 12 feet, as AASHTO's Green Book has it for roads of the United States, where Waymo recorded."""

LEAST_CLOSING_MPS = 0.5
"""Closing speed below which nothing counts as coming nearer: at 20 m and half a second apart, one pixel by which a
box is drawn lower is about 0.1 m of distance, and so 0.2 m/s."""

_EXTRINSICS = ("sensor_x", "sensor_y", "sensor_z")
_ROTATION = ("sensor_qw", "sensor_qx", "sensor_qy", "sensor_qz")


def with_places(objects: pl.DataFrame) -> pl.DataFrame:
    """Where objects stand on flat ground, in the ego frame at the camera's time.

    Args:
        objects: Boxes in pixels, with `intrinsics` and the extrinsics of `SENSORS_SCHEMA`.

    Returns:
        The same rows with `x_m`, `y_m`, `distance_m`, `sector` and `lane_bin`, null where the ray through the middle
        of the lower edge does not meet the ground ahead.
    """
    ego_SE3_camera = SE3.from_quaternion(objects.select(_ROTATION).to_numpy(), objects.select(_EXTRINSICS).to_numpy())
    intrinsics = objects["intrinsics"].list.to_array(9).to_numpy().reshape(-1, 3, 3)
    points = ground_points(bottom_centres(objects.select(BOX).to_numpy()), intrinsics, ego_SE3_camera)
    sectors = np.array(SECTORS)[sector_index(np.nan_to_num(bearing_deg(points[:, 0], points[:, 1])))]
    placed = objects.with_columns(
        x_m=pl.Series(points[:, 0], dtype=pl.Float64),
        y_m=pl.Series(points[:, 1], dtype=pl.Float64),
        distance_m=pl.Series(planar_distance_m(points), dtype=pl.Float64),
        sector=pl.Series(sectors, dtype=pl.String),
    ).with_columns(pl.col("x_m", "y_m", "distance_m").fill_nan(None))
    is_placed = pl.col("distance_m").is_not_null()
    return placed.with_columns(pl.when(is_placed).then(pl.col("sector")), lane_bin=lane_bins(pl.col("y_m")))


def lane_bins(y_m: pl.Expr) -> pl.Expr:
    """The lane that a place beside the ego vehicle is in, one of `LANE_BINS`, as if the road went straight on.

    The ego vehicle drives in the middle of its lane; lanes are `LANE_WIDTH_M` wide, a border belongs to the lane
    that is nearer to the ego vehicle.

    Args:
        y_m: Place in the ego frame, metres to the left; null stays null.
    """
    ego, left, right, farther = LANE_BINS
    half = LANE_WIDTH_M / 2
    return (
        pl.when(y_m.abs() <= half)
        .then(pl.lit(ego))
        .when(y_m.abs() > half + LANE_WIDTH_M)
        .then(pl.lit(farther))
        .when(y_m > 0)
        .then(pl.lit(left))
        .when(y_m < 0)
        .then(pl.lit(right))
    )


def with_occlusion(objects: pl.DataFrame) -> pl.DataFrame:
    """How much of each object is hidden, by a proxy: the share of its box that the boxes of nearer objects cover.

    On flat ground, what ends lower in the image stands nearer; of two boxes that end at the same height none hides
    the other. Boxes are fuller than what is in them, so that this is more than what is hidden; and what hides an
    object without being one, such as a wall, does not count.

    Args:
        objects: Boxes in pixels, sorted by image.

    Returns:
        The same rows with `occlusion`, 0 to 1.
    """
    boxes, shares = objects.select(BOX).to_numpy(), np.zeros(objects.height)
    for rows in image_slices(objects):
        shares[rows] = covered_shares(boxes[rows])
    return objects.with_columns(occlusion=pl.Series(shares, dtype=pl.Float64))


def with_motion(objects: pl.DataFrame) -> pl.DataFrame:
    """How the places of tracks change from one of their frames to the next.

    Args:
        objects: Columns `track`, `frame`, `timestamp_us`, `x_m`, `y_m` and `distance_m`, and the pose of
            `SENSORS_SCHEMA`.

    Returns:
        The same rows, sorted by scene, frame and track, with `velocity_x_mps` and `velocity_y_mps` (over the ground,
        along the axes of the ego frame), `relative_velocity_x_mps` and `relative_velocity_y_mps` (of the place in the
        ego frame, which moves itself), `range_rate_mps` and `time_to_collision_s`: the distance over the closing
        speed, as if both drove on as they do, null unless the object comes nearer by `LEAST_CLOSING_MPS`. All are null
        in the first frame of a track, and where one of the two places is not known.
    """
    ordered = objects.sort("track", "frame")
    goes_on = pl.col("track") == pl.col("track").shift()
    elapsed_s = pl.col("timestamp_us").diff() / 1e6

    def rate(of: pl.Expr) -> pl.Expr:
        return pl.when(goes_on & (elapsed_s > 0)).then(of / elapsed_s)

    along, across = _steps_over_ground(ordered)
    moved = ordered.with_columns(
        velocity_x_mps=rate(pl.lit(along)),
        velocity_y_mps=rate(pl.lit(across)),
        relative_velocity_x_mps=rate(pl.col("x_m").diff()),
        relative_velocity_y_mps=rate(pl.col("y_m").diff()),
        range_rate_mps=rate(pl.col("distance_m").diff()),
    ).sort("scene", "frame", "track")
    closing = -pl.col("range_rate_mps")
    return moved.with_columns(
        time_to_collision_s=pl.when(closing >= LEAST_CLOSING_MPS).then(pl.col("distance_m") / closing)
    )


def _steps_over_ground(objects: pl.DataFrame) -> tuple[pl.Series, pl.Series]:
    """From the place of the row before to that of each row, along x and y of its ego frame, metres; null if unknown."""
    poses = ego_poses(objects)
    places = global_places(objects, poses)
    steps = np.diff(places, axis=0, prepend=np.full((1, 3), np.nan))
    in_ego = SE3(poses.rotation, np.zeros_like(steps)).inverse().apply(steps)
    along, across = (pl.Series(in_ego[:, axis], dtype=pl.Float64).fill_nan(None) for axis in (0, 1))
    return along, across
