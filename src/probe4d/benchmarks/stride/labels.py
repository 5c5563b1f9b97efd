"""Labels of scenes and objects on disk: what no box tells, such as weather and lanes, by people or another tool."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import msgspec
import polars as pl

from probe4d.benchmarks.stride.signals import LABELS_SCHEMA
from probe4d.benchmarks.stride.templates import TEMPLATES
from probe4d.errors import InputError
from probe4d.scenes.tables import Scenes
from probe4d.store.rows import read_records
from probe4d.wording import listed

__all__ = ["LABEL_VALUES", "OF_TRACKS", "Label", "LabelsRead", "read_labels"]

LABEL_VALUES: Mapping[str, tuple[str, ...]] = {
    "weather": TEMPLATES["SC-1"].options,
    "time_of_day": TEMPLATES["SC-2"].options,
    "road_type": TEMPLATES["SC-3"].options,
    "lane": TEMPLATES["SP-4"].options,
}
"""What a label can be of, and its values: the options of the templates that ask for it."""

OF_TRACKS = ("lane",)
"""Labels of objects; the others are of scenes."""


class Label(msgspec.Struct, frozen=True, kw_only=True):
    """A row of a file of labels.

    Attributes:
        scene: Name of the scene.
        frame: Key frame that it holds for; null for all of the scene.
        track: Instance token of the object that it is of; null for a label of the scene.
        name: What it is of, a key of `LABEL_VALUES`.
        value: One of its values.
    """

    scene: str
    name: str
    value: str
    frame: int | None = None
    track: str | None = None


class LabelsRead(NamedTuple):
    """What a file of labels holds.

    Attributes:
        table: Labels of the scenes asked about, columns of `LABELS_SCHEMA`, in the order of the file.
        left_out: Number of rows of other scenes by reason, which tells the first of them; empty where there are none.
    """

    table: pl.DataFrame
    left_out: dict[str, int]


def read_labels(path: Path | str, scenes: Scenes) -> LabelsRead:
    """Read a file of labels: CSV with the columns of `Label` (or `.jsonl`); empty fields are null.

    Args:
        path: The file. Rows of scenes that are not among these are left out and counted, so that one file can serve
            all splits of a dataset.
        scenes: The scenes that are asked about.

    Raises:
        InputError: The file cannot be read, a row is no label, names a key frame or track that its scene lacks, comes
            twice, or no row is of these scenes.
    """
    path = Path(path)
    if not path.is_file():
        raise InputError(
            "is a folder, not a file of labels." if path.is_dir() else "there is no such file of labels.",
            path=path,
            remedy="Give a CSV file with the columns scene, frame, track, name and value.",
        )
    lengths = dict(scenes.scenes.select("scene", "keyframes").iter_rows())
    tracks = set(scenes.boxes.select("scene", "track").unique().iter_rows())
    places: dict[tuple[str, int | None, str | None, str], str] = {}
    labels: list[Label] = []
    elsewhere: list[str] = []
    for where, label in read_records(path, Label, columns=("scene", "name", "value")):
        _refuse_wrong_value(label, path, where)
        if label.scene not in lengths:
            elsewhere.append(f"{label.scene!r} in {where}")
            continue
        _refuse_unknown_thing(label, lengths[label.scene], tracks, path, where)
        place = (label.scene, label.frame, label.track, label.name)
        if place in places:
            raise InputError(
                f"says again what {places[place]} says: the {label.name} of the same thing at the same time.",
                path=path,
                row=where,
                remedy="Keep one of the two.",
            )
        places[place] = where
        labels.append(label)
    if not labels:
        raise InputError(
            f"has no label of the scenes asked about, such as {scenes.names[0]!r}.",
            path=path,
            remedy="Scenes go by their names, as `probe4d scenes` lists them.",
        )
    table = pl.DataFrame([msgspec.structs.asdict(label) for label in labels], schema=LABELS_SCHEMA)
    left_out = {f"labels: not of the scenes asked about, such as {first}": len(elsewhere) for first in elsewhere[:1]}
    return LabelsRead(table, left_out)


def _refuse_wrong_value(label: Label, path: Path, where: str) -> None:
    if label.name not in LABEL_VALUES:
        raise InputError(
            f"has a label of {label.name!r}; known are {listed(list(LABEL_VALUES))}.", path=path, row=where
        )
    values = LABEL_VALUES[label.name]
    if label.value not in values:
        raise InputError(
            f"has the {label.name} {label.value!r}; it can be {listed([f'{value!r}' for value in values], 'or')}.",
            path=path,
            row=where,
        )


def _refuse_unknown_thing(label: Label, keyframes: int, tracks: set[tuple[str, str]], path: Path, where: str) -> None:
    if (label.track is not None) != (label.name in OF_TRACKS):
        wrong = "is of an object, not of the scene" if label.name in OF_TRACKS else "is of the scene, not of an object"
        remedy = "Give the track." if label.name in OF_TRACKS else "Leave the track empty."
        raise InputError(f"{label.name} {wrong}.", path=path, row=where, remedy=remedy)
    if label.frame is not None and not 0 <= label.frame < keyframes:
        raise InputError(
            f"names key frame {label.frame}; {label.scene} has those from 0 to {keyframes - 1}.", path=path, row=where
        )
    if label.track is not None and (label.scene, label.track) not in tracks:
        raise InputError(f"names the track {label.track!r}, which {label.scene} does not have.", path=path, row=where)
