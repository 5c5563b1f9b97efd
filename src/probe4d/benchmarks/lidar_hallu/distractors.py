"""Wrong intervals for temporal questions (see design/temporal-distractors.md).

Whatever draws them, a wrong interval lies inside the scene, differs from the other options, and shares at
most a fifth of its own key frames with the true one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from probe4d.benchmarks.lidar_hallu.events import LONGEST_SPAN, SHORTEST_SPAN
from probe4d.benchmarks.sampling import rank, unit_interval

__all__ = ["DISTRACTORS", "LARGEST_SHARE", "Interval", "wrong_intervals"]

LARGEST_SHARE = 0.2
WRONG = 3
_TRIES = 1000
_STEPS = 400
_TINY = 1e-12

Numbers = np.ndarray[Any, np.dtype[np.float64]]


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


class _Event(NamedTuple):
    key: str
    truth: Interval


_Draw = Callable[[Sequence[_Event], int, int], dict[str, list[Interval]]]


def wrong_intervals(
    events: pl.DataFrame, scenes: pl.DataFrame, *, mode: str, seed: int
) -> tuple[dict[str, list[Interval]], int]:
    """Find three wrong intervals for each event.

    Args:
        events: Columns key, scene, start and end.
        scenes: Columns of `SCENES_SCHEMA`.
        mode: A name in `DISTRACTORS`.
        seed: Seed of the draws.

    Returns:
        Key to wrong intervals, and the number of events that have none.
    """
    lengths = events.join(scenes.select("scene", "keyframes"), on="scene", how="left", maintain_order="left")
    wrong: dict[str, list[Interval]] = {}
    for (keyframes,), part in lengths.group_by("keyframes", maintain_order=True):
        rows = part.select("key", "start", "end").iter_rows()
        group = [_Event(key, Interval(start, end)) for key, start, end in rows]
        wrong |= DISTRACTORS[mode](group, int(str(keyframes)), seed)
    return wrong, events.height - len(wrong)


def _published(events: Sequence[_Event], keyframes: int, seed: int) -> dict[str, list[Interval]]:
    """Spans uniform in 5 to 19 and starts uniform (Sec. III-B), at most a fifth of the hull shared with the truth.

    The published rule measures overlap against the hull alone and so admits an interval that lies inside a
    long truth; here it has to be apart from the truth by its own length too.
    """
    wrong = {}
    for key, truth in events:
        found: list[Interval] = []
        for attempt in range(_TRIES):
            at = f"{key}|{attempt}"
            span = SHORTEST_SPAN + rank(seed, "temporal/span", at) % (LONGEST_SPAN - SHORTEST_SPAN + 1)
            if span > keyframes - 1:
                continue
            start = rank(seed, "temporal/start", at) % (keyframes - span)
            interval = Interval(start, start + span)
            overlap = max(0, min(interval.end, truth.end) - max(interval.start, truth.start))
            hull = max(interval.end, truth.end) - min(interval.start, truth.start)
            if interval in found or overlap > LARGEST_SHARE * hull or not interval.apart_from(truth):
                continue
            found.append(interval)
            if len(found) == WRONG:
                wrong[key] = found
                break
    return wrong


def _matched(events: Sequence[_Event], keyframes: int, seed: int) -> dict[str, list[Interval]]:
    """Spans drawn so that the truth's is exchangeable with the others; starts as far from one another as they go.

    A set of four spans is drawn with probability proportional to the product of one weight a span, over the
    sets in which each fits beside each other wherever it lies. That law is symmetric in the four; the
    weights are fitted so that each member's span follows the references' own distribution.
    """
    spans = sorted({event.truth.span for event in events})
    fits = np.array([[_fits(first, second, keyframes) for second in spans] for first in spans])
    sets = _compatible(fits & fits.T)
    possible = np.flatnonzero(sets.reshape(len(spans), -1).any(axis=1))
    spans = [spans[index] for index in possible]
    sets = sets[np.ix_(possible, possible, possible, possible)]
    events = [event for event in events if event.truth.span in spans]
    if not events:
        return {}
    at = {span: index for index, span in enumerate(spans)}
    share = np.bincount([at[event.truth.span] for event in events], minlength=len(spans)) / len(events)
    weights, marginal = _fitted(sets, share)
    kept = marginal / share
    kept /= kept.max()
    products = weights[:, None, None] * weights[None, :, None] * weights
    cumulative = np.cumsum(sets.reshape(len(spans), -1) * products.ravel(), axis=1)
    wrong = {}
    for key, truth in events:
        index = at[truth.span]
        if unit_interval(seed, "temporal/kept", key) > kept[index] + 1e-3:
            continue
        point = unit_interval(seed, "temporal/spans", key) * cumulative[index, -1]
        cell = int(np.searchsorted(cumulative[index], point, side="right"))
        drawn = np.unravel_index(cell, products.shape)
        wrong[key] = _placed(key, truth, sorted((spans[i] for i in drawn), reverse=True), keyframes, seed)
    return wrong


def _fits(truth_span: int, span: int, keyframes: int) -> bool:
    """Whether three intervals of a span find a place beside a truth of another, wherever the truth lies."""
    return all(
        sum(1 for _ in _places(Interval(start, start + truth_span), span, keyframes)) >= WRONG
        for start in range(keyframes - truth_span)
    )


def _places(truth: Interval, span: int, keyframes: int) -> Sequence[Interval]:
    places = (Interval(start, start + span) for start in range(keyframes - span))
    return [place for place in places if place != truth and place.apart_from(truth)]


def _compatible(fits: np.ndarray[Any, np.dtype[np.bool_]]) -> Numbers:
    """(m, m, m, m) array of 1 where all six pairs of a set fit, else 0."""
    triples = fits[:, :, None] & fits[:, None, :] & fits[None, :, :]
    pairs = triples[:, :, :, None] & triples[:, :, None, :] & fits[None, None, :, :]
    return pairs.astype(np.float64)


def _fitted(sets: Numbers, share: Numbers) -> tuple[Numbers, Numbers]:
    """Weights whose symmetric law over sets has the marginal `share`, as near as it can be, and that marginal.

    Iterative scaling: each step multiplies a span's weight by a root of what its marginal lacks.
    """
    weights = share.copy()
    marginal = share
    for _ in range(_STEPS):
        mass = weights * (((sets @ weights) @ weights) @ weights)
        marginal = mass / mass.sum()
        if np.abs(marginal - share).max() < 1e-9:
            break
        weights = weights * np.clip(share / np.maximum(marginal, _TINY), 0.1, 10) ** 0.25
        weights /= weights.sum()
    return weights, marginal


def _placed(key: str, truth: Interval, spans: Sequence[int], keyframes: int, seed: int) -> list[Interval]:
    """Place wrong intervals, the longest first, each where it shares least with those before it."""
    found: list[Interval] = []
    for span in spans:
        best = min(
            (place for place in _places(truth, span, keyframes) if place not in found),
            key=lambda place: (
                max((_excess(place, other) for other in found), default=0),
                rank(seed, "temporal/start", f"{key}|{place.start}|{place.end}"),
            ),
        )
        found.append(best)
    return found


def _excess(first: Interval, second: Interval) -> float:
    """Key frames that two intervals share beyond a fifth of the shorter."""
    return max(0.0, first.shared(second) - LARGEST_SHARE * (min(first.span, second.span) + 1))


DISTRACTORS: dict[str, _Draw] = {"matched": _matched, "published": _published}
"""Ways to draw wrong intervals, by name."""
