"""Paths and labels: where a point of the ego frame lands, and that labels do not cover each other."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from probe4d.report.shapes import EXTENTS_M, PANEL, Label, View, apart, extent_for, grid, outline
from probe4d.scenes.geometry import SECTORS, bearing_deg, sector_index

metres = st.floats(-150, 150)
NUMBER = re.compile(r"-?\d+(?:\.\d+)?")


def test_forward_is_up_and_left_is_left() -> None:
    view = View(20)
    assert view.at((0, 0)) == (PANEL / 2, PANEL / 2)
    assert view.at((20, 0)) == (PANEL / 2, 0)
    assert view.at((0, 20)) == (0, PANEL / 2)
    assert view.at((-20, -20)) == (PANEL, PANEL)


@given(metres, metres, st.sampled_from(EXTENTS_M))
def test_a_point_can_be_read_back(x: float, y: float, extent: int) -> None:
    view = View(extent)
    across, down = view.at((x, y))
    assert math.isclose((PANEL / 2 - down) / view.scale, x, abs_tol=1e-9)
    assert math.isclose((PANEL / 2 - across) / view.scale, y, abs_tol=1e-9)


@given(metres, metres, st.floats(0.1, 20), st.floats(0.1, 5), st.floats(-math.pi, math.pi))
def test_outline_has_the_size_and_centre_of_the_box(
    x: float, y: float, length: float, width: float, yaw: float
) -> None:
    corners = np.array(outline(x, y, length, width, yaw))
    sides = np.linalg.norm(np.roll(corners, -1, axis=0) - corners, axis=1)
    np.testing.assert_allclose(corners.mean(axis=0), (x, y), atol=1e-9)
    np.testing.assert_allclose(sides, (length, width, length, width), atol=1e-9)
    heading = corners[[0, 3]].mean(axis=0) - (x, y)
    np.testing.assert_allclose(heading, length / 2 * np.array([math.cos(yaw), math.sin(yaw)]), atol=1e-9)


@pytest.mark.parametrize("place", range(len(SECTORS)))
def test_wedge_covers_its_sector(place: int) -> None:
    view = View(40)
    path = view.wedge(place * 45.0, 45.0, 30.0)
    numbers = [float(number) for number in NUMBER.findall(path)]
    ends = [((PANEL / 2 - y) / view.scale, (PANEL / 2 - x) / view.scale) for x, y in (numbers[2:4], numbers[-2:])]
    inside = [sum(end[axis] for end in ends) / 2 for axis in (0, 1)]
    assert sector_index(bearing_deg(*inside)) == place
    for end in ends:
        assert math.isclose(math.hypot(*end), 30.0, abs_tol=0.02)
    assert math.isclose(math.dist(*ends), 2 * 30 * math.sin(math.radians(22.5)), abs_tol=0.05)


@given(st.lists(st.tuples(st.floats(-130, 130), st.floats(-130, 130)), min_size=1, max_size=8))
def test_extent_shows_every_point(points: list[tuple[float, float]]) -> None:
    extent = extent_for(points)
    assert extent in EXTENTS_M
    assert all(max(abs(x), abs(y)) <= extent for x, y in points)


def test_extent_without_points_is_that_of_a_street() -> None:
    assert extent_for([]) == 40


@given(st.lists(st.tuples(st.floats(0, 400), st.floats(0, 250)), max_size=6))
def test_labels_that_are_near_do_not_overlap(places: list[tuple[float, float]]) -> None:
    labels = [Label("target", x, y, "start", f"car {number} m") for number, (x, y) in enumerate(places)]
    moved = apart(labels)
    assert sorted(label.text for label in moved) == sorted(label.text for label in labels)
    for number, one in enumerate(moved):
        for other in moved[:number]:
            assert abs(one.x - other.x) >= 6 * len(one.text) or abs(one.y - other.y) >= 14


@pytest.mark.parametrize("extent", EXTENTS_M)
def test_rings_carry_their_radius(extent: int) -> None:
    shared = grid(extent)
    radii = [int(label.text.removesuffix(" m")) for label in shared.labels]
    assert radii
    assert radii[-1] <= extent
    for radius, label in zip(radii, shared.labels, strict=True):
        assert math.isclose(label.y - PANEL / 2 + 3, radius * shared.scale)
