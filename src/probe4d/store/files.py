"""Whole-file writes: a file appears complete under its name, or not at all."""

from __future__ import annotations

import errno
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import polars as pl

from probe4d.errors import InputError, Probe4DError, RunError

__all__ = ["inside", "is_half_written", "refuse_long_name", "whole_file", "write_bytes", "write_error", "write_text"]


@contextmanager
def whole_file(path: Path | str) -> Iterator[Path]:
    """Give a temporary path beside `path` to write to; rename it to `path` when the block ends well.

    The bytes are on disk (fsync) before the rename, so that a reader, or a machine that loses power,
    sees the old file or the new one. If the block raises, the temporary file is removed.

    Raises:
        InputError: The path is a folder, or its folder cannot be made or written to.
        RunError: Writing failed, for example because the disk is full.
    """
    path = Path(path)
    refuse_long_name(path)
    if path.is_dir():
        raise InputError("is a folder, not a file.", path=path, remedy="Name the file to write.")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".part", dir=path.parent)
    except OSError as error:
        raise write_error(path, error) from error
    os.close(handle)
    temporary = Path(name)
    try:
        yield temporary
        with open(temporary, "rb+") as file:
            os.fsync(file.fileno())
        temporary.chmod(0o666 & ~_umask())
        temporary.replace(path)
    except (OSError, pl.exceptions.ComputeError) as error:  # polars has the latter where Parquet cannot be written
        if isinstance(error, OSError) and error.filename not in (None, name):
            raise  # of another file, which the block reads
        raise write_error(path, error) from error
    finally:
        temporary.unlink(missing_ok=True)


def is_half_written(path: Path) -> bool:
    """Whether a name is one of those that a killed `whole_file` or `whole_folder` leaves."""
    return path.name.startswith(".") and path.suffix == ".part"


def refuse_long_name(path: Path) -> None:
    """Refuse a path that the disk has no room for, before it is looked at: that would end in an error of the system.

    Raises:
        InputError: A name in it, or all of it, is too long.
    """
    try:
        path.lstat()
    except OSError as error:
        if error.errno == errno.ENAMETOOLONG:
            raise write_error(path, error) from error


def write_error(path: Path | str, error: Exception) -> Probe4DError:
    """The error for people where a file cannot be made (InputError) or not be written to the end (RunError)."""
    if isinstance(error, OSError) and error.errno == errno.ENAMETOOLONG:
        return InputError("is too long a name for the disk.", path=path, remedy="Give a shorter one.")
    if isinstance(error, OSError) and error.filename is not None and error.errno not in (errno.ENOSPC, errno.EDQUOT):
        return InputError(
            f"cannot be written ({error.strerror}).", path=path, remedy="Choose a folder you may write to."
        )
    reason = error.strerror if isinstance(error, OSError) and error.strerror else error
    return RunError(f"{path}: could not be written to the end ({reason}). See that the disk has room.")


def write_bytes(path: Path | str, content: bytes) -> None:
    """Write a whole file of bytes (see `whole_file`)."""
    with whole_file(path) as temporary:
        temporary.write_bytes(content)


def write_text(path: Path | str, content: str) -> None:
    """Write a whole UTF-8 text file with LF line ends (see `whole_file`)."""
    write_bytes(path, content.encode("utf-8"))


def inside(root: Path, relative: str) -> Path:
    """Join a path that comes from data to its root.

    A folder directly under `root` may be a link to elsewhere, as datasets that are spread over disks have
    it; a path through it is then held inside the folder that it leads to. Deeper links may not lead out.

    Raises:
        InputError: The path is absolute or leads out of `root`, by `..` or through a link.
    """
    path = Path(relative)
    joined = (root / path).resolve()
    homes = [root.resolve()]
    if len(path.parts) > 1 and ".." not in path.parts:
        homes.append((root / path.parts[0]).resolve())
    if path.is_absolute() or not any(joined.is_relative_to(home) for home in homes):
        raise InputError(f"the path {relative!r} leads out of the dataset folder.", path=root)
    return joined


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
