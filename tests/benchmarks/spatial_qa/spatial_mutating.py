"""Recorded scenes with cameras, a benchmark of them, and ways to break its questions."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from mutating import SCENES, Original, Row, Tables, changed, keep_rows, read_tables, row_of, with_facts
from street_making import captioned

from probe4d.benchmarks.benchmark import Benchmark
from probe4d.benchmarks.question import Question
from probe4d.benchmarks.suites import build
from probe4d.scenes.opening import open_scenes

__all__ = ["box_of", "fact", "labels", "objects_in_order", "original_of", "tables_with_cameras", "view_of"]

_CHANNELS = ("LIDAR_TOP", "CAM_FRONT", "CAM_FRONT_LEFT", "CAM_BACK")


def tables_with_cameras(folder: Path) -> Tables:
    """The tables of `SCENES`; of readings only those of the reference LiDAR and three cameras at key frames."""
    tables = read_tables(folder, SCENES, _CHANNELS)
    tables["sample_data"] = [row for row in tables["sample_data"] if row["is_key_frame"]]
    keep_rows(tables, "sensor", "channel", _CHANNELS)
    keep_rows(tables, "calibrated_sensor", "token", {row["calibrated_sensor_token"] for row in tables["sample_data"]})
    keep_rows(tables, "ego_pose", "token", {row["ego_pose_token"] for row in tables["sample_data"]})
    return tables


def original_of(tables: Tables, root: Path, *, refer: str) -> Original:
    """A sample of the questions that tables allow, which call objects by captions or letters."""

    def sample(root: Path) -> Benchmark:
        scenes = open_scenes(root)
        captions = captioned(scenes, root / "captions.jsonl") if refer == "caption" else None
        return build("spatial-qa", scenes, None, scale="sample:1140", refer=refer, captions=captions)

    return Original(tables, root, sample)


def fact(path: str, value: Callable[[Any], Any]) -> Callable[[Question], Question]:
    """Change one fact, named by keys and indices."""

    def change(facts: dict[str, Any]) -> None:
        *holders, last = (int(key) if key.isdigit() else key for key in path.split("."))
        place: Any = facts
        for key in holders:
            place = place[key]
        place[last] = value(place[last])

    return lambda question: with_facts(question, change)


def objects_in_order(question: Question, order: tuple[int, ...]) -> Question:
    """A choice question with its options, and all that belongs to them, in another order; not its answer."""
    entities = len(question.entities)
    measure = "volumes_m3" if "volumes_m3" in question.facts else "distances_m"

    def turn(facts: dict[str, Any]) -> None:
        facts["objects"] = facts["objects"][:entities] + [facts["objects"][entities + at] for at in order]
        facts[measure] = [facts[measure][at] for at in order]

    turned = with_facts(question, turn)
    return changed(
        turned,
        options=tuple(question.options[at] for at in order),
        features=tuple(question.features[at] for at in order),
    )


def box_of(tables: Tables, question: Question, place: int = 0) -> Row:
    return row_of(tables, "sample_annotation", question.facts["objects"][place]["box"])


def view_of(question: Question) -> tuple[object, ...]:
    return question.scene, question.frames, question.channel


def labels(question: Question) -> list[str]:
    return [one["label"] for one in question.facts["objects"]]
