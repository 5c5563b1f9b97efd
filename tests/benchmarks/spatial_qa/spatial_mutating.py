"""Two recorded scenes with cameras, benchmarks of them, and ways to break either so that only an audit can see it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from copy import deepcopy
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec

from probe4d.benchmarks.benchmark import Benchmark, counts_of, fingerprint
from probe4d.benchmarks.question import Question, derived_id, to_table
from probe4d.benchmarks.suites import build
from probe4d.scenes.opening import open_scenes

__all__ = [
    "SCENES",
    "VERSION",
    "Original",
    "Row",
    "Tables",
    "box_of",
    "changed",
    "fact",
    "labels",
    "objects_in_order",
    "read_tables",
    "rebuilt",
    "row_of",
    "view_of",
    "with_facts",
    "write_tables",
]

Row = dict[str, Any]
Tables = dict[str, list[Row]]

VERSION = "v1.0-mini"
SCENES = ("scene-0757", "scene-0796")
"""Small ones; the second has questions of every template."""

_SENSORS = ("LIDAR_TOP", "CAM_FRONT", "CAM_FRONT_LEFT", "CAM_BACK")


def read_tables(folder: Path) -> Tables:
    """The tables of `SCENES`; of readings only those of the reference LiDAR and three cameras at key frames."""
    tables: Tables = {path.stem: json.loads(path.read_bytes()) for path in sorted(folder.glob("*.json"))}
    tables["scene"] = [row for row in tables["scene"] if row["name"] in SCENES]
    _keep(tables, "sample", "scene_token", _tokens(tables["scene"]))
    samples = _tokens(tables["sample"])
    tables["sensor"] = [row for row in tables["sensor"] if row["channel"] in _SENSORS]
    _keep(tables, "calibrated_sensor", "sensor_token", _tokens(tables["sensor"]))
    _keep(tables, "sample_data", "sample_token", samples)
    _keep(tables, "sample_data", "calibrated_sensor_token", _tokens(tables["calibrated_sensor"]))
    tables["sample_data"] = [row for row in tables["sample_data"] if row["is_key_frame"]]
    _keep(tables, "calibrated_sensor", "token", {row["calibrated_sensor_token"] for row in tables["sample_data"]})
    _keep(tables, "ego_pose", "token", {row["ego_pose_token"] for row in tables["sample_data"]})
    _keep(tables, "sample_annotation", "sample_token", samples)
    _keep(tables, "instance", "token", {row["instance_token"] for row in tables["sample_annotation"]})
    return tables


def _keep(tables: Tables, table: str, column: str, values: set[str]) -> None:
    tables[table] = [row for row in tables[table] if row[column] in values]


def _tokens(rows: Iterable[Row]) -> set[str]:
    return {row["token"] for row in rows}


def write_tables(tables: Tables, root: Path) -> Path:
    """Write tables as a dataset folder."""
    folder = root / VERSION
    folder.mkdir(parents=True)
    for name, rows in tables.items():
        (folder / f"{name}.json").write_text(json.dumps(rows))
    return root


def row_of(tables: Tables, table: str, token: str) -> Row:
    return next(row for row in tables[table] if row["token"] == token)


class Original:
    """The unbroken tables, where they lie, and a sample of the questions that they allow."""

    def __init__(self, tables: Tables, root: Path, *, refer: str) -> None:
        self.tables = tables
        self.root = write_tables(tables, root)
        scenes = open_scenes(self.root)
        captions = None
        if refer == "caption":
            captions = root / "captions.jsonl"
            tracks = scenes.boxes.select("track", "category").unique().sort("track").iter_rows()
            lines = [
                {"track": track, "caption": f"the {category.split('.')[1]} {track[:6]}"} for track, category in tracks
            ]
            captions.write_text("".join(json.dumps(line) + "\n" for line in lines))
        self.benchmark = build("spatial-qa", scenes, None, scale="sample:1140", refer=refer, captions=captions)
        self.questions = self.benchmark.questions

    def first(
        self, template: str, keep: Callable[[Question], bool] = lambda question: True, *, but: Iterable[str] = ()
    ) -> Question:
        """The first question of a template that is to be kept, and none of some."""
        left = (q for q in self.questions if q.template == template and q.id not in set(but) and keep(q))
        return next(left)

    def with_changes(self, changes: dict[str, Question]) -> Benchmark:
        """The benchmark with other questions in the place of some, by the ids of these."""
        return rebuilt(self.benchmark, [changes.get(question.id, question) for question in self.questions])


def rebuilt(benchmark: Benchmark, questions: Iterable[Question], *, ids: bool = True) -> Benchmark:
    """A benchmark of other questions, whose ids, counts and fingerprint are those of the questions."""
    renamed = [changed(question, id=derived_id(question)) if ids else question for question in questions]
    table = to_table(renamed)
    record = msgspec.structs.replace(benchmark.record, fingerprint=fingerprint(table), counts=counts_of(table))
    return replace(benchmark, table=table, record=record)


def changed(question: Question, /, **fields: Any) -> Question:
    return msgspec.structs.replace(question, **fields)


def with_facts(question: Question, change: Callable[[dict[str, Any]], object]) -> Question:
    facts = deepcopy(question.facts)
    change(facts)
    return changed(question, facts=facts)


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
