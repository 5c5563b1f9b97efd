"""What conversions of Waymo's data share: which frames are converted, cameras' readings, lists of what is left out."""

from __future__ import annotations

from collections.abc import Iterable

import polars as pl

from probe4d.errors import InputError
from probe4d.scenes.geometry import SE3
from probe4d.scenes.nuscenes_writing.conversion import LEFT_OUT_SCHEMA
from probe4d.scenes.nuscenes_writing.scene_writer import Reading
from probe4d.scenes.waymo_format.cameras import Camera
from probe4d.scenes.waymo_format.index import FrameIndex
from probe4d.scenes.waymo_format.reading import Place, place_of
from probe4d.scenes.waymo_format.resampling import resampled

__all__ = ["camera_reading", "chosen_frames", "faults_of", "left_out", "own_time_us"]

_FRAME_US = 100_000  # of a frame; a camera's time that is further away is not of it


def chosen_frames(frames: pl.DataFrame, *, anchor: int | None = None) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Frames of a sequence half a second apart.

    Args:
        frames: Columns of `FRAMES_SCHEMA` of one sequence; others stay.
        anchor: Number of a frame that is among them; by default the earliest.

    Returns:
        The rows, in order of time, and what is left out, columns of `LEFT_OUT_SCHEMA`: all frames, where times are
        such that none can be chosen by them.
    """
    try:
        steps = resampled(frames, anchor=anchor).select("frame").drop_nulls()
    except InputError as error:
        reason = f"is of a sequence that cannot be used: {str(error).removesuffix('.')}"
        return frames.clear(), left_out((place, reason) for place in place_of(frames))
    return steps.join(frames, on="frame", how="left", maintain_order="left"), left_out(())


def own_time_us(camera: Camera, frame_us: int) -> int:
    """A camera's own time where it is one within its frame, else the frame's."""
    own_us = camera.timestamp_us
    return frame_us if own_us is None or abs(own_us - frame_us) > _FRAME_US else own_us


def camera_reading(camera: Camera, file: str, timestamp_us: int, global_SE3_ego: SE3) -> Reading:
    """An image as it was recorded, at a time and a pose."""
    return Reading(
        file=file,
        content=camera.jpeg,
        timestamp_us=timestamp_us,
        global_SE3_ego=global_SE3_ego,
        ego_SE3_sensor=camera.ego_SE3_sensor,
        intrinsics=camera.intrinsics,
        distortion=camera.distortion,
        width=camera.width,
        height=camera.height,
    )


def faults_of(index: FrameIndex) -> pl.DataFrame:
    """What an index could not use, columns of `LEFT_OUT_SCHEMA`."""
    return index.faults.with_columns(frame=pl.lit(None, pl.String)).select(*LEFT_OUT_SCHEMA)


def left_out(places: Iterable[tuple[Place, str]]) -> pl.DataFrame:
    """Frames that are left out, with the reason of each, columns of `LEFT_OUT_SCHEMA`."""
    rows = [(place.shard, place.offset, place.name, reason) for place, reason in places]
    return pl.DataFrame(rows, schema=LEFT_OUT_SCHEMA, orient="row")
