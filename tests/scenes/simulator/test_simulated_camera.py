from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from probe4d.scenes.simulator.camera import CAMERAS, Painter, back_to_front
from probe4d.scenes.simulator.world import World, make_world


@pytest.mark.parametrize("channel", CAMERAS)
def test_rotation_maps_camera_axes_to_the_vehicle(channel: str) -> None:
    camera = CAMERAS[channel]
    ego_from_camera = Rotation.from_quat(camera.rotation, scalar_first=True).as_matrix()
    cos, sin = np.cos(camera.yaw), np.sin(camera.yaw)
    np.testing.assert_allclose(ego_from_camera, [[sin, 0, cos], [-cos, 0, sin], [0, -1, 0]], atol=1e-12)


def rectangles(rng: np.random.Generator, count: int) -> np.ndarray:
    """Rectangles of all proportions in separate cells of a grid, shape (count, 4, 2)."""
    cells = rng.permutation(36)[:count]
    centres = np.stack([cells % 6, cells // 6], axis=1) * 10.0
    half = rng.uniform(0.2, 3.4, (count, 2))
    corners = np.array([[1, 1], [-1, 1], [-1, -1], [1, -1]]) * half[:, None]
    yaw = rng.uniform(0, np.pi, count)[:, None]
    x = np.cos(yaw) * corners[..., 0] - np.sin(yaw) * corners[..., 1]
    y = np.sin(yaw) * corners[..., 0] + np.cos(yaw) * corners[..., 1]
    return np.stack([x, y], axis=2) + centres[:, None]


@pytest.mark.parametrize("seed", range(5))
def test_what_lies_nearer_on_a_line_of_sight_is_drawn_later(seed: int) -> None:
    rng = np.random.default_rng(seed)
    shapes = rectangles(rng, 20)
    eye = np.array([rng.uniform(-10, 60), -7.0])
    order = back_to_front(shapes, eye)
    assert sorted(order) == list(range(len(shapes)))
    place = np.argsort(order)
    hidden = 0
    for angle in np.linspace(0, np.pi, 180):
        ray = np.array([np.cos(angle), np.sin(angle)])
        met = [(reach, index) for index, shape in enumerate(shapes) if (reach := _reach(eye, ray, shape)) is not None]
        met.sort()
        hidden += max(len(met) - 1, 0)
        assert all(place[near] > place[far] for (_, near), (_, far) in itertools.pairwise(met))
    assert hidden > 20


def _reach(eye: np.ndarray, ray: np.ndarray, shape: np.ndarray) -> float | None:
    """Distance at which a ray enters a rectangle."""
    found = []
    for start, end in zip(shape, np.roll(shape, -1, axis=0), strict=True):
        matrix = np.column_stack([ray, start - end])
        if abs(np.linalg.det(matrix)) > 1e-9:
            distance, share = np.linalg.solve(matrix, start - eye)
            if distance > 0 and 0 <= share <= 1:
                found.append(float(distance))
    return min(found, default=None)


@pytest.fixture(scope="module")
def world() -> World:
    return make_world(2, 0, 0)


def test_a_box_appears_where_the_calibration_says(world: World) -> None:
    """Paint one agent in a colour of its own and compare its pixels with the projection of its corners."""
    painter = Painter(world)
    time = float(world.times[10])
    camera = CAMERAS["CAM_FRONT"]
    x, y, yaw = world.ego_pose(time)
    centres, yaws = world.boxes(time)
    global_from_ego = Rotation.from_euler("z", yaw)
    ego_from_camera = Rotation.from_quat(camera.rotation, scalar_first=True)

    def pixels(points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        in_ego = global_from_ego.inv().apply(points - [x, y, 0])
        seen = ego_from_camera.inv().apply(in_ego - camera.position)
        projected = seen @ np.array(camera.intrinsic).T
        return projected[:, :2] / projected[:, 2:], seen[:, 2]

    middle, depth = pixels(centres)
    ahead = (depth > 5) & (depth < 45) & (np.abs(middle[:, 0] - 800) < 500)
    assert ahead[1:].any()
    plain = np.array(painter.picture(camera, time)).astype(int)
    checked = 0
    for agent in np.flatnonzero(ahead):
        original = painter.solids.colours.copy()
        painter.solids.colours[painter.solids.owner == agent] = [255, 0, 255]
        painted = np.abs(np.array(painter.picture(camera, time)).astype(int) - plain).sum(2) > 0
        painter.solids.colours[:] = original
        if painted.sum() < 50:
            continue
        half = world.sizes[agent] / 2
        signs = np.array(np.meshgrid([-1, 1], [-1, 1], [-1, 1])).reshape(3, 8).T
        corners = Rotation.from_euler("z", yaws[agent]).apply(signs * half) + centres[agent]
        bounds, _ = pixels(corners)
        v, u = np.nonzero(painted)
        assert u.min() >= bounds[:, 0].min() - 1.5
        assert u.max() <= bounds[:, 0].max() + 1.5
        assert v.min() >= bounds[:, 1].min() - 1.5
        assert v.max() <= bounds[:, 1].max() + 1.5
        checked += 1
    assert checked >= 2
