"""What one frame of WOD-E2E holds: times, poses, cameras, ego states, the driver's intent, rated trajectories."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import polars as pl

from probe4d.scenes.geometry import SE3
from probe4d.scenes.waymo_format.cameras import Camera

__all__ = ["EGO_STATES_SCHEMA", "INTENTS", "Frame", "RatedTrajectory"]

INTENTS: dict[int, str | None] = {0: None, 1: "go straight", 2: "go left", 3: "go right"}
"""What the driver means to do, by its number in Waymo's data; null where it is unknown."""

EGO_STATES_SCHEMA: dict[str, pl.DataType] = {
    "time_s": pl.Float64(),  # from the frame's own time, negative before it
    "x_m": pl.Float64(),  # position in the ego frame of the frame
    "y_m": pl.Float64(),
    "z_m": pl.Float64(),
    "velocity_x_mps": pl.Float64(),  # in the ego frame of the frame
    "velocity_y_mps": pl.Float64(),
    "acceleration_x_mps2": pl.Float64(),
    "acceleration_y_mps2": pl.Float64(),
}
"""Null is what the record does not say; no value is NaN."""


@dataclass(frozen=True)
class RatedTrajectory:
    """A trajectory that people rated.

    Attributes:
        score: 0 to 10, better is higher; null where nobody rated it.
        states: Columns of `EGO_STATES_SCHEMA`.
    """

    score: float | None
    states: pl.DataFrame


@dataclass(frozen=True)
class Frame:
    """One frame of a sequence.

    The ego frame is Waymo's vehicle frame: x forward, y left, z up, origin at the middle of the rear axle.

    Attributes:
        sequence: Name of the sequence.
        number: Number of the frame in it.
        timestamp_us: Its time; null where the record does not say.
        global_SE3_ego: The vehicle's pose at that time; null where the record does not say.
        cameras: By channel, in the order of `CHANNELS`; a camera without an image is not among them.
        past: Columns of `EGO_STATES_SCHEMA`, up to the frame's own time.
        future: Columns of `EGO_STATES_SCHEMA`, after it.
        intent: One of the words in `INTENTS`; null where it is unknown.
        rated: Trajectories with their scores; none where there are none.
    """

    sequence: str
    number: int
    timestamp_us: int | None
    global_SE3_ego: SE3 | None
    cameras: Mapping[str, Camera]
    past: pl.DataFrame
    future: pl.DataFrame
    intent: str | None
    rated: tuple[RatedTrajectory, ...]
