"""How things move: what each of them surely does over some frames, and what it surely does not.

Between the two lies what nobody should be accused for: a car that comes nearer by two metres approaches to one, and
keeps its distance to another. `surely` is measured over the frames themselves, `surely not` with the frame before and
the one after.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from probe4d.benchmarks.b4dl.claims import thresholds
from probe4d.benchmarks.b4dl.claims.claim import Kind
from probe4d.benchmarks.b4dl.claims.layout import Paths

__all__ = ["LASTING", "MOTIONS", "Motion", "Moving"]

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]


class Moving(NamedTuple):
    """What moves.

    Attributes:
        own: Over the frames themselves.
        wide: With the frame before and the one after.
        ego: The ego vehicle over the frames themselves.
        wide_ego: With the frame before and the one after.
        reach_m: Half the diagonal of each outline.
        by_pose: Whether it is the ego vehicle itself, whose poses do not tremble.
    """

    own: Paths
    wide: Paths
    ego: Paths
    wide_ego: Paths
    reach_m: Array
    by_pose: bool


Motion = tuple[Mask, Mask]
"""Which surely do, and which surely do not, each of shape (n,)."""


def _rise(values: Array) -> Array:
    """The most that values rise from one frame to any later one."""
    return np.asarray(np.fmax.reduce(values - np.fmin.accumulate(values, axis=1), axis=1))


def _net(values: Array) -> Array:
    return np.asarray(values[:, -1] - values[:, 0])


def _spread(values: Array) -> Array:
    return np.asarray(np.fmax.reduce(values, axis=1) - np.fmin.reduce(values, axis=1))


def _extent_m(paths: Paths) -> Array:
    """How far apart the places of each are, at most."""
    return np.asarray(np.hypot(_spread(paths.x_m), _spread(paths.y_m)))


def _turned_deg(paths: Paths) -> Array:
    """Heading in degrees, counter-clockwise."""
    return np.asarray(np.degrees(paths.yaw_rad))


def _aside_m(paths: Paths, ego: Paths) -> Array:
    """Place to the left of the ego vehicle's way, in its frame at the first key frame: what the thing itself does."""
    yaw = ego.yaw_rad[0, 0]
    aside: Array = np.cos(yaw) * (paths.y_m - ego.y_m[0, 0]) - np.sin(yaw) * (paths.x_m - ego.x_m[0, 0])
    return aside


def _own_share_m(paths: Paths, ego: Paths) -> Array:
    """How much farther from the ego vehicle the thing's own motion takes it, in metres."""
    away_x, away_y = (paths.x_m - ego.x_m)[:, :-1], (paths.y_m - ego.y_m)[:, :-1]
    step_x, step_y = paths.steps_m
    distance = np.maximum(np.hypot(away_x, away_y), np.finfo(np.float64).tiny)
    return np.asarray(np.nansum((step_x * away_x + step_y * away_y) / distance, axis=1))


def _approaches(moving: Moving) -> Motion:
    closer, surely_not = _nears(moving)
    return closer & (_own_share_m(moving.own, moving.ego) <= -thresholds.SHARE_M), surely_not


def _nears(moving: Moving) -> Motion:
    distance = moving.own.range_m
    surely = (_net(distance) <= -thresholds.RANGE_M) & (_rise(distance) <= thresholds.RANGE_BACK_M)
    return surely, _rise(-moving.wide.range_m) < thresholds.RANGE_NOT_M


def _recedes(moving: Moving) -> Motion:
    farther, surely_not = _gets_farther(moving)
    return farther & (_own_share_m(moving.own, moving.ego) >= thresholds.SHARE_M), surely_not


def _gets_farther(moving: Moving) -> Motion:
    distance = moving.own.range_m
    surely = (_net(distance) >= thresholds.RANGE_M) & (_rise(-distance) <= thresholds.RANGE_BACK_M)
    return surely, _rise(moving.wide.range_m) < thresholds.RANGE_NOT_M


def _keeps(moving: Moving) -> Motion:
    spread = _spread(moving.own.range_m)
    if moving.own.range_m.shape[1] < thresholds.FEWEST_FRAMES:
        return np.zeros(len(spread), dtype=bool), np.zeros(len(spread), dtype=bool)
    return spread <= thresholds.KEEPS_M, spread >= thresholds.KEEPS_NOT_M


def _still(paths: Paths, moving: Moving) -> Mask:
    """Whether each stays in one place, and could not have crept on slowly in so short a time."""
    limit = thresholds.EGO_STILL_M if moving.by_pose else thresholds.STILL_M
    crept = thresholds.STANDS_MPS * (paths.times_s[-1] - paths.times_s[0])
    return np.asarray(_extent_m(paths) < np.minimum(limit, crept))


def _moves(moving: Moving) -> Motion:
    slowest = np.fmin.reduce(moving.own.speed_mps, axis=1)
    return (slowest >= thresholds.MOVES_MPS) & (_extent_m(moving.own) >= thresholds.MOVED_M), _still(
        moving.wide, moving
    )


def _stands(moving: Moving) -> Motion:
    surely_moves, _ = _moves(moving)
    return _still(moving.own, moving), surely_moves


def _stays(moving: Moving) -> Motion:
    surely, _ = _stands(moving)
    return surely, _extent_m(moving.own) >= thresholds.STAYS_NOT_M


def _stops(moving: Moving) -> Motion:
    speed = moving.own.speed_mps
    surely = (speed[:, 0] >= thresholds.FAST_MPS) & (speed[:, -1] <= thresholds.STANDS_MPS)
    return surely, np.fmin.reduce(moving.wide.speed_mps, axis=1) >= thresholds.MOVES_MPS


def _starts(moving: Moving) -> Motion:
    speed, wide = moving.own.speed_mps, moving.wide.speed_mps
    surely = (speed[:, 0] <= thresholds.STANDS_MPS) & (speed[:, -1] >= thresholds.FAST_MPS)
    always = np.fmin.reduce(wide, axis=1) >= thresholds.MOVES_MPS
    return surely, always | _moves(moving)[1]


def _accelerates(moving: Moving) -> Motion:
    return _gains(moving, 1.0)


def _slows(moving: Moving) -> Motion:
    return _gains(moving, -1.0)


def _gains(moving: Moving, sign: float) -> Motion:
    speed = sign * moving.own.speed_mps
    least = thresholds.EGO_GAIN_NOT_MPS if moving.by_pose else thresholds.GAIN_NOT_MPS
    surely = (_net(speed) >= thresholds.GAIN_MPS) & (_rise(-speed) <= thresholds.GAIN_BACK_MPS)
    return surely, _rise(sign * moving.wide.speed_mps) < least


def _turns_left(moving: Moving) -> Motion:
    return _turns_towards(moving, 1.0)


def _turns_right(moving: Moving) -> Motion:
    return _turns_towards(moving, -1.0)


def _turns_towards(moving: Moving, sign: float) -> Motion:
    surely = (sign * _net(_turned_deg(moving.own)) >= thresholds.TURN_DEG) & (
        _extent_m(moving.own) >= thresholds.MOVED_M
    )
    least = thresholds.EGO_TURN_NOT_DEG if moving.by_pose else thresholds.TURN_NOT_DEG
    return surely, _rise(sign * _turned_deg(moving.wide)) < least


def _turns(moving: Moving) -> Motion:
    return _either(_turns_left(moving), _turns_right(moving))


def _straight(moving: Moving) -> Motion:
    turned = _turned_deg(moving.own)
    surely = (_spread(turned) <= thresholds.STRAIGHT_DEG) & (_extent_m(moving.own) >= thresholds.MOVED_M)
    return surely, (np.abs(_net(turned)) >= thresholds.TURN_DEG) | _moves(moving)[1]


def _reverses(moving: Moving) -> Motion:
    stands = _moves(moving)[1]
    if not moving.by_pose:  # boxes are annotated the wrong way round now and then
        return np.zeros_like(stands), stands
    along = [_along_m(paths) for paths in (moving.own, moving.wide)]
    back = (along[0].sum(axis=1) <= -thresholds.MOVED_M) & (along[0] <= 0).all(axis=1)
    return back, np.asarray((along[1] >= -thresholds.BACK_NOT_M).all(axis=1))


def _along_m(paths: Paths) -> Array:
    """Way along the heading from each frame to the next."""
    step_x, step_y = paths.steps_m
    yaw = paths.yaw_rad[:, :-1]
    return np.asarray(np.cos(yaw) * step_x + np.sin(yaw) * step_y)


def _overtakes(moving: Moving) -> Motion:
    past, surely_not = _gets_past(moving, 1.0)
    return past & _both_along(moving), surely_not


def _is_overtaken(moving: Moving) -> Motion:
    past, surely_not = _gets_past(moving, -1.0)
    return past & _both_along(moving), surely_not


def _both_along(moving: Moving) -> Mask:
    """Whether thing and ego vehicle both go along the way of the ego vehicle: who stands or comes is not overtaken."""
    yaw = moving.ego.yaw_rad[0, 0]
    ahead = np.cos(yaw) * _net(moving.own.x_m) + np.sin(yaw) * _net(moving.own.y_m)
    return np.asarray((ahead >= thresholds.MOVED_M) & (_extent_m(moving.ego) >= thresholds.MOVED_M))


def _falls_behind(moving: Moving) -> Motion:
    return _gets_past(moving, -1.0)


def _gets_past(moving: Moving, sign: float) -> Motion:
    """From behind to ahead of the ego vehicle, or with a sign of -1 from ahead to behind."""
    along, wide = moving.own.ego_x_m, moving.wide.ego_x_m
    before, after = (along[:, 0], along[:, -1]) if sign > 0 else (along[:, -1], along[:, 0])
    beside = np.fmax.reduce(np.abs(moving.own.ego_y_m), axis=1) <= thresholds.PASS_ASIDE_M
    straight = np.abs(_net(_turned_deg(moving.ego))) < thresholds.TURN_DEG
    behind, ahead = (
        before + moving.reach_m <= -thresholds.PAST_BEHIND_M,
        after - moving.reach_m >= thresholds.PAST_AHEAD_M,
    )
    surely = behind & ahead & beside & straight
    never_beside = (np.fmin.reduce(wide, axis=1) - moving.reach_m > thresholds.BESIDE_AHEAD_M) | (
        np.fmax.reduce(wide, axis=1) + moving.reach_m < -thresholds.BESIDE_BEHIND_M
    )
    return surely, (_rise(sign * wide) < thresholds.PASS_NOT_M) | never_beside


def _passes(moving: Moving) -> Motion:
    past, surely_not = _either(_gets_past(moving, 1.0), _gets_past(moving, -1.0))
    return past & (_extent_m(moving.own) >= thresholds.MOVED_M), surely_not


def _either(one: Motion, other: Motion) -> Motion:
    return one[0] | other[0], one[1] & other[1]


def _moves_left(moving: Moving) -> Motion:
    return _goes_aside(moving, 1.0)


def _moves_right(moving: Moving) -> Motion:
    return _goes_aside(moving, -1.0)


def _goes_aside(moving: Moving, sign: float) -> Motion:
    """Sideways, both as the ego vehicle sees it and over ground."""
    seen, over_ground = sign * moving.own.ego_y_m, sign * _aside_m(moving.own, moving.ego)
    surely = (_net(seen) >= thresholds.ASIDE_M) & (_net(over_ground) >= thresholds.ASIDE_M)
    wide = _rise(sign * moving.wide.ego_y_m), _rise(sign * _aside_m(moving.wide, moving.wide_ego))
    return surely, (wide[0] < thresholds.ASIDE_NOT_M) & (wide[1] < thresholds.ASIDE_NOT_M)


def _crosses_leftwards(moving: Moving) -> Motion:
    return _crosses_towards(moving, 1.0)


def _crosses_rightwards(moving: Moving) -> Motion:
    return _crosses_towards(moving, -1.0)


def _crosses_towards(moving: Moving, sign: float) -> Motion:
    surely, surely_not = _goes_aside(moving, sign)
    across = sign * moving.own.ego_y_m
    ahead = np.fmin.reduce(moving.own.ego_x_m, axis=1) > thresholds.BESIDE_AHEAD_M
    return surely & ahead & (across[:, 0] <= -thresholds.ACROSS_M) & (across[:, -1] >= thresholds.ACROSS_M), surely_not


def _crosses(moving: Moving) -> Motion:
    surely, surely_not = _either(_crosses_leftwards(moving), _crosses_rightwards(moving))
    across = moving.wide.ego_y_m
    one_side = (np.fmin.reduce(across, axis=1) - moving.reach_m > thresholds.ACROSS_NOT_M) | (
        np.fmax.reduce(across, axis=1) + moving.reach_m < -thresholds.ACROSS_NOT_M
    )
    return surely, surely_not | one_side


LASTING = ("moves", "stands", "parked", "keeps-distance", "straight")
"""Kinds that are sure of every step of some frames where they are sure of the whole."""

MOTIONS: dict[Kind | str, Callable[[Moving], Motion]] = {
    "approaches": _approaches,
    "nears": _nears,
    "recedes": _recedes,
    "gets-farther": _gets_farther,
    "keeps-distance": _keeps,
    "moves": _moves,
    "stands": _stands,
    "stays": _stays,
    "parked": _stands,
    "stops": _stops,
    "starts": _starts,
    "accelerates": _accelerates,
    "slows": _slows,
    "turns-left": _turns_left,
    "turns-right": _turns_right,
    "turns": _turns,
    "straight": _straight,
    "reverses": _reverses,
    "overtakes": _overtakes,
    "is-overtaken": _is_overtaken,
    "falls-behind": _falls_behind,
    "passes": _passes,
    "moves-left": _moves_left,
    "moves-right": _moves_right,
    "crosses-leftwards": _crosses_leftwards,
    "crosses-rightwards": _crosses_rightwards,
    "crosses": _crosses,
}
"""What is measured of each kind of claim about motion; `stays` is a stand that is said to last."""
