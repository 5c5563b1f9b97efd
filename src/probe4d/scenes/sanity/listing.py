"""Which sensor files there are: every folder is listed once, instead of asking for every file."""

from __future__ import annotations

import os
from pathlib import Path

import polars as pl

from probe4d.errors import InputError
from probe4d.store.files import inside

__all__ = ["list_files"]

_UNSAFE = r"(?:^|/)\.\.(?:/|$)|^/|\\|\x00|^$"
_ENTRIES = {"filename": pl.String(), "size": pl.Int64(), "leads_out": pl.Boolean()}


def list_files(root: Path, readings: pl.DataFrame) -> pl.DataFrame:
    """Look for the files of readings.

    Args:
        root: The dataset's folder.
        readings: Rows of `sample_data`: `filename` (relative to `root`) and `is_key_frame`.

    Returns:
        The rows with `outside` (the name leads out of `root`, by itself or by a link), `exists`, `size` in
        bytes (null for other files than those of key frames, which are not asked), and `other_case` (a file
        that differs from the name by upper and lower case alone; null unless the file is missing).
    """
    unsafe = pl.col("filename").str.contains(_UNSAFE)
    folder = pl.col("filename").str.replace(r"/?[^/]*$", "").alias("folder")
    readings = readings.with_columns(unsafe.alias("outside"), folder)
    folders = readings.filter(~pl.col("outside")).group_by("folder").agg(pl.col("is_key_frame").any())
    entries, strays = [pl.DataFrame(schema=_ENTRIES)], []
    for name, has_key_frames in sorted(folders.iter_rows()):
        if _is_inside(root, name):
            entries.append(_list_folder(root, name, ask_size=has_key_frames))
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
    """Entries of a folder of the dataset; none where there is no such folder."""
    rows = []
    try:
        with os.scandir(root / folder) as entries:
            for entry in entries:
                name = f"{folder}/{entry.name}" if folder else entry.name
                if not entry.name.isprintable() or not entry.is_file():
                    continue
                leads_out = entry.is_symlink() and not _is_inside(root, name)
                rows.append((name, entry.stat().st_size if ask_size and not leads_out else None, leads_out))
    except (OSError, ValueError):
        pass  # no folder: its files are missing, as the rules will say
    return pl.DataFrame(rows, schema=_ENTRIES, orient="row")


def _is_inside(root: Path, relative: str) -> bool:
    try:
        inside(root, relative)
    except (InputError, OSError, ValueError, RuntimeError):
        return False
    return True
