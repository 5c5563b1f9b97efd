"""Reads the record of a frame that the index knows."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from probe4d.errors import InputError
from probe4d.scenes.waymo_format.messages import parsed
from probe4d.scenes.waymo_format.tfrecords import read_record
from probe4d.scenes.waymo_format.values import Unfit

__all__ = ["Place", "place_of", "read_message"]


class Place(NamedTuple):
    """Where a frame lies: columns of `FRAMES_SCHEMA`."""

    sequence: str
    frame: int
    shard: str
    offset: int
    checksum: int

    @property
    def name(self) -> str:
        """The frame's name, for sentences."""
        return f"{self.sequence}-{self.frame}"


def place_of(frames: pl.DataFrame) -> list[Place]:
    """The place of each row of `FrameIndex.frames`."""
    return [Place(*row) for row in frames.select(Place._fields).iter_rows()]


def read_message(root: Path, place: Place, message: str, title: str) -> Any:
    """The message of a frame.

    Args:
        root: The folder of shards.
        place: Where the frame lies.
        message: Name of the message in `MESSAGES`.
        title: What the data is called.

    Raises:
        InputError: The shard cannot be read or has changed since it was indexed, or the extra `waymo` is not installed.
        Unfit: The record holds no such message.
    """
    path = root / place.shard
    record = read_record(path, place.offset)
    if record.checksum != place.checksum:
        remedy = "Open the folder again."
        raise InputError("has changed since it was indexed.", path=path, row=place.name, remedy=remedy)
    held = parsed(message, record.data)
    if held is None:
        raise Unfit(f"is no frame of {title}")
    return held
