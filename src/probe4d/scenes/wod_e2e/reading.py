"""Reads frames of WOD-E2E where they lie."""

from __future__ import annotations

from pathlib import Path

from probe4d.scenes.waymo_format.cameras import read_cameras
from probe4d.scenes.waymo_format.reading import Place, read_message
from probe4d.scenes.waymo_format.values import known, transform
from probe4d.scenes.wod_e2e.frames import INTENTS, Frame
from probe4d.scenes.wod_e2e.index import END_TO_END
from probe4d.scenes.wod_e2e.states import read_rated, read_states

__all__ = ["frame_at"]


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
