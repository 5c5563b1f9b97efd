"""Tables worked out once and kept as Arrow files, which every process maps into memory.

A cache may only ever save time. Entries are written to a folder of their own and renamed into place, so
that two processes at once do not meet; each file carries a checksum (which also makes waiting for the disk
needless), and an entry that fails it, or a folder that cannot be written to, is a warning and the work
is done again.
"""

from __future__ import annotations

import logging
import os
import shutil
import tempfile
import time
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import msgspec
import polars as pl

from probe4d.store.arrow_map import map_ipc, write_ipc
from probe4d.store.hashing import digest

__all__ = ["Entry", "Stage", "cache_folder", "load", "stage"]

_LOG = logging.getLogger(__name__)
_INDEX = "index.json"
_CRC_BLOCK = 1 << 20
_PRIVATE = ".stage-"
"""Start of the names of folders that belong to one process alone."""
_LEFT_BEHIND_S = 24 * 60 * 60
"""Age from which such a folder is that of a process that was killed."""


class _FileIndex(msgspec.Struct, frozen=True):
    crc32: int
    size: int


class _Index(msgspec.Struct, frozen=True):
    tables: dict[str, _FileIndex]
    facts: dict[str, Any]


class Entry(msgspec.Struct, frozen=True):
    """What a cache kept under a key.

    Attributes:
        tables: Tables by name, mapped into memory.
        facts: JSON values that were kept with them.
    """

    tables: dict[str, pl.DataFrame]
    facts: dict[str, Any]


def cache_folder() -> Path:
    """`$PROBE4D_CACHE`, or `probe4d` in the user's cache folder."""
    if own := os.environ.get("PROBE4D_CACHE"):
        return Path(own)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "probe4d"


def load(subject: str, key: Any) -> Entry | None:
    """Give the entry kept for a subject under a key, or None where there is none that is sound.

    Args:
        subject: What the entry is about, such as the path of a dataset; one entry is kept a subject.
        key: JSON value; the entry is given only if it was kept under an equal one.
    """
    folder = _folder(subject, key)
    try:
        inode = folder.stat().st_ino
    except OSError:
        return None
    try:
        index = msgspec.json.decode((folder / _INDEX).read_bytes(), type=_Index)
        tables = {name: _mapped(folder / f"{name}.arrow", kept) for name, kept in index.tables.items()}
    except (OSError, ValueError, msgspec.DecodeError, pl.exceptions.PolarsError) as error:
        _discard(folder, inode, error)
        return None
    return Entry(tables, index.facts)


class Stage:
    """Takes in the tables of a new entry."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        self._tables: dict[str, _FileIndex] = {}

    def keep(self, name: str, table: pl.DataFrame) -> pl.DataFrame:
        """Write a table and give it back mapped into memory, so that the one given can be let go.

        Where the cache cannot be written to, the table itself is given back.
        """
        if self._folder is None:
            return table
        path = self._folder / f"{name}.arrow"
        try:
            write_ipc(table, path)
            self._tables[name] = _FileIndex(_crc32(path), path.stat().st_size)
            return map_ipc(path)
        except (OSError, ValueError, pl.exceptions.PolarsError) as error:
            self.give_up(error)
            return table

    def finish(self, subject: str, key: Any, facts: dict[str, Any]) -> None:
        """Put the entry in its place, instead of an older one of the subject."""
        if self._folder is None:
            return
        place = _folder(subject, key)
        try:
            (self._folder / _INDEX).write_bytes(msgspec.json.encode(_Index(self._tables, facts)))
            if place.parent.exists():
                for older in set(place.parent.iterdir()) - {place}:
                    _remove(older)
            place.parent.mkdir(parents=True, exist_ok=True)
            self._folder.rename(place)
        except OSError as error:
            # Another process may have put its own, equal entry there in the meantime.
            if not (place / _INDEX).exists():
                self.give_up(error)

    def give_up(self, error: Exception) -> None:
        """Go on without the cache."""
        _LOG.warning("the cache could not be written, so the next opening will take as long again: %s", error)
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
        self._folder = None


@contextmanager
def stage() -> Iterator[Stage]:
    """Give a place to make an entry in; what is not finished there is removed."""
    folder: Path | None = None
    taken = Stage(None)
    try:
        cache_folder().mkdir(parents=True, exist_ok=True)
        _sweep()
        folder = Path(tempfile.mkdtemp(prefix=_PRIVATE, dir=cache_folder()))
        taken = Stage(folder)
    except OSError as error:
        taken.give_up(error)
    try:
        yield taken
    finally:
        if folder is not None:
            shutil.rmtree(folder, ignore_errors=True)


def _folder(subject: str, key: Any) -> Path:
    return cache_folder() / digest(subject)[:16] / digest(key)[:32]


def _mapped(path: Path, kept: _FileIndex) -> pl.DataFrame:
    if path.stat().st_size != kept.size or _crc32(path) != kept.crc32:
        raise ValueError(f"{path.name} is not what was written")
    return map_ipc(path)


def _crc32(path: Path) -> int:
    """Checksum of a file, read and not mapped, so that its pages are not counted as this process's memory."""
    checksum = 0
    with open(path, "rb", buffering=0) as file:
        while block := file.read(_CRC_BLOCK):
            checksum = zlib.crc32(block, checksum)
    return checksum


def _sweep() -> None:
    """Remove what processes left behind that were killed."""
    for folder in cache_folder().glob(f"{_PRIVATE}*"):
        with suppress(OSError):  # another process may sweep at the same time
            if time.time() - folder.stat().st_mtime > _LEFT_BEHIND_S:
                shutil.rmtree(folder, ignore_errors=True)


def _discard(folder: Path, inode: int, error: Exception) -> None:
    """Remove a damaged entry, but not one that another process has put in its place in the meantime."""
    with suppress(OSError):
        if folder.stat().st_ino == inode and _remove(folder):
            _LOG.warning("the cache entry %s is damaged and will be made anew: %s", folder, error)


def _remove(folder: Path) -> bool:
    """Remove an entry whole, first from its place, so that no other process finds half of it or loses its own."""
    private = Path(tempfile.mkdtemp(prefix=_PRIVATE, dir=cache_folder()))
    try:
        folder.rename(private)
    except OSError:
        return False
    finally:
        shutil.rmtree(private, ignore_errors=True)
    return True
