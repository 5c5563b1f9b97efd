"""Reads the rows of a B4DL release into one table, whatever layout they lie in."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import polars as pl

from probe4d.benchmarks.released_rows import ReleasedRow, read_released, said_in
from probe4d.errors import InputError
from probe4d.exchange.b4dl_release.layouts import ReleasedFile
from probe4d.exchange.b4dl_release.metadata import Metadata, released_split

__all__ = ["PLACED_SCHEMA", "read_rows"]

PLACED_SCHEMA: dict[str, pl.DataType] = {
    "file": pl.String(),  # relative to the release
    "row": pl.String(),  # of the file, in words
    "task": pl.String(),  # by the file's name; null where that does not say
    "group": pl.String(),  # simple or complex, likewise
    "split": pl.String(),  # train or test; null where nothing says
    "scene_id": pl.String(),
    "scene_token": pl.String(),
    "sequence": pl.String(),  # the release's id; null where the row does not say, as are the next two
    "start": pl.Int32(),  # first key frame
    "end": pl.Int32(),  # and last
    "description": pl.String(),  # of the scene
    "question": pl.String(),  # without places of features
    "answer": pl.String(),  # as released
    "indices": pl.List(pl.Int32()),  # key frames of the sequence
    "keyframes": pl.Int32(),  # number of key frames of the scene
}


def read_rows(release: Path, files: Iterable[ReleasedFile], metadata: Metadata) -> pl.DataFrame:
    """Read all rows, in the order of the files, with what the metadata say of their scenes and sequences.

    Args:
        release: The folder that files are named relative to.
        files: The files.
        metadata: What is known beside them.

    Returns:
        Columns of `PLACED_SCHEMA`.

    Raises:
        InputError: A row is none of the release, names no scene, or contradicts its file or the metadata.
    """
    named = {name: PLACED_SCHEMA[name] for name in PLACED_SCHEMA if name not in ("indices", "keyframes")}
    tables = [pl.DataFrame(_columns(release, file), schema=named) for file in files]
    rows = pl.concat(tables).with_row_index("number")
    told = rows.join(metadata.scenes.rename({"scene_token": "token_told"}), on="scene_id", how="left")
    told = told.join(metadata.sequences, on="sequence", how="left").sort("number")
    _refuse_contradictions(release, told)
    frames = pl.int_ranges("start", pl.col("end") + 1, 2, dtype=pl.Int32)
    return told.with_columns(
        scene_token=pl.coalesce("scene_token", "token_told"),
        split=pl.coalesce("split", "scene_split"),
        description=pl.coalesce("description", "description_right"),
        start=pl.coalesce("start", pl.col("indices").list.first()),
        end=pl.coalesce("end", pl.col("indices").list.last()),
        indices=pl.coalesce("indices", frames),
    ).select(list(PLACED_SCHEMA))


def _columns(release: Path, file: ReleasedFile) -> dict[str, list[object]]:
    """The rows of a file, a list for each column."""
    name = file.path.name if release == file.path else file.path.relative_to(release).as_posix()
    rows = []
    for where, row in read_released(file.path, ReleasedRow):
        said = said_in(row, file.path, where)
        split = released_split(row.split, file.path, where)
        if file.split is not None and split not in (None, file.split):
            raise InputError(
                f"is of the split {row.split!r}, and lies among those of {file.split}.",
                path=file.path,
                row=where,
                remedy="Mend or remove that row.",
            )
        start, end = _bounds(row, file.path, where)
        scene, sequence = _ids(row, file.path, where)
        rows.append(
            (
                *(name, where, file.task, file.group, split or file.split, scene, row.scene_token, sequence),
                *(start, end, row.human_annotation, said.question, said.answer),
            )
        )
    names = [column for column in PLACED_SCHEMA if column not in ("indices", "keyframes")]
    return dict(zip(names, map(list, zip(*rows, strict=True)), strict=True)) if rows else {name: [] for name in names}


def _ids(row: ReleasedRow, file: Path, where: str) -> tuple[str, str | None]:
    """Scene and sequence: `id` is the sequence where the scene is named beside it, else the scene."""
    scene = row.scene_id or row.id
    if not scene:
        raise InputError(
            "names no scene (scene_id, or id).", path=file, row=where, remedy="Give a file as B4DL released it."
        )
    return scene, row.sequence_id or (row.id if row.scene_id else None)


def _bounds(row: ReleasedRow, file: Path, where: str) -> tuple[int | None, int | None]:
    start = row.start_frame if row.start_index is None else row.start_index
    end = row.end_frame if row.end_index is None else row.end_index
    if (start is None) != (end is None):
        raise InputError("says where its sequence starts or ends, and not both.", path=file, row=where)
    if start is not None and end is not None and not 0 <= start <= end:
        raise InputError(f"has a sequence from key frame {start} to {end}.", path=file, row=where)
    return start, end


def _refuse_contradictions(release: Path, told: pl.DataFrame) -> None:
    """Refuse the first row that says otherwise than the metadata."""
    first, last = pl.col("indices").list.first(), pl.col("indices").list.last()
    faults = {
        "names another scene_token than scene_metadata.json has for its scene_id": pl.col("scene_token")
        != pl.col("token_told"),
        "has another start or end than sequence_metadata.json has for its sequence": (pl.col("start") != first)
        | (pl.col("end") != last),
        "ends behind the last key frame of its scene": pl.coalesce("end", last) >= pl.col("keyframes"),
    }
    for what, fault in faults.items():
        wrong = told.filter(fault.fill_null(False))
        if wrong.height:
            raise InputError(
                f"{what}.",
                path=release / wrong["file"][0] if release.is_dir() else release,
                row=wrong["row"][0],
                remedy="Mend it, or give the metadata that belong to it.",
            )
