"""The sensor files of a dataset: which there are, and what they hold."""

from __future__ import annotations

import os
from pathlib import Path

import polars as pl

from probe4d.errors import InputError
from probe4d.store.files import inside

__all__ = ["FETCH_AGAIN", "list_files", "read_sensor_file", "unlisted", "unreadable"]

FETCH_AGAIN = "Fetch it again."
"""The remedy for a sensor file that is damaged."""

_UNSAFE = r"(?:^|/)\.\.(?:/|$)|^/|\\|\x00|^$"
_ENTRIES = {"filename": pl.String(), "size": pl.Int64(), "leads_out": pl.Boolean()}


def read_sensor_file(path: Path) -> bytes:
    """The content of a sensor file.

    Raises:
        InputError: It cannot be read.
    """
    try:
        return path.read_bytes()
    except OSError as error:
        raise unreadable(path, error) from error


def unreadable(path: Path, error: OSError) -> InputError:
    """The error for people where a sensor file cannot be read."""
    return InputError(
        f"cannot be read ({error.strerror}).", path=path, remedy="Check that the dataset's sensor files are there."
    )


def unlisted(root: Path, file: str) -> InputError:
    """The error for people where `list_files` finds a file outside of the dataset's folder `root`, or not at all."""
    try:
        inside(root, file)
    except InputError as error:
        return error
    return InputError("is not there.", path=root / file)


def list_files(root: Path, readings: pl.DataFrame) -> pl.DataFrame:
    """Look for the files of readings; every folder is listed once, instead of asking for every file.

    Args:
        root: The dataset's folder.
        readings: `filename` (relative to `root`), and `is_key_frame` where sizes are wanted; other columns stay.

    Returns:
        The rows with `outside` (the name leads out of `root`, by itself or by a link), `exists`, `size` in
        bytes (null in folders without files of key frames, which are not asked), and `other_case` (a file
        that differs from the name by upper and lower case alone; null unless the file is missing).
    """
    unsafe = pl.col("filename").str.contains(_UNSAFE)
    folder = pl.col("filename").str.replace(r"/?[^/]*$", "").alias("folder")
    readings = readings.with_columns(unsafe.alias("outside"), folder)
    sized = pl.col("is_key_frame").any() if "is_key_frame" in readings.columns else pl.lit(value=False)
    folders = readings.filter(~pl.col("outside")).group_by("folder").agg(sized.alias("sized"))
    entries, strays = [pl.DataFrame(schema=_ENTRIES)], []
    for name, is_sized in sorted(folders.iter_rows()):
        if _is_inside(root, f"{name}/file" if name else "file"):
            entries.append(_list_folder(root, name, ask_size=is_sized))
        else:
            strays.append(name)
    found = pl.concat(entries)
    readings = readings.join(found, on="filename", how="left", maintain_order="left")
    outside = pl.col("outside") | pl.col("folder").is_in(strays) | pl.col("leads_out").fill_null(value=False)
    lower = found.select(pl.col("filename").str.to_lowercase().alias("lower"), other_case="filename").unique("lower")
    is_there = pl.col("leads_out").is_not_null()
    return (
        readings.with_columns(outside.alias("outside"), is_there.alias("exists"))
        .with_columns(pl.when(~is_there).then(pl.col("filename").str.to_lowercase()).alias("lower"))
        .join(lower, on="lower", how="left", maintain_order="left")
        .drop("folder", "leads_out", "lower")
    )


def _list_folder(root: Path, folder: str, *, ask_size: bool) -> pl.DataFrame:
    """Files of a folder of the dataset; none where there is no such folder, or it may not be read."""
    try:
        with os.scandir(root / folder) as entries:
            rows = [row for entry in entries if (row := _entry(root, folder, entry, ask_size=ask_size)) is not None]
    except (OSError, ValueError):
        rows = []
    return pl.DataFrame(rows, schema=_ENTRIES, orient="row")


def _entry(root: Path, folder: str, entry: os.DirEntry[str], *, ask_size: bool) -> tuple[str, int | None, bool] | None:
    """Name, size and whether it leads out of the dataset; null where it is no file or has vanished."""
    name = f"{folder}/{entry.name}" if folder else entry.name
    try:
        name.encode()  # a name that is no UTF-8 is that of no row, and no column could hold it
        leads_out = entry.is_symlink() and not _is_inside(root, name)
        if not leads_out and not entry.is_file():
            return None
        return name, entry.stat().st_size if ask_size and not leads_out else None, leads_out
    except (OSError, UnicodeEncodeError):
        return None


def _is_inside(root: Path, relative: str) -> bool:
    try:
        inside(root, relative)
    except (InputError, OSError, ValueError, RuntimeError):
        return False
    return True
