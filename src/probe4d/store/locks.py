"""One writer a folder: a lock that the operating system gives back when its process ends, however it ends."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from probe4d.errors import InputError
from probe4d.store.files import write_error

__all__ = ["locked"]


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold the lock file `path` while the block runs.

    Raises:
        InputError: Another process holds it, or it cannot be made.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        file = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
    except OSError as error:
        raise write_error(path, error) from error
    try:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise InputError(
                "is in use by another command.", path=path.parent, remedy="Wait until it has ended, or stop it."
            ) from error
        yield
    finally:
        os.close(file)
