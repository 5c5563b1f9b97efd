"""Where every frame of a folder of Waymo's perception shards lies."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from probe4d.errors import InputError
from probe4d.scenes.waymo_format.index import FrameIndex, FrameKind, NamedFrame, index_shards
from probe4d.scenes.waymo_format.messages import parsed
from probe4d.scenes.waymo_format.tfrecords import Fault, Record

__all__ = ["PERCEPTION", "index_frames"]

_END_TO_END = "holds a frame of Waymo's end-to-end data, not of its perception data"
_READ_SO = "Name another folder, or read this one so: probe4d convert wod-e2e."
_NO_FRAME = "a record holds no frame of Waymo's perception data"
_NO_NAME = "a frame's name is no text"


def index_frames(
    folder: Path | str,
    *,
    workers: int = 1,
    found: Callable[[int, int], None] | None = None,
    done: Callable[[Path], None] | None = None,
) -> FrameIndex:
    """Find every frame of a folder of perception shards (see `index_shards`), numbered by its time in its segment.

    Raises:
        InputError: As `index_shards` says; one shard of Waymo's end-to-end data is refused with the folder.
    """
    return index_shards(folder, PERCEPTION, workers=workers, found=found, done=done)


def _frame_in(record: Record, path: Path) -> NamedFrame | Fault:
    message = parsed("NamedFrame", record.data)
    if message is None or not message.context.name or not message.HasField("timestamp_micros"):
        end_to_end = parsed("NamedE2EDFrame", record.data)
        if end_to_end is not None and end_to_end.frame.context.name:
            raise InputError(f"{_END_TO_END}.", path=path, row=f"byte {record.offset}", remedy=_READ_SO)
        return Fault(record.offset, _NO_FRAME)
    try:
        return NamedFrame(message.context.name.decode(), None, message.timestamp_micros)
    except UnicodeDecodeError:
        return Fault(record.offset, _NO_NAME)


PERCEPTION = FrameKind("waymo", "Waymo's perception data", _frame_in)
"""Frames of perception data: a segment's frames have one name, and are told apart by their times."""
