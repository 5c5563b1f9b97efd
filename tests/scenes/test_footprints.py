"""The gap between footprints, against a search over points of both."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from probe4d.scenes.footprints import Footprints, gaps_m, separations_m

PLACES = st.tuples(st.floats(-12, 12), st.floats(-12, 12), st.floats(-math.pi, math.pi))
SIZES = st.tuples(st.floats(0.2, 12), st.floats(0.2, 12))


def footprint(x: float, y: float, yaw: float, length: float, width: float) -> Footprints:
    return Footprints(np.array([[x, y]]), np.array([[length, width]]) / 2, np.array([yaw]))


def gap(first: Footprints, second: Footprints) -> float:
    return float(gaps_m(first, second)[0])


def sampled_gap(first: Footprints, second: Footprints) -> float:
    """Shortest distance between points of two closed rectangles, by alternating projection: convex sets, so it ends."""

    def into(rectangle: Footprints, point: np.ndarray) -> np.ndarray:
        cos, sin = math.cos(rectangle.yaw[0]), math.sin(rectangle.yaw[0])
        turn = np.array([[cos, sin], [-sin, cos]])
        local = turn @ (point - rectangle.centre[0])
        return turn.T @ np.clip(local, -rectangle.half_size[0], rectangle.half_size[0]) + rectangle.centre[0]

    here, there = first.centre[0], second.centre[0]
    for _ in range(2000):
        before = here
        there = into(second, here)
        here = into(first, there)
        if np.abs(here - before).max() < 1e-13:
            break
    return float(np.linalg.norm(here - there))


@pytest.mark.parametrize(
    ("second", "expected"),
    [
        ((6.0, 0.0, 0.0, 4.0, 2.0), 2.0),  # one behind the other
        ((0.0, 5.0, 0.0, 4.0, 2.0), 3.0),  # side by side
        ((7.0, 6.0, 0.0, 4.0, 2.0), 5.0),  # corner to corner, 3 and 4 m apart
        ((4.0, 0.0, 0.0, 4.0, 2.0), 0.0),  # touching
        ((0.0, 0.0, 0.0, 4.0, 2.0), 0.0),  # the same
        ((0.5, 0.0, 0.3, 1.0, 0.5), 0.0),  # one inside the other
        ((0.0, 0.0, math.pi / 2, 4.0, 2.0), 0.0),  # a cross: no corner of one lies in the other
        ((0.0, 5.0, math.pi / 2, 4.0, 2.0), 2.0),  # turned across
        ((5.0, 0.0, math.pi / 4, 2.0, 2.0), 3.0 - math.sqrt(2)),  # a corner to a side
    ],
)
def test_gaps_of_placed_rectangles(second: tuple[float, float, float, float, float], expected: float) -> None:
    assert gap(footprint(0.0, 0.0, 0.0, 4.0, 2.0), footprint(*second)) == pytest.approx(expected, abs=1e-12)


@given(PLACES, SIZES, PLACES, SIZES)
def test_the_gap_is_the_distance_of_the_nearest_points(
    place: tuple[float, float, float],
    size: tuple[float, float],
    other: tuple[float, float, float],
    other_size: tuple[float, float],
) -> None:
    first, second = footprint(*place, *size), footprint(*other, *other_size)
    measured = gap(first, second)
    assert measured == gap(second, first)
    assert measured == pytest.approx(sampled_gap(first, second), abs=1e-2)
    if measured > 0:
        assert sampled_gap(first, second) >= measured - 1e-9


@given(PLACES, SIZES, PLACES, SIZES, st.floats(1e-3, 5), st.floats(0, 2 * math.pi))
def test_the_gap_is_0_if_and_only_if_the_rectangles_share_a_point(
    place: tuple[float, float, float],
    size: tuple[float, float],
    other: tuple[float, float, float],
    other_size: tuple[float, float],
    step: float,
    angle: float,
) -> None:
    first, second = footprint(*place, *size), footprint(*other, *other_size)
    moved = second._replace(centre=second.centre + step * np.array([math.cos(angle), math.sin(angle)]))
    assert abs(gap(first, second) - gap(first, moved)) <= step + 1e-9  # what moves by a step comes nearer by no more
    grown = second._replace(half_size=second.half_size + gap(first, second) + 1e-9)
    assert gap(first, grown) == 0
    if gap(first, second) > 1e-6:
        shrunk = second._replace(half_size=second.half_size * 0.5)
        assert gap(first, shrunk) >= gap(first, second) - 1e-9


def test_corners_go_round_counter_clockwise() -> None:
    corners = footprint(1.0, 2.0, math.pi / 2, 4.0, 2.0).corners()[0]
    assert corners == pytest.approx(np.array([(0.0, 4.0), (0.0, 0.0), (2.0, 0.0), (2.0, 4.0)]))


def test_many_pairs_are_measured_as_each_by_itself() -> None:
    generator = np.random.default_rng(0)
    boxes = [
        Footprints(generator.uniform(-5, 5, (50, 2)), generator.uniform(0.1, 3, (50, 2)), generator.uniform(-4, 4, 50))
        for _ in range(2)
    ]
    one_by_one = [gap(*(Footprints(*(column[i : i + 1] for column in box)) for box in boxes)) for i in range(50)]
    assert gaps_m(*boxes).tolist() == one_by_one
    assert 0 < sum(value == 0 for value in one_by_one) < 50
    assert gaps_m(*(Footprints(*(column[:0] for column in box)) for box in boxes)).shape == (0,)


@given(PLACES, SIZES, PLACES, SIZES)
def test_a_separation_says_how_far_two_footprints_are_from_touching(
    place: tuple[float, float, float],
    size: tuple[float, float],
    other_place: tuple[float, float, float],
    other_size: tuple[float, float],
) -> None:
    first, second = footprint(*place, *size), footprint(*other_place, *other_size)
    separation = float(separations_m(first, second)[0])
    assert separation == pytest.approx(float(separations_m(second, first)[0]), abs=1e-9)
    assert separation <= gap(first, second) + 1e-9
    if abs(separation) > 1e-6:  # nearer than that, rounding decides
        assert (separation > 0) == (gap(first, second) > 0)


@pytest.mark.parametrize(("x", "expected"), [(5.0, 2.0), (3.0, 0.0), (2.0, -1.0), (0.0, -2.0)])
def test_a_separation_below_zero_is_the_shortest_way_out(x: float, expected: float) -> None:
    first, second = footprint(0, 0, 0, 4, 3), footprint(x, 0, math.pi / 2, 1, 2)
    assert float(separations_m(first, second)[0]) == pytest.approx(expected)
