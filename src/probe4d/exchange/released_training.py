"""Released training data as training rows: that of B4DL, and the captions of LiDAR-LLM (B4DL, section 4.2)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from probe4d.benchmarks.source import SceneNames
from probe4d.errors import InputError
from probe4d.evidence.ego_text_kind import EgoText
from probe4d.exchange.released_rows import ReleasedRow, Said, read_released, said_in
from probe4d.models.lidar_lm.training.rows import TrainingRow, with_ego_text, write_training_rows
from probe4d.scenes.tables import Scenes
from probe4d.wording import listed, most_frequent

__all__ = ["ImportedRows", "import_training"]


@dataclass(frozen=True)
class ImportedRows:
    """What an import wrote.

    Attributes:
        rows: Number of rows.
        left_out: Rows that cannot be learnt from, by reason.
    """

    rows: int
    left_out: Mapping[str, int]


def import_training(
    file: Path | str, out: Path | str, *, scenes: Scenes | None = None, ego_text: EgoText = "none"
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

    Raises:
        InputError: The file cannot be read, a row is none of a release, or what it needs of the dataset is missing.
    """
    file = Path(file)
    places = None if scenes is None else _Places(scenes)
    rows: list[TrainingRow] = []
    left_out: Counter[str] = Counter()
    for where, released in read_released(file):
        said = said_in(released, file, where)
        place = _place(released, said, places, file, where)
        if place is None:
            left_out["its scene is not among those of the dataset"] += 1
        elif not said.question or not said.answer:
            left_out["its question or its answer is empty"] += 1
        else:
            scene, frame = place
            frames = None if frame is None else (frame,)
            rows.append(
                TrainingRow(
                    scene=scene,
                    frames=frames,
                    prompt=said.question,
                    answer=said.answer,
                    keyframes=None if places is None else places.keyframes[scene],
                    dataset=None if scenes is None else scenes.fingerprint,
                )
            )
    if not rows:
        reasons = most_frequent(left_out, rest="for other reasons") or ["it is empty"]
        raise InputError(f"holds no row that can be learnt from ({listed(reasons)}).", path=file)
    write_training_rows(with_ego_text(rows, ego_text, None if scenes is None else scenes.keyframes), Path(out))
    return ImportedRows(len(rows), left_out)


class _Places:
    """Finds scenes by name or token, and key frames by their samples."""

    def __init__(self, scenes: Scenes) -> None:
        self.names = SceneNames(scenes)
        keyframes = scenes.keyframes.select("token", "scene", "frame")
        self.keyframes: dict[str, int] = dict(scenes.scenes.select("scene", "keyframes").iter_rows())
        self.samples = {token: (scene, frame) for token, scene, frame in keyframes.iter_rows()}


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
