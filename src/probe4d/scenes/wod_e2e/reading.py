"""Reads frames of WOD-E2E by sequence and number."""

from __future__ import annotations

from typing import Any

import polars as pl

from probe4d.errors import InputError
from probe4d.scenes.sensor_files import FETCH_AGAIN
from probe4d.scenes.wod_e2e.cameras import read_cameras
from probe4d.scenes.wod_e2e.frames import INTENTS, Frame
from probe4d.scenes.wod_e2e.index import FrameIndex
from probe4d.scenes.wod_e2e.messages import parsed
from probe4d.scenes.wod_e2e.states import read_rated, read_states
from probe4d.scenes.wod_e2e.tfrecords import read_record
from probe4d.scenes.wod_e2e.values import Unfit, known, transform

__all__ = ["read_frame"]


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
    shard, offset, checksum = rows.select("shard", "offset", "checksum").row(0)
    path, name = index.root / shard, f"{sequence}-{number}"
    record = read_record(path, offset)
    if record.checksum != checksum:
        raise InputError("has changed since it was indexed.", path=path, row=name, remedy="Open the folder again.")
    message = parsed("E2EDFrame", record.data)
    if message is None:
        raise InputError("is no frame of WOD-E2E.", path=path, row=name, remedy=FETCH_AGAIN)
    try:
        return _frame(message, sequence, number)
    except Unfit as unfit:
        raise InputError(f"{unfit}.", path=path, row=name, remedy=FETCH_AGAIN) from unfit


def _frame(message: Any, sequence: str, number: int) -> Frame:
    frame = message.frame
    return Frame(
        sequence=sequence,
        number=number,
        timestamp_us=frame.timestamp_micros if frame.HasField("timestamp_micros") else None,
        global_SE3_ego=transform(frame, "pose", "a pose"),
        cameras=read_cameras(frame),
        past=read_states(message.past_states, "the past", is_past=True),
        future=read_states(message.future_states, "the future"),
        intent=known(INTENTS, message.intent, "intent"),
        rated=read_rated(message.preference_trajectories),
    )
