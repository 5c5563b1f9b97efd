"""The questions of a benchmark as rows of the release: which scene, sequence and split, and the words of the answer."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import msgspec
import polars as pl

from probe4d.benchmarks.b4dl.released_wording import answer_as_released
from probe4d.benchmarks.b4dl.tasks import TASKS
from probe4d.benchmarks.benchmark import BenchmarkRecord
from probe4d.benchmarks.source import SceneNames
from probe4d.errors import InputError
from probe4d.exchange.b4dl_release.identifiers import is_released_id, released_ids
from probe4d.exchange.b4dl_release.layouts import Group
from probe4d.exchange.b4dl_release.tasks import UNKNOWN, read_row
from probe4d.runs.run import LeftOut
from probe4d.scenes.splits import OFFICIAL_SPLITS
from probe4d.scenes.tables import Scenes

__all__ = ["Sequence", "WrittenRow", "WrittenRows", "WrittenScene", "rows_of"]


class _Facts(msgspec.Struct, frozen=True):
    """What the facts of a question say of where it comes from."""

    scene_id: str | None = None
    scene_token: str | None = None
    sequence: str | None = None
    start: int | None = None
    end: int | None = None
    split: str | None = None
    human_annotation: str | None = None
    released_answer: str | None = None


class WrittenScene(NamedTuple):
    """A scene: its token (null where not known), the release's id, split, number of key frames and description."""

    token: str | None
    scene_id: str
    split: str
    keyframes: int | None
    description: str | None


class Sequence(NamedTuple):
    """A sequence: the key of its scene, the release's id, and its key frames."""

    scene: str
    sequence_id: str
    indices: tuple[int, ...]


class WrittenRow(NamedTuple):
    """A pair: the question's id and family, the keys of scene and sequence (the latter null where not known), texts."""

    identity: str
    family: str
    scene: str
    sequence: str | None
    question: str
    answer: str


class WrittenRows(NamedTuple):
    """All that is written.

    Attributes:
        rows: The pairs, in benchmark order.
        scenes: Scenes by what questions call them, in the order of the questions, those of the training split first.
        sequences: Sequences by their keys, in the order of the scenes.
        left_out: Questions that are not among them, and why.
        without_split: Number of scenes of no known split, which count as test.
    """

    rows: list[WrittenRow]
    scenes: dict[str, WrittenScene]
    sequences: dict[str, Sequence]
    left_out: list[LeftOut]
    without_split: int


def rows_of(table: pl.DataFrame, record: BenchmarkRecord, scenes: Scenes | None) -> WrittenRows:
    """Make rows of questions.

    Ids that questions have of the release are kept; others follow from tokens. The split of a scene is that which the
    release says, or the official one of its name.

    Args:
        table: Questions, columns of `QUESTION_SCHEMA`.
        record: Of their benchmark.
        scenes: Scenes of the dataset; null where it is not at hand.

    Raises:
        InputError: The token of a scene is known from the dataset alone, and that is not given.
    """
    facts = [msgspec.json.decode(one, type=_Facts) for one in table["facts"]]
    places = _scenes(table, facts, record, scenes)
    sequences = _sequences(table, facts, places)
    rows: list[WrittenRow] = []
    left_out: list[LeftOut] = []
    named = ("id", "family", "scene", "format", "options", "question", "answer")
    for (identity, family, scene, kind, options, question, answer), told in zip(
        table.select(named).iter_rows(), facts, strict=True
    ):
        if question is None:
            left_out.append(LeftOut(question=identity, reason="its text is not known"))
            continue
        said = answer_as_released(kind, options, answer)
        if told.released_answer is not None and _reads_alike(family, question, told.released_answer, answer):
            said = told.released_answer
        sequence = told.sequence if told.sequence in sequences else None
        rows.append(WrittenRow(identity, family, scene, sequence, question, said))
    split_known = {scene for scene in places if places[scene].split}
    tested = {key: one if one.split else one._replace(split="test") for key, one in places.items()}
    return WrittenRows(rows, tested, sequences, left_out, len(places) - len(split_known))


def _reads_alike(family: str, question: str, released: str, answer: str) -> bool:
    """Whether the words of the release still say the answer, which a review may have changed."""
    task = family if family in TASKS else None
    groups: dict[str, Group] = {f"{UNKNOWN}-simple": "simple", f"{UNKNOWN}-complex": "complex"}
    return read_row(task, groups.get(family), question, released).reference == answer


def _scenes(
    table: pl.DataFrame, facts: list[_Facts], record: BenchmarkRecord, scenes: Scenes | None
) -> dict[str, WrittenScene]:
    names = None if scenes is None else SceneNames(scenes)
    there = {} if scenes is None else {row["scene"]: row for row in scenes.scenes.iter_rows(named=True)}
    found: dict[str, tuple[_Facts, str | None, int | None]] = {}
    for (scene, keyframes), told in zip(table.select("scene", "keyframes").iter_rows(), facts, strict=True):
        if scene not in found:
            name = None if names is None else names.named(scene) or names.named(told.scene_token)
            found[scene] = (told, name, keyframes)
    tokens = {scene: there[name]["token"] if name else told.scene_token for scene, (told, name, _) in found.items()}
    ids = {
        scene: told.scene_id
        for scene, (told, _, _) in found.items()
        if told.scene_id is not None and is_released_id(told.scene_id, "00")
    }
    for scene in found:
        if tokens[scene] is None and scene not in ids:
            raise InputError(
                f"the token of {scene} is not known, by which the release names scenes.",
                remedy="Give the dataset that the benchmark was built from (scenes=, --data DATAROOT).",
            )
    keys = {scene: tokens[scene] or scene for scene in found}
    derived = released_ids(keys.values(), "00", {keys[scene]: name for scene, name in ids.items()})
    written = {}
    for scene, (told, name, keyframes) in found.items():
        row = there[name] if name else {}
        split = told.split or _split(name or scene, record) or ""
        description = told.human_annotation or row.get("description")
        written[scene] = WrittenScene(
            tokens[scene], derived[keys[scene]], split, keyframes or row.get("keyframes"), description
        )
    return dict(sorted(written.items(), key=lambda one: one[1].split != "train"))


def _split(name: str, record: BenchmarkRecord) -> str | None:
    """The split of the release that a scene of nuScenes is of, by its name; null for others."""
    source = record.source
    if source.name != "nuscenes" or source.version not in ("v1.0-mini", "v1.0-trainval", "v1.0-test"):
        return None
    if name in OFFICIAL_SPLITS["train"]:
        return "train"
    return "test" if name in OFFICIAL_SPLITS["val"] | OFFICIAL_SPLITS["test"] else None


def _sequences(table: pl.DataFrame, facts: list[_Facts], scenes: dict[str, WrittenScene]) -> dict[str, Sequence]:
    """Sequences whose key frames are known, by what the facts call them."""
    found: dict[str, tuple[str, tuple[int, ...]]] = {}
    for (scene, frames), told in zip(table.select("scene", "frames").iter_rows(), facts, strict=True):
        if told.sequence is not None and frames:
            found.setdefault(told.sequence, (scene, tuple(frames)))
    known = {key: key for key in found if is_released_id(key, "10")}
    named = {scene: one.token or one.scene_id for scene, one in scenes.items()}
    keys = {key: known.get(key) or f"{named[scene]}/{frames}" for key, (scene, frames) in found.items()}
    ids = released_ids(keys.values(), "10", known)
    order = {scene: place for place, scene in enumerate(scenes)}
    ordered: Iterator[str] = iter(sorted(found, key=lambda key: (order[found[key][0]], found[key][1], key)))
    return {key: Sequence(found[key][0], ids[keys[key]], found[key][1]) for key in ordered}
