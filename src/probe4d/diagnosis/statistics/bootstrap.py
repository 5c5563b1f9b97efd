"""Whole-scene bootstrap intervals of ratios (LiDAR-Hallu, Sec. IV-D), many at once.

Questions of one scene share its traffic and weather, so scenes are resampled, not questions. A draw is a
vector of counts, how often each scene came up; with all draws as one count matrix an interval is a matrix
product and a quantile, and every ratio over equally many scenes shares the matrix.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

__all__ = [
    "DRAWS",
    "FEW_SCENES",
    "SEED",
    "SceneSums",
    "blocks_of_counts",
    "bounds_of_draws",
    "bounds_of_means",
    "draw_counts",
    "intervals",
    "scene_sums",
]

DRAWS = 10_000
SEED = 20260904
"""Draws and seed of the published protocol; every interval starts the generator afresh."""

FEW_SCENES = 10
"""Scenes below which an interval is too narrow to judge by: it resamples these alone."""

_ROWS_AT_ONCE = 64
_SMALL_PRODUCT = 2**18
"""Multiplications in one matrix product. Larger ones go to several threads, which on a busy machine wait for
each other longer than the product takes."""


class SceneSums(NamedTuple):
    """Ratios over one set of items, summed up by scene, scenes sorted by name.

    Attributes:
        numerators: (ratios, scenes) sums of the numerators.
        denominators: (scenes,) the same for the denominators, often the number of items.
    """

    numerators: npt.NDArray[np.float64]
    denominators: npt.NDArray[np.float64]


def scene_sums(scenes: npt.NDArray[np.intp], numerators: npt.NDArray[np.generic], *, unit: int = 1) -> SceneSums:
    """Sum item-wise numerators by scene.

    Args:
        scenes: (items,) scene codes, ascending, in the order of the sorted scene names.
        numerators: (ratios, items); of integers no order of adding changes a sum, of others the order of the items
            within a scene does, in the last digit.
        unit: Denominator of one item; with 12, numerators count twelfths.
    """
    starts = np.flatnonzero(np.r_[True, scenes[1:] != scenes[:-1]])
    sums = np.add.reduceat(numerators, starts, axis=1, dtype=np.float64)
    return SceneSums(sums, unit * np.diff(np.r_[starts, scenes.size]).astype(np.float64))


def draw_counts(scenes: int, *, draws: int = DRAWS, seed: int = SEED) -> npt.NDArray[np.float32]:
    """Draw scenes with replacement and count them.

    Returns:
        (draws, scenes): how often each scene came up in each draw of `scenes` scenes.
    """
    return _draw(np.random.default_rng(seed), scenes, draws)


def blocks_of_counts(
    scenes: int, *, at_once: int, draws: int = DRAWS, seed: int = SEED
) -> Iterator[npt.NDArray[np.float32]]:
    """The rows of `draw_counts`, `at_once` of them at a time, where all would not fit into memory."""
    generator = np.random.default_rng(seed)
    for start in range(0, draws, at_once):
        yield _draw(generator, scenes, min(at_once, draws - start))


def _draw(generator: np.random.Generator, scenes: int, draws: int) -> npt.NDArray[np.float32]:
    drawn = generator.integers(0, scenes, size=(draws, scenes))
    drawn += np.arange(draws)[:, None] * scenes
    return np.bincount(drawn.ravel(), minlength=draws * scenes).reshape(draws, scenes).astype(np.float32)


def intervals(sums: Sequence[SceneSums], *, draws: int = DRAWS, seed: int = SEED) -> list[npt.NDArray[np.float64]]:
    """Bootstrap 95 % intervals of ratios of sums: quantiles 0.025 and 0.975, linear, over whole-scene draws.

    For the difference of two paired accuracies the numerator is the difference of each item.

    Args:
        sums: Ratios, set of items by set of items.
        draws: Number of resamples.
        seed: Seed of each interval's own generator, so that an interval depends on nothing else computed.

    Returns:
        For each element of `sums` an array (ratios, 2) of low and high; NaN where there is but one scene, which
        leaves nothing to resample.
    """
    found: list[npt.NDArray[np.float64]] = [np.empty((0, 2))] * len(sums)
    by_scenes: dict[int, list[int]] = {}
    for index, element in enumerate(sums):
        by_scenes.setdefault(element.denominators.size, []).append(index)
    for scenes, members in by_scenes.items():
        ends = np.cumsum([sums[index].numerators.shape[0] for index in members])
        if scenes > 1:
            bounds = _quantiles([sums[index] for index in members], draw_counts(scenes, draws=draws, seed=seed))
        else:
            bounds = np.full((int(ends[-1]), 2), np.nan)
        for index, part in zip(members, np.split(bounds, ends[:-1]), strict=True):
            found[index] = part
    return found


def bounds_of_draws(draws: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Bounds of values that were worked out for every draw, where they are no ratio of sums.

    Args:
        draws: (draws, values), fewer draws where some leave nothing to work out.

    Returns:
        (values, 2): quantiles 0.025 and 0.975; NaN where there is no draw.
    """
    if not draws.shape[0]:
        return np.full((draws.shape[1], 2), np.nan)
    return np.quantile(draws, (0.025, 0.975), axis=0).T


def bounds_of_means(
    numerators: npt.NDArray[np.float64], denominators: npt.NDArray[np.float64], counts: npt.NDArray[np.float32]
) -> npt.NDArray[np.float64]:
    """Bounds of plain means of several ratios; a draw in which a ratio has no denominator is left out.

    Args:
        numerators: (means, ratios, scenes) sums of the numerators.
        denominators: (means, ratios, scenes) the same for the denominators.
        counts: (draws, scenes) as `draw_counts` gives them.

    Returns:
        (means, 2): quantiles 0.025 and 0.975; NaN where there is but one scene.
    """
    means, ratios, scenes = numerators.shape
    if scenes == 1:
        return np.full((means, 2), np.nan)
    distinct, place = np.unique(denominators.reshape(-1, scenes), axis=0, return_inverse=True)
    totals = _draw_totals(distinct, counts)[place.reshape(-1)]
    with np.errstate(invalid="ignore"):
        drawn = _draw_totals(numerators.reshape(-1, scenes), counts) / totals
    values = drawn.reshape(means, ratios, -1).mean(axis=1)
    return np.vstack([bounds_of_draws(own[~np.isnan(own), None]) for own in values])


def _quantiles(sums: Sequence[SceneSums], counts: npt.NDArray[np.float32]) -> npt.NDArray[np.float64]:
    """(ratios of all sums in order, 2): quantiles over the draws."""
    denominators, which = np.unique([element.denominators for element in sums], axis=0, return_inverse=True)
    repeats = [element.numerators.shape[0] for element in sums]
    keyed = np.column_stack(
        [np.repeat(which.reshape(-1), repeats), np.vstack([element.numerators for element in sums])]
    )
    # Equal ratios (two runs that agree, a subset that is the whole) are worked out once.
    distinct, place = np.unique(keyed, axis=0, return_inverse=True)
    totals = _draw_totals(denominators, counts)
    bounds = np.empty((distinct.shape[0], 2))
    for start in range(0, distinct.shape[0], _ROWS_AT_ONCE):
        rows = distinct[start : start + _ROWS_AT_ONCE]
        ratios = _draw_totals(rows[:, 1:], counts) / totals[rows[:, 0].astype(np.intp)]
        bounds[start : start + _ROWS_AT_ONCE] = np.quantile(ratios, (0.025, 0.975), axis=1, overwrite_input=True).T
    return bounds[place.reshape(-1)]


def _draw_totals(rows: npt.NDArray[np.float64], counts: npt.NDArray[np.float32]) -> npt.NDArray[np.float64]:
    """(rows, draws): the sum of each row in each draw, exact where the row holds integers."""
    # Single precision is exact up to 2^24, which no sum exceeds if the largest entry in every scene would not.
    exact = np.abs(rows).max(initial=0.0) * counts.shape[1] < 2**24 and bool((rows == np.rint(rows)).all())
    kind = np.float32 if exact else np.float64
    draws, scenes = counts.shape
    most = max(1, _SMALL_PRODUCT // max(1, rows.shape[0] * scenes))
    block = next(size for size in range(min(most, draws), 0, -1) if draws % size == 0)
    products = counts.astype(kind, copy=False).reshape(-1, block, scenes) @ np.ascontiguousarray(rows.T, dtype=kind)
    return np.ascontiguousarray(products.reshape(draws, -1).T, dtype=np.float64)
