"""The folder of a long job, such as a training: it belongs to one job, and to one process at a time."""

from __future__ import annotations

import re
import shutil
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from probe4d.errors import InputError
from probe4d.store.files import write_bytes
from probe4d.store.folders import refuse_full
from probe4d.store.locks import locked
from probe4d.store.records import read_versioned
from probe4d.wording import listed

__all__ = ["hold_folder", "refuse_other_job", "remove"]

_LOCK = ".lock"
_DIGEST = re.compile(r"[0-9a-f]{16,64}")
_PARTS = ("options", "generation")
"""Fields of a record that are taken apart, so that a difference is told by the option that differs."""

Record = TypeVar("Record", bound=msgspec.Struct)


@contextmanager
def hold_folder(
    folder: Path,
    file: str,
    record: msgspec.Struct,
    *,
    job: str = "training",
    beside: Collection[str] = (),
    other: str = "another folder",
) -> Iterator[None]:
    """Hold the folder of a job while the block runs: a new one, or one that was asked to do the same.

    Files and folders that a kill left half-written are taken away.

    Args:
        folder: The folder.
        file: Name of the file in it that says what the job was asked to do.
        record: What it is asked to do now; of its fields `options` and `generation` each field is compared for itself,
            a field `version` says of which version its layout is, and a field `probe4d`, which is not compared, which
            version of Probe4D began the job.
        job: What it is, in a word.
        beside: Names of what may lie in a new folder.
        other: What to take where the folder holds another job, in words.

    Raises:
        InputError: The folder holds something else or another job, or another process is at it.
    """
    path = folder / file
    refuse_full(
        folder,
        f"is no folder of this {job} and is not empty.",
        own=(file,),
        ignored=lambda entry: entry.name in beside or entry.name.startswith("."),
    )
    with locked(folder / _LOCK):
        for half_written in folder.glob(".*.part"):
            remove(half_written)
        if path.exists():
            refuse_other_job(folder, file, record, job=job, other=other)
        else:
            write_bytes(path, msgspec.json.format(msgspec.json.encode(record), indent=2) + b"\n")
        yield


def refuse_other_job(
    folder: Path, file: str, record: Record, *, job: str = "training", other: str = "another folder"
) -> Record:
    """Refuse the folder of a job that was asked otherwise; nothing is held or written.

    Args:
        folder: The folder, and the rest as for `hold_folder`.
        file: Name of the file in it that says what the job was asked to do.
        record: What it is asked to do now.
        job: What it is, in a word.
        other: What to take where the folder holds another job, in words.

    Returns:
        The record of who began it.

    Raises:
        InputError: There is no such record, or it was asked otherwise.
    """
    known = getattr(record, "version", 1)
    old = read_versioned(folder / file, type(record), known, what=f"a {job}", remedy="Take another folder.")
    was, now = (_flat(msgspec.to_builtins(one)) for one in (old, record))
    differing = [name for name in was | now if was.get(name) != now.get(name)]
    if differing:
        phrases = [_phrase(name, was.get(name), now.get(name)) for name in differing]
        raise InputError(
            f"holds a {job} that was asked otherwise: {listed(phrases)}.",
            path=folder,
            remedy=f"Repeat the command that began it, or take {other}.",
        )
    return old


def remove(path: Path) -> None:
    """Take away a file, or a folder with all that is in it; nothing happens where there is none."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def _flat(record: dict[str, Any]) -> dict[str, Any]:
    """The fields of a record that are compared, and in the place of options and generation one field each."""
    flat = {name: value for name, value in record.items() if name not in {*_PARTS, "probe4d"}}
    for part in _PARTS:
        for name, value in record.get(part, {}).items():
            flat[f"{part} {name}" if name in flat else name] = value
    return flat


def _phrase(name: str, was: Any, now: Any) -> str:
    """A difference in words; of digests and of what has parts, that there is one."""
    says_nothing = any(isinstance(value, list | dict) or _DIGEST.fullmatch(str(value)) for value in (was, now))
    return f"other {name}" if says_nothing else f"{name} {was!r}, now {now!r}"
