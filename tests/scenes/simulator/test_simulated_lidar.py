from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from probe4d.scenes.simulator.lidar import BEAMS, ELEVATION, Cuboids, Scan, lidar_scan

MOUNT = np.array([0.94, 0.0, 1.84])


def scan_of(*rows: tuple[float, float, float, float, float, float]) -> Scan:
    """Scan x, y, length, width, height, yaw of cuboids that stand on the ground, the ego vehicle's far away."""
    table = np.array([(0.0, 500.0, 4.0, 2.0, 1.5, 0.0), *rows])
    count = len(table)
    centres = np.column_stack([table[:, :2], table[:, 4] / 2])
    cuboids = Cuboids(centres, table[:, 2:5], table[:, 5], np.full(count, 0.05), np.full(count, 0.5))
    return lidar_scan(cuboids, MOUNT, 0, np.random.default_rng(0))


def test_flat_ground_is_where_the_beams_meet_it() -> None:
    points = scan_of().points
    assert points.dtype == np.float32
    assert np.abs(points[:, 2] + MOUNT[2]).max() < 0.03
    ring = points[:, 4].astype(int)
    radius = np.hypot(points[:, 0], points[:, 1])
    assert np.abs(radius * np.tan(-ELEVATION[ring]) - MOUNT[2]).max() < 0.03
    assert ring.min() == 0
    assert ring.max() < BEAMS
    assert np.bincount(ring)[:20].min() > 850


def test_axes_are_right_forward_up() -> None:
    ahead = scan_of((20.0, 0.0, 2.0, 2.0, 3.0, 0.0)).points
    raised = ahead[ahead[:, 2] > -1.5]
    assert np.abs(raised[:, 0]).max() < 1.0
    assert 17.9 < raised[:, 1].min() < 18.2


def test_a_wall_hides_what_stands_behind_it() -> None:
    free = scan_of((20.0, 0.0, 4.0, 2.0, 1.6, 0.3))
    hidden = scan_of((20.0, 0.0, 4.0, 2.0, 1.6, 0.3), (10.0, 0.0, 0.5, 12.0, 4.0, 0.0))
    assert free.rays_hit[1] == free.rays_alone[1] > 0
    assert free.points_inside[1] > 0
    assert hidden.rays_alone[1] == free.rays_alone[1]
    assert hidden.rays_hit[1] == hidden.points_inside[1] == 0


def test_its_own_vehicle_gives_no_returns() -> None:
    own = np.array([[1.36, 0.0, 0.75]])
    cuboids = Cuboids(own, np.array([[4.0, 1.8, 1.5]]), np.zeros(1), np.zeros(1), np.ones(1))
    scan = lidar_scan(cuboids, MOUNT, 0, np.random.default_rng(0))
    assert scan.rays_hit[0] > 0
    assert scan.points_inside[0] == 0
    assert np.abs(scan.points[:, 2] + MOUNT[2]).max() < 0.03


@settings(max_examples=60)
@given(
    x=st.floats(-60, 60),
    y=st.floats(-60, 60),
    yaw=st.floats(-7, 7),
    size=st.tuples(st.floats(0.4, 12), st.floats(0.4, 3), st.floats(0.8, 4)),
)
def test_bounds_in_azimuth_and_elevation_lose_no_ray(
    x: float, y: float, yaw: float, size: tuple[float, float, float]
) -> None:
    length, width, height = size
    if np.hypot(x - MOUNT[0], y) < (length + width) / 2 + 0.2:
        return
    scan = scan_of((x, y, length, width, height, yaw))
    assert scan.rays_alone[1] == _hits_by_brute_force(x, y, yaw, size)


def _hits_by_brute_force(x: float, y: float, yaw: float, size: tuple[float, float, float]) -> int:
    """Slab test of every ray in the cuboid's frame, with rotation matrices and no bounds."""
    azimuth = np.repeat((np.arange(900) + 0.5) * 2 * np.pi / 900 - np.pi, BEAMS)
    elevation = np.tile(ELEVATION, 900)
    rays = np.stack(
        [np.cos(elevation) * np.cos(azimuth), np.cos(elevation) * np.sin(azimuth), np.sin(elevation)], axis=1
    )
    turn = np.array([[np.cos(yaw), np.sin(yaw), 0], [-np.sin(yaw), np.cos(yaw), 0], [0, 0, 1]])
    origin = turn @ (MOUNT - [x, y, size[2] / 2])
    local = rays @ turn.T
    half = np.array(size) / 2 - np.minimum(0.05, np.array(size) * 0.2)
    with np.errstate(divide="ignore"):
        crossings = np.stack([(-half - origin) / local, (half - origin) / local])
    enter, leave = crossings.min(0).max(1), crossings.max(0).min(1)
    return int(((enter <= leave) & (enter > 0) & (enter < 90)).sum())
