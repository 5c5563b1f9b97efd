"""Ego states over time: the past, the future, and trajectories that people rated."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np
import polars as pl

from probe4d.scenes.waymo_format.values import Unfit
from probe4d.scenes.wod_e2e.frames import EGO_STATES_SCHEMA, RatedTrajectory

__all__ = ["STATES_HZ", "read_rated", "read_states"]

STATES_HZ = 4.0
"""Rate of past and future ego states and of rated trajectories."""

_FIELDS = ("pos_x", "pos_y", "pos_z", "vel_x", "vel_y", "accel_x", "accel_y")
_COLUMNS = tuple(EGO_STATES_SCHEMA)[1:]
_NOT_RATED = -1.0
_HIGHEST_SCORE = 10.0


def read_states(message: Any, noun: str, *, is_past: bool = False) -> pl.DataFrame:
    """States of a message (`EgoTrajectoryStates` of `MESSAGES`), oldest first.

    Args:
        message: The message; a quantity that it leaves empty is null throughout.
        noun: What it is, for a sentence.
        is_past: Whether the last state is at the frame's own time; else the first is one step after it.

    Returns:
        Columns of `EGO_STATES_SCHEMA`.

    Raises:
        Unfit: There are more states of one quantity than of another.
    """
    given = {column: np.array(getattr(message, field)) for column, field in zip(_COLUMNS, _FIELDS, strict=True)}
    lengths = sorted({len(values) for values in given.values() if len(values)})
    if len(lengths) > 1:
        raise Unfit(f"has {lengths[0]} values of one quantity and {lengths[-1]} of another in {noun}")
    count = lengths[0] if lengths else 0
    steps = np.arange(count) + (1 - count if is_past else 1)
    columns = {"time_s": steps / STATES_HZ}
    columns |= {name: values if len(values) else np.full(count, np.nan) for name, values in given.items()}
    return pl.DataFrame(columns, schema=EGO_STATES_SCHEMA).with_columns(
        pl.when(pl.col(name).is_finite()).then(pl.col(name)).alias(name) for name in _COLUMNS
    )


def read_rated(messages: Iterable[Any]) -> tuple[RatedTrajectory, ...]:
    """Trajectories with their scores; placeholders, which have neither states nor a score, are left out.

    Their times are those of the future: Waymo's own metric compares them with it state by state.

    Raises:
        Unfit: A score is none of 0 to 10, or states do not fit each other.
    """
    rated = [RatedTrajectory(_score(message), read_states(message, "a rated trajectory")) for message in messages]
    return tuple(one for one in rated if one.score is not None or not one.states.is_empty())


def _score(message: Any) -> float | None:
    score = message.preference_score
    if not message.HasField("preference_score") or math.isnan(score) or score == _NOT_RATED:
        return None
    if not 0 <= score <= _HIGHEST_SCORE:
        raise Unfit(f"has a score of {score:g}, which is none of 0 to {_HIGHEST_SCORE:g}")
    return float(score)
