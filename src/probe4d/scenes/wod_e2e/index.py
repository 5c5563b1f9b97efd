"""Where every frame of a folder of WOD-E2E shards lies."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from probe4d.errors import InputError
from probe4d.scenes.waymo_format.index import FrameIndex, FrameKind, NamedFrame, index_shards
from probe4d.scenes.waymo_format.messages import parsed
from probe4d.scenes.waymo_format.tfrecords import Fault, Record

__all__ = ["END_TO_END", "index_frames"]

_PERCEPTION = "holds a frame of Waymo's perception data, not of its end-to-end data"
_READ_SO = "Name another folder, or read this one so: probe4d convert waymo."
_NO_FRAME = "a record holds no frame of WOD-E2E"
_NO_NUMBER = "a frame's name does not end in a number"
_MOST_FRAME = 2**31 - 1


def index_frames(
    folder: Path | str,
    *,
    workers: int = 1,
    found: Callable[[int, int], None] | None = None,
    done: Callable[[Path], None] | None = None,
) -> FrameIndex:
    """Find every frame of a folder of WOD-E2E shards (see `index_shards`).

    Raises:
        InputError: As `index_shards` says; one shard of Waymo's perception data is refused with the folder.
    """
    return index_shards(folder, END_TO_END, workers=workers, found=found, done=done)


def _frame_in(record: Record, path: Path) -> NamedFrame | Fault:
    message = parsed("NamedE2EDFrame", record.data)
    if message is None or not message.frame.context.name:
        perception = parsed("NamedFrame", record.data)
        if perception is not None and perception.context.name and perception.HasField("timestamp_micros"):
            raise InputError(f"{_PERCEPTION}.", path=path, row=f"byte {record.offset}", remedy=_READ_SO)
        return Fault(record.offset, _NO_FRAME)
    named = _name_parts(message.frame.context.name)
    if named is None:
        return Fault(record.offset, _NO_NUMBER)
    timestamp_us = message.frame.timestamp_micros if message.frame.HasField("timestamp_micros") else None
    scores = [one.preference_score for one in message.preference_trajectories if one.HasField("preference_score")]
    return NamedFrame(*named, timestamp_us, sum(score >= 0 for score in scores))


def _name_parts(name: bytes) -> tuple[str, int] | None:
    """Sequence and number of a frame: what stands before and after the last hyphen of its name."""
    try:
        sequence, _, number = name.decode().rpartition("-")
    except UnicodeDecodeError:
        return None
    if not sequence or not (number.isascii() and number.isdigit()) or len(number) > len(str(_MOST_FRAME)):
        return None
    return (sequence, int(number)) if int(number) <= _MOST_FRAME else None


END_TO_END = FrameKind("wod-e2e", "WOD-E2E", _frame_in)
"""Frames of WOD-E2E: their names end in their number."""
