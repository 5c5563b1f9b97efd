"""Whole-scene bootstrap intervals of ratios (LiDAR-Hallu, Sec. IV-D), many at once.

Questions of one scene share its traffic and weather, so scenes are resampled, not questions. A draw is a
vector of counts, how often each scene came up; with all draws as one count matrix an interval is a matrix
product and a quantile, and every ratio over equally many scenes shares the matrix.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

__all__ = ["DRAWS", "SEED", "SceneSums", "draw_counts", "intervals", "scene_sums"]

DRAWS = 10_000
SEED = 20260904
"""Draws and seed of the published protocol; every interval starts the generator afresh."""

_ROWS_AT_ONCE = 128


class SceneSums(NamedTuple):
    """Ratios over one set of items, summed up by scene, scenes sorted by name.

    Attributes:
        numerators: (ratios, scenes) sums of the numerators.
        denominators: (scenes,) items of each scene.
    """

    numerators: npt.NDArray[np.float64]
    denominators: npt.NDArray[np.float64]


def scene_sums(scenes: npt.NDArray[np.intp], numerators: npt.NDArray[np.generic]) -> SceneSums:
    """Sum item-wise numerators by scene.

    Args:
        scenes: (items,) scene codes, ascending, in the order of the sorted scene names.
        numerators: (ratios, items); the denominator of an item is 1.
    """
    starts = np.flatnonzero(np.r_[True, scenes[1:] != scenes[:-1]])
    sums = np.add.reduceat(numerators, starts, axis=1, dtype=np.float64)
    return SceneSums(sums, np.diff(np.r_[starts, scenes.size]).astype(np.float64))


def draw_counts(scenes: int, *, draws: int = DRAWS, seed: int = SEED) -> npt.NDArray[np.float64]:
    """Draw scenes with replacement and count them.

    Returns:
        (draws, scenes): how often each scene came up in each draw of `scenes` scenes.
    """
    drawn = np.random.default_rng(seed).integers(0, scenes, size=(draws, scenes))
    drawn += np.arange(draws)[:, None] * scenes
    return np.bincount(drawn.ravel(), minlength=draws * scenes).reshape(draws, scenes).astype(np.float64)


def intervals(sums: Sequence[SceneSums], *, draws: int = DRAWS, seed: int = SEED) -> list[npt.NDArray[np.float64]]:
    """Bootstrap 95 % intervals of ratios of sums: quantiles 0.025 and 0.975, linear, over whole-scene draws.

    For the difference of two paired accuracies the numerator is the difference of each item.

    Args:
        sums: Ratios, set of items by set of items.
        draws: Number of resamples.
        seed: Seed of each interval's own generator, so that an interval depends on nothing else computed.

    Returns:
        For each element of `sums` an array (ratios, 2) of low and high.
    """
    found: list[npt.NDArray[np.float64]] = [np.empty((0, 2))] * len(sums)
    by_scenes: dict[int, list[int]] = {}
    for index, element in enumerate(sums):
        by_scenes.setdefault(element.denominators.size, []).append(index)
    for scenes, members in by_scenes.items():
        bounds = _quantiles([sums[index] for index in members], draw_counts(scenes, draws=draws, seed=seed))
        ends = np.cumsum([sums[index].numerators.shape[0] for index in members])
        for index, part in zip(members, np.split(bounds, ends[:-1]), strict=True):
            found[index] = part
    return found


def _quantiles(sums: Sequence[SceneSums], counts: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """(ratios of all sums in order, 2): quantiles over the draws."""
    repeats = [element.numerators.shape[0] for element in sums]
    denominators = np.repeat([element.denominators for element in sums], repeats, axis=0)
    pairs = np.hstack([np.vstack([element.numerators for element in sums]), denominators])
    # Equal ratios (two runs that agree, a subset that is the whole) are worked out once.
    distinct, place = np.unique(pairs, axis=0, return_inverse=True)
    scenes = counts.shape[1]
    bounds = np.empty((distinct.shape[0], 2))
    for start in range(0, distinct.shape[0], _ROWS_AT_ONCE):
        rows = distinct[start : start + _ROWS_AT_ONCE]
        ratios = rows[:, :scenes] @ counts.T
        ratios /= rows[:, scenes:] @ counts.T
        bounds[start : start + _ROWS_AT_ONCE] = np.quantile(ratios, (0.025, 0.975), axis=1).T
    return bounds[place.reshape(-1)]
