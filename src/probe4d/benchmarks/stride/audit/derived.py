"""What an audit derives of questions, and how what they store is compared with it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from probe4d.benchmarks.stride.audit.measuring import Array, Flags
from probe4d.benchmarks.stride.thresholds import LEAST_MARGIN, LEAST_ROOM_M

__all__ = ["Derived", "Line", "Margin", "OneOf", "chosen", "degrees", "metres", "room", "seconds", "speed", "values"]

_SURELY = 1e-6
"""What is nearer to a line than the least margin by no more may be left out or not: numbers round apart there."""


class Line(NamedTuple):
    """How far measures are from a line at which answers change.

    Attributes:
        distance: 0 or more, NaN where the line does not matter, shape (n,).
        unit: A key of `LEAST_MARGIN`.
        least: Nearer than this nothing is asked.
    """

    distance: Array
    unit: str
    least: float


def metres(distance: Array) -> Line:
    """A line that is drawn at a distance."""
    return Line(distance, "metres", LEAST_MARGIN["metres"])


def room(distance: Array) -> Line:
    """A line that is drawn at room between outlines, or at a height."""
    return Line(distance, "metres", LEAST_ROOM_M)


def degrees(distance: Array) -> Line:
    """A line that is drawn at an angle."""
    return Line(distance, "degrees", LEAST_MARGIN["degrees"])


def speed(distance: Array) -> Line:
    """A line that is drawn at a speed."""
    return Line(distance, "metres per second", LEAST_MARGIN["metres per second"])


def seconds(distance: Array) -> Line:
    """A line that is drawn at a time."""
    return Line(distance, "seconds", LEAST_MARGIN["seconds"])


class Margin(NamedTuple):
    """The distance from a line, and its unit."""

    distance: float
    unit: str


class OneOf(NamedTuple):
    """Values of which each is right."""

    values: tuple[Any, ...]


class Derived(NamedTuple):
    """What was derived of n questions of one template.

    Attributes:
        answers: Texts of the answers; null where the template has none there.
        facts: What was measured, by name, n values each.
        lines: The lines that the answers rest on.
    """

    answers: Sequence[str | None]
    facts: Mapping[str, Sequence[Any]]
    lines: tuple[Line, ...] = ()

    def facts_at(self, place: int) -> dict[str, Any]:
        """The facts of one question."""
        return {name: column[place] for name, column in self.facts.items()}

    def ratios(self) -> Array:
        """Distances to the lines in units of their least margins, infinite where one does not matter, shape (k, n)."""
        ratios = np.array([line.distance / line.least for line in self.lines]).reshape(-1, len(self.answers))
        known: Array = np.where(np.isnan(ratios), np.inf, ratios)
        return known

    def margins(self) -> list[list[Margin]]:
        """The margin of each question, from the line that is nearest by its least margin.

        Several where lines are equally near, for which of them is nearest depends on the way of computing; none where
        no line matters.
        """
        ratios = self.ratios()
        nearest = np.isfinite(ratios) & (ratios <= ratios.min(axis=0, initial=np.inf) + _SURELY)
        return [
            [Margin(float(self.lines[line].distance[at]), self.lines[line].unit) for line in np.flatnonzero(column)]
            for at, column in enumerate(nearest.T)
        ]

    def is_asked(self) -> tuple[Flags, Flags]:
        """Which questions may be asked, and which of them for sure: those with an answer that is not too close."""
        has = np.array([answer is not None for answer in self.answers], dtype=np.bool_)
        ratio = self.ratios().min(axis=0, initial=np.inf)
        return has & (ratio >= 1 - _SURELY), has & (ratio >= 1 + _SURELY)


def values(column: Array | Sequence[Any]) -> list[Any]:
    """Numbers as a list, null for NaN."""
    return [None if value != value else value for value in np.asarray(column, dtype=np.float64).tolist()]


def chosen(options: Sequence[str], number: Any, where: Flags | None = None) -> list[str | None]:
    """Options by their numbers; null where there is none."""
    picked = np.asarray(number, dtype=np.int64)
    kept = np.ones(picked.shape, dtype=np.bool_) if where is None else where
    return [options[place] if keep else None for place, keep in zip(picked.tolist(), kept.tolist(), strict=True)]
