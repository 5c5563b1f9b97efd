"""Recorded tables in memory, a benchmark of them, and ways to break either so that only an audit can see it."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Collection, Iterable
from copy import deepcopy
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import polars as pl

from probe4d.benchmarks.benchmark import Benchmark, counts_of
from probe4d.benchmarks.contrasts import with_contrasts
from probe4d.benchmarks.fingerprints import fingerprint
from probe4d.benchmarks.question import Question, derived_id, to_table

__all__ = [
    "SCENES",
    "VERSION",
    "Change",
    "Original",
    "Row",
    "Tables",
    "added",
    "answered",
    "changed",
    "dropped",
    "fact",
    "fields",
    "keep_rows",
    "nudged",
    "read_tables",
    "rebuilt",
    "row_of",
    "with_facts",
    "write_tables",
]

Row = dict[str, Any]
Tables = dict[str, list[Row]]

Change = Callable[[Question], Question]

VERSION = "v1.0-mini"
SCENES = ("scene-0757", "scene-0796")
"""Small scenes of nuScenes mini; of the second there are questions of every template."""


def read_tables(folder: Path, scenes: Collection[str], channels: Collection[str]) -> Tables:
    """Read the tables of some scenes, of readings only those of sensors of some channels."""
    tables: Tables = {path.stem: json.loads(path.read_bytes()) for path in sorted(folder.glob("*.json"))}
    keep_rows(tables, "scene", "name", scenes)
    keep_rows(tables, "sample", "scene_token", _tokens(tables["scene"]))
    samples = _tokens(tables["sample"])
    sensors = {row["token"] for row in tables["sensor"] if row["channel"] in channels}
    calibrations = {row["token"] for row in tables["calibrated_sensor"] if row["sensor_token"] in sensors}
    keep_rows(tables, "sample_data", "sample_token", samples)
    keep_rows(tables, "sample_data", "calibrated_sensor_token", calibrations)
    keep_rows(tables, "ego_pose", "token", {row["ego_pose_token"] for row in tables["sample_data"]})
    keep_rows(tables, "sample_annotation", "sample_token", samples)
    keep_rows(tables, "instance", "token", {row["instance_token"] for row in tables["sample_annotation"]})
    return tables


def keep_rows(tables: Tables, table: str, column: str, values: Collection[str]) -> None:
    tables[table] = [row for row in tables[table] if row[column] in values]


def _tokens(rows: Iterable[Row]) -> set[str]:
    return {row["token"] for row in rows}


def row_of(tables: Tables, table: str, token: str) -> Row:
    return next(row for row in tables[table] if row["token"] == token)


def write_tables(tables: Tables, root: Path) -> Path:
    """Write tables as a dataset folder."""
    return _write({name: json.dumps(rows) for name, rows in tables.items()}, root)


def _write(texts: dict[str, str], root: Path) -> Path:
    folder = root / VERSION
    folder.mkdir(parents=True)
    for name, text in texts.items():
        (folder / f"{name}.json").write_text(text, encoding="utf-8")
    return root


class Original:
    """Unbroken tables, where they lie, and the benchmark built from them."""

    def __init__(self, tables: Tables, root: Path, build: Callable[[Path], Benchmark]) -> None:
        self.tables = tables
        self.root = write_tables(tables, root)
        self.benchmark = build(self.root)
        self.questions = self.benchmark.questions

    def first(
        self, template: str, keep: Callable[[Question], bool] = lambda question: True, *, but: Collection[str] = ()
    ) -> Question:
        """The first question of a template that is to be kept, and none of some."""
        return next(q for q in self.questions if q.template == template and q.id not in but and keep(q))

    def with_changes(self, changes: dict[str, Question]) -> Benchmark:
        """The benchmark with other questions in the place of some, by the ids of these."""
        return rebuilt(self.benchmark, [changes.get(question.id, question) for question in self.questions])

    def write_changed(self, tables: Tables, root: Path) -> Path:
        """Write changed tables, beside links to those that are as they were."""
        write_tables({name: rows for name, rows in tables.items() if rows != self.tables[name]}, root)
        for name in tables:
            path = root / VERSION / f"{name}.json"
            if not path.exists():
                path.symlink_to(self.root / VERSION / path.name)
        return root

    def unbroken_copy(self, root: Path, seed: int) -> tuple[Benchmark, Path]:
        """The same benchmark and tables in other words: rows shuffled, JSON and rotations written anew."""
        rng = random.Random(seed)
        tables = deepcopy(self.tables)
        for name in ("ego_pose", "sample_annotation", "calibrated_sensor"):
            for row in tables[name]:  # the same rotation by a quaternion of another length, or its opposite
                factor = rng.choice([1.0, -1.0, 1e-3, 2.5])
                row["rotation"] = [factor * part for part in row["rotation"]]
        _write({name: _rewritten(rows, rng) for name, rows in tables.items()}, root)
        facts = [_rewritten([json.loads(text)], rng)[1:-1] for text in self.benchmark.table["facts"]]
        table = self.benchmark.table.with_columns(pl.Series("facts", facts))
        return replace(self.benchmark, table=table.sample(fraction=1, shuffle=True, seed=seed)), root


_TEXT_OR_FLOAT = re.compile(r'"(?:[^"\\]|\\.)*"|(?<=[,:\[\s])-?\d+\.\d+(?:e[-+]\d+)?(?=\s*[,\]}])')


def _rewritten(rows: list[Row], rng: random.Random) -> str:
    """The same rows in other words: shuffled, keys in another order, floats and white space written anew."""
    keys = rng.sample(sorted(rows[0]), len(rows[0])) if rows else []
    turned = [{key: row[key] for key in sorted(row, key=keys.index)} for row in rng.sample(rows, len(rows))]
    gap = rng.choice(["", " ", "\n  "])
    text = json.dumps(turned, separators=(f",{gap}", f":{gap}"), ensure_ascii=rng.random() < 0.5)
    form = rng.choice(["{:.17g}", "{:.17e}", "{!r}"]).format
    return _TEXT_OR_FLOAT.sub(lambda match: match[0] if match[0].startswith('"') else form(float(match[0])), text)


def rebuilt(
    benchmark: Benchmark,
    questions: Iterable[Question],
    *,
    ids: bool = True,
    links: bool = True,
    counts: bool = True,
    linked: Callable[[pl.DataFrame], pl.DataFrame] = with_contrasts,
) -> Benchmark:
    """A benchmark of other questions, whose ids, links, counts and fingerprint are those of the questions.

    Links are made anew, by `linked`, where the benchmark has some.
    """
    links = links and bool(benchmark.table["links"].list.len().sum())
    table = to_table(
        changed(
            question,
            id=derived_id(question) if ids else question.id,
            links=() if links else question.links,
        )
        for question in questions
    )
    table = linked(table) if links else table
    record = msgspec.structs.replace(
        benchmark.record,
        fingerprint=fingerprint(table),
        counts=counts_of(table) if counts else benchmark.record.counts,
    )
    return replace(benchmark, table=table, record=record)


def changed(question: Question, /, **fields: Any) -> Question:
    return msgspec.structs.replace(question, **fields)


def with_facts(question: Question, change: Callable[[dict[str, Any]], object]) -> Question:
    facts = deepcopy(question.facts)
    change(facts)
    return changed(question, facts=facts)


def answered(answer: str) -> Callable[[Question], bool]:
    return lambda question: question.answer == answer


def fields(**values: Any) -> Change:
    return lambda question: changed(question, **values)


def fact(path: str, value: Callable[[Any], Any]) -> Callable[[Question], Question]:
    """Change one fact, named by keys and indices."""

    def change(facts: dict[str, Any]) -> None:
        *holders, last = (int(key) if key.isdigit() else key for key in path.split("."))
        place: Any = facts
        for key in holders:
            place = place[key]
        place[last] = value(place[last])

    return lambda question: with_facts(question, change)


def dropped(name: str) -> Change:
    return lambda question: with_facts(question, lambda facts: facts.pop(name))


def added(name: str, value: Any) -> Change:
    return lambda question: with_facts(question, lambda facts: facts.update({name: value}))


def nudged(by: float) -> Callable[[float], float]:
    return lambda number: number + by
