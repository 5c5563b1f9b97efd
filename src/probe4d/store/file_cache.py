"""Files worked out once and kept under a key.

A cache may only ever save time: a file carries a digest of its key and content, one that fails it counts as absent,
and a folder that cannot be written to is a warning, once. Files appear whole. The folder is kept below a size by
removing what was longest unused; it may be deleted at any time.
"""

from __future__ import annotations

import hashlib
import logging
import os
import tempfile
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from probe4d.store.cache import cache_folder

__all__ = ["FileCache"]

_LOG = logging.getLogger(__name__)
_DIGEST_BYTES = 32
_PART = ".part"
_LEFT_BEHIND_S = 24 * 60 * 60
"""Age from which a file that is not whole is that of a process that was killed."""
_SWEPT_TO = 0.8
"""Share of the limit that a sweep leaves, so that not every file written makes for another sweep."""
_SWEPT_EVERY = 0.25
"""Share of the limit that is written between two sweeps: a long command stays near its limit, and sweeps seldom."""


class _Kept(NamedTuple):
    used_ns: int
    size: int
    path: str


class FileCache:
    """A folder of the cache; several threads and processes may use it at once.

    Args:
        name: Name of the folder in the cache folder.
        most_bytes: Size above which files are removed, by `sweep` and whenever a quarter of it has been written.
    """

    def __init__(self, name: str, *, most_bytes: int) -> None:
        self._folder = cache_folder() / name
        self._most_bytes = most_bytes
        self._unswept_bytes = 0
        self._lock = threading.Lock()
        self._warned = False

    def get(self, key: str) -> bytes | None:
        """Give what is kept under a key, or None where that is nothing, or damaged.

        Args:
            key: Hexadecimal digits, at least three.
        """
        path = self._path(key)
        try:
            whole = path.read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            self._warn("read", error)
            return None
        content = whole[_DIGEST_BYTES:]
        if whole[:_DIGEST_BYTES] != _digest(key, content):
            self._warn("read", ValueError(f"{path} is damaged and will be made anew"))
            return None
        with suppress(OSError):  # only so that the sweep knows it was used
            os.utime(path)
        return content

    def put(self, key: str, content: bytes) -> None:
        """Keep something under a key.

        Not waited for until it is on disk: what power loss leaves half written fails its digest.
        """
        path = self._path(key)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            handle, part = tempfile.mkstemp(prefix=".", suffix=_PART, dir=path.parent)
            try:
                with open(handle, "wb") as file:
                    file.write(_digest(key, content))
                    file.write(content)
                os.replace(part, path)
            except OSError:
                Path(part).unlink(missing_ok=True)
                raise
        except OSError as error:
            self._warn("written", error)
            return
        with self._lock:
            self._unswept_bytes += _DIGEST_BYTES + len(content)
            is_due = self._unswept_bytes > _SWEPT_EVERY * self._most_bytes
        if is_due:
            self.sweep()

    def sweep(self) -> None:
        """Remove what was longest unused, if this object wrote anything and the folder is above its limit."""
        with self._lock:
            unswept_bytes, self._unswept_bytes = self._unswept_bytes, 0
        if unswept_bytes == 0:
            return
        kept = sorted(self._kept())
        excess = sum(file.size for file in kept) - self._most_bytes
        if excess <= 0:
            return
        excess += int(self._most_bytes * (1 - _SWEPT_TO))
        for file in kept:
            if excess <= 0:
                return
            with suppress(OSError):  # another process may sweep at the same time
                os.unlink(file.path)
            excess -= file.size

    def _kept(self) -> list[_Kept]:
        """Files of the cache, left-over parts of killed processes removed."""
        kept = []
        for folder in self._folder.glob("*/"):
            with suppress(OSError), os.scandir(folder) as entries:
                for entry in entries:
                    with suppress(OSError):
                        found = entry.stat(follow_symlinks=False)
                        if not entry.name.endswith(_PART):
                            kept.append(_Kept(found.st_mtime_ns, found.st_size, entry.path))
                        elif time.time() - found.st_mtime > _LEFT_BEHIND_S:
                            os.unlink(entry.path)
        return kept

    def _path(self, key: str) -> Path:
        return self._folder / key[:2] / key[2:]

    def _warn(self, done: str, error: Exception) -> None:
        if not self._warned:
            self._warned = True
            _LOG.warning("the cache could not be %s, so what it should hold is made again: %s", done, error)


def _digest(key: str, content: bytes) -> bytes:
    return hashlib.sha256(key.encode() + content).digest()
