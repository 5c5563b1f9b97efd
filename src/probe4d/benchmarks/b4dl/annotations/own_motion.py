"""What something does by itself, whether it is an object or the ego vehicle: it stands, stops, starts, turns."""

from __future__ import annotations

import numpy as np
import polars as pl

from probe4d.benchmarks.b4dl.annotations.found import found
from probe4d.benchmarks.b4dl.annotations.thresholds import (
    MOVED_M,
    STAND_STEPS,
    STAY_STEPS,
    TURN_AGREEMENT,
    TURN_DEG,
    TURN_RATE_DEG_S,
)
from probe4d.benchmarks.b4dl.annotations.tracks import Motions
from probe4d.benchmarks.b4dl.annotations.ways import Array, Flags, Indices, Runs, changes_of, rates_of, runs_of

__all__ = ["stays_of", "stops_and_starts_of", "turn_rates_deg_s", "turns_of"]


def stays_of(motions: Motions, predicate: str) -> pl.DataFrame:
    """Stands of `STAY_STEPS` and more."""
    stands = runs_of(motions.stands)
    return found(stands.where(stands.steps >= STAY_STEPS), "stays", predicate, "sector")


def stops_and_starts_of(motions: Motions) -> pl.DataFrame:
    """From the last key frame of a drive or walk to the first of the stand after it, and the other way round."""
    into, runs = changes_of(motions.moves.astype(np.int8) - motions.stands.astype(np.int8))
    tables = []
    for state, event, words in ((1, "starts", "starts to move"), (-1, "stops", "stops")):
        of_kind = runs.where(into == state)
        standing, moving = (of_kind.first, of_kind.last)[::state]
        stand, drive = (
            _around(flags, of_kind.row, at) for flags, at in ((motions.stands, standing), (motions.moves, moving))
        )
        enough = (stand.steps >= STAND_STEPS) & (drive.gain(motions.lengths_m) >= MOVED_M)
        tables.append(found(of_kind.where(enough), event, words, "sector"))
    return pl.concat(tables)


def turns_of(motions: Motions) -> pl.DataFrame:
    """Turns in one direction, of what moves forward."""
    rates = turn_rates_deg_s(motions)
    turned_deg = np.degrees(motions.way.turned_rad)
    directions = np.arctan2(motions.velocities_mps[..., 1], motions.velocities_mps[..., 0])
    tables = []
    for sign, side in ((1, "left"), (-1, "right")):
        runs = runs_of(motions.moves & (motions.forward_mps > 0) & (sign * rates >= TURN_RATE_DEG_S))
        by_box = sign * runs.gain(turned_deg)
        by_way = sign * runs.gain(np.degrees(np.unwrap(np.nan_to_num(directions), axis=1)))
        is_turn = (by_box >= TURN_DEG) & (by_way >= TURN_AGREEMENT * by_box) & (runs.gain(motions.lengths_m) >= MOVED_M)
        tables.append(found(runs.where(is_turn), f"turns-{side}", f"turns {side}", "sector"))
    return pl.concat(tables)


def turn_rates_deg_s(motions: Motions) -> Array:
    """Smoothed change of heading, to the left."""
    return np.degrees(rates_of(motions.way.turned_rad, motions.way.times_s))


def _around(flags: Flags, row: Indices, column: Indices) -> Runs:
    """The run of a flag that each place lies in."""
    columns = np.arange(flags.shape[1])
    off_before = np.maximum.accumulate(np.where(flags, -1, columns), axis=1)
    off_after = np.minimum.accumulate(np.where(flags, len(columns), columns)[:, ::-1], axis=1)[:, ::-1]
    return Runs(row, off_before[row, column] + 1, off_after[row, column] - 1)
