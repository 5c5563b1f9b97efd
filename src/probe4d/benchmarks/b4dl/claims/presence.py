"""What is there: presence, counts, distances and what is nearest, by frame."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from probe4d.benchmarks.b4dl.claims.claim import Claim
from probe4d.benchmarks.b4dl.claims.layout import Layout
from probe4d.benchmarks.b4dl.claims.places import DISTANCE_M, distances_m, in_place, in_reach
from probe4d.benchmarks.b4dl.claims.vocabulary import Meaning

__all__ = ["Shown", "Span", "compared", "counted", "present", "shown"]

Mask = NDArray[np.bool_]

OFTEN = 0.5
"""Part of the frames in which a thing has to be there, where a question names no frames, to be surely there."""


class Span(NamedTuple):
    """Frames that are judged.

    Attributes:
        first: The first.
        last: The last, included.
        named: Whether the question names them.
        window: The frames of the sequence.
    """

    first: int
    last: int
    named: bool
    window: tuple[int, int]

    def widened(self, frames: int) -> slice:
        """With the frame before and the frame after, of a scene of so many frames."""
        return slice(max(self.first - 1, 0), min(self.last + 2, frames))

    @property
    def own(self) -> slice:
        """The frames themselves."""
        return slice(self.first, self.last + 1)


class Shown(NamedTuple):
    """Where the subjects of a claim are, each of shape (n, f).

    Attributes:
        sure: Where one surely is.
        possible: Where one may be.
    """

    sure: Mask
    possible: Mask


def shown(layout: Layout, claim: Claim) -> Shown:
    """Where things are as a claim says, frame by frame."""
    meaning = _subject(claim)
    is_sure, is_possible = layout.meant(meaning)
    sure, possible = in_place(layout, claim.place)
    sure = sure & layout.seen & is_sure[:, None]
    possible = possible & layout.annotated & is_possible[:, None]
    if meaning.ridden:
        sure = sure & layout.ridden
    if claim.kind in ("within", "beyond"):
        near, maybe_near = in_reach(layout, claim)
        sure, possible = sure & near, possible & maybe_near
    if claim.kind == "nearest":
        sure, possible = _nearest(layout, claim, sure, possible)
    return Shown(np.zeros_like(sure) if claim.narrowed else sure, possible)


def present(layout: Layout, claim: Claim, at: Shown, span: Span, *, complete: bool) -> bool | None:
    """Whether there is one, as a claim of presence says; null where it cannot be told.

    Args:
        layout: The scene.
        claim: The claim.
        at: What `shown` gives for it.
        span: The frames.
        complete: Whether what is not annotated is not there.
    """
    around = np.asarray(at.possible[:, span.widened(layout.frames)].any(axis=0))
    if complete and not around.any():
        return False
    if complete and claim.time == "throughout" and _long_gap(around):
        return False
    inside = at.sure[:, span.own]
    if not claim.definite:
        return True if _lasts(claim, np.atleast_2d(inside.any(axis=0)), span).all() else None
    _, is_possible = layout.meant(_subject(claim))
    known = is_possible & layout.annotated[:, span.window[0] : span.window[1] + 1].any(axis=1)
    return True if known.any() and _lasts(claim, inside[known], span).all() else None


def counted(layout: Layout, claim: Claim, at: Shown, span: Span, *, complete: bool) -> bool | None:
    """Whether there are as many as a claim says; null where it cannot be told."""
    count = claim.count
    if count is None:
        return None
    most = int(at.possible[:, span.widened(layout.frames)].any(axis=1).sum()) if complete else None
    least = int(at.sure[:, span.own].sum(axis=0).min())
    too_few = count.least is not None and most is not None and most < count.least
    too_many = count.most is not None and least > count.most
    if too_few or too_many:
        return False
    enough = count.least is None or least >= (count.clear or count.least)
    limit = count.least if count.plain else count.most
    few_enough = limit is None or (most is not None and most <= limit)
    return True if enough and few_enough and not claim.narrowed else None


def compared(layout: Layout, claim: Claim, span: Span, *, complete: bool) -> bool | None:
    """Whether one class is nearer (or farther) than another; null where it cannot be told, or one is not there."""
    other = claim.other
    if other is None or not complete or claim.narrowed:
        return None
    mine, theirs = shown(layout, claim), shown(layout, Claim(kind="presence", subject=other))
    frames = span.widened(layout.frames)
    surely_there = mine.sure[:, span.own].any(axis=0) & theirs.sure[:, span.own].any(axis=0)
    if not surely_there.all():
        return None
    least, most = (distance[:, frames] for distance in distances_m(layout))
    near, far = (mine, theirs) if claim.kind == "nearer" else (theirs, mine)
    near_at, far_at = near.possible[:, frames], far.possible[:, frames]
    if (_most(most, near_at) + DISTANCE_M <= _least(least, far_at)).all():
        return True
    if (_most(most, far_at) + DISTANCE_M <= _least(least, near_at)).all():
        return False
    return None


def _subject(claim: Claim) -> Meaning:
    if claim.subject is None:
        raise ValueError(f"a claim of {claim.kind} needs a subject")
    return claim.subject


def _nearest(layout: Layout, claim: Claim, sure: Mask, possible: Mask) -> tuple[Mask, Mask]:
    """Narrow down to what surely is, and what may be, nearer than everything else."""
    least, most = distances_m(layout)
    _, is_own = layout.meant(_subject(claim))
    if claim.among is None:
        rivals = np.ones(len(is_own), dtype=bool)
        known = layout.seen
    else:
        surely, rivals = layout.meant(claim.among)
        known = layout.seen & surely[:, None]
    own = is_own[:, None]
    nearest_other = _least(most, known & ~own)
    possible = possible & (least <= nearest_other + DISTANCE_M)
    if claim.among is None:  # walls and trees are things too, and nothing annotates them
        return np.zeros_like(sure), possible
    first_other = _least(least, layout.annotated & rivals[:, None] & ~own)
    return sure & (most + DISTANCE_M <= first_other), possible


def _least(values: NDArray[np.float64], where: Mask) -> NDArray[np.float64]:
    least: NDArray[np.float64] = np.min(np.where(where, values, np.inf), axis=0, initial=np.inf)
    return least


def _most(values: NDArray[np.float64], where: Mask) -> NDArray[np.float64]:
    most: NDArray[np.float64] = np.max(np.where(where, values, -np.inf), axis=0, initial=-np.inf)
    return most


def _lasts(claim: Claim, there: Mask, span: Span) -> Mask:
    """Whether each row is there in as many frames as it takes to be surely there."""
    share = there.mean(axis=1)
    if claim.time == "some":
        return np.asarray(share > 0)
    if claim.time == "throughout" or span.named:
        return np.asarray(share == 1)
    return np.asarray(share >= OFTEN)


def _long_gap(around: NDArray[np.bool_]) -> bool:
    """Whether there are three frames in a row without any."""
    none = ~around
    return bool((none[:-2] & none[1:-1] & none[2:]).any()) if len(none) > 2 else bool(none.all())
