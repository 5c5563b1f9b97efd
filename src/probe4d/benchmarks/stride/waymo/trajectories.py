"""Positions half a second apart of ego states and of trajectories that people rated (WOD-E2E)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from probe4d.benchmarks.stride.thresholds import FRAME_SPACING_S
from probe4d.benchmarks.stride.waymo.signals import EstimatedSignals
from probe4d.benchmarks.stride.waymo.thresholds import FIRST_STEP_M, LEAST_RATED_POSITIONS, RATED_HORIZON_S

__all__ = ["HORIZON_POSITIONS", "Rated", "future_positions", "rated_trajectories"]

HORIZON_POSITIONS = round(RATED_HORIZON_S / FRAME_SPACING_S)
"""Positions 0.5 s apart as far as trajectories go."""

_FRAME = ["scene", "frame"]
_FIRST_TIME_S = 0.25
"""Time of the first of 20 states at 4 Hz; the tables give it to the first of any trajectory."""
_SURELY_NOW, _SURELY_LATER = 1 / 3, 2 / 3
"""Parts of the way in 0.25 s, up to which and from which a first position is of the present and of 0.25 s later."""


class Rated(NamedTuple):
    """A trajectory that people rated.

    Attributes:
        scene: Name of the scene.
        frame: The key frame.
        score: 0 to 10.
        positions_m: Positions 0.5 s apart in the ego frame of the key frame, the first 0.5 s ahead.
        is_from_now: Whether its first recorded position is of the present; else it is of 0.25 s later.
    """

    scene: str
    frame: int
    score: float
    positions_m: list[list[float]]
    is_from_now: bool


def future_positions(signals: EstimatedSignals, positions: int) -> pl.DataFrame:
    """Future positions by the ego states that come with each key frame, which need no later key frame.

    Args:
        signals: The signals.
        positions: How many, 0.5 s apart.

    Returns:
        Columns scene, frame and positions_m (lists of [x, y] in the ego frame of the key frame, the first 0.5 s ahead),
        of the key frames whose states say all of them.
    """
    steps = pl.col("time_s") / FRAME_SPACING_S
    return (
        signals.driving.states.filter((pl.col("kind") == "future") & (steps == steps.round()) & (steps <= positions))
        .drop_nulls(["x_m", "y_m"])
        .sort(*_FRAME, "time_s")
        .group_by(_FRAME, maintain_order=True)
        .agg(positions_m=pl.concat_list("x_m", "y_m"))
        .filter(pl.col("positions_m").list.len() == positions)
    )


def rated_trajectories(signals: EstimatedSignals) -> list[Rated]:
    """The scored trajectories of key frames of which it can be told when their first position is.

    Whether that is the present or 0.25 s later is not documented. At the speed of the vehicle the first position is
    about as far from the origin as it drives in 0.25 s, or at the origin. Where the vehicle is too slow, every first
    position lies between, or they disagree, it cannot be told, and the key frame is left out with all its trajectories.
    """
    speeds = signals.ego.select(*_FRAME, "speed_mps")
    rows = signals.driving.frames.select(*_FRAME, "rated").join(speeds, on=_FRAME, maintain_order="left")
    found: list[Rated] = []
    for scene, frame, trajectories, speed in rows.iter_rows():
        scored = [one for one in trajectories if one["score"] is not None and _is_whole(one)]
        starts = {start for one in scored if (start := _is_from_now(one, speed)) is not None}
        if len(starts) != 1:
            continue
        (is_from_now,) = starts
        some = [_on_grid(one, from_now=is_from_now) for one in scored]
        count = min(len(positions) for positions in some)
        if count >= LEAST_RATED_POSITIONS:
            found += [
                Rated(scene, frame, one["score"], positions[:count].tolist(), is_from_now)
                for one, positions in zip(scored, some, strict=True)
            ]
    return found


def _is_whole(trajectory: dict[str, Sequence[float | None]]) -> bool:
    return bool(trajectory["x_m"]) and None not in trajectory["x_m"] and None not in trajectory["y_m"]


def _is_from_now(trajectory: dict[str, Sequence[float]], speed_mps: float | None) -> bool | None:
    """Whether the first position is of the present; null where it cannot be told."""
    way_m = 0.0 if speed_mps is None else speed_mps * _FIRST_TIME_S
    if way_m < FIRST_STEP_M:
        return None
    share = float(np.hypot(trajectory["x_m"][0], trajectory["y_m"][0])) / way_m
    return None if _SURELY_NOW < share < _SURELY_LATER else share <= _SURELY_NOW


def _on_grid(trajectory: dict[str, Sequence[float]], *, from_now: bool) -> NDArray[np.float64]:
    """Positions at multiples of 0.5 s up to `RATED_HORIZON_S`, shape (n, 2)."""
    columns = np.array([trajectory[name] for name in ("time_s", "x_m", "y_m")], dtype=np.float64)
    steps = (columns[0] - (_FIRST_TIME_S if from_now else 0.0)) / FRAME_SPACING_S
    wanted = (steps == np.round(steps)) & (steps >= 1) & (steps <= HORIZON_POSITIONS)
    return columns[1:, wanted].T
