"""Reads frames of WOD-E2E by sequence and number."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from probe4d.errors import InputError
from probe4d.scenes.sensor_files import FETCH_AGAIN
from probe4d.scenes.waymo_format.cameras import read_cameras
from probe4d.scenes.waymo_format.index import FrameIndex
from probe4d.scenes.waymo_format.reading import Place, place_of, read_message
from probe4d.scenes.waymo_format.values import Unfit, known, transform
from probe4d.scenes.wod_e2e.frames import INTENTS, Frame
from probe4d.scenes.wod_e2e.index import END_TO_END
from probe4d.scenes.wod_e2e.states import read_rated, read_states

__all__ = ["frame_at", "read_frame"]


def read_frame(index: FrameIndex, sequence: str, number: int) -> Frame:
    """Read one frame from its shard, with its images as they were recorded.

    Args:
        index: The folder's frames.
        sequence: Name of a sequence.
        number: Number of the frame in it.

    Raises:
        InputError: There is no such frame, its shard cannot be read or has changed since it was indexed, or a
            value in it is none of those that its field can have; the extra `waymo` is not installed.
    """
    rows = index.of_sequence(sequence).filter(pl.col("frame") == number)
    if rows.is_empty():
        raise InputError(f"has no frame {number} of the sequence {sequence!r}.", path=index.root)
    (place,) = place_of(rows)
    try:
        return frame_at(index.root, place)
    except Unfit as unfit:
        raise InputError(f"{unfit}.", path=index.root / place.shard, row=place.name, remedy=FETCH_AGAIN) from unfit


def frame_at(root: Path, place: Place) -> Frame:
    """Read the frame at a place of the index.

    Raises:
        InputError: Its shard cannot be read or has changed since it was indexed, or the extra is not installed.
        Unfit: The record holds no frame, or a value that its field cannot have.
    """
    message = read_message(root, place, "E2EDFrame", END_TO_END.title)
    frame = message.frame
    return Frame(
        sequence=place.sequence,
        number=place.frame,
        timestamp_us=frame.timestamp_micros if frame.HasField("timestamp_micros") else None,
        global_SE3_ego=transform(frame, "pose", "a pose"),
        cameras=read_cameras(frame),
        past=read_states(message.past_states, "the past", is_past=True),
        future=read_states(message.future_states, "the future"),
        intent=known(INTENTS, message.intent, "intent"),
        rated=read_rated(message.preference_trajectories),
    )
