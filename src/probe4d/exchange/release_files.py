"""Finds and reads the files of a LiDAR-Hallu release folder, and merges what several say of one record.

A release folder holds, a file each for a category, question files (`{category}.json`) and prediction files
(`{category}_predictions.csv` or `.jsonl`); events whose text is kept back come as
`temporal_grounding_intervals.csv`; scenes as `scenes.csv` or B4DL's `scene_metadata.json`. Any subset will do.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from probe4d.errors import InputError
from probe4d.exchange.release_folders import release_folders
from probe4d.exchange.release_records import Item, item_from
from probe4d.exchange.release_schema import FAMILIES, IntervalRow, Prediction, ReleasedQuestion, SceneRow
from probe4d.store.json_tables import read_table
from probe4d.store.rows import read_records

__all__ = ["Placed", "read_release"]

_INTERVALS = "temporal_grounding_intervals.csv"
_SCENES = ("scenes.csv", "scene_metadata.json")


class Placed(NamedTuple):
    """An item and the file and row it came from."""

    path: Path
    where: str
    item: Item


class _Record(NamedTuple):
    """A record as read, the file and row it came from, and its position in its family's file."""

    path: Path
    where: str
    order: int
    content: Any


def read_release(release: Path, known: Mapping[str, int]) -> list[Placed]:
    """Read all files of one run (see `release_folders`), merged a family and in the order of the families.

    Args:
        release: The folder.
        known: Numbers of key frames by scene, for scenes of which the files tell none.

    Raises:
        InputError: A file is missing, wrong or in contradiction to another.
    """
    folders = release_folders(release)
    files = _files(folders)
    scenes = _read_scenes(folders)
    records = {
        category: [_Record(path, *read) for path in paths for read in _read_file(path)]
        for category, paths in files.items()
    }
    told = {scene: SceneRow(scene_id=scene, keyframes=keyframes) for scene, keyframes in known.items()}
    told |= _told_by_permutations(record.content for found in records.values() for record in found)
    scenes = told | scenes
    placed: list[Placed] = []
    for category, found in records.items():
        merged: dict[int, Placed] = {}
        for record in found:
            entry = _place(record, category, scenes)
            order = entry.item.question.order
            merged[order] = _merge(merged[order], entry) if order in merged else entry
        placed += [merged[order] for order in sorted(merged)]
    seen: dict[str, Placed] = {}
    for entry in placed:
        first = seen.setdefault(entry.item.question.id, entry)
        if first is not entry:
            raise InputError(
                f"asks the same question about the same scene as {first.where} of {first.path.name}.",
                path=entry.path,
                row=entry.where,
                remedy="Keep one of the two.",
            )
    return placed


def _files(folders: Sequence[Path]) -> dict[str, list[Path]]:
    """Files by category, question files first, since they say most."""
    ending = "_predictions"
    for path in sorted(path for folder in folders for path in folder.iterdir()):
        if path.suffix in (".csv", ".jsonl") and path.stem.endswith(ending):
            category = path.stem.removesuffix(ending)
            if category not in FAMILIES:
                raise InputError(
                    f"names the unknown category {category!r}; known are {', '.join(FAMILIES)}.",
                    path=path,
                    remedy="Rename or remove it.",
                )
    files: dict[str, list[Path]] = {}
    for category in FAMILIES:
        names = [f"{category}.json", f"{category}{ending}.jsonl", f"{category}{ending}.csv"]
        names += [_INTERVALS] if category == "temporal_grounding" else []
        found = [folder / name for name in names for folder in folders if (folder / name).is_file()]
        if found:
            files[category] = found
    if not files:
        raise InputError(
            "holds none of the release's files.",
            path=folders[0],
            remedy="Expected are files such as object_existence_predictions.csv or object_existence.json.",
        )
    return files


def _read_scenes(folders: Sequence[Path]) -> dict[str, SceneRow]:
    scenes: dict[str, SceneRow] = {}
    for path in (folder / name for folder in folders for name in _SCENES):
        if not path.is_file():
            continue
        if path.suffix == ".csv":
            rows = read_records(path, SceneRow, columns=("scene_id", "scene_token", "keyframes"))
        else:
            rows = ((where, record) for where, record in _read_objects(path, SceneRow))
        for where, row in rows:
            row = msgspec.structs.replace(row, keyframes=row.keyframes or row.num_frames, num_frames=None)
            if row.keyframes is None or row.keyframes < 1:
                raise InputError("has no number of key frames of at least 1.", path=path, row=where)
            if scenes.setdefault(row.scene_id, row) != row:
                raise InputError(
                    f"contradicts another row about scene {row.scene_id}.",
                    path=path,
                    row=where,
                    remedy="Keep the right one.",
                )
    return scenes


def _read_objects(path: Path, kind: type[Any]) -> Iterator[tuple[str, Any]]:
    """Yield (where, record) of a JSON list of objects."""
    number = 0
    for block in read_table(path, kind):
        for record in block:
            number += 1
            yield f"record {number}", record
    if number == 0:
        raise InputError("holds no record.", path=path, remedy="Give the whole file, or leave it out.")


def _read_file(path: Path) -> Iterator[tuple[str, int, Any]]:
    """Yield (where, index, record) of one file, each index once."""
    rows: Iterator[tuple[str, Any]]
    if path.suffix == ".json":
        rows = _read_objects(path, ReleasedQuestion)
    elif path.name == _INTERVALS:
        rows = read_records(path, IntervalRow, columns=("index", "scene_id", *"ABCD", "correct_option", "prediction"))
    else:
        needed = ("index", "category", "question_type", "scene_id", "question", "reference_answer", "prediction")
        rows = read_records(path, Prediction, columns=needed)
    seen: dict[int, str] = {}
    for position, (where, record) in enumerate(rows):
        index = position if isinstance(record, ReleasedQuestion) else record.index
        if index in seen:
            raise InputError(f"has the index {index} of {seen[index]} again.", path=path, row=where)
        seen[index] = where
        yield where, index, record


def _told_by_permutations(records: Iterable[Any]) -> dict[str, SceneRow]:
    """Scenes whose number of key frames a recorded permutation tells, which is checked later."""
    scenes: dict[str, SceneRow] = {}
    for record in records:
        if isinstance(record, Prediction) and record.shuffle_permutation is not None:
            length = len(record.permutation)
            scenes.setdefault(record.scene_id, SceneRow(scene_id=record.scene_id, keyframes=length))
    return scenes


def _place(record: _Record, category: str, scenes: Mapping[str, SceneRow]) -> Placed:
    try:
        item = item_from(record.content, category=category, index=record.order, scenes=scenes)
    except ValueError as error:
        raise InputError(
            f"{error}.", path=record.path, row=record.where, remedy="Mend or remove that record."
        ) from error
    return Placed(record.path, record.where, item)


def _merge(first: Placed, other: Placed) -> Placed:
    """Merge two records of one position, of two files: they have to tell the same."""
    mine, theirs = first.item, other.item
    withheld = theirs.question.question is None
    names = ("scene", "format", "options", "answer") if withheld else ("id", "answer", "prompt")
    differing = [name for name in names if getattr(mine.question, name) != getattr(theirs.question, name)]
    if mine.reply is not None and theirs.reply is not None and mine.reply[:2] != theirs.reply[:2]:
        differing.append("prediction")
    if differing:
        raise InputError(
            f"contradicts {first.where} of {first.path.name} about the {differing[0]} of record {mine.question.order}.",
            path=other.path,
            row=other.where,
            remedy="Keep the right file of the two.",
        )
    question = mine.question if not (mine.question.prompt is None and theirs.question.prompt) else theirs.question
    said = mine if theirs.reply is None else theirs
    return first._replace(item=said._replace(question=question))
