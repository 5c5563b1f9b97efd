"""What a LiDAR language model is trained on: a scene, a prompt and the answer to it, a JSON object a line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import msgspec
import polars as pl

from probe4d.errors import InputError
from probe4d.evidence.ego_text import EgoTexts
from probe4d.evidence.ego_text_kind import EgoText
from probe4d.store.files import write_bytes
from probe4d.store.logs import read_lines

__all__ = [
    "ROWS_FILE",
    "TrainingRow",
    "ego_text_of",
    "read_training_rows",
    "refuse_unusable_rows",
    "with_ego_text",
    "write_training_rows",
]

ROWS_FILE = "training.jsonl"
"""Name of the file in a folder that an export wrote."""


class TrainingRow(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One example.

    Attributes:
        scene: Scene whose features are shown, by the name that the folder of features has for it.
        frames: Its key frames in the order shown, at least one; null shows the whole scene.
        prompt: The question as it will be asked, with options and directive; no placeholder and no layout.
        answer: What the model is to say.
        ego_text: The ego vehicle's motion in words, from the question alone; null where the model is trained
            without (see `probe4d.evidence.ego_text`).
        ego_text_kind: Which of the texts it is; the model will be asked with the same.
        keyframes: Number of key frames of the scene, which its features must have; null where that is not known.
        dataset: Fingerprint of the dataset's tables, which its features must come from; null where that is not known.
    """

    scene: str
    frames: tuple[int, ...] | None = None
    prompt: str
    answer: str
    ego_text: str | None = None
    ego_text_kind: EgoText = "none"
    keyframes: int | None = None
    dataset: str | None = None


def read_training_rows(path: Path | str) -> list[TrainingRow]:
    """Read a file of rows, or the folder of an export that holds it.

    Raises:
        InputError: There is no such file, it holds no row, or a row cannot be learnt from; it names the line.
    """
    path = Path(path)
    path = path / ROWS_FILE if path.is_dir() else path
    if not path.is_file():
        raise InputError(
            "there is no such file of training rows.",
            path=path,
            remedy="Write one with: probe4d export BENCH --to training --out DIR",
        )
    rows = list(_usable(read_lines(path, TrainingRow), path))
    if not rows:
        raise InputError("holds no training row.", path=path)
    return rows


def write_training_rows(rows: Sequence[TrainingRow], path: Path) -> None:
    """Write rows as JSON lines, as a whole file."""
    write_bytes(path, msgspec.json.Encoder().encode_lines(rows))


def refuse_unusable_rows(rows: Sequence[TrainingRow]) -> None:
    """Refuse rows, wherever they come from, that no training can learn from.

    Raises:
        InputError: There are none, one has a fault, or their ego texts are of different kinds.
    """
    if not rows:
        raise InputError("there is no training row to learn from.")
    for number, row in enumerate(rows, start=1):
        if fault := _fault(row):
            raise InputError(fault, row=number, remedy="Mend or leave out that row.")
    ego_text_of(rows)


def ego_text_of(rows: Iterable[TrainingRow]) -> EgoText:
    """Which ego text rows are trained with, all of them alike.

    Raises:
        InputError: Some are trained with another than others.
    """
    first, *others = {row.ego_text_kind: None for row in rows}
    if others:
        raise InputError(
            f"some training rows have the ego text {first!r} and others {others[0]!r}.",
            remedy="Give every row the same (--ego-text), since the model is asked with one.",
        )
    return first


def with_ego_text(rows: Sequence[TrainingRow], kind: EgoText, keyframes: pl.DataFrame | None) -> list[TrainingRow]:
    """The same rows, every one with the text about the ego vehicle that follows from its question and what it shows.

    Args:
        rows: The rows; texts that they have are replaced.
        kind: Which text.
        keyframes: Key frames of their scenes, columns of `KEYFRAMES_SCHEMA`; null only for `none`.

    Raises:
        InputError: There are no key frames, or none of a row's scene.
    """
    if kind == "none":
        return [msgspec.structs.replace(row, ego_text=None, ego_text_kind=kind) for row in rows]
    if keyframes is None:
        raise InputError(
            f"the ego text {kind!r} is measured in the dataset.", remedy="Give the dataset (scenes=, --data DATAROOT)."
        )
    texts = EgoTexts(keyframes, kind)
    return [
        msgspec.structs.replace(row, ego_text=texts.of(row.scene, row.prompt, row.frames), ego_text_kind=kind)
        for row in rows
    ]


def _usable(rows: Iterable[tuple[int, TrainingRow]], path: Path) -> Iterator[TrainingRow]:
    for line, row in rows:
        if fault := _fault(row):
            raise InputError(fault, path=path, row=f"line {line}", remedy="Mend or remove that line.")
        yield row


def _fault(row: TrainingRow) -> str | None:
    """Why a row cannot be learnt from; null where it can."""
    for name in ("scene", "prompt", "answer"):
        if not getattr(row, name).strip():
            return f"the {name} of a training row is empty."
    if row.frames is not None and not row.frames:
        return "a training row shows no frame (null shows the whole scene)."
    if row.frames is not None and min(row.frames) < 0:
        return f"there is no key frame {min(row.frames)}."
    if (row.ego_text is None) != (row.ego_text_kind == "none"):
        return "a training row has an ego text and does not say of which kind, or says a kind and has none."
    return None
