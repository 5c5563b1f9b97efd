"""What gets past what: objects that pass, overtake, are passed, and cross."""

from __future__ import annotations

import numpy as np
import polars as pl

from probe4d.benchmarks.b4dl.annotations.found import chosen, found
from probe4d.benchmarks.b4dl.annotations.thresholds import (
    CROSS_ASIDE_M,
    CROSS_CLEAR_M,
    CROSS_REACH_M,
    CROSS_SHARE,
    DIRECTION_DEG,
    MOVED_M,
    PASS_ASIDE_M,
    PASS_BESIDE_M,
    PASS_SHARE,
    STEADY_DEG,
)
from probe4d.benchmarks.b4dl.annotations.tracks import Tracks
from probe4d.benchmarks.b4dl.annotations.ways import Array, Flags, Runs, changes_of, integral_of, runs_of
from probe4d.scenes.ego_vehicle import EGO_FRONT_M, EGO_REAR_M

__all__ = ["crossings_of", "passes_of"]


def passes_of(tracks: Tracks) -> pl.DataFrame:
    """From the last key frame wholly on one side of the ego vehicle's length to the first wholly on the other side."""
    ahead = tracks.ego_places_m[..., 0] - tracks.half_lengths_m >= EGO_FRONT_M
    behind = tracks.ego_places_m[..., 0] + tracks.half_lengths_m <= EGO_REAR_M
    into, runs = changes_of(ahead.astype(np.int8) - behind.astype(np.int8))
    beside = _beside(tracks, runs)
    runs, into = runs.where(beside), into[beside]
    own_m, ego_m = (
        runs.gain(way)
        for way in (_moved(tracks, tracks.own_mps), integral_of(tracks.ego.forward_mps, tracks.way.times_s))
    )
    length = np.hypot(own_m[:, 0], own_m[:, 1])
    angle_deg = np.degrees(np.arctan2(np.abs(own_m[:, 1]), own_m[:, 0]))
    moved = length >= MOVED_M
    same, opposite = moved & (angle_deg <= DIRECTION_DEG), moved & (angle_deg >= 180 - DIRECTION_DEG)
    ego_drives, ego_stands = ego_m >= MOVED_M, runs.all_of(tracks.ego.stands)
    falls_back = (into == -1) & ego_drives & (runs.all_of(tracks.stands) | same | (ego_m >= PASS_SHARE * length))
    comes_past = opposite & (into == -1) & ego_drives & ~falls_back
    passes_stand = ego_stands & (same | opposite)
    words = chosen(
        [
            (comes_past, "passes the ego vehicle in the opposite direction"),
            (into == 1, "passes the standing ego vehicle from back to front"),
        ],
        "passes the standing ego vehicle from front to back",
    )
    passes = comes_past | passes_stand
    return pl.concat(
        [
            found(runs.where((into == 1) & ego_drives & same), "overtakes", "overtakes the ego vehicle", "side"),
            found(runs.where(falls_back), "is-passed", "is passed by the ego vehicle", "side"),
            found(runs.where(passes), "passes", words[passes], "side"),
        ]
    )


def _beside(tracks: Tracks, runs: Runs) -> Flags:
    """Whether something stays near to one side, while the ego vehicle does not turn."""
    aside = runs.along(tracks.ego_places_m)[..., 1]
    low, high = (reduce.reduce(aside, axis=1) for reduce in (np.fmin, np.fmax))
    left = (low >= PASS_BESIDE_M) & (high <= PASS_ASIDE_M)
    right = (high <= -PASS_BESIDE_M) & (low >= -PASS_ASIDE_M)
    beside: Flags = (left | right) & _is_steady(tracks, runs)
    return beside


def _is_steady(tracks: Tracks, runs: Runs) -> Flags:
    """Whether the ego vehicle keeps its heading, about."""
    steady: Flags = np.abs(np.degrees(runs.gain(tracks.ego.way.turned_rad))) <= STEADY_DEG
    return steady


def crossings_of(tracks: Tracks) -> pl.DataFrame:
    """Objects that by their own motion get from one side of the ego vehicle's centre line to the other."""
    ahead, aside = np.moveaxis(tracks.ego_places_m, -1, 0)
    sideways = tracks.own_mps[..., 1]
    across = tracks.moves & (np.abs(aside) <= CROSS_ASIDE_M) & (np.abs(sideways) >= CROSS_SHARE * tracks.speeds_mps)
    moved = _moved(tracks, tracks.own_mps)[..., 1]
    tables = []
    for sign, words in ((1, "from right to left"), (-1, "from left to right")):
        runs = runs_of(across & (sign * sideways > 0))
        begins, ends = (sign * aside[runs.row, column] for column in (runs.first, runs.last))
        crosses = (begins <= -CROSS_CLEAR_M) & (ends >= CROSS_CLEAR_M)
        by_itself = (sign * runs.gain(moved) >= (ends - begins) / 2) & _is_steady(tracks, runs)
        before = runs.first + (sign * runs.along(aside) < 0).sum(axis=1) - 1
        at_line = np.stack([ahead[runs.row, np.minimum(before + step, runs.last)] for step in (0, 1)])
        near = (np.abs(at_line) <= CROSS_REACH_M).all(axis=0) & crosses & by_itself
        in_front, behind = (at_line >= EGO_FRONT_M).all(axis=0), (at_line <= EGO_REAR_M).all(axis=0)
        for case, where in ((in_front, "in front of"), (behind, "behind")):
            event = "crosses-left" if sign == 1 else "crosses-right"
            tables.append(found(runs.where(near & case), event, f"crosses {where} the ego vehicle {words}", "none"))
    return pl.concat(tables)


def _moved(tracks: Tracks, velocities_mps: Array) -> Array:
    """What velocities in the ego frame come to since the first key frame, shape (n, T, 2)."""
    return np.stack([integral_of(velocities_mps[..., axis], tracks.way.times_s) for axis in (0, 1)], axis=-1)
