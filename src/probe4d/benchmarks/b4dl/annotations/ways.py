"""Ways through windows of key frames as dense arrays, a row a way and a column a key frame, and runs along them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["Array", "Flags", "Indices", "Runs", "Way", "at_ends", "changes_of", "integral_of", "rates_of", "runs_of"]

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]
Indices = NDArray[np.int64]


class Way(NamedTuple):
    """Where n things were at T key frames; each row is there in one unbroken run of them, and NaN elsewhere.

    Attributes:
        times_s: Shape (n, T).
        places_m: Centres in the global plane, shape (n, T, 2).
        headings_rad: Global, shape (n, T).
    """

    times_s: Array
    places_m: Array
    headings_rad: Array

    @property
    def there(self) -> Flags:
        """Whether each thing is there, shape (n, T)."""
        return ~np.isnan(self.times_s)

    @property
    def velocities_mps(self) -> Array:
        """Over ground in the global plane, smoothed, shape (n, T, 2)."""
        return rates_of(self.places_m, self.times_s)

    @property
    def turned_rad(self) -> Array:
        """Change of heading since the first key frame, without the half turns of boxes that were annotated backwards.

        Nothing turns by more than 90 degrees from one key frame to the next.
        """
        steps = np.diff(self.headings_rad, axis=1)
        steps = (steps + np.pi / 2) % np.pi - np.pi / 2
        total = np.cumsum(np.nan_to_num(steps), axis=1)
        return np.where(self.there, np.concatenate([np.zeros((len(total), 1)), total], axis=1), np.nan)


class Runs(NamedTuple):
    """Unbroken runs of key frames, in the order of rows and columns.

    Attributes:
        row: Row of each, shape (r,).
        first: Its first column.
        last: Its last column, part of it.
    """

    row: Indices
    first: Indices
    last: Indices

    @property
    def steps(self) -> Indices:
        """Steps between key frames."""
        return self.last - self.first

    def where(self, kept: Flags) -> Runs:
        """Some of them."""
        return Runs(self.row[kept], self.first[kept], self.last[kept])

    def along(self, values: Array) -> Array:
        """Values at the key frames of each run and NaN elsewhere, shape (r, T) or (r, T, k)."""
        columns = np.arange(values.shape[1])
        inside = (columns >= self.first[:, None]) & (columns <= self.last[:, None])
        return np.where(inside.reshape(inside.shape + (1,) * (values.ndim - 2)), values[self.row], np.nan)

    def gain(self, values: Array) -> Array:
        """Last value minus first, shape (r,) or (r, k)."""
        gained: Array = values[self.row, self.last] - values[self.row, self.first]
        return gained

    def mask(self, shape: tuple[int, ...]) -> Flags:
        """Whether a run lies on it, for the shape (n, T) of what the runs were found in."""
        marked = np.zeros((shape[0], shape[1] + 1), dtype=np.int64)
        np.add.at(marked, (self.row, self.first), 1)
        np.add.at(marked, (self.row, self.last + 1), -1)
        covered: Flags = marked.cumsum(axis=1)[:, :-1] > 0
        return covered

    def trimmed(self, flags: Flags) -> Runs:
        """From the first to the last key frame of each with a flag, shape (n, T); runs without one are left out."""
        marked = np.nan_to_num(self.along(flags.astype(np.float64))) > 0
        first, last = marked.argmax(axis=1), marked.shape[1] - 1 - marked[:, ::-1].argmax(axis=1)
        some: Flags = np.any(marked, axis=1)
        return Runs(self.row, first, last).where(some)

    def all_of(self, flags: Flags) -> Flags:
        """Whether a flag, shape (n, T), stands at all key frames of each run."""
        counted = np.pad(flags.cumsum(axis=1), ((0, 0), (1, 0)))
        whole: Flags = counted[self.row, self.last + 1] - counted[self.row, self.first] == self.steps + 1
        return whole


def rates_of(values: Array, times_s: Array) -> Array:
    """Rates of change, at each key frame from the one before to the one after; at both ends that of the neighbour.

    Args:
        values: Shape (n, T) or (n, T, k).
        times_s: Shape (n, T), NaN where a thing is not there.

    Returns:
        Of the shape of `values`; NaN where a thing is there for fewer than three key frames.
    """
    times = times_s.reshape(times_s.shape + (1,) * (values.ndim - 2))
    return at_ends((values[:, 2:] - values[:, :-2]) / (times[:, 2:] - times[:, :-2]), times)


def at_ends(inner: Array, times_s: Array) -> Array:
    """What was measured at all key frames but the first and the last of each run, there as at the neighbour.

    Args:
        inner: Shape (n, T - 2) or (n, T - 2, k).
        times_s: Shape (n, T) or (n, T, 1), NaN where a thing is not there.
    """
    wide = [(0, 0), (1, 1), *[(0, 0)] * (inner.ndim - 2)]
    values = np.pad(inner, wide, constant_values=np.nan)
    measured = values.copy()
    for here, beside in ((slice(None, -1), slice(1, None)), (slice(1, None), slice(None, -1))):
        values[:, here] = np.where(np.isnan(values[:, here]), measured[:, beside], values[:, here])
    return np.where(np.isnan(times_s), np.nan, values)


def runs_of(flags: Flags) -> Runs:
    """The longest runs of key frames with a flag; shape (n, T)."""
    edges = np.diff(np.pad(flags.astype(np.int8), ((0, 0), (1, 1))), axis=1)
    row, first = np.nonzero(edges == 1)
    _, after = np.nonzero(edges == -1)
    return Runs(row, first, after - 1)


def changes_of(states: NDArray[np.int8]) -> tuple[Indices, Runs]:
    """Where a state of 1 or -1, which may be 0 in between, changes to the other one.

    Args:
        states: Shape (n, T).

    Returns:
        The new state of each change, shape (r,), and runs from the last key frame of the old one to the first of it.
    """
    columns = np.arange(states.shape[1])
    latest = np.maximum.accumulate(np.where(states != 0, columns, -1), axis=1)
    before = np.concatenate([np.full((len(states), 1), -1), latest[:, :-1]], axis=1)
    was = np.where(before >= 0, np.take_along_axis(states, np.maximum(before, 0), axis=1), 0)
    row, last = np.nonzero((states != 0) & (was == -states))
    return states[row, last].astype(np.int64), Runs(row, before[row, last], last)


def integral_of(rates: Array, times_s: Array) -> Array:
    """What a rate comes to since the first key frame, by trapezia; shape (n, T)."""
    parts = (rates[:, 1:] + rates[:, :-1]) / 2 * np.diff(times_s, axis=1)
    return np.concatenate([np.zeros((len(rates), 1)), np.nan_to_num(parts).cumsum(axis=1)], axis=1)
