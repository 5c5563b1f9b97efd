"""The audit's own mathematics, against the rules' and against figures worked out by hand."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from probe4d.benchmarks.auditing.gaps import footprint_corners, footprint_gaps
from probe4d.benchmarks.auditing.image_bounds import outline_bounds
from probe4d.benchmarks.auditing.measuring import Filters, measure_scene
from probe4d.benchmarks.auditing.recorded import read_scenes
from probe4d.benchmarks.spatial_qa.audit.hiding import UprightBoxes, first_hidden_m
from probe4d.benchmarks.spatial_qa.occlusion import occlusion
from probe4d.benchmarks.spatial_qa.views import shown_objects
from probe4d.scenes.canvas import bounds_on_canvas
from probe4d.scenes.footprints import Footprints, gaps_m
from probe4d.scenes.opening import open_scenes

METRES = st.floats(-20, 20)
SIZE = st.floats(0.1, 15)
ANGLE = st.floats(-4, 4)


@st.composite
def boxes(draw: st.DrawFn) -> tuple[tuple[float, float, float], tuple[float, float, float], float]:
    return (
        (draw(METRES), draw(METRES), draw(st.floats(-1, 3))),
        (draw(SIZE), draw(SIZE), draw(SIZE)),
        draw(ANGLE),
    )


def upright(*given_boxes: tuple[tuple[float, float, float], tuple[float, float, float], float]) -> UprightBoxes:
    centres, sizes, yaws = zip(*given_boxes, strict=True)
    return UprightBoxes(np.array(centres), np.array(sizes), np.array(yaws))


def as_pairs(first: UprightBoxes, second: UprightBoxes, eye: np.ndarray) -> pl.DataFrame:
    columns = {f"eye_{axis}": eye[:, at] for at, axis in enumerate("xyz")}
    for suffix, some in (("_1", first), ("_2", second)):
        columns |= {f"ego_{axis}{suffix}": some.centre[:, at] for at, axis in enumerate("xyz")}
        columns |= {f"{size}{suffix}": some.size[:, at] for at, size in enumerate(("length", "width", "height"))}
        columns[f"ego_yaw{suffix}"] = some.yaw
    return pl.DataFrame(columns)


@given(first=boxes(), second=boxes())
def test_gaps_are_those_of_the_rules(first, second) -> None:
    pair = [upright(first), upright(second)]
    corners = [footprint_corners(box.centre, box.size, box.yaw) for box in pair]
    footprints = [Footprints(box.centre[:, :2], box.size[:, :2] / 2, box.yaw) for box in pair]
    assert footprint_gaps(*corners) == pytest.approx(gaps_m(*footprints), abs=1e-9)


@pytest.mark.parametrize(
    ("centre", "size", "yaw", "gap"),
    [
        ((5, 0), (2, 2), 0, 3.0),
        ((5, 5), (2, 2), 0, 3 * math.sqrt(2)),
        ((0, 0), (1, 1), 0, 0.0),  # within
        ((0, 0), (9, 9), 0, 0.0),  # around
        ((0, 1.2), (8, 0.2), 0.3, 0.0),  # a beam across, no corner within
        ((2, 0), (2, 2), 0, 0.0),  # edge to edge
        ((3, 0), (2, 2), math.pi / 4, 2 - math.sqrt(2)),
    ],
)
def test_gap_to_a_square_of_two_metres(centre, size, yaw, gap: float) -> None:
    square = footprint_corners(np.zeros((1, 2)), np.full((1, 2), 2.0), np.zeros(1))
    other = footprint_corners(np.array([centre], float), np.array([size], float), np.array([yaw], float))
    assert footprint_gaps(square, other)[0] == pytest.approx(gap, abs=1e-12)
    assert footprint_gaps(other, square)[0] == pytest.approx(gap, abs=1e-12)


def test_hiding_is_that_of_the_rules() -> None:
    rng = np.random.default_rng(5)
    n = 4000
    ahead = rng.uniform(2, 40, n)
    first = UprightBoxes(
        np.stack([ahead, rng.uniform(-3, 3, n), rng.uniform(0.5, 1.5, n)], axis=-1),
        rng.uniform(0.5, 6, (n, 3)),
        rng.uniform(-3, 3, n),
    )
    second = UprightBoxes(
        np.stack([ahead + rng.uniform(-5, 30, n), rng.uniform(-6, 6, n), rng.uniform(0.2, 2, n)], axis=-1),
        rng.uniform(0.2, 3, (n, 3)),
        rng.uniform(-3, 3, n),
    )
    eye = np.broadcast_to([1.5, 0.0, 1.5], (n, 3))
    judged = occlusion(as_pairs(first, second, eye))
    wanted = judged["hidden_after_m"].fill_null(math.inf).to_numpy()
    assert 50 < np.isfinite(wanted).sum() < n / 2
    sooner, later = (first_hidden_m(first, second, eye, slack_m=slack) for slack in (1e-6, -1e-6))
    assert ((sooner == wanted) | (later == wanted)).all()
    assert (sooner <= later).all()


@pytest.mark.parametrize(
    ("screen", "hidden"),
    [
        (((10, 0, 1), (1, 4, 4), 0), 0.25),
        (((10, 2.5, 1), (1, 4, 4), 0), math.inf),  # beside the line of sight
        (((10, 0, -2), (1, 4, 4), 0), math.inf),  # below it
        (((-10, 0, 1), (1, 4, 4), 0), math.inf),  # behind the camera
        (((40, 0, 1), (1, 4, 4), 0), math.inf),  # beyond what it should hide
        (((0.7, 0, 1), (1, 4, 4), 0), math.inf),  # begins before the first step
    ],
)
def test_hides_a_post_thirty_metres_ahead(screen, hidden: float) -> None:
    post = upright(((30.0, 0.0, 1.0), (0.3, 0.3, 2.0), 0.0))
    assert first_hidden_m(upright(screen), post, np.array([[0.0, 0.0, 1.0]]), slack_m=0.0)[0] == hidden


def rays(pixels: np.ndarray, depth: np.ndarray) -> np.ndarray:
    return np.concatenate([pixels, np.ones_like(pixels[..., :1])], axis=-1) * depth[..., None]


def test_outlines_are_bounded_as_by_the_scenes() -> None:
    rng = np.random.default_rng(3)
    n = 20_000
    size = rng.uniform(100, 2000, (n, 2))
    middle = rng.uniform(-2000, 4000, (n, 1, 2))
    pixels = middle + rng.uniform(-1, 1, (n, 8, 2)) * rng.choice([20, 300, 3000], (n, 1, 1))
    depth = rng.uniform(0.1, 50, (n, 8)) * np.where(rng.random((n, 8)) < 0.15, -1, 1)
    wanted = bounds_on_canvas(np.where(depth[..., None] > 0, pixels, np.nan), size)
    assert 0.2 < np.isfinite(wanted[:, 0]).mean() < 0.9
    np.testing.assert_allclose(outline_bounds(rays(pixels, depth), size), wanted, atol=1e-6)


def test_an_outline_around_the_whole_image_is_the_image() -> None:
    corners = np.array([[x, y] for x in (-500.0, 2000.0) for y in (-400.0, 1000.0)] * 2)
    found = outline_bounds(rays(corners[None], np.full((1, 8), 3.0)), np.array([[1600.0, 900.0]]))
    assert found.tolist() == [[0.0, 0.0, 1600.0, 900.0]]


def test_a_triangle_over_a_corner_of_the_image_shows_that_corner() -> None:
    points = np.array([[-100.0, 40.0], [30.0, -90.0], [60.0, 80.0]] + [[-100.0, 40.0]] * 5)
    found = outline_bounds(rays(points[None], np.ones((1, 8))), np.array([[50.0, 50.0]]))
    np.testing.assert_allclose(found, [[0.0, 0.0, 50.0, 50.0]])
    away = outline_bounds(rays(points[None] - [200, 0], np.ones((1, 8))), np.array([[50.0, 50.0]]))
    assert np.isnan(away).all()


def test_two_corners_in_front_are_a_line_whatever_their_rounding() -> None:
    rng = np.random.default_rng(9)
    depth = np.full((500, 8), -1.0)
    depth[:, :2] = rng.uniform(0.01, 3, (500, 2))
    place = rng.uniform(0, 400, (500, 1))
    across = np.broadcast_to(place, (500, 8)) * (1 + rng.choice([-4e-16, 0, 4e-16], (500, 8)))
    pixels = np.stack([across, rng.uniform(-100, 700, (500, 8))], axis=-1)
    assert np.isnan(outline_bounds(rays(pixels, depth), np.full((500, 2), 500.0))).all()
    shown = np.where(depth[..., None] > 0, rays(pixels, depth)[..., :2] / depth[..., None], np.nan)
    assert np.isnan(bounds_on_canvas(shown, np.full((500, 2), 500.0))).all()


@pytest.mark.real_data
def test_measures_recorded_scenes_as_the_scenes_do(real_data: Callable[[str], Path]) -> None:
    root = real_data("nuscenes_mini")
    name = "scene-0796"
    scenes = open_scenes(root).select([name])
    unknown, recorded = read_scenes(root / scenes.version, reference_channel="LIDAR_TOP", scenes=["scene-9999", name])
    assert unknown is None
    assert recorded is not None
    scene = measure_scene(recorded, Filters(4, True, 40.0))
    shown = shown_objects(scenes)
    camera = np.array([scene.channels.index(channel) for channel in shown["channel"]])
    box = np.array([scene.row_of_token[token] for token in shown["token"]])
    assert np.isfinite(scene.bounds_px[..., 0]).sum() == shown.height > 500
    bounds = shown.select("left_px", "top_px", "right_px", "bottom_px").to_numpy()
    np.testing.assert_allclose(scene.bounds_px[camera, box], bounds, atol=1e-6)
    for measured, prefix in ((scene.camera[camera, box], "camera"), (scene.ego[box], "ego")):
        np.testing.assert_allclose(measured, shown.select(f"^{prefix}_[xyz]$").to_numpy(), atol=1e-9)
    np.testing.assert_allclose(np.cos(scene.ego_yaw[box] - shown["ego_yaw"].to_numpy()), 1, atol=1e-12)
    boxes_of = scenes.boxes.sort("token")
    rows = [scene.row_of_token[token] for token in boxes_of["token"]]
    assert scene.categories[rows].tolist() == boxes_of["category"].to_list()
    np.testing.assert_array_equal(scene.size[rows], boxes_of.select("length", "width", "height").to_numpy())
