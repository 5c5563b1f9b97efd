"""What a claim about motion needs of the thing that it rests on: of one that surely does it, and of one that does not.

What is needed may be less than what the rules ask for: a claim that fails it is wrong, one that meets it may be so.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np

from probe4d.benchmarks.b4dl.audit.drive import Array, Way
from probe4d.benchmarks.b4dl.claims import thresholds

__all__ = ["MOTIONS", "Moving", "may_do", "may_not_do"]

_BORDER = 1e-6
"""What lies so near to a line may be on either side of it."""


class Moving(NamedTuple):
    """A thing, or the ego vehicle, over the frames of a claim.

    Attributes:
        own: Over the frames themselves.
        wide: With the frame before and the one after.
        is_ego: Whether it is the ego vehicle.
    """

    own: Way
    wide: Way
    is_ego: bool


Needs = Callable[[Moving], bool]


def may_do(claim: str, moving: Moving) -> bool:
    """Whether it may be said that a thing surely does what a claim says."""
    return MOTIONS[claim][0](moving)


def may_not_do(claim: str, moving: Moving) -> bool:
    """Whether it may be said that a thing surely does not do what a claim says."""
    return MOTIONS[claim][1](moving)


def _gain(values: Array) -> float:
    """From the first value to the last that there are."""
    known = values[~np.isnan(values)]
    return float(known[-1] - known[0]) if len(known) else 0.0


def _rise(values: Array) -> float:
    """The most that a value lies above an earlier one."""
    known = values[~np.isnan(values)]
    return max((float((known[later:] - known[: len(known) - later]).max()) for later in range(len(known))), default=0.0)


def _nears(moving: Moving) -> bool:
    return _gain(moving.own.range_m) <= -thresholds.RANGE_M + _BORDER


def _nears_not(moving: Moving) -> bool:
    return _rise(-moving.wide.range_m) < thresholds.RANGE_NOT_M + _BORDER


def _recedes(moving: Moving) -> bool:
    return _gain(moving.own.range_m) >= thresholds.RANGE_M - _BORDER


def _recedes_not(moving: Moving) -> bool:
    return _rise(moving.wide.range_m) < thresholds.RANGE_NOT_M + _BORDER


def _spread(values: Array) -> float:
    known = values[~np.isnan(values)]
    return float(np.ptp(known)) if len(known) else np.nan


def _keeps(moving: Moving) -> bool:
    return _spread(moving.own.range_m) <= thresholds.KEEPS_M + _BORDER


def _keeps_not(moving: Moving) -> bool:
    return _spread(moving.own.range_m) >= thresholds.KEEPS_NOT_M - _BORDER


def _still(way: Way, *, is_ego: bool) -> bool:
    limit = thresholds.EGO_STILL_M if is_ego else thresholds.STILL_M
    return way.extent_m < limit + _BORDER


def _slowest_mps(way: Way) -> float:
    speeds = way.speed_mps
    return float(np.nanmin(speeds)) if (~np.isnan(speeds)).any() else np.nan


def _moves(moving: Moving) -> bool:
    return (
        _slowest_mps(moving.own) >= thresholds.MOVES_MPS - _BORDER
        and moving.own.extent_m >= thresholds.MOVED_M - _BORDER
    )


def _moves_not(moving: Moving) -> bool:
    return _still(moving.wide, is_ego=moving.is_ego)


def _stands(moving: Moving) -> bool:
    return _still(moving.own, is_ego=moving.is_ego)


def _stands_not(moving: Moving) -> bool:
    return _moves(moving) or moving.own.extent_m >= thresholds.STAYS_NOT_M - _BORDER


def _stops(moving: Moving) -> bool:
    speeds = moving.own.speed_mps
    return bool(speeds[0] >= thresholds.FAST_MPS - _BORDER and speeds[-1] <= thresholds.STANDS_MPS + _BORDER)


def _stops_not(moving: Moving) -> bool:
    return _slowest_mps(moving.wide) >= thresholds.MOVES_MPS - _BORDER


def _starts(moving: Moving) -> bool:
    speeds = moving.own.speed_mps
    return bool(speeds[0] <= thresholds.STANDS_MPS + _BORDER and speeds[-1] >= thresholds.FAST_MPS - _BORDER)


def _starts_not(moving: Moving) -> bool:
    return _stops_not(moving) or _moves_not(moving)


def _gains(sign: float) -> Needs:
    return lambda moving: sign * _gain(moving.own.speed_mps) >= thresholds.GAIN_MPS - _BORDER


def _gains_not(sign: float) -> Needs:
    def needs(moving: Moving) -> bool:
        least = thresholds.EGO_GAIN_NOT_MPS if moving.is_ego else thresholds.GAIN_NOT_MPS
        return _rise(sign * moving.wide.speed_mps) < least + _BORDER

    return needs


def _headings_deg(way: Way) -> Array:
    """Heading, without jumps, where there is one."""
    known: Array = way.heading[~np.isnan(way.heading)]
    turned: Array = np.degrees(np.unwrap(known))
    return turned


def _turns(sign: float) -> Needs:
    def needs(moving: Moving) -> bool:
        return sign * _gain(_headings_deg(moving.own)) >= thresholds.TURN_DEG - _BORDER

    return needs


def _turns_not(sign: float) -> Needs:
    def needs(moving: Moving) -> bool:
        least = thresholds.EGO_TURN_NOT_DEG if moving.is_ego else thresholds.TURN_NOT_DEG
        return _rise(sign * _headings_deg(moving.wide)) < least + _BORDER

    return needs


def _straight(moving: Moving) -> bool:
    return _spread(_headings_deg(moving.own)) <= thresholds.STRAIGHT_DEG + _BORDER and moving.own.extent_m > 0


def _straight_not(moving: Moving) -> bool:
    turned = abs(_gain(_headings_deg(moving.own))) >= thresholds.TURN_DEG - _BORDER
    return turned or _moves_not(moving)


def _along_m(way: Way) -> Array:
    """Steps along the heading."""
    steps: Array = (np.diff(way.place) * np.exp(-1j * way.heading[:-1])).real
    return steps


def _reverses(moving: Moving) -> bool:
    return moving.is_ego and float(np.nansum(_along_m(moving.own))) <= -thresholds.MOVED_M + _BORDER


def _reverses_not(moving: Moving) -> bool:
    if not moving.is_ego:
        return _moves_not(moving)
    return bool((_along_m(moving.wide) >= -thresholds.BACK_NOT_M - _BORDER).all())


def _gets_past(sign: float) -> Needs:
    def needs(moving: Moving) -> bool:
        along = sign * moving.own.seen_at.real
        return bool(along[0] < 0 < along[-1])

    return needs


def _goes_aside(sign: float) -> Needs:
    return lambda moving: sign * _gain(moving.own.seen_at.imag) >= thresholds.ASIDE_M - _BORDER


def _goes_aside_not(sign: float) -> Needs:
    return lambda moving: _rise(sign * moving.wide.seen_at.imag) < thresholds.ASIDE_NOT_M + _BORDER


def _crosses(sign: float) -> Needs:
    def needs(moving: Moving) -> bool:
        across = sign * moving.own.seen_at.imag
        return bool(across[0] <= -thresholds.ACROSS_M + _BORDER and across[-1] >= thresholds.ACROSS_M - _BORDER)

    return needs


def _either(*of: Needs) -> Needs:
    return lambda moving: any(needs(moving) for needs in of)


def _both(*of: Needs) -> Needs:
    return lambda moving: all(needs(moving) for needs in of)


def _anything(_: Moving) -> bool:
    return True


_LEFT, _RIGHT = 1.0, -1.0

MOTIONS: Mapping[str, tuple[Needs, Needs]] = {
    "approaches": (_nears, _nears_not),
    "nears": (_nears, _nears_not),
    "recedes": (_recedes, _recedes_not),
    "gets-farther": (_recedes, _recedes_not),
    "keeps-distance": (_keeps, _keeps_not),
    "moves": (_moves, _moves_not),
    "stands": (_stands, _stands_not),
    "parked": (_stands, _stands_not),
    "stops": (_stops, _stops_not),
    "starts": (_starts, _starts_not),
    "accelerates": (_gains(1.0), _gains_not(1.0)),
    "slows": (_gains(-1.0), _gains_not(-1.0)),
    "turns-left": (_turns(_LEFT), _turns_not(_LEFT)),
    "turns-right": (_turns(_RIGHT), _turns_not(_RIGHT)),
    "turns": (_either(_turns(_LEFT), _turns(_RIGHT)), _both(_turns_not(_LEFT), _turns_not(_RIGHT))),
    "straight": (_straight, _straight_not),
    "reverses": (_reverses, _reverses_not),
    "overtakes": (_gets_past(1.0), _anything),
    "falls-behind": (_gets_past(-1.0), _anything),
    "is-overtaken": (_gets_past(-1.0), _anything),
    "passes": (_either(_gets_past(1.0), _gets_past(-1.0)), _anything),
    "moves-left": (_goes_aside(_LEFT), _goes_aside_not(_LEFT)),
    "moves-right": (_goes_aside(_RIGHT), _goes_aside_not(_RIGHT)),
    "crosses-leftwards": (_crosses(_LEFT), _goes_aside_not(_LEFT)),
    "crosses-rightwards": (_crosses(_RIGHT), _goes_aside_not(_RIGHT)),
    "crosses": (_either(_crosses(_LEFT), _crosses(_RIGHT)), _anything),
}
"""By the claim, what is needed of a thing that surely does it, and of one that surely does not."""
