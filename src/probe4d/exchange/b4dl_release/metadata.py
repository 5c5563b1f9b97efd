"""What a B4DL release says of its scenes and sequences beside the questions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple, TypeVar

import msgspec
import polars as pl

from probe4d.errors import InputError
from probe4d.store.json_tables import read_table

__all__ = ["SCENES_FILE", "SEQUENCES_FILE", "Metadata", "read_metadata", "released_split"]

Row = TypeVar("Row")

SCENES_FILE, SEQUENCES_FILE = "scene_metadata.json", "sequence_metadata.json"

_SPLITS = {"train": "train", "val": "test", "test": "test"}
"""Splits as they are called; the copies of the release do not agree on the name of the second."""


class SceneRow(msgspec.Struct, frozen=True, kw_only=True):
    """An object of `scene_metadata.json`; its paths are not read."""

    scene_id: str
    scene_token: str | None = None
    num_frames: int | None = None
    split: str | None = None
    human_annotation: str | None = None


class SequenceRow(msgspec.Struct, frozen=True, kw_only=True):
    """An object of `sequence_metadata.json`; its frames are not read."""

    sequence_id: str
    indices: tuple[int, ...] = ()


class Metadata(NamedTuple):
    """What is known of scenes and sequences; empty tables where no file says it.

    Attributes:
        scenes: `scene_id`, `scene_token`, `keyframes`, `scene_split` (`train` or `test`) and `description`.
        sequences: `sequence` (its id) and `indices`, its key frames.
        files: What was read.
    """

    scenes: pl.DataFrame
    sequences: pl.DataFrame
    files: tuple[Path, ...] = ()


def released_split(name: str | None, path: Path | None, where: int | str) -> str | None:
    """`train` or `test` for a split as the release calls it; null where it says none.

    Raises:
        InputError: It is called otherwise.
    """
    if name is None:
        return None
    if name not in _SPLITS:
        raise InputError(f"has the split {name!r}; expected is train, val or test.", path=path, row=where)
    return _SPLITS[name]


def read_metadata(folders: Sequence[Path]) -> Metadata:
    """Read the first of each file that lies in one of some folders.

    Raises:
        InputError: A file or a row is wrong, or two rows are about one scene or sequence.
    """
    scenes, sequences = (_first(folders, name) for name in (SCENES_FILE, SEQUENCES_FILE))
    files = tuple(file for file in (scenes, sequences) if file is not None)
    return Metadata(_scenes(scenes), _sequences(sequences), files)


def _first(folders: Sequence[Path], name: str) -> Path | None:
    return next((folder / name for folder in folders if (folder / name).is_file()), None)


def _rows(path: Path | None, kind: type[Row]) -> Iterator[tuple[int, Row]]:
    """Rows of a file with their numbers, from 1; none of no file."""
    if path is not None:
        yield from enumerate((row for block in read_table(path, kind) for row in block), start=1)


def _scenes(path: Path | None) -> pl.DataFrame:
    rows = []
    for number, row in _rows(path, SceneRow):
        if row.num_frames is not None and row.num_frames < 1:
            raise InputError(f"has num_frames {row.num_frames}; expected is 1 or more.", path=path, row=number)
        split = released_split(row.split, path, number)
        rows.append((row.scene_id, row.scene_token, row.num_frames, split, row.human_annotation))
    schema = {
        "scene_id": pl.String(),
        "scene_token": pl.String(),
        "keyframes": pl.Int32(),
        "scene_split": pl.String(),
        "description": pl.String(),
    }
    table = pl.DataFrame(rows, schema=schema, orient="row")
    _refuse_repeated(table["scene_id"], path)
    return table


def _sequences(path: Path | None) -> pl.DataFrame:
    rows = []
    for number, row in _rows(path, SequenceRow):
        if list(row.indices) != sorted(set(row.indices)) or (row.indices and row.indices[0] < 0):
            raise InputError("has indices that are not ascending key frames from 0.", path=path, row=number)
        rows.append((row.sequence_id, list(row.indices)))
    table = pl.DataFrame(rows, schema={"sequence": pl.String(), "indices": pl.List(pl.Int32())}, orient="row")
    _refuse_repeated(table["sequence"], path)
    return table


def _refuse_repeated(ids: pl.Series, path: Path | None) -> None:
    again = (~ids.is_first_distinct()).arg_true()
    if again.len():
        row = int(again[0])
        raise InputError(f"is the second about {ids[row]}.", path=path, row=row + 1, remedy="Keep the right one.")
