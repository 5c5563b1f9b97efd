"""Where one thing is of another: to its left or right, in front of it or behind it.

People mean different things by it: along the ego vehicle's axes, as seen from there, or along the other thing's own
axes. In the first sense a car far ahead is in front of one that is nearer, in the second behind it. What all of them
would say is sure; what none of them would say is surely not so.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from probe4d.benchmarks.b4dl.claims.claim import Claim
from probe4d.benchmarks.b4dl.claims.layout import Layout
from probe4d.benchmarks.b4dl.claims.presence import Span, shown

__all__ = ["RELATIONS", "related"]

Mask = NDArray[np.bool_]
Array = NDArray[np.float64]

CLEAR_M, CLEAR_DEG = 0.5, 2.0
"""Between the outlines of both, so that one is clear of the other."""
ABEAM_DEG = 60.0
"""Up to here from straight ahead, sides are those of the images of front cameras, too."""
IN_LINE_M = 2.0
"""Centres that are farther apart across are not surely in front of, or behind, each other."""

RELATIONS = {"left-of": 1.0, "right-of": -1.0, "in-front-of": 1.0, "in-back-of": -1.0}
"""Kinds, and in which direction of an axis (left, or ahead) they lie."""
_ACROSS = ("left-of", "right-of")
_WITHOUT_FRONT = ("movable_object", "static_object")
"""How categories begin whose boxes have no front of their own."""


class _Pairs(NamedTuple):
    """Places of things, those of one kind against those of another, each of shape (n, 1, f) or (1, m, f)."""

    x_m: Array
    y_m: Array
    ego_x_m: Array
    ego_y_m: Array
    yaw_rad: Array
    reach_m: Array
    has_front: Mask


def related(layout: Layout, claim: Claim, span: Span, *, complete: bool) -> bool | None:
    """Whether one thing lies so of another; null where it cannot be told, or one is not there.

    It does where one of its kind surely lies so of all that may be the other, or, of a known one, all do; it does not
    where none of all that may be meant do.
    """
    if claim.other is None or not complete or claim.narrowed:
        return None
    mine, theirs = shown(layout, claim), shown(layout, Claim(kind="presence", subject=claim.other))
    if not (mine.sure[:, span.own].any(axis=0) & theirs.sure[:, span.own].any(axis=0)).all():
        return None
    frames = span.widened(layout.frames)
    own, others = (np.flatnonzero(at.possible[:, frames].any(axis=1)) for at in (mine, theirs))
    meant = mine.possible[own, frames][:, None] & theirs.possible[others, frames][None]
    meant &= (own[:, None] != others[None])[:, :, None]
    if not meant.any(axis=(0, 1)).all():
        return None
    one, other = _places(layout, own, frames, 1), _places(layout, others, frames, 0)
    sign = RELATIONS[claim.kind]
    gaps = _gaps_across(one, other) if claim.kind in _ACROSS else _gaps_along(one, other)
    surely, surely_not = gaps.at_least(sign), gaps.at_least(-sign)
    if claim.kind not in _ACROSS:
        surely &= np.abs(one.ego_y_m - other.ego_y_m) <= IN_LINE_M
    if (surely_not | ~meant).all():
        return False
    of_all = np.all(surely | ~meant, axis=(1, 2)) & np.all(meant.any(axis=1), axis=1)
    if claim.definite:
        return True if of_all.all() else None
    return True if (of_all & mine.sure[own, span.own].all(axis=1)).any() else None


class _Gaps(NamedTuple):
    """How far one of each pair lies in the direction of an axis, in each sense, and what both outlines take of it.

    Attributes:
        distances: Metres or radians, each of shape (n, m, f).
        outlines: Of the same unit, with what has to lie between them.
        where: Pairs of which the senses are told at all.
    """

    distances: tuple[Array, ...]
    outlines: tuple[Array, ...]
    where: Mask

    def at_least(self, sign: float) -> Mask:
        """Whether one lies clear of the other in this direction, in every sense."""
        clear = [sign * distance >= outline for distance, outline in zip(self.distances, self.outlines, strict=True)]
        return np.asarray(self.where & np.logical_and.reduce(clear))


def _gaps_across(one: _Pairs, other: _Pairs) -> _Gaps:
    outlines = one.reach_m + other.reach_m + CLEAR_M
    (bearing, half), (bearing_other, half_other) = _seen(one), _seen(other)
    angles = half + half_other + np.radians(CLEAR_DEG)
    across = one.ego_y_m - other.ego_y_m
    _, own = _in_its_axes(one, other)
    where = _is_ahead(one, bearing) & _is_ahead(other, bearing_other)
    own = np.where(other.has_front, own, across)
    return _Gaps((across, bearing - bearing_other, own), (outlines, angles, outlines), where)


def _gaps_along(one: _Pairs, other: _Pairs) -> _Gaps:
    outlines = one.reach_m + other.reach_m + CLEAR_M
    along = one.ego_x_m - other.ego_x_m
    nearer = np.hypot(other.ego_x_m, other.ego_y_m) - np.hypot(one.ego_x_m, one.ego_y_m)
    own, _ = _in_its_axes(one, other)
    own = np.where(other.has_front, own, along)
    return _Gaps((along, nearer, own), (outlines,) * 3, np.ones(along.shape, dtype=np.bool_))


def _in_its_axes(one: _Pairs, other: _Pairs) -> tuple[Array, Array]:
    """Ahead and to the left of the other, in its own frame."""
    x, y = one.x_m - other.x_m, one.y_m - other.y_m
    cos, sin = np.cos(other.yaw_rad), np.sin(other.yaw_rad)
    return x * cos + y * sin, y * cos - x * sin


def _seen(things: _Pairs) -> tuple[Array, Array]:
    """Bearing, and half of the angle that an outline takes at most, radians."""
    ranges = np.maximum(np.hypot(things.ego_x_m, things.ego_y_m), 1e-6)
    return np.arctan2(things.ego_y_m, things.ego_x_m), np.arcsin(np.minimum(things.reach_m / ranges, 1.0))


def _is_ahead(things: _Pairs, bearing_rad: Array) -> Mask:
    ahead = things.ego_x_m - things.reach_m > 0
    return np.asarray(ahead & (np.abs(bearing_rad) <= np.radians(ABEAM_DEG)))


def _places(layout: Layout, rows: NDArray[np.int64], frames: slice, axis: int) -> _Pairs:
    """Things along the first axis of pairs, where `axis` 1 is added, or along the second, where 0 is."""
    paths = layout.paths.of(rows, frames.start, frames.stop - 1)
    names = [layout.categories[row] for row in rows.tolist()]
    has_front = np.array([not name.startswith(_WITHOUT_FRONT) for name in names], dtype=np.bool_)
    return _Pairs(
        x_m=np.expand_dims(paths.x_m, axis),
        y_m=np.expand_dims(paths.y_m, axis),
        ego_x_m=np.expand_dims(paths.ego_x_m, axis),
        ego_y_m=np.expand_dims(paths.ego_y_m, axis),
        yaw_rad=np.expand_dims(paths.yaw_rad, axis),
        reach_m=np.expand_dims(layout.reach_m[rows][:, None], axis),
        has_front=np.expand_dims(has_front[:, None], axis),
    )
