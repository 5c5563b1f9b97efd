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

_LEVELS_OF_LINKS = 2
"""Levels of folders that people link to another disk: those of all sensors, and of one."""


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

    Folders of the first two levels under `root` (`samples`, `samples/CAM_FRONT`) may be links to elsewhere, as who
    spreads a dataset over disks makes them; a path through one is then held inside the folder that it leads to.
    Deeper links, and links in the place of files, may not lead out.

    Raises:
        InputError: The path is absolute, goes through links in a loop, or leads out of `root`, by `..` or through a
            link; it says by which.
    """
    path = Path(relative)
    try:
        joined = (root / path).resolve()
    except (OSError, RuntimeError) as error:  # the latter for links in a loop, before Python 3.13
        raise InputError("is reached through a link that leads to itself.", path=root / path) from error
    folders = () if ".." in path.parts else range(1, min(_LEVELS_OF_LINKS + 1, len(path.parts)))
    homes = (root, *(root.joinpath(*path.parts[:level]) for level in folders))
    if path.is_absolute() or not any(joined.is_relative_to(home.resolve()) for home in homes):
        raise _leads_out(root, path)
    return joined


def _leads_out(root: Path, path: Path) -> InputError:
    if path.is_absolute() or ".." in path.parts:
        what = "leads out of the dataset folder."
        return InputError(what, path=root / path, remedy="Name files by paths inside that folder.")
    deepest = next(one for one in (path, *path.parents) if (root / one).is_symlink())
    through = "and is itself a link" if deepest == path else f"by the link {str(deepest)!r}"
    return InputError(
        f"leads out of the dataset folder {through}.",
        path=root / path,
        remedy="Put the file itself there, or link a whole folder such as samples or samples/CAM_FRONT.",
    )


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
