"""Writes the nuScenes tables of a dataset whole, from the rows that its scenes left."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Mapping
from contextlib import ExitStack
from pathlib import Path

import numpy as np
from PIL import Image

from probe4d.scenes.nuscenes_writing.rows import TABLES, Rows, encode_rows
from probe4d.scenes.nuscenes_writing.scene_records import SceneRecord

__all__ = ["write_map", "write_tables"]


def write_tables(
    folder: Path, shared: Rows, records: Iterable[SceneRecord], *, present: Mapping[str, bytes] | None = None
) -> None:
    """Write all tables into a new folder, one scene after another; what lay under its name is removed.

    Args:
        folder: The folder, not yet under its own name: whoever reads it has to find all tables or none.
        shared: Rows that belong to no scene, by table; they come first.
        records: What each scene left.
        present: Encoded rows of scenes that were there before, by table; a table has none of `shared` and these.
    """
    before = present or {}
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    with ExitStack() as stack:
        files = {table: stack.enter_context(open(folder / f"{table}.json", "wb")) for table in TABLES}
        for table, file in files.items():
            file.write(b"[\n" + (encode_rows(shared[table]) if table in shared else before.get(table, b"")))
        for record in records:
            for table, rows in record.rows.items():
                if rows:
                    file = files[table]
                    file.write(b",\n" + rows if file.tell() > 2 else rows)
        for file in files.values():
            file.write(b"\n]\n")
            file.flush()
            os.fsync(file.fileno())


def write_map(folder: Path, map_token: str) -> None:
    """Write an empty map mask into `maps/` of a dataset's folder: readers of nuScenes insist on its file."""
    maps = folder / "maps"
    maps.mkdir(exist_ok=True)
    Image.fromarray(np.zeros((16, 16), dtype=np.uint8)).save(maps / f"{map_token}.png")
