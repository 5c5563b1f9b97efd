"""Boxes predicted into later images: those of what stands or moves evenly are where it shows."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from camera_scenes import CAMERA_HEIGHT_M, FOCAL_PX, HEIGHT_PX, WIDTH_PX, standing
from probe4d.scenes.estimated.prediction import Seen, predicted_boxes, seen_boxes
from probe4d.scenes.geometry import SE3, rotation_of_quaternion
from probe4d.scenes.projection import Cameras

EGO_R_CAMERA = np.array([[0.0, 0.0, 1.0], [-1.0, 0.0, 0.0], [0.0, -1.0, 0.0]])
MATRIX = np.array([[FOCAL_PX, 0, WIDTH_PX / 2], [0, FOCAL_PX, HEIGHT_PX / 2], [0, 0, 1]])
MOUNTED = SE3(EGO_R_CAMERA, np.array([0.0, 0.0, CAMERA_HEIGHT_M]))


def camera(x: float = 0.0, y: float = 0.0, yaw: float = 0.0) -> Cameras:
    """The camera of a vehicle that stands somewhere and looks somewhere."""
    return Cameras(ego_pose(x, y, yaw).compose(MOUNTED).inverse(), MATRIX)


def ego_pose(x: float, y: float, yaw: float) -> SE3:
    turned = rotation_of_quaternion([np.cos(yaw / 2), 0, 0, np.sin(yaw / 2)])
    return SE3(turned, np.array([x, y, 0.0]))


def seen(box: dict[str, float], x_m: float | None, y_m: float | None) -> Seen:
    """One box, seen at 1 s from the origin."""
    row = {**box, "frame": 0, "timestamp_us": 1_000_000, "x_m": x_m, "y_m": y_m}
    pose = dict(zip(("qw", "qx", "qy", "qz", "x", "y", "z"), (1.0, 0, 0, 0, 0, 0, 0), strict=True))
    table = pl.DataFrame([row | {f"pose_{part}": float(value) for part, value in pose.items()}]).cast(
        {"x_m": pl.Float64, "y_m": pl.Float64}
    )
    at_origin = camera()
    one = Cameras(SE3(*(part[np.newaxis] for part in at_origin.camera_SE3_global)), MATRIX[np.newaxis])
    return seen_boxes(table, one, np.zeros(1, np.int64), np.zeros(1, np.int64))


def box_of(row: dict[str, float]) -> list[float]:
    return [row["left_px"], row["top_px"], row["right_px"], row["bottom_px"]]


@given(
    x=st.floats(15, 80),
    y=st.floats(-10, 10),
    velocity=st.tuples(st.floats(-8, 8), st.floats(-8, 8)),
    drives=st.floats(0, 8),
    drifts=st.floats(-2, 2),
)
def test_what_moves_evenly_is_where_it_is_predicted(x, y, velocity, drives, drifts) -> None:
    was = seen(standing(x, y), x, y)
    was = was._replace(velocities=np.array([[*velocity, 0.0]]))
    expected = standing(x + velocity[0] / 2 - drives, y + velocity[1] / 2 - drifts)
    found = predicted_boxes(was, camera(drives, drifts), 1.5)
    np.testing.assert_allclose(found, [box_of(expected)], rtol=1e-6, atol=1e-6)


def test_what_has_no_velocity_stands() -> None:
    found = predicted_boxes(seen(standing(30, 2), 30, 2), camera(10), 2.0)
    np.testing.assert_allclose(found, [box_of(standing(20, 2))])


def test_a_turn_moves_boxes_across_the_image() -> None:
    turned = predicted_boxes(seen(standing(30, 0), 30, 0), camera(yaw=0.1), 1.5)[0]
    assert (turned[0] + turned[2]) / 2 == pytest.approx(WIDTH_PX / 2 + FOCAL_PX * np.tan(0.1))
    assert (turned[2] - turned[0]) == pytest.approx((FOCAL_PX * 2.0 / 30) / np.cos(0.1))


@pytest.mark.parametrize(
    ("x_m", "y_m", "where"),
    [(None, None, camera(10)), (30.0, 2.0, camera(29.5)), (30.0, 2.0, camera(40)), (30.0, 2.0, camera(yaw=np.pi))],
)
def test_a_box_without_a_place_ahead_stays(x_m: float | None, y_m: float | None, where: Cameras) -> None:
    box = standing(30, 2)
    assert predicted_boxes(seen(box, x_m, y_m), where, 1.5).tolist() == [box_of(box)]
