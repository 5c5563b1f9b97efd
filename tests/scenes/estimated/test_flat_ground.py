"""Distances by flat ground: the paper's equations to 1e-6, and null without ground ahead."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from probe4d.scenes.estimated.flat_ground import bottom_centres, ground_points, planar_distance_m
from probe4d.scenes.geometry import SE3, rotation_of_quaternion
from probe4d.scenes.projection import project

WAYMO_R_HOUSE = np.array([[0.0, 0.0, 1.0], [-1.0, 0.0, 0.0], [0.0, -1.0, 0.0]])
"""From the house's camera frame (x right, y down, z forward) to Waymo's (x forward, y left, z up)."""

LEVEL = SE3(WAYMO_R_HOUSE, np.array([1.5, 0.0, 2.0]))
"""A camera that looks ahead, level, 2 m above the ground."""

MATRIX = np.array([[2000.0, 0.0, 960.0], [0.0, 2000.0, 640.0], [0.0, 0.0, 1.0]])

unit = st.floats(-1, 1, allow_subnormal=False)
quaternions = st.tuples(unit, unit, unit, unit).filter(lambda q: math.hypot(*q) > 0.1)


@given(
    quaternion=quaternions,
    origin=st.tuples(st.floats(-3, 3), st.floats(-3, 3), st.floats(0.3, 4)),
    focal=st.tuples(st.floats(300, 3000), st.floats(300, 3000)),
    centre=st.tuples(st.floats(0, 1920), st.floats(0, 1280)),
    box=st.tuples(st.floats(0, 1900), st.floats(0, 1270), st.floats(1, 1920), st.floats(1, 1280)),
)
def test_the_equations_of_the_paper(quaternion, origin, focal, centre, box) -> None:
    """Written out one by one, as the paper has them, in Waymo's camera frame."""
    (f_x, f_y), (c_x, c_y), (x_1, y_1, x_2, y_2) = focal, centre, box
    rotation = rotation_of_quaternion(quaternion)  # R_vc, of Waymo's camera frame
    u, v = (x_1 + x_2) / 2, y_2
    ray_c = [1.0, -(u - c_x) / f_x, -(v - c_y) / f_y]
    ray_v = [sum(rotation[row][k] * ray_c[k] for k in range(3)) for row in range(3)]
    assume(abs(ray_v[2]) > 1e-6)  # else both are 1e-16 of rounding, magnified without end
    scale = -origin[2] / ray_v[2]
    point = [origin[k] + scale * ray_v[k] for k in range(3)]
    matrix = np.array([[f_x, 0.0, c_x], [0.0, f_y, c_y], [0.0, 0.0, 1.0]])
    camera = SE3(rotation @ WAYMO_R_HOUSE, np.array(origin))
    found = ground_points(bottom_centres([[x_1, y_1, x_2, y_2]]), matrix[np.newaxis], camera)
    if scale > 0:
        np.testing.assert_allclose(found[0, :2], point[:2], rtol=1e-6, atol=1e-6)
        assert found[0, 2] == 0
        assert planar_distance_m(found)[0] == pytest.approx(math.sqrt(point[0] ** 2 + point[1] ** 2), rel=1e-6)
    else:
        assert np.isnan(found).all()


@given(x=st.floats(3, 200), y=st.floats(-50, 50), height=st.floats(0.5, 4), pitch=st.floats(-0.2, 0.2), yaw=unit)
def test_a_point_of_the_ground_is_found_again(x: float, y: float, height: float, pitch: float, yaw: float) -> None:
    turned = rotation_of_quaternion([math.cos(yaw / 2), 0, 0, math.sin(yaw / 2)])
    tilted = rotation_of_quaternion([math.cos(pitch / 2), 0, math.sin(pitch / 2), 0])
    camera = SE3(turned @ tilted @ WAYMO_R_HOUSE, np.array([1.5, 0.1, height]))
    seen = project(camera.inverse().apply([[x, y, 0.0]]), MATRIX)
    assume(seen.depth_m[0] > 0.5)
    found = ground_points(seen.pixels, MATRIX, camera)
    np.testing.assert_allclose(found, [[x, y, 0.0]], rtol=1e-6, atol=1e-6)


def test_many_pixels_of_many_cameras_at_once() -> None:
    cameras = SE3(np.stack([LEVEL.rotation] * 3), np.array([[0, 0, 1.0], [0, 0, 2.0], [5, 0, 2.0]]))
    found = ground_points([[960, 840]] * 3, np.stack([MATRIX] * 3), cameras)
    np.testing.assert_allclose(found, [[10, 0, 0], [20, 0, 0], [25, 0, 0]])


@pytest.mark.parametrize(
    ("v", "camera"),
    [
        (640.0, LEVEL),  # level
        (500.0, LEVEL),  # above the horizon
        (840.0, LEVEL._replace(translation=np.array([0.0, 0.0, 0.0]))),  # on the ground
        (840.0, LEVEL._replace(translation=np.array([0.0, 0.0, -1.0]))),  # below it, looking down
        (float("nan"), LEVEL),
    ],
)
def test_there_is_no_point_where_the_ray_meets_no_ground_ahead(v: float, camera: SE3) -> None:
    assert np.isnan(ground_points([960.0, v], MATRIX, camera)).all()
    assert np.isnan(planar_distance_m(ground_points([960.0, v], MATRIX, camera)))
