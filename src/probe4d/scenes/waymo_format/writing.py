"""What conversions of Waymo's data share: readings of cameras, and lists of what is left out."""

from __future__ import annotations

from collections.abc import Iterable

import polars as pl

from probe4d.scenes.geometry import SE3
from probe4d.scenes.nuscenes_writing.conversion import LEFT_OUT_SCHEMA
from probe4d.scenes.nuscenes_writing.scene_writer import Reading
from probe4d.scenes.waymo_format.cameras import Camera
from probe4d.scenes.waymo_format.index import FrameIndex
from probe4d.scenes.waymo_format.reading import Place

__all__ = ["camera_reading", "faults_of", "left_out"]


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
