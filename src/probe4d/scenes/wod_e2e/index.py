"""Where every frame of a folder of WOD-E2E shards lies.

The frames of a sequence are in no order, within a shard or over shards, so that all shards have to be looked
through before a sequence can be read. The index holds places and names, and no images.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from probe4d import engine
from probe4d.errors import InputError
from probe4d.scenes.fingerprint import fingerprint_of, table_digest
from probe4d.scenes.sensor_files import unreadable
from probe4d.scenes.wod_e2e.messages import parsed
from probe4d.scenes.wod_e2e.tfrecords import Fault, Record, scan_records
from probe4d.store import cache
from probe4d.wording import counted, listed

__all__ = ["FAULTS_SCHEMA", "FRAMES_SCHEMA", "FrameIndex", "index_frames"]

FRAMES_SCHEMA: dict[str, pl.DataType] = {
    "sequence": pl.String(),
    "frame": pl.Int32(),  # number of the frame in its sequence, of which not every one need be there
    "timestamp_us": pl.Int64(),  # null where the record does not say
    "shard": pl.String(),  # name of the file in the folder
    "offset": pl.Int64(),  # where its record starts in the file, bytes
    "length": pl.Int64(),  # of the record's data, bytes
    "checksum": pl.Int64(),  # masked CRC32C of the record's data
}

FAULTS_SCHEMA: dict[str, pl.DataType] = {
    "shard": pl.String(),
    "offset": pl.Int64(),  # of the record that cannot be used, bytes
    "reason": pl.String(),  # the end of a sentence about the file
}

_INDEX_VERSION = 1
"""Raised with every change of what the tables hold, so that caches of the older index are left alone."""

_SHARDS = "*.tfrecord*"
_PERCEPTION = "holds a frame of Waymo's perception data, not of its end-to-end data"
_NO_FRAME = "a record holds no frame of WOD-E2E"
_NO_NUMBER = "a frame's name does not end in a number"
_TWICE = "a frame is there a second time"
_FETCH_SHARDS = "Fetch the shards of WOD-E2E again, or name another folder."
_MOST_FRAME = 2**31 - 1


@dataclass(frozen=True)
class FrameIndex:
    """The frames of a folder of shards.

    Attributes:
        root: The folder.
        frames: Columns of `FRAMES_SCHEMA`, sorted by sequence and frame, each frame once.
        faults: Columns of `FAULTS_SCHEMA`, sorted by shard and offset: what could not be used.
        fingerprint: SHA-256 over names, times and checksums of the frames; how they are spread over shards
            changes nothing.
    """

    root: Path
    frames: pl.DataFrame
    faults: pl.DataFrame
    fingerprint: str

    @property
    def sequences(self) -> list[str]:
        """Names of the sequences, sorted."""
        return self.frames["sequence"].unique().sort().to_list()

    @property
    def dropped(self) -> dict[str, int]:
        """How many places could not be used, by reason, reasons sorted."""
        return dict(sorted(Counter(self.faults["reason"]).items()))

    def of_sequence(self, name: str) -> pl.DataFrame:
        """The rows of `frames` of a sequence, in the order of their numbers.

        Raises:
            InputError: There is no such sequence.
        """
        rows = self.frames.filter(pl.col("sequence") == name)
        if rows.is_empty():
            raise InputError(f"has no sequence {name!r}.", path=self.root)
        return rows


def index_frames(folder: Path | str, *, workers: int = 1, done: Callable[[Path], None] | None = None) -> FrameIndex:
    """Find every frame of a folder of shards (files whose names hold `.tfrecord`), and check all checksums.

    This reads the shards whole, once: the index is kept in the cache under names, sizes and times of change.
    What cannot be used (a damaged record, a file cut off, an empty one, one that is no TFRecord file, a record
    that is no frame) is a row of `FrameIndex.faults`.

    Args:
        folder: The folder, whose own files alone are looked at.
        workers: Number of processes that read shards.
        done: Told of each shard that was read, in order, for progress bars.

    Raises:
        InputError: The folder has no shards or no frame in them, a shard cannot be read, one is of Waymo's
            perception data, or the extra `waymo` is not installed.
    """
    root = Path(folder)
    shards = _shards(root)
    subject, key = f"wod-e2e {root.resolve()}", _key(shards)
    entry = cache.load(subject, key)
    if entry is not None:
        return FrameIndex(root, entry.tables["frames"], entry.tables["faults"], entry.facts["fingerprint"])
    found = engine.over(_index_shard, shards, workers=workers, done=done)
    frames, faults = _once_each(pl.concat(part for part, _ in found), pl.concat(part for _, part in found))
    _refuse_without_frames(root, frames, faults)
    contents = frames.select("sequence", "frame", "timestamp_us", "length", "checksum")
    fingerprint = fingerprint_of({"frames": table_digest(contents)})
    with cache.stage() as stage:
        frames, faults = stage.keep("frames", frames), stage.keep("faults", faults)
        if _key(shards) == key:  # else shards changed while they were read
            stage.finish(subject, key, {"fingerprint": fingerprint})
    return FrameIndex(root, frames, faults, fingerprint)


def _shards(root: Path) -> list[Path]:
    if not root.is_dir():
        raise InputError("is no folder.", path=root, remedy="Name the folder that holds the shards of WOD-E2E.")
    shards = sorted(path for path in root.glob(_SHARDS) if path.is_file() and not path.name.startswith("."))
    for path in shards:
        if not path.name.isprintable():  # nor can a table hold what is no UTF-8
            raise InputError(f"holds a shard whose name cannot be read: {path.name!r}.", path=root, remedy="Rename it.")
    if not shards:
        raise InputError(f"holds no shards ({_SHARDS}).", path=root, remedy=_FETCH_SHARDS)
    return shards


def _key(shards: list[Path]) -> dict[str, object]:
    return {"version": _INDEX_VERSION, "shards": [_state(path) for path in shards]}


def _state(path: Path) -> list[str | int]:
    """What tells a changed shard from an unchanged one without reading it."""
    try:
        state = path.stat()
    except OSError as error:  # it was removed in the meantime
        raise unreadable(path, error) from error
    return [path.name, state.st_size, state.st_mtime_ns]


def _index_shard(path: Path) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Frames and faults of one shard, in the order of the file."""
    frames, faults = [], []
    for found in scan_records(path):
        frame = found if isinstance(found, Fault) else _frame_in(found, path)
        if isinstance(frame, Fault):
            faults.append((path.name, *frame))
        else:
            frames.append(frame)
    return (
        pl.DataFrame(frames, schema=FRAMES_SCHEMA, orient="row"),
        pl.DataFrame(faults, schema=FAULTS_SCHEMA, orient="row"),
    )


def _frame_in(record: Record, path: Path) -> tuple[object, ...] | Fault:
    """A row of `FRAMES_SCHEMA`, or why there is none."""
    message = parsed("NamedE2EDFrame", record.data)
    if message is None or not message.frame.context.name:
        perception = parsed("NamedFrame", record.data)
        if perception is not None and perception.context.name and perception.HasField("timestamp_micros"):
            raise InputError(f"{_PERCEPTION}.", path=path, row=f"byte {record.offset}", remedy=_FETCH_SHARDS)
        return Fault(record.offset, _NO_FRAME)
    named = _name_parts(message.frame.context.name)
    if named is None:
        return Fault(record.offset, _NO_NUMBER)
    timestamp_us = message.frame.timestamp_micros if message.frame.HasField("timestamp_micros") else None
    return *named, timestamp_us, path.name, record.offset, len(record.data), record.checksum


def _name_parts(name: bytes) -> tuple[str, int] | None:
    """Sequence and number of a frame: what stands before and after the last hyphen of its name."""
    try:
        sequence, _, number = name.decode().rpartition("-")
    except UnicodeDecodeError:
        return None
    if not sequence or not (number.isascii() and number.isdigit()) or len(number) > len(str(_MOST_FRAME)):
        return None
    return (sequence, int(number)) if int(number) <= _MOST_FRAME else None


def _once_each(frames: pl.DataFrame, faults: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Frames sorted, each once, the first by shard and offset; the others are faults."""
    frames = frames.sort("sequence", "frame", "shard", "offset")
    is_first = pl.struct("sequence", "frame").is_first_distinct()
    again = frames.filter(~is_first).select("shard", "offset", reason=pl.lit(_TWICE))
    return frames.filter(is_first), pl.concat([faults, again]).sort("shard", "offset")


def _refuse_without_frames(root: Path, frames: pl.DataFrame, faults: pl.DataFrame) -> None:
    if not frames.is_empty():
        return
    first = [f"{shard} {reason}" for shard, _, reason in faults.head(3).iter_rows()]
    others = faults.height - len(first)
    raise InputError(
        f"holds no frame that can be read: {listed([*first, counted(others, 'other fault')] if others else first)}.",
        path=root,
        remedy=_FETCH_SHARDS,
    )
