"""Whole-folder writes: a folder appears complete under its name, or what lay there stays as it is."""

from __future__ import annotations

import errno
import secrets
import shutil
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from pathlib import Path

from probe4d.errors import InputError, Probe4DError
from probe4d.store.files import is_half_written, refuse_long_name, write_error

__all__ = ["refuse_full", "whole_folder"]


def refuse_full(
    path: Path,
    fault: str = "is not empty.",
    *,
    own: Collection[str] = (),
    ignored: Callable[[Path], bool] | None = None,
) -> None:
    """Refuse a folder that holds what its writer did not write, before any work is done.

    What is written goes to a new folder, to an empty one, or to one that holds an earlier output of the same kind.

    Args:
        path: Where the folder is to be.
        fault: What is wrong with a folder that holds something, as a sentence.
        own: Names of files of which each shows that what lies there is an earlier output; none where that would not
            be replaced whole, and so is refused like anything else.
        ignored: Says of what else lies in it whether it is of no account; what a killed write leaves never is of any.

    Raises:
        InputError: It is a file, a folder that holds something else, or a name too long for the disk.
    """
    refuse_long_name(path)
    if path.exists() and not path.is_dir():
        raise InputError("is a file, not a folder.", path=path, remedy="Choose another folder.")
    if not path.is_dir() or any((path / name).exists() for name in own):
        return
    held = (entry for entry in path.iterdir() if not is_half_written(entry))
    if not all(ignored is not None and ignored(entry) for entry in held):
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
