"""Released training data as training rows: that of B4DL, and the captions of LiDAR-LLM (B4DL, section 4.2)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import polars as pl

from probe4d.benchmarks.held_out import HELD_OUT
from probe4d.benchmarks.released_rows import ReleasedRow, Said, read_released, said_in
from probe4d.benchmarks.source import SceneNames
from probe4d.errors import InputError
from probe4d.evidence.ego_text_kind import EgoText
from probe4d.exchange.b4dl_release.layouts import STAGES, Group
from probe4d.exchange.b4dl_release.metadata import released_split
from probe4d.exchange.b4dl_release.tasks import read_row
from probe4d.exchange.scaling import scaled
from probe4d.models.lidar_lm.training.rows import TrainingRow, with_ego_text, write_training_rows
from probe4d.scenes.splits import is_held_out
from probe4d.scenes.tables import Scenes
from probe4d.store.hashing import digest
from probe4d.wording import listed, most_frequent

__all__ = ["ImportedRows", "import_training"]

_NOT_IN_RELEASE = "scene-0645"
"""The one scene of the official training split that B4DL's 699 lack; captions are kept of the same scenes."""


@dataclass(frozen=True)
class ImportedRows:
    """What an import wrote.

    Attributes:
        rows: Number of rows.
        left_out: Rows that cannot be learnt from, by reason.
    """

    rows: int
    left_out: Mapping[str, int]


class _Row(NamedTuple):
    """A row to learn from, and what a part of all is drawn by: its task, and a key without its number."""

    row: TrainingRow
    task: str
    format: str
    key: str


def import_training(
    file: Path | str,
    out: Path | str,
    *,
    scenes: Scenes | None = None,
    ego_text: EgoText = "none",
    scale: float | None = None,
    seed: int = 42,
    with_held_out: bool = False,
) -> ImportedRows:
    """Turn a released file into training rows, in its order.

    Read are B4DL's rows (`stage2.json`, `stage3.json`, or with conversations, as its training code takes them), and
    those of LiDAR-LLM-Nu-Caption, which are about single key frames and named by their samples.

    Args:
        file: JSON list, or JSON lines.
        out: File of training rows to write.
        scenes: Scenes of the dataset, or of a split of it. With them rows are about scenes by their names, and those
            of other scenes are left out; without, about scenes by the release's own ids, as its features are.
        ego_text: Which text about the ego vehicle goes into every row, from its question alone.
        scale: Per cent of each task, as far as rows tell it, that is learnt from; null takes all. Of one seed a
            smaller part lies inside a larger one (B4DL, App. E).
        seed: Seed of that draw.
        with_held_out: Whether rows about scenes of the splits val and test are kept; else they are left out.

    Raises:
        InputError: The file cannot be read, a row is none of a release, what it needs of the dataset is missing, or
            there is no such scale.
    """
    file = Path(file)
    places = None if scenes is None else _Places(scenes)
    rows: list[_Row] = []
    left_out: Counter[str] = Counter()
    for where, released in read_released(file, ReleasedRow):
        said = said_in(released, file, where)
        place = _place(released, said, places, file, where)
        is_test = released_split(released.split, file, where) == "test"
        if place is None:
            left_out["its scene is not among those of the dataset"] += 1
        elif not with_held_out and (is_test or (places is not None and places.is_held_out(place[0]))):
            left_out[HELD_OUT] += 1
        elif said.of_a_frame and place[0] == _NOT_IN_RELEASE:
            left_out[f"its scene is {_NOT_IN_RELEASE}, which B4DL's training data lack"] += 1
        elif not said.question or not said.answer:
            left_out["its question or its answer is empty"] += 1
        else:
            rows.append(_row(said, place, places, scenes, STAGES.get(file.stem)))
    if not rows:
        reasons = most_frequent(left_out, rest="for other reasons") or ["it is empty"]
        raise InputError(f"holds no row that can be learnt from ({listed(reasons)}).", path=file)
    kept = [one.row for one in (rows if scale is None else _part(rows, scale, seed))]
    write_training_rows(with_ego_text(kept, ego_text, None if scenes is None else scenes.keyframes), Path(out))
    return ImportedRows(len(kept), left_out)


def _row(
    said: Said, place: tuple[str, int | None], places: _Places | None, scenes: Scenes | None, group: Group | None
) -> _Row:
    scene, frame = place
    row = TrainingRow(
        scene=scene,
        frames=None if frame is None else (frame,),
        prompt=said.question,
        answer=said.answer,
        keyframes=None if places is None else places.keyframes[scene],
        dataset=None if scenes is None else scenes.fingerprint,
    )
    told = read_row(None, group, said.question, said.answer)
    task = "caption" if said.of_a_frame else told.family
    return _Row(row, task, told.format, digest([scene, frame, said.question, said.answer]))


def _part(rows: Sequence[_Row], scale: float, seed: int) -> list[_Row]:
    """A part of the rows; of rows that are alike each counts by its number among them."""
    numbers: Counter[str] = Counter()
    ids = []
    for one in rows:
        numbers[one.key] += 1
        ids.append(f"{one.key}/{numbers[one.key]}")
    keys = pl.DataFrame({"id": ids, "family": [one.task for one in rows], "format": [one.format for one in rows]})
    return [one for one, is_kept in zip(rows, scaled(keys, scale, seed=seed), strict=True) if is_kept]


class _Places:
    """Finds scenes by name or token, and key frames by their samples."""

    def __init__(self, scenes: Scenes) -> None:
        self.names = SceneNames(scenes)
        keyframes = scenes.keyframes.select("token", "scene", "frame")
        self.keyframes: dict[str, int] = dict(scenes.scenes.select("scene", "keyframes").iter_rows())
        self._version = scenes.version
        self.samples = {token: (scene, frame) for token, scene, frame in keyframes.iter_rows()}

    def is_held_out(self, name: str) -> bool:
        """Whether the official splits keep a scene for tests."""
        return is_held_out(name, self._version)


def _place(
    row: ReleasedRow, said: Said, places: _Places | None, file: Path, where: str
) -> tuple[str, int | None] | None:
    """Scene and key frame of a row, the latter null where it is about a whole scene; null where it is not known."""
    if said.of_a_frame:
        token = row.sample_token or row.id
        if token is None or places is None:
            raise InputError(
                "is about a single key frame, which only the dataset tells from its sample token."
                if token
                else "is about a single key frame and names no sample.",
                path=file,
                row=where,
                remedy="Give the dataset (scenes=, --data DATAROOT).",
            )
        return places.samples.get(token)
    if places is None:
        if row.scene_id is None:
            raise InputError(
                "names no scene_id.", path=file, row=where, remedy="Give the dataset (scenes=, --data DATAROOT)."
            )
        return row.scene_id, None
    if row.scene_token is None:
        raise InputError(
            "names no scene_token, by which the dataset knows its scene.",
            path=file,
            row=where,
            remedy="Leave the dataset (scenes=, --data) out: rows are then about scenes by their scene_id.",
        )
    name = places.names.named(row.scene_token)
    return None if name is None else (name, None)
