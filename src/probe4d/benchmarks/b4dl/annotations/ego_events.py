"""What the ego vehicle does in windows."""

from __future__ import annotations

import numpy as np
import polars as pl

from probe4d.benchmarks.b4dl.annotations.found import chosen, found
from probe4d.benchmarks.b4dl.annotations.own_motion import (
    stays_of,
    stops_and_starts_of,
    turn_rates_deg_s,
    turns_of,
)
from probe4d.benchmarks.b4dl.annotations.thresholds import (
    ACCELERATION_MPS2,
    DRIVE_STEPS,
    MOST_SPACING_S,
    SPEED_CHANGE_MPS,
    STEADY_MPS,
    STEADY_SHARE,
    STRAIGHT_DEG,
    TURN_RATE_DEG_S,
)
from probe4d.benchmarks.b4dl.annotations.tracks import Motions
from probe4d.benchmarks.b4dl.annotations.ways import Array, Runs, at_ends, runs_of

__all__ = ["ego_events"]


def ego_events(ego: Motions) -> pl.DataFrame:
    """All events of the ego vehicle, columns of `FOUND_SCHEMA`; none over key frames between which one is missing."""
    events = pl.concat(
        [
            stays_of(ego, "stands still"),
            _drives(ego),
            _changes_of_speed(ego),
            stops_and_starts_of(ego),
            turns_of(ego),
        ]
    )
    is_far = np.pad(np.diff(ego.way.times_s, axis=1) > MOST_SPACING_S, ((0, 0), (1, 0)))
    gaps = Runs(*(events[name].to_numpy() for name in ("row", "first", "last"))).gain(is_far.cumsum(axis=1))
    return events.filter(pl.Series(gaps == 0, dtype=pl.Boolean))


def _drives(ego: Motions) -> pl.DataFrame:
    """Forward without turning, and backwards."""
    forward = ego.forward_mps
    on = runs_of(ego.moves & (forward > 0) & (np.abs(turn_rates_deg_s(ego)) < TURN_RATE_DEG_S))
    on = on.where(on.steps >= DRIVE_STEPS)
    speeds = on.along(ego.speeds_mps)
    means = np.nansum(speeds, axis=1) / (on.steps + 1)
    steady = np.fmax.reduce(speeds, axis=1) - np.fmin.reduce(speeds, axis=1) <= np.minimum(
        STEADY_MPS, STEADY_SHARE * means
    )
    straight = np.abs(np.degrees(on.gain(ego.way.turned_rad))) <= STRAIGHT_DEG
    words = chosen(
        [
            (straight & steady, "drives straight on at a steady speed"),
            (straight, "drives straight on"),
            (steady, "drives on at a steady speed"),
        ],
        "drives on",
    )
    back = runs_of(ego.moves & (forward < 0))
    return pl.concat(
        [
            found(on, "drives-on", words, "none"),
            found(back.where(back.steps >= DRIVE_STEPS), "reverses", "drives backwards", "none"),
        ]
    )


def _changes_of_speed(ego: Motions) -> pl.DataFrame:
    at_once, on_average = _accelerations_mps2(ego)
    tables = []
    for sign, event in ((1, "accelerates"), (-1, "brakes")):
        runs = runs_of(sign * on_average >= ACCELERATION_MPS2).trimmed(sign * at_once >= ACCELERATION_MPS2)
        tables.append(found(runs.where(sign * runs.gain(ego.speeds_mps) >= SPEED_CHANGE_MPS), event, event, "none"))
    return pl.concat(tables)


def _accelerations_mps2(ego: Motions) -> tuple[Array, Array]:
    """From the speed of one step to that of the next, and the mean over three key frames; shape (n, T) each.

    They are not taken from smoothed speeds, whose ends hide what happens there.
    """
    times, places = ego.way.times_s, ego.way.places_m
    moved = np.diff(places, axis=1)
    step_mps = np.hypot(moved[..., 0], moved[..., 1]) / np.diff(times, axis=1)
    at_once = at_ends(np.diff(step_mps, axis=1) / ((times[:, 2:] - times[:, :-2]) / 2), times)
    around = np.pad(at_once, ((0, 0), (1, 1)), constant_values=np.nan)
    near = np.stack([around[:, :-2], at_once, around[:, 2:]])
    on_average = np.nansum(near, axis=0) / np.maximum((~np.isnan(near)).sum(axis=0), 1)
    return at_once, np.where(np.isnan(times), np.nan, on_average)
