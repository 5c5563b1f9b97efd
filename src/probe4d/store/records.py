"""Records in JSON that say which version of their layout they have, so that those of another are told as such."""

from __future__ import annotations

from pathlib import Path
from typing import TypeVar

import msgspec

from probe4d.errors import InputError

__all__ = ["read_versioned"]

_Record = TypeVar("_Record", bound=msgspec.Struct)


class _Version(msgspec.Struct):
    version: int = 1  # records that do not say it are older than the field


def read_versioned(path: Path, kind: type[_Record], version: int, *, what: str, remedy: str | None = None) -> _Record:
    """Read a record.

    Args:
        path: Its file.
        kind: What it holds.
        version: The version of the layout that is known here.
        what: What it is a record of, with its article, for errors.
        remedy: What to do about a record that cannot be read.

    Raises:
        InputError: The file is missing, no such record, or of another version.
    """
    try:
        held = path.read_bytes()
        found = msgspec.json.decode(held, type=_Version).version
        if found == version:
            return msgspec.json.decode(held, type=kind)
    except OSError as error:
        raise InputError(f"cannot be read ({error.strerror}).", path=path, remedy=remedy) from error
    except (msgspec.MsgspecError, RecursionError, InputError) as error:  # the last of options that mean nothing
        raise InputError(f"is no record of {what} ({error}).", path=path, remedy=remedy) from error
    raise InputError(
        f"was written by another version of Probe4D (its record is of version {found}, here of {version}).",
        path=path,
        remedy="Use the version that wrote it, or make it again with this one.",
    )
