"""What WOD-E2E says of driving beside what nuScenes' tables hold: ego states, intent, rated trajectories, clusters."""

from __future__ import annotations

from collections.abc import Iterable

import polars as pl

from probe4d.scenes.wod_e2e.frames import EGO_STATES_SCHEMA, Frame, RatedTrajectory

__all__ = ["DRIVING_SCHEMA", "STATES_SCHEMA", "driving_row", "driving_table", "states_table"]

STATES_SCHEMA: dict[str, pl.DataType] = {
    "scene": pl.String(),
    "frame": pl.Int32(),  # 0-based key-frame index
    "kind": pl.String(),  # past, up to the key frame's own time, or future, after it
    **EGO_STATES_SCHEMA,
}
"""Columns of `ego_states.parquet`: a row for every state that a key frame has of its past and its future."""

_RATED = pl.Struct(
    {
        "score": pl.Float64(),  # 0 to 10, better is higher; null where nobody rated it
        "time_s": pl.List(pl.Float64()),  # from the key frame's time
        "x_m": pl.List(pl.Float64()),  # in the ego frame of the key frame
        "y_m": pl.List(pl.Float64()),
    }
)

DRIVING_SCHEMA: dict[str, pl.DataType] = {
    "scene": pl.String(),
    "frame": pl.Int32(),  # 0-based key-frame index
    "number": pl.Int32(),  # of the frame in Waymo's sequence; its name is scene, hyphen, number in three digits
    "intent": pl.String(),  # go straight, go left or go right; null where it is unknown
    "cluster": pl.String(),  # scenario cluster, as released; null where none was given
    "rated": pl.List(_RATED),  # trajectories that people rated; empty where there are none
    "time_source": pl.String(),  # recorded, or frame number
    "pose_source": pl.String(),  # recorded, or ego states
}
"""Columns of `driving.parquet`: a row a key frame."""


def states_table(scene: str, frames: Iterable[Frame]) -> pl.DataFrame:
    """Columns of `STATES_SCHEMA` of the key frames of a scene."""
    parts = [
        states.with_columns(scene=pl.lit(scene), frame=pl.lit(index, pl.Int32), kind=pl.lit(kind))
        for index, frame in enumerate(frames)
        for kind, states in (("past", frame.past), ("future", frame.future))
    ]
    return pl.concat([pl.DataFrame(schema=STATES_SCHEMA), *(part.select(*STATES_SCHEMA) for part in parts)])


def driving_row(
    scene: str, index: int, frame: Frame, *, cluster: str | None, time_source: str, pose_source: str
) -> dict[str, object]:
    """A row of `DRIVING_SCHEMA`."""
    return {
        "scene": scene,
        "frame": index,
        "number": frame.number,
        "intent": frame.intent,
        "cluster": cluster,
        "rated": [_rated(trajectory) for trajectory in frame.rated],
        "time_source": time_source,
        "pose_source": pose_source,
    }


def driving_table(rows: Iterable[dict[str, object]]) -> pl.DataFrame:
    """Columns of `DRIVING_SCHEMA`."""
    return pl.DataFrame(list(rows), schema=DRIVING_SCHEMA, orient="row")


def _rated(trajectory: RatedTrajectory) -> dict[str, object]:
    return {"score": trajectory.score} | {name: trajectory.states[name].to_list() for name in ("time_s", "x_m", "y_m")}
