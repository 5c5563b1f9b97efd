"""Places wrong intervals of given spans beside a true one (see design/temporal-distractors.md)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from probe4d.benchmarks.sampling import rank, unit_interval

__all__ = ["LARGEST_SHARE", "WRONG", "Event", "Interval", "ToPlace", "Touching", "apart", "placed"]

LARGEST_SHARE = 0.2
WRONG = 3
_RANKS = WRONG + 1
_PLACEMENTS = 512
_STEPS = 200
_TINY = 1e-12
_SMALLEST_WEIGHT = 1e-6

Numbers = np.ndarray[Any, np.dtype[np.float64]]
Integers = np.ndarray[Any, np.dtype[np.int64]]
Booleans = np.ndarray[Any, np.dtype[np.bool_]]


class Interval(NamedTuple):
    """Key frames from `start` to `end`, both included."""

    start: int
    end: int

    @property
    def span(self) -> int:
        """Key-frame steps from start to end."""
        return self.end - self.start

    def shared(self, other: Interval) -> int:
        """Number of key frames that lie in both."""
        return max(0, min(self.end, other.end) - max(self.start, other.start) + 1)

    def apart_from(self, truth: Interval) -> bool:
        """Whether at most a fifth of this interval's key frames lie in `truth`."""
        return self.shared(truth) <= LARGEST_SHARE * (self.span + 1)


class Touching(NamedTuple):
    """Share of the references that begin with their scene, and that end with it."""

    first: float
    last: float


class Event(NamedTuple):
    """An event by its key, and when it takes place."""

    key: str
    truth: Interval


class ToPlace(NamedTuple):
    """An event whose three wrong spans are drawn, in a scene of so many key frames."""

    event: Event
    spans: tuple[int, ...]
    keyframes: int


def placed(questions: Sequence[ToPlace], touching: Touching, seed: int) -> dict[str, list[Interval]]:
    """Place wrong intervals so that neither time, a scene's ends nor overlap among the options point at the truth.

    Many placements are drawn for each question. Of them one is taken in which the truth has the rank that was
    drawn for it, by start and by key frames shared with the others. A truth that ends with its scene can hardly
    start first; the ranks of the others make up for it (see `_rank_chances`).
    """
    drawn = []
    for question in sorted(questions, key=lambda each: each.event.key):  # sums of floats depend on their order
        starts = _placements(question, touching, seed)
        cell = _cells(question, starts)
        if (cell >= 0).any():
            drawn.append((question, starts, cell))
    offered = np.array([np.isin(np.arange(_RANKS**2), cell) for *_, cell in drawn]).reshape(-1, _RANKS, _RANKS)
    cumulative = np.cumsum(_rank_chances(offered).reshape(-1, _RANKS**2), axis=1)
    wrong = {}
    for (question, starts, cell), chances in zip(drawn, cumulative, strict=True):
        point = unit_interval(seed, "temporal/ranks", question.event.key) * chances[-1]
        chosen = int(np.argmax(cell == np.searchsorted(chances, point, side="right")))
        ends = starts[chosen] + np.array([question.event.truth.span, *question.spans])
        wrong[question.event.key] = list(map(Interval, starts[chosen, 1:].tolist(), ends[1:].tolist()))
    return wrong


def _placements(question: ToPlace, touching: Touching, seed: int) -> Integers:
    """(n, 4) starts of the truth and of three wrong intervals, with the references' own rates of touching ends."""
    (key, truth), spans, keyframes = question
    # PCG64's raw output is fixed for good, unlike what generators make of it.
    raw = np.random.PCG64(rank(seed, "temporal/start", key)).random_raw(WRONG * _PLACEMENTS)
    points = (raw >> np.uint64(11)).reshape(WRONG, _PLACEMENTS) / float(1 << 53)
    columns = [np.full(_PLACEMENTS, truth.start)]
    for span, point in zip(spans, points, strict=True):
        chances = np.cumsum(_chances(span, touching, keyframes) * apart(truth.start, truth.span, span, keyframes))
        columns.append(np.searchsorted(chances, point * chances[-1], side="right"))
    return np.stack(columns, axis=1)


def _cells(question: ToPlace, starts: Integers) -> Integers:
    """(n,) rank of the truth by start, times four, plus its rank by key frames shared; -1 where options coincide."""
    ends = starts + np.array([question.event.truth.span, *question.spans])
    same = (starts[:, :, None] == starts[:, None, :]) & (ends[:, :, None] == ends[:, None, :])
    shared = np.minimum(ends[:, :, None], ends[:, None, :]) - np.maximum(starts[:, :, None], starts[:, None, :]) + 1
    total = np.maximum(shared, 0).sum(axis=2) - (ends - starts + 1)
    ranks = _RANKS * _rank_of_first(starts) + _rank_of_first(total)
    return np.where(same.sum(axis=(1, 2)) == _RANKS, ranks, -1)


def _rank_of_first(values: Integers) -> Integers:
    """(n,) place of the first of four values in ascending order, 0 to 3; among equal ones, each in turn."""
    below = (values[:, 1:] < values[:, :1]).sum(axis=1)
    equal = (values[:, 1:] == values[:, :1]).sum(axis=1)
    place: Integers = below + np.arange(len(values)) % (equal + 1)
    return place


def _rank_chances(offered: Booleans) -> Numbers:
    """(n, 4, 4) chances of each pair of ranks, such that over all questions either rank is uniform, as near as can be.

    Iterative scaling of one weight a rank, over the pairs of ranks that each question's placements offer.
    """
    by_start, by_overlap = np.ones((_RANKS, 1)), np.ones((1, _RANKS))
    chances = offered.astype(np.float64)
    for _ in range(_STEPS if len(offered) else 0):
        chances = offered * by_start * by_overlap
        chances /= chances.sum(axis=(1, 2), keepdims=True)
        marginal = chances.mean(axis=0) * _RANKS
        by_start = _scaled(by_start, marginal.sum(axis=1, keepdims=True))
        by_overlap = _scaled(by_overlap, marginal.sum(axis=0, keepdims=True))
    return chances


def _scaled(weights: Numbers, excess: Numbers) -> Numbers:
    """Weights after a step that lowers those whose rank comes too often."""
    weights = weights / np.sqrt(np.maximum(excess, _TINY))
    scaled: Numbers = np.maximum(weights / weights.sum(), _SMALLEST_WEIGHT)
    return scaled


def _chances(span: int, touching: Touching, keyframes: int) -> Numbers:
    """(keyframes - span,) chance of each start, none of them 0."""
    inner = max(keyframes - span - 2, 1)
    chances = np.full(keyframes - span, max(1 - touching.first - touching.last, 0.0) / inner)
    chances[0], chances[-1] = touching.first, touching.last
    return chances + 1e-3


def apart(truth_start: int | Integers, truth_span: int, span: int, keyframes: int) -> Booleans:
    """(..., keyframes - span) whether the interval of a span at each start may stand beside a truth."""
    first = np.asarray(truth_start)[..., None]
    starts = np.arange(keyframes - span)
    shared = np.minimum(starts + span, first + truth_span) - np.maximum(starts, first) + 1
    beside: Booleans = shared <= LARGEST_SHARE * (span + 1)
    return beside
