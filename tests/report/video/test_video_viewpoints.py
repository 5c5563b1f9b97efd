"""Where points and lines show from above, in orbit and through a camera."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from probe4d.report.video.points import draw_points
from probe4d.report.video.viewpoints import Viewpoint, from_above, from_orbit

SIZE = (400, 300)
AHEAD, LEFT, UP = np.eye(3)


def pixel(viewpoint: Viewpoint, point: np.ndarray) -> tuple[float, float]:
    across, down = viewpoint.pixels(viewpoint.in_view(point)).tolist()
    return across, down


def test_from_above_ahead_is_up_and_left_is_left() -> None:
    viewpoint = from_above(SIZE, 30.0)
    assert pixel(viewpoint, np.zeros(3)) == (200, 150)
    assert pixel(viewpoint, 10 * AHEAD) == (200, 100)
    assert pixel(viewpoint, 10 * LEFT) == (150, 150)
    assert pixel(viewpoint, 10 * UP) == (200, 150)


@pytest.mark.parametrize(("azimuth_deg", "to_the_right"), [(0, -LEFT), (90, AHEAD), (180, LEFT), (270, -AHEAD)])
def test_in_orbit_it_stands_where_the_azimuth_says(azimuth_deg: float, to_the_right: np.ndarray) -> None:
    viewpoint = from_orbit(SIZE, 50.0, azimuth_deg)
    middle = np.array([4.0, 0.0, 0.5])
    assert pixel(viewpoint, middle) == pytest.approx((200, 150))
    across, down = pixel(viewpoint, middle + to_the_right)
    assert across > 203
    assert down == pytest.approx(150, abs=0.5)
    across, down = pixel(viewpoint, middle + UP)
    assert across == pytest.approx(200, abs=1e-6)
    assert down < 147
    assert np.linalg.norm(viewpoint.in_view(middle)) == pytest.approx(50.0)


def test_in_orbit_axes_are_right_handed_and_lengths_are_kept() -> None:
    rotation = from_orbit(SIZE, 40.0, 33.0).view_SE3_source.rotation
    assert np.linalg.det(rotation) == pytest.approx(1)
    assert rotation @ rotation.T == pytest.approx(np.eye(3))


def points_within(metres: float) -> st.SearchStrategy[np.ndarray]:
    coordinates = st.floats(-metres, metres, allow_nan=False, width=32)
    return arrays.arrays(np.float64, (6, 3), elements=coordinates)


@given(points_within(80.0), points_within(80.0), st.sampled_from(["above", "orbit"]))
def test_a_line_shows_where_its_points_show(starts: np.ndarray, ends: np.ndarray, view: str) -> None:
    """Every visible point of a line lies on what is drawn of it, and what is drawn lies inside the picture."""
    viewpoint = from_above(SIZE, 40.0) if view == "above" else from_orbit(SIZE, 40.0, 20.0)
    cut, which = viewpoint.lines(starts, ends)
    assert (cut > -0.5).all()
    assert (cut < np.tile(SIZE, 2) - 0.5).all()
    along = np.linspace(0, 1, 41)[:, np.newaxis]
    for row in range(len(starts)):
        points = viewpoint.in_view(starts[row] + along * (ends[row] - starts[row]))
        pixels = viewpoint.pixels(points)[points[:, 2] > 0.31] if viewpoint.is_perspective else viewpoint.pixels(points)
        inside = pixels[((pixels >= 0) & (pixels <= np.array(SIZE) - 1)).all(axis=1)]
        if row not in which:
            assert not len(inside)
            continue
        drawn = cut[list(which).index(row)].reshape(2, 2)
        for one in inside:
            assert distance(one, *drawn) < 0.01


def distance(point: np.ndarray, start: np.ndarray, end: np.ndarray) -> float:
    length = np.linalg.norm(end - start)
    share = 0.0 if length < 1e-9 else float(np.clip((point - start) @ (end - start) / length**2, 0, 1))
    return float(np.linalg.norm(point - start - share * (end - start)))


@pytest.mark.parametrize("reverse", [False, True])
def test_the_nearest_point_lies_on_top(reverse: bool) -> None:
    points = np.array([[0.0, 0.0, 0.0], [0.0, 0.0, 2.0], [0.0, 0.0, 1.0]])
    colours = np.array([[1, 1, 1], [2, 2, 2], [3, 3, 3]], dtype=np.uint8)
    if reverse:
        points, colours = points[::-1], colours[::-1]
    canvas = np.zeros((300, 400, 3), dtype=np.uint8)
    draw_points(canvas, points, colours, from_above(SIZE, 30.0))
    assert set(canvas[150, 200].tolist()) == {2}


def test_a_point_behind_the_viewpoint_is_not_drawn() -> None:
    viewpoint = from_orbit(SIZE, 20.0, 0.0)
    behind = viewpoint.view_SE3_source.inverse().apply(np.array([[0.0, 0.0, -5.0]]))
    canvas = np.zeros((300, 400, 3), dtype=np.uint8)
    draw_points(canvas, behind, np.full((1, 3), 255, dtype=np.uint8), viewpoint)
    assert not canvas.any()


def test_near_points_are_larger_than_far_ones_and_stay_inside() -> None:
    viewpoint = from_orbit(SIZE, 60.0, 0.0)
    sizes = []
    for away_m in (5.0, 60.0):
        point = viewpoint.view_SE3_source.inverse().apply(np.array([[0.0, 0.0, away_m]]))
        canvas = np.zeros((300, 400, 3), dtype=np.uint8)
        draw_points(canvas, point, np.full((1, 3), 255, dtype=np.uint8), viewpoint)
        sizes.append(int((canvas[..., 0] > 0).sum()))
    assert sizes == [9, 1]
