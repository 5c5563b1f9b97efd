"""Reads frames of Waymo's perception data."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from probe4d.scenes.waymo.frames import Frame, Segment
from probe4d.scenes.waymo.index import PERCEPTION
from probe4d.scenes.waymo.labels import read_labels
from probe4d.scenes.waymo.range_images import read_points
from probe4d.scenes.waymo_format.cameras import read_cameras
from probe4d.scenes.waymo_format.reading import Place, read_message
from probe4d.scenes.waymo_format.values import Unfit, transform

__all__ = ["frame_at"]


def frame_at(root: Path, place: Place) -> Frame:
    """Read the frame at a place of the index.

    Raises:
        InputError: Its shard cannot be read or has changed since it was indexed, or the extra `waymo` is missing.
        Unfit: The record holds no frame, or a value that its field cannot have.
    """
    message = read_message(root, place, "Frame", PERCEPTION.title)
    pose = transform(message, "pose", "a pose")
    if pose is None:
        raise Unfit("has no pose")
    return Frame(
        timestamp_us=message.timestamp_micros,
        global_SE3_ego=pose,
        cameras=read_cameras(message),
        labels=read_labels(message.laser_labels),
        points=read_points(message, pose),
        segment=_segment(message.context.stats),
    )


def _segment(stats: Any) -> Segment:
    told = {name: getattr(stats, name).decode(errors="replace") for name in ("time_of_day", "location", "weather")}
    return Segment(**{name: text or None for name, text in told.items()})
