"""Datasets and builds that are unusual but sound: whatever is built from them can be read, and passes its audit."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from mutating import Tables, read_tables, row_of, write_tables

from probe4d.benchmarks.benchmark import Benchmark, read_benchmark
from probe4d.benchmarks.lidar_hallu.audit import audit
from probe4d.benchmarks.suites import build
from probe4d.scenes.geometry import SE3
from probe4d.scenes.opening import open_scenes
from probe4d.scenes.simulator import VERSION as SIMULATED

PLACES_M = {
    180.0: (-8.0, 0.0),
    -180.0: (-8.0, -0.0),
    90.0: (0.0, 9.0),
    -90.0: (0.0, -9.0),
    135.0: (-7.0, 7.0),
    -135.0: (-7.0, -7.0),
    0.0: (7.5, 0.0),
    45.0: (6.0, 6.0),
}
"""Places in the ego frame whose bearings are round numbers of degrees."""


@pytest.fixture(scope="module")
def tables(simulated: Path) -> Tables:
    folder = simulated / SIMULATED
    names = sorted(row["name"] for row in json.loads((folder / "scene.json").read_bytes()))
    return read_tables(folder, names[:2], ["LIDAR_TOP"])


def built_and_audited(root: Path, **options: Any) -> Benchmark:
    benchmark = build("lidar-hallu", open_scenes(root), root / "bench", per_family=60, **options)
    read = read_benchmark(root / "bench")
    assert read.table.equals(benchmark.table)
    assert audit(read, root) == []
    return read


def scaled(tables: Tables) -> Tables:
    """The same rotations, with quaternions of many lengths and either sign."""
    changed = deepcopy(tables)
    for name in ("ego_pose", "sample_annotation"):
        for number, row in enumerate(changed[name]):
            factor = (-1) ** number * (0.25 + number % 7)
            row["rotation"] = [factor * part for part in row["rotation"]]
    return changed


def doubled(tables: Tables) -> Tables:
    """Every third box annotated again in its key frame: some nearer, some farther, some in the same place."""
    changed = deepcopy(tables)
    for number, row in enumerate(tables["sample_annotation"][::3]):
        shift = (-3.0, 0.0, 3.0)[number % 3]
        x, y, z = row["translation"]
        again = {"token": f"{number:032x}", "translation": [x + shift, y - shift, z], "prev": "", "next": ""}
        changed["sample_annotation"].append({**deepcopy(row), **again})
    return changed


def on_bearings(tables: Tables) -> Tables:
    """The boxes of each key frame moved, as far as the places reach, to where their bearings are round numbers."""
    changed = deepcopy(tables)
    poses = {row["token"]: row for row in tables["ego_pose"]}
    pose_of = {
        row["sample_token"]: poses[row["ego_pose_token"]] for row in tables["sample_data"] if row["is_key_frame"]
    }
    by_sample: dict[str, list[dict[str, Any]]] = {}
    for row in changed["sample_annotation"]:
        by_sample.setdefault(row["sample_token"], []).append(row)
    for number, (sample, rows) in enumerate(by_sample.items()):
        pose = pose_of[sample]
        global_SE3_ego = SE3.from_quaternion(pose["rotation"], pose["translation"])
        places = list(PLACES_M.values())
        for index, row in enumerate(rows[: len(places)]):
            x, y = places[(index + number // 9) % len(places)]
            row["translation"] = global_SE3_ego.apply(np.array([x, y, 0.5])).tolist()
            row["num_lidar_pts"] = 5
    return changed


def test_quaternions_of_any_length_are_rotations(tables: Tables, tmp_path: Path) -> None:
    plain = built_and_audited(write_tables(tables, tmp_path / "plain"))
    copy = write_tables(scaled(tables), tmp_path / "scaled")
    assert audit(plain, copy) == []
    of_copy = built_and_audited(copy)
    assert [q.facts["ego_motion"] for q in of_copy.questions] == [q.facts["ego_motion"] for q in plain.questions]


def test_a_track_has_one_place_at_a_key_frame(tables: Tables, tmp_path: Path) -> None:
    benchmark = built_and_audited(write_tables(doubled(tables), tmp_path), min_lidar_points=0)
    boxes = len(tables["sample_annotation"][::3])
    reason = "boxes of a track that has a nearer box of its class at the key frame"
    assert 0 < benchmark.record.exclusions[reason] <= boxes
    tokens = {measured["box"] for question in benchmark.questions for measured in question.facts["objects"]}
    assert any(int(token, 16) < boxes for token in tokens)


@pytest.mark.parametrize(
    "annotated",
    [
        *("90:180", "-180:-90", "135:-135", "0:180", "-180:0", "180:-90", "90:-180"),
        *("-180:180", "180:-180", "45:135", "-90:0"),
    ],
)
def test_objects_on_the_border_of_the_annotated_sector(annotated: str, tables: Tables, tmp_path: Path) -> None:
    benchmark = built_and_audited(write_tables(on_bearings(tables), tmp_path), annotated_sector=annotated)
    start, end = benchmark.record.parameters["annotated_sector"]
    width = (end - start) % 360 or 360.0
    bearings = [
        math.degrees(math.atan2(measured["y"], measured["x"]))
        for question in benchmark.questions
        if question.family == "position"
        for measured in question.facts["objects"]
    ]
    assert bearings
    assert all((bearing - start + 1e-6) % 360 <= width + 2e-6 or width == 360 for bearing in bearings)


@pytest.mark.parametrize("distractors", ["matched", "published"])
@pytest.mark.parametrize("spans", [(2, 3), (2, 3, 25, 28), (0, 1, 2)])
def test_told_events_of_any_span(spans: tuple[int, ...], distractors: str, tables: Tables, tmp_path: Path) -> None:
    root = write_tables(tables, tmp_path / "data")
    rows = [
        {
            "scene_token": scene["token"],
            "question": f"When does the car number {number} pass?",
            "answer": f"from frame {number % 9} to frame {number % 9 + spans[number % len(spans)]}",
        }
        for scene in tables["scene"]
        for number in range(24)
    ]
    events = tmp_path / "time_grounding.json"
    events.write_text(json.dumps(rows))
    benchmark = built_and_audited(root, events=events, distractors=distractors)
    found = {
        question.facts["interval"][1] - question.facts["interval"][0]
        for question in benchmark.questions
        if question.family == "temporal"
    }
    assert found
    assert found <= set(spans)
    if distractors == "matched":
        assert found == set(spans)


@pytest.mark.parametrize("change", [scaled, doubled, on_bearings])
def test_what_is_changed_in_a_table_is_still_found(
    change: Callable[[Tables], Tables], tables: Tables, tmp_path: Path
) -> None:
    changed = change(tables)
    root = write_tables(changed, tmp_path / "sound")
    benchmark = build("lidar-hallu", open_scenes(root), None, per_family=40, annotated_sector="-180:135")
    question = next(question for question in benchmark.questions if question.template == "position-yes-no")
    row_of(changed, "sample_annotation", question.facts["objects"][0]["box"])["translation"][0] += 0.5
    findings = audit(benchmark, write_tables(changed, tmp_path / "moved"))
    assert question.id in {finding.question for finding in findings}
