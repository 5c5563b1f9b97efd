"""Rigid transforms, quaternions and sectors."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.spatial.transform import Rotation

from probe4d.scenes.geometry import (
    SE3,
    SECTORS,
    bearing_deg,
    rotation_of_quaternion,
    sector_index,
    sector_margin_deg,
    yaw_of_rotation,
)

coordinates = st.floats(-1e4, 1e4)
angles = st.floats(-math.pi, math.pi)
vectors = arrays(np.float64, (3,), elements=coordinates)
quaternions = arrays(np.float64, (4,), elements=st.floats(-1, 1)).filter(lambda q: np.linalg.norm(q) > 1e-3)
transforms = st.builds(SE3.from_quaternion, quaternions, vectors)


@given(quaternions)
def test_rotation_of_quaternion_is_that_of_scipy(quaternion: np.ndarray) -> None:
    theirs = Rotation.from_quat(quaternion, scalar_first=True).as_matrix()
    np.testing.assert_allclose(rotation_of_quaternion(quaternion), theirs, atol=1e-12)


def test_zero_quaternion_is_nan() -> None:
    assert np.isnan(rotation_of_quaternion([0, 0, 0, 0])).all()


@given(transforms, vectors)
def test_inverse_undoes(transform: SE3, point: np.ndarray) -> None:
    np.testing.assert_allclose(transform.inverse().apply(transform.apply(point)), point, atol=1e-7)


@given(transforms, transforms, vectors)
def test_compose_applies_the_inner_first(outer: SE3, inner: SE3, point: np.ndarray) -> None:
    np.testing.assert_allclose(outer.compose(inner).apply(point), outer.apply(inner.apply(point)), atol=1e-7)


@given(transforms, vectors, vectors)
def test_distances_stay(transform: SE3, first: np.ndarray, second: np.ndarray) -> None:
    moved = np.linalg.norm(transform.apply(first) - transform.apply(second))
    assert moved == pytest.approx(np.linalg.norm(first - second), abs=1e-6)


def test_many_transforms_at_once() -> None:
    generator = np.random.default_rng(0)
    quaternions, translations = generator.normal(size=(6, 4)), generator.normal(size=(6, 3))
    points = generator.normal(size=(6, 9, 3))
    many = SE3.from_quaternion(quaternions, translations)
    together = many.at((slice(None), None)).apply(points)
    for row in range(6):
        alone = SE3.from_quaternion(quaternions[row], translations[row])
        np.testing.assert_allclose(together[row], alone.apply(points[row]), atol=1e-12)
        np.testing.assert_allclose(many.inverse().at(np.array([row])).translation[0], alone.inverse().translation)


@given(angles)
def test_yaw_is_the_turn_about_z(yaw: float) -> None:
    found = float(yaw_of_rotation(Rotation.from_euler("z", yaw).as_matrix()))
    assert math.remainder(found - yaw, 2 * math.pi) == pytest.approx(0, abs=1e-12)


def test_bearings() -> None:
    x, y = [1, 1, 0, -1, -1, 0], [0, 1, 1, 0, -1, -1]
    np.testing.assert_allclose(bearing_deg(x, y), [0, 45, 90, 180, -135, -90])


@pytest.mark.parametrize("number", range(8))
def test_middle_of_each_sector(number: int) -> None:
    middle = (45 * number + 180) % 360 - 180
    assert sector_index(middle) == number
    assert sector_margin_deg(middle) == 22.5


@pytest.mark.parametrize(
    ("border", "below", "above"),
    [
        (-157.5, "back", "back-right"),
        (-112.5, "back-right", "right"),
        (-67.5, "right", "front-right"),
        (-22.5, "front-right", "front"),
        (22.5, "front", "front-left"),
        (67.5, "front-left", "left"),
        (112.5, "left", "back-left"),
        (157.5, "back-left", "back"),
    ],
)
def test_lower_border_belongs_to_the_sector(border: float, below: str, above: str) -> None:
    assert SECTORS[sector_index(border)] == above
    assert SECTORS[sector_index(np.nextafter(border, 999))] == above
    assert SECTORS[sector_index(np.nextafter(border, -999))] == below
    assert sector_margin_deg(border) == 0
    assert sector_margin_deg(border + 1) == pytest.approx(1)
    assert sector_margin_deg(border - 1) == pytest.approx(1)


@pytest.mark.parametrize(
    "bearing", [180, -180, 179.9, -179.9, float(bearing_deg(-1, -1e-300)), float(bearing_deg(-1, -0.0))]
)
def test_back_wraps(bearing: float) -> None:
    assert SECTORS[sector_index(bearing)] == "back"


@given(st.floats(-180, 180))
def test_turning_left_by_a_sector_gives_the_next(bearing: float) -> None:
    margin = float(sector_margin_deg(bearing))
    assert 0 <= margin <= 22.5
    turned = bearing + 45 if bearing < 135 else bearing - 315
    if margin > 1e-9:
        assert sector_index(turned) == (sector_index(bearing) + 1) % 8
