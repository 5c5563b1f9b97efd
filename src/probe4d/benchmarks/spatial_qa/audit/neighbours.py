"""Derives again whether anything near, wide or tall is there: the questions that begin with "any" (App. D).

Yes takes an object of the image that passes the filters and has words; No takes that no box has what is asked for
which could be meant at all. Captions of objects that no question mentions are not known; what such an object says is
taken only where the question's own facts name it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from probe4d.benchmarks.auditing.comparing import TOLERANCE
from probe4d.benchmarks.spatial_qa.audit.answers import EQUAL_WITHIN, check_answers
from probe4d.benchmarks.spatial_qa.audit.batch import Array, Batch

__all__ = ["check_neighbours"]


class _Sought(NamedTuple):
    """What a template asks for.

    Attributes:
        kinds: Kinds of objects that count.
        bound_m: The bound that the question names.
        includes_bound: Whether an object on the bound has what is asked for.
        in_image: Whether only boxes that the image shows could be meant, and not all of the key frame.
    """

    kinds: tuple[str, ...]
    bound_m: float
    includes_bound: bool
    in_image: bool

    @property
    def least_m(self) -> float:
        """The least surplus that is enough: what misses the bound by rounding alone is on it."""
        return -EQUAL_WITHIN if self.includes_bound else EQUAL_WITHIN


_SOUGHT = {
    "near-object": _Sought(("pedestrian", "vehicle"), 5.0, True, True),
    "near-ego": _Sought(("pedestrian", "vehicle"), 10.0, True, False),
    "pedestrian-risk": _Sought(("pedestrian",), 10.0, True, False),
    "wide-vehicle": _Sought(("vehicle",), 2.0, False, True),
    "bridge": _Sought(("vehicle",), 2.0, False, True),
}


class _Foremost(NamedTuple):
    """The best of the boxes that count, for each question: its surplus, -inf where there is none, shape (n,)."""

    of_view: Array
    of_all: Array


def check_neighbours(batch: Batch, named: NDArray[np.bool_]) -> None:
    """Derive answers, margins and witnesses.

    Args:
        batch: The questions.
        named: Whether boxes are known to have words, shape (B,).
    """
    sought = _SOUGHT[batch.template]
    told = [facts.witness for facts in batch.facts]
    witness = np.array([batch.scene.row_of_token.get(token, -1) for token in told], dtype=np.int64)
    foremost, own = _measured(batch, sought, named, witness)
    yes, no = foremost.of_view >= sought.least_m, ~(foremost.of_all >= sought.least_m)
    check_answers(
        batch,
        np.where(yes, "Yes", "No").tolist(),
        undecided=~(yes | no),
        why="only objects that the filters leave out have what is asked for",
    )
    best = np.where(yes, foremost.of_view, foremost.of_all)
    batch.compare_numbers("margin", batch.table["margin"].to_numpy(), np.where(np.isinf(best), np.nan, np.abs(best)))
    names_none = np.array([token is None for token in told], dtype=np.bool_)
    wrong = np.where(names_none, ~np.isinf(best), ~(own >= best - TOLERANCE))
    batch.add(wrong, lambda at: f"facts.witness: stored {told[at]!r}, and the box that decides is {_by(best[at])}")


def _by(surplus: float) -> str:
    return "none" if np.isinf(surplus) else f"one with a margin of {abs(surplus):.6f} m"


def _measured(
    batch: Batch, sought: _Sought, named: NDArray[np.bool_], witness: NDArray[np.int64]
) -> tuple[_Foremost, Array]:
    """The foremost boxes, and the surplus of the box that is told to decide, -inf where it does not count."""
    scene = batch.scene
    counts = np.logical_or.reduce([scene.is_kind(kind) for kind in sought.kinds])
    of_view, of_all, own = (np.full(len(batch.row), -np.inf) for _ in range(3))
    for frame in np.unique(batch.frame):
        at = np.flatnonzero(batch.frame == frame)
        boxes = np.flatnonzero((scene.frame == frame) & counts)
        if not boxes.size:
            continue
        surplus = _surplus(batch, sought, at, boxes)
        camera = batch.camera[at, None]
        is_told = boxes == witness[at, None]
        passes = scene.passes[camera, boxes] & (named[boxes] | is_told)
        meant = scene.shows(camera, boxes) if sought.in_image else np.ones_like(passes)
        of_view[at] = np.where(passes, surplus, -np.inf).max(axis=1)
        of_all[at] = np.where(meant, surplus, -np.inf).max(axis=1)
        # Where the image decides for Yes, the box that decides has to pass the filters as well.
        reached = of_view[at] >= sought.least_m
        own[at] = np.where(is_told & np.where(reached[:, None], passes, meant), surplus, -np.inf).max(axis=1)
    return _Foremost(of_view, of_all), own


def _surplus(batch: Batch, sought: _Sought, at: NDArray[np.int64], boxes: NDArray[np.int64]) -> Array:
    """By how much each of some boxes has what is asked for, metres, shape (questions, boxes); not the object itself."""
    scene = batch.scene
    if batch.template in ("wide-vehicle", "bridge"):
        size = scene.size[boxes, 1 if batch.template == "wide-vehicle" else 2]
        return np.broadcast_to(size - sought.bound_m, (len(at), len(boxes)))
    if batch.template == "near-object":
        own = batch.boxes[at, 0]
        distance = np.linalg.norm(scene.ego[boxes] - scene.ego[own][:, None], axis=2)
        return np.where(boxes == own[:, None], -np.inf, sought.bound_m - distance)
    distance = np.linalg.norm(scene.ego[boxes], axis=1)
    return np.broadcast_to(sought.bound_m - distance, (len(at), len(boxes)))
