"""Writes another dataset as a folder in the schema of nuScenes, scene by scene, so that a killed job can go on.

A scene is finished when its record is written. The folder of tables takes its name last, so that a folder with
tables is complete, and one without is no dataset.
"""

from __future__ import annotations

import functools
import io
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

import msgspec
import polars as pl

from probe4d import engine
from probe4d.errors import InputError
from probe4d.scenes.nuscenes_writing.rows import Row, map_row, sensor_rows, token
from probe4d.scenes.nuscenes_writing.scene_records import RECORDS, SceneRecord, is_finished, keep_record, read_record
from probe4d.scenes.nuscenes_writing.scene_writer import log_token
from probe4d.scenes.nuscenes_writing.tables import write_map, write_tables
from probe4d.store.files import whole_file, write_error, write_text
from probe4d.store.job_folder import hold_folder
from probe4d.wording import counted

__all__ = ["LEFT_OUT_SCHEMA", "Conversion", "Converted", "Target", "as_columns", "convert_scenes"]

Work = TypeVar("Work")

LEFT_OUT_SCHEMA: dict[str, pl.DataType] = {
    "shard": pl.String(),
    "offset": pl.Int64(),  # of the record in the file, bytes
    "frame": pl.String(),  # name of the frame; null where it could not be told
    "reason": pl.String(),  # the end of a sentence about the file or the frame
}

_RECORD = "conversion.json"
_LEFT_OUT = "left_out.csv"
_LAYOUT = 1
"""Raised with every change of what conversions write, so that none goes on with what an older version began."""


class Conversion(msgspec.Struct, frozen=True, kw_only=True):
    """What a folder was converted from; kept in it as `conversion.json`.

    Attributes:
        version: Of the layout.
        data: What the shards hold.
        shards: Fingerprint of their frames.
        options: What else decides the content of the folder.
    """

    version: int = _LAYOUT
    data: str
    shards: str
    options: dict[str, str | float | None] = {}


@dataclass(frozen=True)
class Target:
    """What is written.

    Attributes:
        dataset: Name of the dataset, part of every token.
        version: Name of the folder of tables.
        modalities: Modality of each channel that scenes may have.
        readme: Text of the folder's README.
        categories: Descriptions of categories by name.
        attributes: Descriptions of attributes by name.
        columns: Schemas of the tables that lie as Parquet beside those of nuScenes, by name.
    """

    dataset: str
    version: str
    modalities: Mapping[str, str]
    readme: str
    categories: Mapping[str, str] = field(default_factory=dict)
    attributes: Mapping[str, str] = field(default_factory=dict)
    columns: Mapping[str, Mapping[str, pl.DataType]] = field(default_factory=dict)


@dataclass(frozen=True)
class Converted:
    """A converted folder.

    Attributes:
        root: The folder.
        version: Name of the folder of tables in it.
        left_out: Columns of `LEFT_OUT_SCHEMA`: what is not in it.
        was_there: Whether it was complete before.
    """

    root: Path
    version: str
    left_out: pl.DataFrame
    was_there: bool


def convert_scenes(
    out: Path | str,
    conversion: Conversion,
    target: Target,
    scenes: Mapping[str, Work],
    record: Callable[[str, Work, Path], SceneRecord],
    *,
    faults: pl.DataFrame,
    workers: int = 1,
    found: Callable[[int, int], None] | None = None,
    done: Callable[[str], None] | None = None,
) -> Converted:
    """Write a dataset, or go on with one that was begun; one that is complete stays as it is.

    Args:
        out: Its folder: new, empty, or of the same conversion.
        conversion: What it is made from.
        target: What is written.
        scenes: By the names of the scenes, what there is to do for each.
        record: Writes the files of a scene, of its name and what there is to do, below a folder, and gives its record,
            whose columns have a table `left_out` of `LEFT_OUT_SCHEMA`. A function of a module or a
            `functools.partial` of one.
        faults: Columns of `LEFT_OUT_SCHEMA`: what is known to be left out beforehand.
        workers: Number of processes.
        found: Told, before any scene is written, how many there are, and how many are finished.
        done: Told of each scene that was written, in order.

    Raises:
        InputError: The folder holds something else, or no scene has a key frame, or another process is at it.
        RunError: A file could not be written to the end.
    """
    root = Path(out)
    with hold_folder(root, _RECORD, conversion, job="conversion"):
        if (root / target.version).is_dir():
            shutil.rmtree(root / RECORDS, ignore_errors=True)  # which a kill after the last step leaves
            if found is not None:
                found(len(scenes), len(scenes))
            return Converted(root, target.version, _read_left_out(root), was_there=True)
        missing = [(name, work) for name, work in scenes.items() if not is_finished(root, _record_name(name))]
        if found is not None:
            found(len(scenes), len(scenes) - len(missing))
        try:
            engine.over(
                functools.partial(_record_scene, root=root, record=record),
                missing,
                workers=workers,
                done=None if done is None else lambda pair: done(pair[0]),
            )
            left_out = _write(root, target, sorted(scenes), faults)
        except OSError as error:
            raise write_error(root, error) from error
    return Converted(root, target.version, left_out, was_there=False)


def as_columns(table: pl.DataFrame) -> bytes:
    """A table as a `SceneRecord` keeps it."""
    content = io.BytesIO()
    table.write_ipc(content, compression="zstd")
    return content.getvalue()


def _record_scene(scene: tuple[str, Work], root: Path, record: Callable[[str, Work, Path], SceneRecord]) -> None:
    name, work = scene
    keep_record(root, _record_name(name), record(name, work, root))


def _record_name(scene: str) -> str:
    return token("scene", scene)


def _write(root: Path, target: Target, scenes: Sequence[str], faults: pl.DataFrame) -> pl.DataFrame:
    """Write what follows from all scenes, tables last; give what was left out."""
    kept: list[str] = []
    used: set[str] = set()  # channels; others have no reading, and a sensor without any cannot be the reference
    columns = {name: [pl.DataFrame(schema=schema)] for name, schema in target.columns.items()}
    columns["left_out"] = [faults]
    for name, record in _records(root, scenes):
        kept += [name] if record.rows["scene"] else []
        used |= {Path(path).parts[1] for path in record.files}
        for table, content in record.columns.items():
            columns[table].append(pl.read_ipc(io.BytesIO(content)))
    left_out = pl.concat(columns.pop("left_out")).sort("shard", "offset")
    if not kept:
        raise _nothing_kept(left_out)
    map_token = token("map", target.dataset)
    write_map(root, map_token)
    write_text(root / "README.md", target.readme)
    with whole_file(root / _LEFT_OUT) as path:
        left_out.write_csv(path)
    tables = root / f".{target.version}.part"
    shared = {
        "category": _described_rows("category", target.categories),
        "attribute": _described_rows("attribute", target.attributes),
        "visibility": [],
        "sensor": sensor_rows({name: target.modalities[name] for name in target.modalities if name in used}),
        "map": [map_row(map_token, [log_token(target.dataset, name) for name in kept])],
    }
    write_tables(tables, shared, (record for _, record in _records(root, scenes)))
    for name, parts in columns.items():
        with whole_file(tables / f"{name}.parquet") as path:
            pl.concat(parts).write_parquet(path)
    tables.rename(root / target.version)
    shutil.rmtree(root / RECORDS)
    return left_out


def _records(root: Path, scenes: Sequence[str]) -> Iterator[tuple[str, SceneRecord]]:
    """What each scene left, one at a time."""
    return ((name, read_record(root, _record_name(name))) for name in scenes)


def _nothing_kept(left_out: pl.DataFrame) -> InputError:
    shard, _, frame, reason = left_out.row(0)
    places = counted(left_out.height, "place")
    return InputError(
        f"no frame can be converted: {frame or shard} {reason} ({places} in all cannot be used).",
        remedy="Fetch the shards again.",
    )


def _described_rows(table: str, descriptions: Mapping[str, str]) -> list[Row]:
    return [
        {"token": token(table, name), "name": name, "description": text, "index": index}
        for index, (name, text) in enumerate(descriptions.items(), start=1)
    ]


def _read_left_out(root: Path) -> pl.DataFrame:
    path = root / _LEFT_OUT
    try:
        return pl.read_csv(path, schema=LEFT_OUT_SCHEMA)
    except (OSError, pl.exceptions.PolarsError) as error:
        remedy = "Remove the folder, and convert again."
        raise InputError(f"is not as it was written ({error}).", path=path, remedy=remedy) from error
