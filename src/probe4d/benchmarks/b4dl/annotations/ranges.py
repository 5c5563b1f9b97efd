"""How the range of an object changes, and through whom: an object that stands does not approach who drives at it."""

from __future__ import annotations

import numpy as np
import polars as pl

from probe4d.benchmarks.b4dl.annotations.found import chosen, found
from probe4d.benchmarks.b4dl.annotations.thresholds import (
    DIRECTION_DEG,
    EGO_SHARE,
    KEEP_CHANGE_M,
    KEEP_MPS,
    KEEP_RADIUS_M,
    KEEP_STEPS,
    OBJECT_SHARE,
    RANGE_CHANGE_M,
    RANGE_RATE_MPS,
    RANGE_STEPS,
    SHARE_M,
)
from probe4d.benchmarks.b4dl.annotations.tracks import Tracks
from probe4d.benchmarks.b4dl.annotations.ways import Array, Flags, Runs, rates_of, runs_of

__all__ = ["changes_of_range", "kept_distances"]


def changes_of_range(tracks: Tracks) -> pl.DataFrame:
    """Ranges that shrink or grow: approaches, comes-nearer, recedes and is-left-behind."""
    rates = rates_of(tracks.ranges_m, tracks.way.times_s)
    return pl.concat([_shrinking_or_growing(tracks, rates, sign) for sign in (1, -1)])


def _shrinking_or_growing(tracks: Tracks, rates: Array, sign: int) -> pl.DataFrame:
    """Of runs with a range that shrinks (1) or grows (-1), those whose cause is clear."""
    runs = runs_of(-sign * rates >= RANGE_RATE_MPS)
    change = -sign * runs.gain(tracks.ranges_m)
    is_told = (runs.steps >= RANGE_STEPS) & (change >= RANGE_CHANGE_M)
    runs, change = runs.where(is_told), change[is_told]
    by_object, by_ego = (sign * runs.gain(nearer) for nearer in tracks.nearer_m)
    object_leads = (by_object >= SHARE_M) & (by_object >= OBJECT_SHARE * runs.gain(tracks.lengths_m))
    ego_leads = (by_ego >= SHARE_M) & ~object_leads & (by_ego >= change / 2)
    ego_is_straight = by_ego >= EGO_SHARE * runs.gain(tracks.ego.lengths_m)
    against = (by_object <= -SHARE_M) & ego_is_straight & _goes_along(tracks, runs)
    ego_words = [
        (runs.all_of(tracks.ego.stands), "standing"),
        ((by_ego >= SHARE_M) & ego_is_straight, "with"),
        (by_ego <= -SHARE_M, "against"),
    ]
    ego_does = chosen(ego_words, "")
    own, driven = _WORDS[sign]
    own_words = chosen([(ego_does == key, words) for key, words in own.items()], own[""])
    driven_words = chosen([(against, driven["against"]), (ego_is_straight, driven["straight"])], driven["on"])
    events = ("approaches", "comes-nearer") if sign == 1 else ("recedes", "is-left-behind")
    return pl.concat(
        [
            found(runs.where(case), event, words[case], "sector")
            for case, event, words in zip((object_leads, ego_leads), events, (own_words, driven_words), strict=True)
        ]
    )


def _goes_along(tracks: Tracks, runs: Runs) -> Flags:
    """Whether objects go the way that the ego vehicle goes."""
    ways = [runs.gain(np.nan_to_num(motions.way.places_m)) for motions in (tracks, tracks.ego)]
    along = (ways[0] * ways[1]).sum(axis=1)
    lengths = [np.hypot(way[:, 0], way[:, 1]) for way in ways]
    same: Flags = along >= np.cos(np.radians(DIRECTION_DEG)) * lengths[0] * lengths[1]
    return same


_WORDS = {
    1: (
        {
            "standing": "approaches the standing ego vehicle",
            "with": "approaches the ego vehicle, which drives towards it,",
            "against": "approaches the ego vehicle, which drives away from it,",
            "": "approaches the ego vehicle",
        },
        {
            "against": "comes nearer as the ego vehicle catches up with it",
            "straight": "comes nearer as the ego vehicle drives towards it",
            "on": "comes nearer as the ego vehicle drives on",
        },
    ),
    -1: (
        {
            "standing": "moves away from the standing ego vehicle",
            "with": "moves away from the ego vehicle, which drives away from it,",
            "against": "moves away from the ego vehicle, which drives towards it,",
            "": "moves away from the ego vehicle",
        },
        {
            "against": "falls back as the ego vehicle drives away from it",
            "straight": "is left behind as the ego vehicle drives away from it",
            "on": "is left behind as the ego vehicle drives on",
        },
    ),
}
"""What is said of an object that moves by itself, by what the ego vehicle does, and of one that does not."""


def kept_distances(tracks: Tracks) -> pl.DataFrame:
    """Objects that move as the ego vehicle does, so that they keep their place in its frame."""
    times, places = tracks.way.times_s, tracks.ego_places_m
    relative = rates_of(places, times)
    calm = np.hypot(relative[..., 0], relative[..., 1]) <= KEEP_MPS
    runs = runs_of(tracks.moves & tracks.ego.moves & calm)
    runs = runs.where(runs.steps >= KEEP_STEPS)
    along = runs.along(places)
    means = np.nansum(along, axis=1) / (runs.steps + 1)[:, None]
    apart = along - means[:, None]
    spread = np.fmax.reduce(np.hypot(apart[..., 0], apart[..., 1]), axis=1, initial=0.0)
    ranges = runs.along(tracks.ranges_m)
    steady = np.fmax.reduce(ranges, axis=1) - np.fmin.reduce(ranges, axis=1) <= KEEP_CHANGE_M
    return found(
        runs.where((spread <= KEEP_RADIUS_M) & steady),
        "keeps-distance",
        "keeps its distance from the ego vehicle",
        "sector",
    )
