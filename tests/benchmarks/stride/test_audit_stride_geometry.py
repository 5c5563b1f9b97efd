"""The audit's own geometry against that of the rules, and how it reads positions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from probe4d.benchmarks.auditing.gaps import footprint_corners
from probe4d.benchmarks.stride.audit.derived import Derived, degrees, metres, speed
from probe4d.benchmarks.stride.audit.waypoints import is_as_derived, positions_in
from probe4d.benchmarks.stride.audit.zones import ego_outlines, gaps_or_depths, separations
from probe4d.benchmarks.stride.zones import ego_footprints
from probe4d.scenes.footprints import Footprints, gaps_m, separations_m

coordinates = st.floats(-20, 20).map(lambda value: round(value, 3))
rectangles = st.tuples(
    coordinates, coordinates, st.floats(0.3, 12.0), st.floats(0.3, 12.0), st.floats(-np.pi, np.pi)
).map(lambda values: np.array([values]))


def _footprints(rectangle: np.ndarray) -> Footprints:
    return Footprints(rectangle[:, :2], rectangle[:, 2:4] / 2, rectangle[:, 4])


def _corners(rectangle: np.ndarray) -> np.ndarray:
    return footprint_corners(rectangle[:, :2], rectangle[:, 2:4], rectangle[:, 4])


@given(rectangles, rectangles)
def test_rectangles_are_as_far_apart_as_the_rules_say(one: np.ndarray, other: np.ndarray) -> None:
    apart = separations_m(_footprints(one), _footprints(other))
    assert separations(_corners(one), _corners(other)) == pytest.approx(apart, abs=1e-9)
    gap = gaps_m(_footprints(one), _footprints(other))
    expected = np.where(apart > 0, gap, apart)
    assert gaps_or_depths(_corners(one), _corners(other)) == pytest.approx(expected, abs=1e-9)


@given(coordinates, coordinates, st.floats(-np.pi, np.pi))
def test_the_ego_vehicle_is_as_large_as_the_rules_have_it(x: float, y: float, heading: float) -> None:
    own = ego_footprints(np.array([[x, y]]), np.array([heading])).corners()[0] @ np.array([1, 1j])
    outline = ego_outlines(np.array([x + 1j * y]), np.array([heading]))[0]
    assert sorted(outline, key=np.angle) == pytest.approx(sorted(own, key=np.angle), abs=1e-9)


@pytest.mark.parametrize(
    ("text", "decimals", "positions"),
    [
        ("[[1.5, 0.0], [3.1, -0.2]]", 1, [[1.5, 0.0], [3.1, -0.2]]),
        ("[[12.34, -5.6]]", 2, [[12.34, -5.6]]),
        ("[[1.55, 0.0]]", 1, None),
        ("[[1.5, -0.0]]", 1, None),
        ("[[1.5, 0]]", 1, None),
        ("[[01.5, 0.0]]", 1, None),
        ("[[1.5,0.0]]", 1, None),
        ("[[nan, 0.0]]", 1, None),
        ("[]", 1, None),
        ("[[1.5, 0.0]] and on", 1, None),
    ],
)
def test_positions_are_read_as_they_are_written(text: str, decimals: int, positions: list[list[float]] | None) -> None:
    read = positions_in(text, decimals)
    assert (read if read is None else read.tolist()) == positions


@pytest.mark.parametrize(("told", "fits"), [(1.2, True), (1.3, True), (1.1, False), (1.4, False)])
def test_a_half_may_be_rounded_either_way(told: float, fits: bool) -> None:
    assert is_as_derived(np.array([[told, 0.0]]), np.array([[1.25, 0.0]]), 1) is fits


def test_positions_of_another_number_are_not_as_derived() -> None:
    assert not is_as_derived(np.zeros((2, 2)), np.zeros((3, 2)), 1)
    assert not is_as_derived(None, np.zeros((3, 2)), 1)


def test_margins_are_of_the_line_that_is_nearest_by_its_least_margin() -> None:
    far, none = 30.0, np.nan
    derived = Derived(
        ["a"] * 5,
        {},
        (
            metres(np.array([0.6, 5.0, none, none, 0.4])),
            degrees(np.array([far, 6.0, far, none, far])),
            speed(np.array([far, 0.4, none, none, far])),
        ),
    )
    margins = [[tuple(margin) for margin in each] for each in derived.margins()]
    either = [(6.0, "degrees"), (0.4, "metres per second")]
    assert margins == [[(0.6, "metres")], either, [(far, "degrees")], [], [(0.4, "metres")]]
    perhaps, surely = derived.is_asked()
    assert perhaps.tolist() == surely.tolist() == [True, True, True, True, False]


def test_at_its_least_margin_a_question_may_be_asked_or_not() -> None:
    derived = Derived(["a", None], {}, (metres(np.array([0.5, 0.5])),))
    perhaps, surely = derived.is_asked()
    assert perhaps.tolist() == [True, False]
    assert surely.tolist() == [False, False]
