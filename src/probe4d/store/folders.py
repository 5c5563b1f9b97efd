"""Whole-folder writes: a folder appears complete under its name, or what lay there stays as it is."""

from __future__ import annotations

import errno
import secrets
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from probe4d.errors import InputError, Probe4DError
from probe4d.store.files import refuse_long_name, write_error

__all__ = ["refuse_full", "whole_folder"]


def refuse_full(path: Path, fault: str = "is not empty.", *, ignored: Callable[[Path], bool] | None = None) -> None:
    """Refuse a place that no new folder can take, before any work is done.

    Args:
        path: Where the folder is to be.
        fault: What is wrong with a folder that holds something, as a sentence.
        ignored: Says of what lies in it whether it is of no account; null where everything counts.

    Raises:
        InputError: It is a file, a folder that holds something, or a name too long for the disk.
    """
    refuse_long_name(path)
    if path.exists() and not path.is_dir():
        raise InputError("is a file, not a folder.", path=path, remedy="Choose another folder.")
    if path.is_dir() and not all(ignored is not None and ignored(entry) for entry in path.iterdir()):
        raise InputError(fault, path=path, remedy="Choose another folder, or empty this one.")


@contextmanager
def whole_folder(path: Path | str) -> Iterator[Path]:
    """Give a temporary folder beside `path` to write to; put it in the place of `path` when the block ends well.

    A folder that lies there already keeps whatever else is in it; of what has the name of something new, the new
    is kept. If the block raises, the temporary folder is removed and nothing else has changed. A process killed
    in between leaves hidden folders `.NAME.*.part` or `.NAME.*.old` beside it, and the old folder or the new one.

    Raises:
        InputError: The folder cannot be made, or not be put in the place of the old one.
    """
    given, path = Path(path), Path(path).resolve()  # of a link, its target is replaced
    temporary, aside = (path.with_name(f".{path.name}.{secrets.token_hex(4)}.{end}") for end in ("part", "old"))
    try:
        temporary.mkdir(parents=True)
    except OSError as error:
        raise _refusal(given, error) from error
    try:
        yield temporary
        try:
            _swap(temporary, path, aside)
        except OSError as error:
            raise _refusal(given, error) from error
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def _swap(new: Path, path: Path, aside: Path) -> None:
    if not path.exists():
        new.replace(path)
        return
    path.replace(aside)
    try:
        new.replace(path)
    except OSError:
        aside.replace(path)
        raise
    for entry in aside.iterdir():
        if not (path / entry.name).exists():
            entry.replace(path / entry.name)
    shutil.rmtree(aside)


def _refusal(path: Path, error: OSError) -> Probe4DError:
    if error.errno == errno.ENAMETOOLONG:
        return write_error(path, error)
    return InputError(
        f"cannot be written ({error.strerror}).",
        path=path,
        remedy="Choose a folder that you may make, or replace, in a folder that you may write to.",
    )
