"""Where every frame of a folder of Waymo's shards lies.

The frames of a sequence may be in any order, within a shard or over shards, so that all shards have to be looked
through before a sequence can be read. The index holds places and names, and no images.
"""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import polars as pl

from probe4d import engine
from probe4d.errors import InputError
from probe4d.scenes.fingerprint import fingerprint_of, table_digest
from probe4d.scenes.sensor_files import unreadable
from probe4d.scenes.waymo_format.tfrecords import Fault, Record, scan_records
from probe4d.store import cache
from probe4d.wording import counted, listed

__all__ = ["FAULTS_SCHEMA", "FRAMES_SCHEMA", "FrameIndex", "FrameKind", "NamedFrame", "index_shards"]

FRAMES_SCHEMA: dict[str, pl.DataType] = {
    "sequence": pl.String(),
    "frame": pl.Int32(),  # number of the frame in its sequence, of which not every one need be there
    "timestamp_us": pl.Int64(),  # null where the record does not say
    "shard": pl.String(),  # name of the file in the folder
    "offset": pl.Int64(),  # where its record starts in the file, bytes
    "length": pl.Int64(),  # of the record's data, bytes
    "checksum": pl.Int64(),  # masked CRC32C of the record's data
    "rated": pl.Int32(),  # how many trajectories people rated at it; null where the kind of data has none
}

FAULTS_SCHEMA: dict[str, pl.DataType] = {
    "shard": pl.String(),
    "offset": pl.Int64(),  # of the record that cannot be used, bytes
    "reason": pl.String(),  # the end of a sentence about the file
}

_INDEX_VERSION = 2
"""Raised with every change of what the tables hold, so that caches of the older index are left alone."""

_SHARDS = "*.tfrecord*"
_TWICE = "a frame is there a second time"


class NamedFrame(NamedTuple):
    """What a record says of the frame that it holds.

    Attributes:
        sequence: Name of the sequence.
        frame: Number in it; null where frames have none and are numbered by their times.
        timestamp_us: Its time; null where the record does not say, which only a numbered frame may do.
        rated: How many trajectories people rated at it; null where the kind of data has none.
    """

    sequence: str
    frame: int | None
    timestamp_us: int | None
    rated: int | None = None


@dataclass(frozen=True)
class FrameKind:
    """A kind of Waymo's data.

    Attributes:
        name: As caches know it.
        title: As people know it.
        frame_in: Reads a record of a file: the frame that it names, or why there is none; raises InputError where
            another kind of data was meant. A function of a module, so that processes can be given it.
    """

    name: str
    title: str
    frame_in: Callable[[Record, Path], NamedFrame | Fault]

    @property
    def remedy(self) -> str:
        """What to do about a folder without frames of this kind."""
        return f"Fetch the shards of {self.title} again, or name another folder."


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


def index_shards(
    folder: Path | str,
    kind: FrameKind,
    *,
    workers: int = 1,
    found: Callable[[int, int], None] | None = None,
    done: Callable[[Path], None] | None = None,
) -> FrameIndex:
    """Find every frame of a folder of shards (files whose names hold `.tfrecord`), and check all checksums.

    This reads the shards whole, once: the index is kept in the cache under names, sizes and times of change.
    What cannot be used (a damaged record, a file cut off, an empty one, one that is no TFRecord file, a record
    that is no frame) is a row of `FrameIndex.faults`.

    Args:
        folder: The folder, whose own files alone are looked at.
        kind: What the shards hold.
        workers: Number of processes that read shards.
        found: Told how many shards there are, and how many of them need not be read again.
        done: Told of each shard that was read, in order, for progress bars.

    Raises:
        InputError: The folder has no shards or no frame in them, a shard cannot be read, one is of another kind
            of data, or the extra `waymo` is not installed.
    """
    root = Path(folder)
    shards = _shards_of(root, kind)
    subject, key = f"{kind.name} {root.resolve()}", _key(shards)
    entry = cache.load(subject, key)
    if found is not None:
        found(len(shards), 0 if entry is None else len(shards))
    if entry is not None:
        return FrameIndex(root, entry.tables["frames"], entry.tables["faults"], entry.facts["fingerprint"])
    read = engine.over(functools.partial(_index_shard, kind=kind), shards, workers=workers, done=done)
    frames, faults = _once_each(pl.concat(part for part, _ in read), pl.concat(part for _, part in read))
    _refuse_without_frames(root, frames, faults, kind)
    contents = frames.select("sequence", "frame", "timestamp_us", "length", "checksum")
    fingerprint = fingerprint_of({"frames": table_digest(contents)})
    with cache.stage() as stage:
        frames, faults = stage.keep("frames", frames), stage.keep("faults", faults)
        if _key(shards) == key:  # else shards changed while they were read
            stage.finish(subject, key, {"fingerprint": fingerprint})
    return FrameIndex(root, frames, faults, fingerprint)


def _shards_of(root: Path, kind: FrameKind) -> list[Path]:
    """The shards of a folder, sorted.

    Raises:
        InputError: It is no folder, has no shards, or one whose name cannot be read.
    """
    if not root.is_dir():
        raise InputError("is no folder.", path=root, remedy=f"Name the folder that holds the shards of {kind.title}.")
    shards = sorted(path for path in root.glob(_SHARDS) if path.is_file() and not path.name.startswith("."))
    for path in shards:
        if not path.name.isprintable():  # nor can a table hold what is no UTF-8
            raise InputError(f"holds a shard whose name cannot be read: {path.name!r}.", path=root, remedy="Rename it.")
    if not shards:
        raise InputError(f"holds no shards ({_SHARDS}).", path=root, remedy=kind.remedy)
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


def _index_shard(path: Path, kind: FrameKind) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Frames and faults of one shard, in the order of the file."""
    frames, faults = [], []
    for found in scan_records(path):
        frame = found if isinstance(found, Fault) else kind.frame_in(found, path)
        if isinstance(found, Record) and isinstance(frame, NamedFrame):
            place = (path.name, found.offset, len(found.data), found.checksum)
            frames.append((frame.sequence, frame.frame, frame.timestamp_us, *place, frame.rated))
        else:
            faults.append((path.name, *frame))
    return (
        pl.DataFrame(frames, schema=FRAMES_SCHEMA, orient="row"),
        pl.DataFrame(faults, schema=FAULTS_SCHEMA, orient="row"),
    )


def _once_each(frames: pl.DataFrame, faults: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Frames sorted, each once, the first by shard and offset; the others are faults."""
    by_time = (pl.col("timestamp_us").rank("dense") - 1).over("sequence").cast(pl.Int32)
    frames = frames.with_columns(pl.col("frame").fill_null(by_time)).sort("sequence", "frame", "shard", "offset")
    is_first = pl.struct("sequence", "frame").is_first_distinct()
    again = frames.filter(~is_first).select("shard", "offset", reason=pl.lit(_TWICE))
    return frames.filter(is_first), pl.concat([faults, again]).sort("shard", "offset")


def _refuse_without_frames(root: Path, frames: pl.DataFrame, faults: pl.DataFrame, kind: FrameKind) -> None:
    if not frames.is_empty():
        return
    first = [f"{shard} {reason}" for shard, _, reason in faults.head(3).iter_rows()]
    others = faults.height - len(first)
    raise InputError(
        f"holds no frame that can be read: {listed([*first, counted(others, 'other fault')] if others else first)}.",
        path=root,
        remedy=kind.remedy,
    )
