"""What is kept of a finished scene until the dataset's tables are written: its rows, and checksums of its files."""

from __future__ import annotations

import zlib
from pathlib import Path

import msgspec

from probe4d.store.files import write_bytes

__all__ = ["SceneRecord", "is_finished", "keep_record", "read_record"]

RECORDS = "records"


class SceneRecord(msgspec.Struct, frozen=True):
    """A finished scene.

    Attributes:
        files: CRC-32 of each sensor file, by its path in the dataset.
        rows: Encoded rows of each table.
        columns: Tables beside those of nuScenes, as Arrow IPC, by name.
    """

    files: dict[str, int]
    rows: dict[str, bytes]
    columns: dict[str, bytes] = msgspec.field(default_factory=dict)


def keep_record(folder: Path, name: str, record: SceneRecord) -> None:
    """Write the record of a scene whole; from then on the scene is finished."""
    write_bytes(_path(folder, name), msgspec.msgpack.encode(record))


def read_record(folder: Path, name: str) -> SceneRecord:
    """The record of a finished scene.

    Raises:
        OSError: There is none.
        msgspec.DecodeError: It is damaged.
    """
    return msgspec.msgpack.decode(_path(folder, name).read_bytes(), type=SceneRecord)


def is_finished(folder: Path, name: str) -> bool:
    """Whether a scene has a record and its files hold what was written: after a loss of power they may not."""
    try:
        files = read_record(folder, name).files
        return all(zlib.crc32((folder / path).read_bytes()) == checksum for path, checksum in files.items())
    except (OSError, msgspec.DecodeError):
        return False


def _path(folder: Path, name: str) -> Path:
    return folder / RECORDS / f"{name}.msgpack"
