"""The folder of a long job, such as a training: it belongs to one job, and to one process at a time."""

from __future__ import annotations

import re
import shutil
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec

from probe4d.errors import InputError
from probe4d.store.files import write_bytes
from probe4d.store.folders import refuse_full
from probe4d.store.locks import locked
from probe4d.store.records import read_versioned
from probe4d.wording import listed

__all__ = ["hold_folder", "remove"]

_LOCK = ".lock"
_DIGEST = re.compile(r"[0-9a-f]{16,64}")


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
        record: What it is asked to do now; of its field `options` each field is compared for itself, and a field
            `version` says which version of Probe4D wrote it.
        job: What it is, in a word.
        beside: Names of what may lie in a new folder.
        other: What to take where the folder holds another job, in words.

    Raises:
        InputError: The folder holds something else or another job, or another process is at it.
    """
    path = folder / file
    if not path.exists():
        refuse_full(
            folder,
            f"is no folder of this {job} and is not empty.",
            ignored=lambda entry: entry.name in beside or entry.name.startswith("."),
        )
    with locked(folder / _LOCK):
        for half_written in folder.glob(".*.part"):
            remove(half_written)
        if path.exists():
            known = getattr(record, "version", 1)
            old = read_versioned(path, type(record), known, what=f"a {job}", remedy="Take another folder.")
            _refuse_other(old, record, folder, job, other)
        else:
            write_bytes(path, msgspec.json.format(msgspec.json.encode(record), indent=2) + b"\n")
        yield


def remove(path: Path) -> None:
    """Take away a file, or a folder with all that is in it; nothing happens where there is none."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def _refuse_other(old: msgspec.Struct, new: msgspec.Struct, folder: Path, job: str, other: str) -> None:
    was, now = (_flat(msgspec.to_builtins(record)) for record in (old, new))
    differing = [name for name in was | now if was.get(name) != now.get(name)]
    if differing:
        phrases = [_phrase(name, was.get(name), now.get(name)) for name in differing]
        raise InputError(
            f"holds a {job} that was asked otherwise: {listed(phrases)}.",
            path=folder,
            remedy=f"Repeat the command that began it, or take {other}.",
        )


def _flat(record: dict[str, Any]) -> dict[str, Any]:
    """The fields of a record, and in the place of its options, one field each."""
    options: dict[str, Any] = record.get("options", {})
    return {name: value for name, value in record.items() if name != "options"} | options


def _phrase(name: str, was: Any, now: Any) -> str:
    """A difference in words; of digests and of what has parts, that there is one."""
    says_nothing = any(isinstance(value, list | dict) or _DIGEST.fullmatch(str(value)) for value in (was, now))
    return f"other {name}" if says_nothing else f"{name} {was!r}, now {now!r}"
