"""Breaks what a STRIDE benchmark was built from, or says of itself; the audit has to name what it concerns."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import polars as pl
import pytest
from mutating import VERSION, Original, Row, row_of
from simulated_tables import SIMULATED_SCENES

from probe4d.benchmarks.stride.audit import audit
from probe4d.benchmarks.stride.templates import TEMPLATES
from probe4d.errors import InputError


def _moved(by: float) -> Callable[[Row], None]:
    return lambda row: row.update(translation=[number + by for number in row["translation"]])


CHANGES: list[tuple[str, Callable[[Row], None]]] = [
    ("SP-2", _moved(5.0)),
    ("SP-3", _moved(0.01)),
    ("SU-1", lambda row: row.update(size=[row["size"][0] + 0.5, *row["size"][1:]])),
    ("SU-3", lambda row: row.update(rotation=[row["rotation"][3], 0.0, 0.0, row["rotation"][0]])),
    ("SP-5", lambda row: row.update(visibility_token="")),
    ("SP-1", lambda row: row.update(num_lidar_pts=0)),
    ("TM-3", lambda row: row.update(visibility_token="1")),
    ("TE-2", lambda row: row.update(token="another")),
    ("SP-6", lambda row: row.update(size=[*row["size"][:2], 9.0])),
]
"""Boxes of targets moved, widened, turned, hidden, not hit, renamed, heightened."""


def test_changed_boxes_are_named_by_the_questions_about_them(original: Original, tmp_path: Path) -> None:
    tables, changed = deepcopy(original.tables), dict[str, str]()
    for template, change in CHANGES:
        question = original.first(
            template, lambda q: q.scene == SIMULATED_SCENES[0] and q.facts["objects"][0]["box"] not in changed.values()
        )
        changed[question.id] = box = question.facts["objects"][0]["box"]
        change(row_of(tables, "sample_annotation", box))
    found = {each.question for each in audit(original.benchmark, original.write_changed(tables, tmp_path))}
    assert changed.keys() <= found
    assert not found & {q.id for q in original.questions if q.scene != SIMULATED_SCENES[0]}


def test_changed_times_are_named_by_all_that_measure_speed(original: Original, tmp_path: Path) -> None:
    tables = deepcopy(original.tables)
    for row in tables["sample_data"]:
        row["timestamp"] *= 2
    found = {each.question for each in audit(original.benchmark, original.write_changed(tables, tmp_path))}
    told = {q.template for q in original.questions if q.id in found}
    assert {"SP-1", "TM-5", "TRJ-1", "TRJ-5"} <= told
    assert not told & {"SP-2", "SP-3", "SU-1", "SU-6", "TM-2"}


def test_a_turned_camera_is_named_by_red_boxes_alone(original: Original, tmp_path: Path) -> None:
    tables = deepcopy(original.tables)
    for row in tables["calibrated_sensor"]:
        if row["camera_intrinsic"]:
            row["camera_intrinsic"][0][2] += 4.0
    findings = audit(original.benchmark, original.write_changed(tables, tmp_path))
    assert findings
    assert {finding.rule for finding in findings} == {"target"}
    assert all(TEMPLATES[q.template].has_target for q in original.questions if q.id in {f.question for f in findings})


def test_a_scene_that_is_not_there_is_named(original: Original, tmp_path: Path) -> None:
    tables = deepcopy(original.tables)
    row = next(row for row in tables["scene"] if row["name"] == SIMULATED_SCENES[1])
    row["name"] = "elsewhere"
    findings = audit(original.benchmark, original.write_changed(tables, tmp_path))
    about = {finding.question for finding in findings if "has no scene" in finding.what}
    assert about == {q.id for q in original.questions if q.scene == SIMULATED_SCENES[1]}


def _recorded(original: Original, **parameters: Any) -> Any:
    record = original.benchmark.record
    return replace(
        original.benchmark, record=msgspec.structs.replace(record, parameters={**record.parameters, **parameters})
    )


def test_a_build_of_other_parameters_is_named(original: Original) -> None:
    asked_for = _recorded(original, templates=["SP-1"], per_template=3, most_per_scene=2)
    findings = audit(asked_for, original.root)
    assert {(each.question, each.rule) for each in findings} == {("", "templates")}
    told = {finding.what for finding in findings}
    assert "there are questions of SP-2, which benchmark.json does not name." in told
    assert "there are 10 questions of SP-2, and at most 3 were asked for." in told
    assert f"5 questions of SP-2 are about {SIMULATED_SCENES[0]}, and at most 2 may be." in told


def test_letters_that_are_right_too_often_are_named(original: Original) -> None:
    table = original.benchmark.table.filter((pl.col("template") != "SP-2") | (pl.col("answer") != "A"))
    findings = audit(replace(original.benchmark, table=table), original.root)
    (found,) = [finding for finding in findings if finding.rule == "balance"]
    assert found.what.startswith("of SP-2 one letter is right 2 times, another 0 times")


@pytest.mark.parametrize(
    ("parameters", "told"),
    [({"imported": True}, "was imported, not built"), ({"per_template": "many"}, "a parameter that does not fit")],
    ids=str,
)
def test_a_record_that_cannot_be_checked_is_refused(parameters: dict[str, Any], told: str, original: Original) -> None:
    with pytest.raises(InputError, match=told):
        audit(_recorded(original, **parameters), original.root)


def test_a_folder_without_tables_is_refused(original: Original, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="holds no tables"):
        audit(original.benchmark, tmp_path)
    assert audit(original.benchmark, original.root, version=VERSION) == []
