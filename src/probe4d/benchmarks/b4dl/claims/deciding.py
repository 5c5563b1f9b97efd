"""Whether a claim is true: what its subjects surely are or do, put together over all that may be meant."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from probe4d.benchmarks.b4dl.claims import thresholds
from probe4d.benchmarks.b4dl.claims.claim import Claim
from probe4d.benchmarks.b4dl.claims.layout import Layout
from probe4d.benchmarks.b4dl.claims.motion import LASTING, MOTIONS, Motion, Moving
from probe4d.benchmarks.b4dl.claims.places import in_place
from probe4d.benchmarks.b4dl.claims.presence import Span, compared, counted, present, shown
from probe4d.benchmarks.b4dl.claims.relations import RELATIONS, related
from probe4d.benchmarks.b4dl.claims.telling import Told, of_ego, of_motion, of_nothing, of_things
from probe4d.benchmarks.b4dl.claims.vocabulary import Meaning

__all__ = ["Completeness", "Decision", "decide", "holds_over", "span_of"]

Mask = NDArray[np.bool_]

_COMPARED = ("nearer", "farther")


class Completeness(NamedTuple):
    """What a dataset's annotations leave out.

    Attributes:
        everywhere: Whether they cover all around the ego vehicle.
        classes: Classes that they tell apart; no other is ever known to be absent.
    """

    everywhere: bool
    classes: tuple[str, ...]

    def of(self, meaning: Meaning) -> bool:
        """Whether what is not annotated of a meaning is not there."""
        told = meaning.word in _GROUPS or meaning.word in self.classes
        whole = bool(self.classes) and all(name in self.classes for name in _GROUPS.get(meaning.word, ()))
        return self.everywhere and not meaning.open and told and whole


_CYCLES = ("bicycle", "motorcycle")
_VEHICLES = ("car", "truck", "bus", "construction vehicle")
_GROUPS: dict[str, tuple[str, ...]] = {
    "person": ("pedestrian",),
    "adult": ("pedestrian",),
    "child": ("pedestrian",),
    "construction worker": ("pedestrian",),
    "police officer": ("pedestrian",),
    "cyclist": _CYCLES,
    "motorcyclist": _CYCLES,
    "scooter": _CYCLES,
    "SUV": _VEHICLES,
    "pickup": _VEHICLES,
    "van": _VEHICLES,
    "emergency vehicle": _VEHICLES,
    "vehicle": _VEHICLES,
}
"""Classes that have to be told apart for a word that is none of them to be known absent."""


class Decision(NamedTuple):
    """What geometry says of a claim.

    Attributes:
        holds: Whether it is so; null where it cannot be told.
        why: A sentence: what was measured, or why it cannot be told.
        facts: The numbers behind it.
    """

    holds: bool | None
    why: str
    facts: dict[str, Any]


def span_of(claim: Claim, window: tuple[int, int]) -> Span:
    """The frames that a claim is about, of a sequence from one frame to another."""
    first, last = claim.frames or window
    return Span(first, last, claim.frames is not None, window)


Judged = tuple[bool | None, Callable[[], Told]]
"""Whether it is so, and what says why."""


def decide(layout: Layout, claim: Claim, span: Span, completeness: Completeness) -> Decision:
    """Decide a claim over some frames of a scene.

    Args:
        layout: The scene.
        claim: The claim.
        span: The frames, all of them in the scene.
        completeness: What the annotations leave out.
    """
    holds, tell = _judged(layout, claim, span, completeness)
    return Decision(_turned_round(claim, holds), *tell())


def holds_over(layout: Layout, claim: Claim, first: int, last: int, completeness: Completeness) -> bool | None:
    """Whether a claim is so over frames that it does not name, without saying why."""
    span = Span(first, last, True, (first, last))
    return _turned_round(claim, _judged(layout, claim, span, completeness)[0])


def _turned_round(claim: Claim, holds: bool | None) -> bool | None:
    return not holds if claim.negated and holds is not None else holds


def _judged(layout: Layout, claim: Claim, span: Span, completeness: Completeness) -> Judged:
    if claim.subject is None:
        return _of_ego(layout, claim, span)
    if claim.kind in MOTIONS:
        return _of_motion(layout, claim, claim.subject, span, complete=completeness.of(claim.subject))
    return _of_things(layout, claim, claim.subject, span, completeness)


def _of_things(layout: Layout, claim: Claim, subject: Meaning, span: Span, completeness: Completeness) -> Judged:
    complete = completeness.of(subject)
    at = shown(layout, claim)
    if claim.kind == "count":
        holds = counted(layout, claim, at, span, complete=complete)
    elif claim.kind in _COMPARED or claim.kind in RELATIONS:
        both = complete and claim.other is not None and completeness.of(claim.other)
        decides = compared if claim.kind in _COMPARED else related
        holds = decides(layout, claim, span, complete=both)
    else:
        holds = present(layout, claim, at, span, complete=complete)
    return holds, partial(of_things, layout, claim, at, span, holds, complete=complete)


def _of_ego(layout: Layout, claim: Claim, span: Span) -> Judged:
    wide = span.widened(layout.frames)
    everything = np.zeros(1, dtype=np.int64)
    inner = span.own if span.last > span.first else wide
    own = layout.ego.of(everything, inner.start, inner.stop - 1)
    around = layout.ego.of(everything, wide.start, wide.stop - 1)
    if own.x_m.shape[1] < 2 or np.isnan(around.x_m).any():
        return None, lambda: ("The way of the ego vehicle is not known over these frames.", {})
    surely, surely_not = _motion(claim, Moving(own, around, own, around, np.zeros(1), by_pose=True))
    so = bool(surely[0]) and not claim.narrowed and _applies(claim)
    return True if so else False if surely_not[0] else None, partial(of_ego, own, inner)


def _of_motion(layout: Layout, claim: Claim, subject: Meaning, span: Span, *, complete: bool) -> Judged:
    wide = span.widened(layout.frames)
    inner = span.own if span.last > span.first else wide
    is_sure, is_possible = layout.meant(subject)
    surely_there, maybe_there = in_place(layout, claim.place)
    candidates = is_possible & (maybe_there & layout.annotated)[:, wide].any(axis=1)
    rows = np.flatnonzero(candidates)
    if not len(rows):
        return False if complete else None, partial(of_nothing, claim, wide, complete=complete)
    if inner.stop - inner.start < 2:
        return None, lambda: ("One frame shows no motion.", {})
    surely, surely_not = _motion(claim, _moving(layout, rows, inner, wide))
    boxes = layout.annotated[rows]
    known = boxes[:, inner].all(axis=1) & layout.seen[rows, inner].any(axis=1)
    surely &= known & is_sure[rows] & surely_there[rows, inner.start]
    if claim.kind == "parked":  # what merely stands may be waiting
        surely &= layout.parked[rows, inner].all(axis=1)
    if subject.ridden:
        surely &= layout.ridden[rows, inner].all(axis=1)
    surely_not &= boxes[:, wide].sum(axis=1) >= min(thresholds.FEWEST_FRAMES, wide.stop - wide.start)
    holds = _together(claim, surely, surely_not, complete=complete)
    named = surely if holds else surely_not if holds is False else np.ones_like(surely)
    return holds, partial(of_motion, layout, claim, rows, int(np.argmax(named)), inner, holds)


def _together(claim: Claim, surely: Mask, surely_not: Mask, *, complete: bool) -> bool | None:
    """Whether any, or the one that is spoken of, does it."""
    if complete and surely_not.all():
        return False
    enough = surely.all() if claim.definite else surely.any()
    return True if enough and not claim.narrowed and _applies(claim) else None


def _applies(claim: Claim) -> bool:
    """Whether what is sure of the frames as a whole is sure of what is said of all of them, or of some."""
    return claim.time != "throughout" or claim.kind in LASTING


def _motion(claim: Claim, moving: Moving) -> Motion:
    kind = "stays" if claim.kind == "stands" and (claim.strict or claim.time == "throughout") else claim.kind
    return MOTIONS[kind](moving)


def _moving(layout: Layout, rows: NDArray[np.int64], inner: slice, wide: slice) -> Moving:
    first = np.zeros(1, dtype=np.int64)
    return Moving(
        layout.paths.of(rows, inner.start, inner.stop - 1),
        layout.paths.of(rows, wide.start, wide.stop - 1),
        layout.ego.of(first, inner.start, inner.stop - 1),
        layout.ego.of(first, wide.start, wide.stop - 1),
        layout.reach_m[rows],
        by_pose=False,
    )
