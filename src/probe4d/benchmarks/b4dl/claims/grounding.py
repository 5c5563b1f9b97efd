"""Answers that are intervals: whether something happens in them, and where it does."""

from __future__ import annotations

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from probe4d.benchmarks.b4dl.claims.claim import Claim
from probe4d.benchmarks.b4dl.claims.deciding import Completeness, Decision, decide, holds_over
from probe4d.benchmarks.b4dl.claims.layout import Layout
from probe4d.benchmarks.b4dl.claims.presence import Span, shown
from probe4d.benchmarks.b4dl.claims.telling import frames_in_words
from probe4d.benchmarks.b4dl.sequences import STRIDE
from probe4d.wording import uncapitalized

__all__ = ["ground", "grounded_answer"]

LEAST_OVERLAP = 0.5
"""Intersection over union below which an interval is surely not that of a stay."""

_BOUNDED = frozenset(
    """
    moves stands parked straight keeps-distance turns turns-left turns-right accelerates slows approaches nears recedes
    gets-farther
    """.split()  # noqa: SIM905
)
"""Kinds that have a first and a last frame; where a stop or an overtaking begins, people differ."""
_BROKEN_BY_ENDS = ("keeps-distance", "straight")
"""Kinds that an interval with a frame too many at an end may already deny."""
_STAYS = ("presence", "within", "beyond", "nearest")


def ground(
    layout: Layout, claim: Claim, interval: tuple[int, int], window: tuple[int, int], completeness: Completeness
) -> Decision:
    """Whether what a claim says happens in an interval.

    It surely does not where nothing may be doing so in any of its frames, where the interval leaves the sequence, and,
    for things that are somewhere, where it overlaps less than half with any stay that can be meant.

    Args:
        layout: The scene.
        claim: What is said to happen.
        interval: The first and last frame that are the answer.
        window: The frames of the sequence.
        completeness: What the annotations leave out.
    """
    about = {"answer": list(interval), "sequence": list(window)}
    if not window[0] <= interval[0] <= interval[1] <= window[1]:
        return Decision(False, f"The answer leaves the sequence, which is {frames_in_words(*window)}.", about)
    claim = replace(claim, strict=False, time="either")  # a frame too many makes no answer wrong
    decision = decide(layout, replace(claim, frames=interval), Span(*interval, True, window), completeness)
    if claim.kind in _BROKEN_BY_ENDS and decision.holds is False:
        return decision._replace(holds=None)
    if claim.kind not in _STAYS or claim.negated:
        if decision.holds and _goes_on(layout, claim, interval, window, completeness):
            decision = decision._replace(holds=None, why=f"{decision.why[:-1]}, but the answer may be too short.")
        return decision
    if decision.holds is False or claim.subject is None or not completeness.of(claim.subject):
        return decision
    at = shown(layout, claim)
    frames = slice(window[0], window[1] + 1)
    best = _most_overlap(at.sure[:, frames], _near(at.possible, layout.frames)[:, frames], interval, window[0])
    if best < LEAST_OVERLAP:
        overlap = f"At most {best:.2f} of the answer and of any stay overlap: {uncapitalized(decision.why)}"
        return Decision(False, overlap, decision.facts | {"overlap": round(best, 3)})
    if decision.holds and grounded_answer(layout, claim, window, completeness) is None:
        return decision._replace(holds=None)
    return decision


def grounded_answer(
    layout: Layout, claim: Claim, window: tuple[int, int], completeness: Completeness
) -> tuple[int, int] | None:
    """The one interval of a sequence in which something surely happens, and surely not elsewhere; null without."""
    if claim.kind in _STAYS and not claim.negated:
        return _stay(layout, claim, window)
    if claim.kind not in _BOUNDED:
        return None
    ends = range(window[0], window[1] + 1, STRIDE)
    found = {
        (first, last)
        for first in ends
        for last in ends
        if last > first and holds_over(layout, claim, first, last, completeness)
    }
    if not found:
        return None
    whole = (min(first for first, _ in found), max(last for _, last in found))
    return _trimmed(layout, claim, whole, completeness) if whole in found else None


def _trimmed(layout: Layout, claim: Claim, interval: tuple[int, int], completeness: Completeness) -> tuple[int, int]:
    """Without the frames at either end in which it surely does not happen."""
    first, last = interval
    while first + 1 < last and holds_over(layout, claim, first, first + 1, completeness) is False:
        first += 1
    while first + 1 < last and holds_over(layout, claim, last - 1, last, completeness) is False:
        last -= 1
    return first, last


def _stay(layout: Layout, claim: Claim, window: tuple[int, int]) -> tuple[int, int] | None:
    at = shown(layout, claim)
    frames = slice(window[0], window[1] + 1)
    sure, possible = (np.asarray(mask[:, frames].any(axis=0)) for mask in at)
    runs = _runs(sure)
    if len(runs) != 1 or not (sure == possible).all():
        return None
    return window[0] + runs[0][0], window[0] + runs[0][1]


def _goes_on(
    layout: Layout, claim: Claim, interval: tuple[int, int], window: tuple[int, int], completeness: Completeness
) -> bool:
    """Whether it may happen right before or after an interval, too."""
    beyond = [(window[0], interval[0]), (interval[1], window[1])]
    return any(
        last - first >= STRIDE and holds_over(layout, claim, first, last, completeness) for first, last in beyond
    )


def _near(possible: NDArray[np.bool_], frames: int) -> NDArray[np.bool_]:
    """With the frame before and the one after each."""
    widened = possible.copy()
    if frames > 1:
        widened[:, 1:] |= possible[:, :-1]
        widened[:, :-1] |= possible[:, 1:]
    return widened


def _most_overlap(sure: NDArray[np.bool_], possible: NDArray[np.bool_], interval: tuple[int, int], start: int) -> float:
    """An upper bound of the intersection over union of an interval with any stay that can be meant.

    A stay lies within a run of frames in which something may be there, and holds all frames of the run in which one
    thing surely is.
    """
    answered = np.zeros(sure.shape[1], dtype=bool)
    answered[interval[0] - start : interval[1] - start + 1] = True
    best = 0.0
    for first, last in _runs(np.asarray(possible.any(axis=0))):
        run = np.zeros_like(answered)
        run[first : last + 1] = True
        there = possible[:, run].any(axis=1)
        union = (sure[there] & run | answered).sum(axis=1).min()
        best = max(best, float((run & answered).sum() / union))
    return best


def _runs(flags: NDArray[np.bool_]) -> list[tuple[int, int]]:
    edges = np.flatnonzero(np.diff(np.concatenate(([0], flags.astype(np.int8), [0]))))
    return [(int(first), int(last) - 1) for first, last in zip(edges[::2], edges[1::2], strict=True)]
