"""Wrong intervals for temporal questions (see design/temporal-distractors.md).

Whatever draws them, a wrong interval lies inside the scene, differs from the other options, and shares at
most a fifth of its own key frames with the true one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl

from probe4d.benchmarks.lidar_hallu.events import LONGEST_SPAN, SHORTEST_SPAN
from probe4d.benchmarks.lidar_hallu.placing import (
    LARGEST_SHARE,
    WRONG,
    Event,
    Interval,
    ToPlace,
    Touching,
    apart,
    placed,
)
from probe4d.benchmarks.sampling import rank, ranks, unit_interval

__all__ = ["DISTRACTORS", "LARGEST_SHARE", "Interval", "wrong_intervals"]

_KEPT_SHARE = 0.2
_MOST_SPANS = 48
_MOST_AT_AN_END = 0.27
_PLACE = ("start", "end", "keyframes")
_TRIES = 1000
_ROUNDS = 10
_CLOSE = 0.9
_STEPS = 200
_TINY = 1e-12
_SMALLEST_WEIGHT = 1e-6

Numbers = np.ndarray[Any, np.dtype[np.float64]]
Booleans = np.ndarray[Any, np.dtype[np.bool_]]


DISTRACTORS: tuple[str, ...] = ("matched", "published")
"""Ways to draw wrong intervals."""


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
    if mode == "matched":
        lengths = _balanced_in_time(lengths, seed)
    first = lengths.select((pl.col("start") == 0).mean()).item() or 0.0
    last = lengths.select((pl.col("end") == pl.col("keyframes") - 1).mean()).item() or 0.0
    share = _resampled(lengths, seed)
    wrong: dict[str, list[Interval]] = {}
    to_place: list[ToPlace] = []
    for keyframes in lengths["keyframes"].unique(maintain_order=True).to_list():
        rows = lengths.filter(pl.col("keyframes") == keyframes).select("key", "start", "end").iter_rows()
        group = [Event(key, Interval(start, end)) for key, start, end in rows]
        if mode == "published":
            wrong |= _published(group, keyframes, seed)
        else:
            spans = _matched(group, share, keyframes, seed)
            to_place += [ToPlace(event, spans[event.key], keyframes) for event in group if event.key in spans]
    wrong |= placed(to_place, Touching(first, last), seed)
    return wrong, events.height - len(wrong)


def _balanced_in_time(events: pl.DataFrame, seed: int) -> pl.DataFrame:
    """Leave out, by a hash, events beside which every wrong interval starts earlier, or every one later.

    Where an event ends close to its scene's last key frame no wrong interval fits after it, and it starts last of
    the four whatever is drawn. Of such events `_MOST_AT_AN_END` of all at most are kept, at either end.
    """
    shortest = min((end - start for start, end in events.select("start", "end").iter_rows()), default=0)
    for draw, fits in (("temporal/last", _fits_after), ("temporal/first", _fits_before)):
        bound = pl.Series(
            [not fits(Interval(*row[:2]), shortest, row[2]) for row in events.select(*_PLACE).iter_rows()],
            dtype=pl.Boolean,
        )
        free = events.filter(~bound)
        most = int(free.height * _MOST_AT_AN_END / (1 - _MOST_AT_AN_END))
        kept = events.filter(bound).sort(ranks(events.filter(bound)["key"], seed=seed, family=draw)).head(most)["key"]
        events = events.filter(~bound | pl.col("key").is_in(kept.implode()))
    return events


def _fits_after(truth: Interval, span: int, keyframes: int) -> bool:
    """Whether an interval of a span can start after a truth does."""
    return bool(apart(truth.start, truth.span, span, keyframes)[truth.start + 1 :].any())


def _fits_before(truth: Interval, span: int, keyframes: int) -> bool:
    """Whether an interval of a span can start before a truth does."""
    return bool(apart(truth.start, truth.span, span, keyframes)[: truth.start].any())


def _resampled(events: pl.DataFrame, seed: int) -> dict[int, float]:
    """Share of each span among the references of scenes drawn with replacement.

    Wrong intervals then differ from the references as one draw of scenes from another. Had they exactly the
    references' shares, those of other scenes would mirror this scene's own references, and a span would speak
    against itself in a count that leaves this scene out. Spans of scenes not drawn keep a part of their share.
    """
    scenes = events["scene"].unique().sort().to_list()
    drawn = Counter(scenes[rank(seed, "temporal/scenes", str(i)) % len(scenes)] for i in range(len(scenes)))
    share: dict[int, float] = {}
    for span, count, of_scenes in (
        events.group_by(span=pl.col("end") - pl.col("start"))
        .agg(pl.len(), pl.col("scene").sort())
        .sort("span")
        .iter_rows()
    ):
        share[span] = max(sum(drawn[scene] for scene in of_scenes), _KEPT_SHARE * count)
    total = sum(share.values())
    return {span: mass / total for span, mass in share.items()}


def _published(events: Sequence[Event], keyframes: int, seed: int) -> dict[str, list[Interval]]:
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


def _matched(
    events: Sequence[Event], share: Mapping[int, float], keyframes: int, seed: int
) -> dict[str, tuple[int, ...]]:
    """Spans drawn so that the truth's is exchangeable with the others.

    A set of four spans is drawn with probability proportional to the product of one weight a span, over the
    sets in which each fits beside each other wherever it lies. That law is symmetric in the four; the
    weights are fitted so that each member's span follows the references' own distribution. References that
    no such law can follow are left out.

    A law takes memory with the fourth power of the number of its spans. Where there are more than
    `_MOST_SPANS`, as in long scenes, they are dealt out in turn to several laws, each symmetric by itself.
    """
    spans = [span for span in share if span < keyframes]
    laws = -(-len(spans) // _MOST_SPANS)
    drawn: dict[str, tuple[int, ...]] = {}
    for first in range(laws):
        drawn |= _by_one_law(events, share, spans[first::laws], keyframes, seed)
    return drawn


def _by_one_law(
    events: Sequence[Event], share: Mapping[int, float], spans: Sequence[int], keyframes: int, seed: int
) -> dict[str, tuple[int, ...]]:
    """Wrong spans of the events of some spans, among those spans (see `_matched`)."""
    fits = np.array([[_fits(first, second, keyframes) for second in spans] for first in spans])
    sets = _compatible(fits & fits.T)
    possible = np.flatnonzero(sets.reshape(len(spans), -1).any(axis=1))
    spans = [spans[index] for index in possible.tolist()]
    sets = sets[np.ix_(possible, possible, possible, possible)]
    events = [event for event in events if event.truth.span in spans]
    if not events:
        return {}
    at = {span: index for index, span in enumerate(spans)}
    wanted = np.array([share[span] for span in spans])
    wanted /= wanted.sum()
    weights, kept = _feasible(sets, wanted)
    products = weights[:, None, None] * weights[None, :, None] * weights
    cumulative = np.cumsum(sets.reshape(len(spans), -1) * products.ravel(), axis=1)
    wrong = {}
    for key, truth in events:
        index = at[truth.span]
        if unit_interval(seed, "temporal/kept", key) >= kept[index]:
            continue
        point = unit_interval(seed, "temporal/spans", key) * cumulative[index, -1]
        cell = int(np.searchsorted(cumulative[index], point, side="right"))
        wrong[key] = tuple(spans[i] for i in np.unravel_index(cell, products.shape))
    return wrong


def _fits(truth_span: int, span: int, keyframes: int) -> bool:
    """Whether three intervals of a span find a place beside a truth of another, wherever the truth lies."""
    beside = apart(np.arange(keyframes - truth_span), truth_span, span, keyframes)
    return bool((np.count_nonzero(beside, axis=-1) >= WRONG).all())


def _compatible(fits: Booleans) -> Numbers:
    """(m, m, m, m) array of 1 where all six pairs of a set fit, else 0."""
    triples = fits[:, :, None] & fits[:, None, :] & fits[None, :, :]
    pairs = triples[:, :, :, None] & triples[:, :, None, :] & fits[None, None, :, :]
    return pairs.astype(np.float64)


def _feasible(sets: Numbers, share: Numbers) -> tuple[Numbers, Numbers]:
    """Weights for as many of the references as some symmetric law over sets can follow.

    Four long intervals do not fit beside one another, so that no law has many long members. Where it falls
    behind, references are given up, and the law is fitted to the rest.

    Returns:
        Weights, and the share of the references of each span that is kept.
    """
    kept = np.ones_like(share)
    for _ in range(_ROUNDS):
        wanted = share * kept / (share * kept).sum()
        weights, marginal = _fitted(sets, wanted)
        reached = np.minimum(marginal / wanted, 1.0)
        if reached.min() > _CLOSE:
            break
        kept = kept * reached
    return weights, kept


def _fitted(sets: Numbers, share: Numbers) -> tuple[Numbers, Numbers]:
    """Weights whose symmetric law over sets has the marginal `share`, as near as it can be, and that marginal.

    Iterative scaling: each step multiplies a span's weight by a root of what its marginal lacks.
    """
    weights = share.copy()
    marginal = share
    for _ in range(_STEPS):
        mass = weights * (((sets @ weights) @ weights) @ weights)
        marginal = mass / mass.sum()
        if np.abs(marginal - share).max() < 1e-4:
            break
        weights = weights * np.clip(share / np.maximum(marginal, _TINY), 0.1, 10) ** 0.25
        # Where no law has this marginal some weights would vanish, and whole sets with them.
        weights = np.maximum(weights / weights.sum(), _SMALLEST_WEIGHT)
    return weights, marginal
