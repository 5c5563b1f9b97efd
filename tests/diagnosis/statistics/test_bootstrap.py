"""Whole-scene bootstrap intervals: the published method, exactly, and what it promises."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from probe4d.diagnosis.statistics.bootstrap import draw_counts, intervals, scene_sums


def by_the_book(
    numerators: npt.NDArray[np.float64], scenes: npt.NDArray[np.intp], *, draws: int = 10_000, seed: int = 20260904
) -> list[float]:
    """The published description, word by word: one interval, drawn afresh."""
    names = np.unique(scenes)
    sums = np.array([numerators[scenes == name].sum() for name in names])
    counts = np.array([(scenes == name).sum() for name in names])
    drawn = np.random.default_rng(seed).integers(0, names.size, size=(draws, names.size))
    ratios = sums[drawn].sum(axis=1) / counts[drawn].sum(axis=1)
    return [float(value) for value in np.quantile(ratios, [0.025, 0.975], method="linear")]


def test_first_draws_are_the_published_ones() -> None:
    first = np.random.default_rng(20260904).integers(0, 150, size=(10_000, 150))[0]
    counts = draw_counts(150)
    assert counts.shape == (10_000, 150)
    assert (counts[0] == np.bincount(first, minlength=150)).all()
    assert first[:10].tolist() == [106, 128, 109, 129, 119, 32, 130, 133, 88, 101]


@pytest.mark.parametrize("scenes", [2, 7, 40, 151])
def test_equals_the_published_description(scenes: int) -> None:
    rng = np.random.default_rng(scenes)
    codes = np.sort(np.concatenate([np.arange(scenes), rng.integers(0, scenes, size=5 * scenes)]))
    numerators = np.stack([rng.integers(0, 2, size=codes.size), rng.integers(-1, 2, size=codes.size)])
    (found,) = intervals([scene_sums(codes, numerators)])
    for row, bounds in zip(numerators, found, strict=True):
        assert bounds == pytest.approx(by_the_book(row.astype(float), codes), abs=1e-12)


def test_one_scene_leaves_nothing_to_resample() -> None:
    alone, many = np.zeros(6, dtype=np.intp), np.repeat(np.arange(3), 2)
    numerators = np.array([[1, 0, 1, 1, 0, 1], [0, 0, 0, 0, 0, 0]])
    first, second = intervals([scene_sums(alone, numerators), scene_sums(many, numerators)])
    assert np.isnan(first).all()
    assert not np.isnan(second).any()


def test_an_interval_does_not_depend_on_what_else_is_computed() -> None:
    rng = np.random.default_rng(1)
    codes = np.sort(rng.integers(0, 20, size=300))
    many = [scene_sums(codes, rng.integers(0, 2, size=(rows, 300))) for rows in (1, 90, 3)]
    fewer = scene_sums(codes[codes < 11], rng.integers(0, 2, size=(2, int((codes < 11).sum()))))
    together = intervals([many[0], fewer, *many[1:]])
    for element, bounds in zip([many[0], fewer, *many[1:]], together, strict=True):
        assert (intervals([element])[0] == bounds).all()


def test_a_unit_of_twelfths_changes_nothing() -> None:
    codes = np.repeat(np.arange(10), 3)
    numerators = np.random.default_rng(2).integers(0, 2, size=(4, 30))
    plain, twelfths = intervals([scene_sums(codes, numerators), scene_sums(codes, 12 * numerators, unit=12)])
    assert twelfths == pytest.approx(plain, abs=1e-15)


@given(st.integers(2, 30), st.integers(0, 2**32 - 1))
@settings(max_examples=30)
def test_bounds_are_ordered_and_inside_the_range_of_scenes(scenes: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    codes = np.sort(np.concatenate([np.arange(scenes), rng.integers(0, scenes, size=40)]))
    numerators = rng.integers(0, 2, size=(3, codes.size))
    sums = scene_sums(codes, numerators)
    (bounds,) = intervals([sums], draws=500)
    by_scene = sums.numerators / sums.denominators
    assert (bounds[:, 0] <= bounds[:, 1]).all()
    assert (by_scene.min(axis=1) - 1e-12 <= bounds[:, 0]).all()
    assert (bounds[:, 1] <= by_scene.max(axis=1) + 1e-12).all()


def test_nothing_to_bound() -> None:
    assert intervals([]) == []


def test_coverage_is_near_nominal() -> None:
    """Scenes of differing difficulty and size: 95 % intervals cover the true accuracy in 93 to 97 % of worlds."""
    rng = np.random.default_rng(3)
    worlds, scenes = 600, 80
    made = []
    for _ in range(worlds):
        items = rng.integers(4, 12, size=scenes)
        difficulty = np.repeat(rng.beta(4, 4, size=scenes), items)
        codes = np.repeat(np.arange(scenes), items)
        made.append(scene_sums(codes, (rng.random(codes.size) < difficulty)[None, :]))
    bounds = np.concatenate(intervals(made, draws=1000))
    covered = ((bounds[:, 0] <= 0.5) & (bounds[:, 1] >= 0.5)).mean()
    assert 0.93 <= covered <= 0.97
