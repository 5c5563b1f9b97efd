"""Two scenes as tables in memory, a benchmark of them, and ways to break either so that only an audit can see it."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Iterable
from copy import deepcopy
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec

from probe4d.benchmarks.benchmark import Benchmark, counts_of, fingerprint
from probe4d.benchmarks.contrasts import with_contrasts
from probe4d.benchmarks.question import Question, derived_id, to_table

Tables = dict[str, list[dict[str, Any]]]

REFERENCE = "LIDAR_TOP"
VERSION = "v1.0-mini"


def read_tables(folder: Path, scenes: Iterable[str]) -> Tables:
    """Read the tables of some scenes, of readings only those of the reference LiDAR."""
    tables: Tables = {path.stem: json.loads(path.read_bytes()) for path in sorted(folder.glob("*.json"))}
    wanted = set(scenes)
    tables["scene"] = [row for row in tables["scene"] if row["name"] in wanted]
    tokens = {row["token"] for row in tables["scene"]}
    tables["sample"] = [row for row in tables["sample"] if row["scene_token"] in tokens]
    samples = {row["token"] for row in tables["sample"]}
    sensors = {row["token"] for row in tables["sensor"] if row["channel"] == REFERENCE}
    calibrations = {row["token"] for row in tables["calibrated_sensor"] if row["sensor_token"] in sensors}
    tables["sample_data"] = [
        row
        for row in tables["sample_data"]
        if row["sample_token"] in samples and row["calibrated_sensor_token"] in calibrations
    ]
    poses = {row["ego_pose_token"] for row in tables["sample_data"]}
    tables["ego_pose"] = [row for row in tables["ego_pose"] if row["token"] in poses]
    tables["sample_annotation"] = [row for row in tables["sample_annotation"] if row["sample_token"] in samples]
    tracks = {row["instance_token"] for row in tables["sample_annotation"]}
    tables["instance"] = [row for row in tables["instance"] if row["token"] in tracks]
    return tables


def write_tables(tables: Tables, root: Path) -> Path:
    """Write tables as a dataset folder."""
    folder = root / VERSION
    folder.mkdir(parents=True)
    for name, rows in tables.items():
        (folder / f"{name}.json").write_text(json.dumps(rows))
    return root


def row_of(tables: Tables, table: str, token: str) -> dict[str, Any]:
    return next(row for row in tables[table] if row["token"] == token)


_FLOAT = re.compile(r"([,:\[]\s*)(-?\d+\.\d+(?:e[-+]\d+)?)(?=\s*[,\]}])")


def rewritten(rows: list[dict[str, Any]], rng: random.Random) -> str:
    """The same rows in other words: shuffled, keys in another order, floats and white space written anew."""
    keys = rng.sample(sorted(rows[0]), len(rows[0])) if rows else []
    turned = [{key: row[key] for key in sorted(row, key=keys.index)} for row in rng.sample(rows, len(rows))]
    gap = rng.choice(["", " ", "\n  "])
    text = json.dumps(turned, separators=(f",{gap}", f":{gap}"), ensure_ascii=rng.random() < 0.5)
    form = rng.choice(["{:.17g}", "{:.17e}", "{!r}"]).format
    return _FLOAT.sub(lambda match: match[1] + form(float(match[2])), text)


def write_copy(tables: Tables, root: Path, rng: random.Random) -> Path:
    """Write tables in other words."""
    folder = root / VERSION
    folder.mkdir(parents=True)
    for name, rows in tables.items():
        (folder / f"{name}.json").write_text(rewritten(rows, rng), encoding="utf-8")
    return root


def rebuilt(
    benchmark: Benchmark, questions: Iterable[Question], *, links: bool = True, counts: bool = True
) -> Benchmark:
    """A benchmark of other questions whose ids, links, counts and fingerprint are those of the questions."""
    renamed = [
        msgspec.structs.replace(
            question,
            id=derived_id(question),
            links=() if links else question.links,
        )
        for question in questions
    ]
    table = to_table(renamed)
    table = with_contrasts(table) if links else table
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
