"""Where things are around the ego vehicle: surely, and possibly, in the words of a sentence.

People and models draw these borders differently: a car ahead in the next lane is `ahead` to one and `front-left` to
another. What all of them would say is sure; what any of them may say is possible.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from probe4d.benchmarks.b4dl.claims.claim import Claim, PlaceName
from probe4d.benchmarks.b4dl.claims.layout import Layout
from probe4d.scenes.ego_vehicle import EGO_FRONT_M
from probe4d.scenes.geometry import bearing_deg

__all__ = ["AHEAD_DEG", "distances_m", "in_place", "in_reach"]

Mask = NDArray[np.bool_]
Array = NDArray[np.float64]

AHEAD_DEG = 30.0
"""Up to here from straight ahead (or behind) a thing is surely ahead (or behind), and beyond it surely to a side."""
CLEAR_M = 4.0
"""So far ahead of the rear axle, or behind it, a thing surely is ahead or behind."""
IN_WAY_M = 7.0
"""What is farther aside is not surely ahead or behind, however far off: two lanes."""
ASIDE_M = 3.0
"""So far to a side a thing surely is at that side: beyond the ego vehicle's lane."""
BEYOND_M = 1.0
"""An outline that reaches less than so far past the middle of the ego vehicle may still be said to lie on this side."""
REAR_VIEW_DEG = 70.0
"""The rear cameras see from here on; what they show may be said to be behind."""
DISTANCE_PART, DISTANCE_M = 0.1, 1.0
"""Of a distance that is named, and at least so much, is grey on either side."""

_SCENES_AT_ONCE = 2


@lru_cache(maxsize=_SCENES_AT_ONCE * 9)
def in_place(layout: Layout, place: PlaceName | None) -> tuple[Mask, Mask]:
    """Where things surely are at a place, and where they may be, each of shape (n, f)."""
    if place is None:
        return layout.annotated, layout.annotated
    x, y = layout.paths.ego_x_m, layout.paths.ego_y_m
    bearing, reach = bearing_deg(x, y), layout.reach_m[:, None]
    in_way = np.abs(y) <= IN_WAY_M
    side = np.abs(np.abs(bearing) - 90.0) <= 90.0 - AHEAD_DEG
    possible = {
        "front": x + reach > -BEYOND_M,
        "back": (x - reach < BEYOND_M) | (np.abs(bearing) >= REAR_VIEW_DEG),
        "left": y + reach > -BEYOND_M,
        "right": y - reach < BEYOND_M,
    }
    sure = {
        "front": in_way & (np.abs(bearing) <= AHEAD_DEG) & (x >= CLEAR_M),
        "back": in_way & (np.abs(bearing) >= 180.0 - AHEAD_DEG) & (x <= -CLEAR_M),
        "left": side & (y >= ASIDE_M),
        "right": side & (y <= -ASIDE_M),
    }
    if place in sure:
        return sure[place], possible[place]
    along, across = place.split("-")
    between = np.abs(np.abs(bearing) - (45.0 if along == "front" else 135.0)) <= 45.0 - AHEAD_DEG
    return sure[across] & between, possible[along] & possible[across]


@lru_cache(maxsize=_SCENES_AT_ONCE)
def distances_m(layout: Layout) -> tuple[Array, Array]:
    """How far things at least and at most are from the ego vehicle, however it is measured, each of shape (n, f).

    From outline to outline it is less than from the ego origin to a centre.
    """
    most = layout.paths.range_m
    return np.maximum(most - layout.reach_m[:, None] - EGO_FRONT_M, 0.0), most


def in_reach(layout: Layout, claim: Claim) -> tuple[Mask, Mask]:
    """Where things surely are, and may be, as near or as far as a claim says, each of shape (n, f)."""
    limit = claim.distance_m or 0.0
    grey = max(DISTANCE_M, DISTANCE_PART * limit)
    least, most = distances_m(layout)
    if claim.kind == "within":
        return most <= limit - grey, least <= limit + grey
    return least >= limit + grey, most >= limit - grey
