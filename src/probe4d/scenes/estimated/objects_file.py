"""The file of estimated objects: a parquet file with a record of where they come from."""

from __future__ import annotations

from pathlib import Path

import msgspec
import polars as pl

from probe4d.errors import InputError
from probe4d.scenes.estimated.estimating import RECORD_VERSION, EstimatedObjects, ObjectsRecord
from probe4d.scenes.estimated.schema import ESTIMATED_OBJECTS_SCHEMA
from probe4d.scenes.tables import Scenes
from probe4d.store.files import whole_file

__all__ = ["read_objects", "read_objects_record", "write_objects"]

_KEY = "estimated_objects"
_AGAIN = "Make it again with `probe4d detect`."


def write_objects(estimated: EstimatedObjects, path: Path | str) -> None:
    """Write objects with their record as a whole parquet file.

    Raises:
        InputError: The file cannot be made.
        RunError: Writing failed.
    """
    record = msgspec.json.encode(estimated.record).decode()
    with whole_file(path) as temporary:
        estimated.objects.write_parquet(temporary, metadata={_KEY: record})


def read_objects_record(path: Path | str) -> ObjectsRecord:
    """Where the objects of a file come from.

    Raises:
        InputError: The file cannot be read, or is none of estimated objects.
    """
    path = Path(path)
    if not path.is_file():
        raise InputError(
            "there is no such file of objects.", path=path, remedy="Give the one that `probe4d detect` wrote."
        )
    try:
        held = pl.read_parquet_metadata(path).get(_KEY)
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
        raise InputError(f"is no readable parquet file ({error}).", path=path, remedy=_AGAIN) from error
    if held is None:
        raise InputError("is no file of estimated objects: it has no record of them.", path=path, remedy=_AGAIN)
    try:
        record = msgspec.json.decode(held, type=ObjectsRecord)
    except msgspec.DecodeError as error:
        raise InputError(f"has no sound record of its objects ({error}).", path=path, remedy=_AGAIN) from error
    if record.version != RECORD_VERSION:
        raise InputError(
            f"was written by another version of Probe4D (its objects are of version {record.version}, here of "
            f"{RECORD_VERSION}).",
            path=path,
            remedy=_AGAIN,
        )
    return record


def read_objects(path: Path | str, scenes: Scenes) -> pl.DataFrame:
    """Read estimated objects.

    Args:
        path: A file of `write_objects`.
        scenes: The scenes that they are of; objects of other scenes of the same dataset are left out.

    Returns:
        Columns of `ESTIMATED_OBJECTS_SCHEMA`, sorted by scene, frame and track. All of it is estimated.

    Raises:
        InputError: The file cannot be read, is of another dataset, or a column is missing or of another type.
    """
    path = Path(path)
    record = read_objects_record(path)
    if record.dataset != scenes.fingerprint:
        raise InputError(
            f"holds objects of another dataset than {scenes.root}, or of one whose tables have changed.",
            path=path,
            remedy=_AGAIN,
        )
    table = pl.read_parquet(path, glob=False)
    for name, kind in ESTIMATED_OBJECTS_SCHEMA.items():
        if table.schema.get(name) != kind:
            found = "is missing" if name not in table.columns else f"is of type {table.schema[name]}, not {kind}"
            raise InputError(f"the column {name!r} {found}.", path=path, remedy=_AGAIN)
    names = pl.Series("scene", scenes.names, dtype=pl.String)
    return table.select(list(ESTIMATED_OBJECTS_SCHEMA)).filter(pl.col("scene").is_in(names.implode()))
