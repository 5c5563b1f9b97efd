"""Whatever stands in a question of Waymo's data, checks name it and do not end in an error of their own."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl
import pytest
from mutating import changed, with_facts
from waymo_driving import converted_drives, objects_file

from probe4d.benchmarks.benchmark import Benchmark
from probe4d.benchmarks.question import Evidence, Question, to_table
from probe4d.benchmarks.stride.templates.waymo import WAYMO_TEMPLATES
from probe4d.benchmarks.stride.waymo.audit.deriving import DERIVED
from probe4d.benchmarks.suites import build, check
from probe4d.scenes.tables import Scenes

MISSING = object()
STRANGE: tuple[Any, ...] = (None, [], "far", 7, MISSING)

FIELDS: dict[str, tuple[Any, ...]] = {
    "suite": ("", "spatial-qa"),
    "family": ("", "trajectory"),
    "template": ("", "TM-9"),
    "relation": (None, "far"),
    "format": ("choice", "text", "waypoints"),
    "scene": ("far",),
    "keyframes": (None, 7),
    "frames": ((), (0,), (4, 5), (400,)),
    "channel": ("FRONT",),
    "entities": ((), ("far",), ("far", "far")),
    "question": (None, "", "far"),
    "options": ((), ("far",), ("", "")),
    "answer": ("", "far", "[]", "[[1.0]]", "null", "Z"),
    "evidence": (Evidence(frames=()), Evidence(frames=(0, 400)), Evidence(frames=(0,), views=("FRONT",))),
    "rule": ("", "far"),
    "margin": (-1.0, 0.0001, float("nan"), float("inf")),
    "lidar_points": (7,),
    "context": ("", "far"),
    "features": ((), ("far",)),
    "needs": ((), ("far",)),
    "prompt": ("", "far"),
}
WHY_TAKEN = ("challenge", "tags")
"""Why a question was taken is not derived again: a score of 7 and no tags are as good as others."""
OF_ALL = ("objects", "target", "ego_motion", "estimated", "margin_unit")
"""Facts that are not taken as told of any question."""


OF_COPIES = ("identity", "uniqueness", "links", "order")
"""What is wrong with every copy of a question."""


class Broken(NamedTuple):
    name: str
    question: Question


@pytest.fixture(scope="module")
def drives(tmp_path_factory: pytest.TempPathFactory) -> Scenes:
    return converted_drives(tmp_path_factory.mktemp("drives"))


@pytest.fixture(scope="module")
def built(drives: Scenes) -> Benchmark:
    objects: Path = objects_file(drives, drives.root.parent)
    return build("stride", drives, objects=objects, ego_history="text")


def _paths(value: Any, *path: str | int) -> Iterator[tuple[str | int, ...]]:
    """Ways to everything in facts; of lists of numbers to the first."""
    if path:
        yield path
    if isinstance(value, dict):
        for name, held in value.items():
            yield from _paths(held, *path, name)
    elif isinstance(value, list) and value:
        for at in range(len(value) if isinstance(value[0], dict) else 1):
            yield from _paths(value[at], *path, at)


def _with(question: Question, path: tuple[str | int, ...], value: Any) -> Question:
    def change(facts: dict[str, Any]) -> None:
        place: Any = facts
        for key in path[:-1]:
            place = place[key]
        if value is MISSING:
            del place[path[-1]]
        else:
            place[path[-1]] = value

    return with_facts(question, change)


def _is_taken_as_told(question: Question, path: tuple[str | int, ...], value: Any) -> bool:
    """Whether a check cannot know better."""
    if path[0] in WHY_TAKEN:
        return value in (7, []) if len(path) == 1 else value in ("far", MISSING)
    if path[-1] == "track":
        return value == "far"
    if path[0] == "reference_parts":
        part = question.facts["reference_parts"][path[1]]["template"] if len(path) > 1 else ""
        return len(path) > 3 and part not in DERIVED and path[3] != "estimated"
    is_open = bool(WAYMO_TEMPLATES[question.template].parts)
    return not is_open and question.template not in DERIVED and path[0] not in OF_ALL


def _breakages(question: Question) -> Iterator[Broken]:
    for path in _paths(question.facts):
        for value in STRANGE:
            if not _is_taken_as_told(question, path, value):
                other = _with(question, path, value)
                if other.facts != question.facts:
                    yield Broken(f"{question.template}: facts.{'.'.join(map(str, path))} = {value!r}", other)
    for name, values in FIELDS.items():
        for value in values:
            if getattr(question, name) != value:
                yield Broken(f"{question.template}: {name} = {value!r}", changed(question, **{name: value}))


def test_whatever_a_question_says_is_named_and_never_an_error(built: Benchmark, drives: Scenes) -> None:
    """All in one benchmark, each change on a copy of a question, with an id of its own."""
    of_template: dict[str, list[Question]] = defaultdict(list)
    for question in built.questions:
        of_template[question.template].append(question)
    broken = [
        each
        for alike in of_template.values()
        for number, question in enumerate(alike)
        for each in islice(_breakages(question), number, None, len(alike))
    ]
    assert len(broken) > 2500
    copies = {f"{number:016x}": each for number, each in enumerate(broken)}
    table = to_table(changed(question, id=identity) for identity, (_, question) in copies.items())
    found = check(replace(built, table=table), drives.root).findings
    named = {finding.question for finding in found if finding.rule not in OF_COPIES}
    assert [name for identity, (name, _) in copies.items() if identity not in named] == []


def test_what_is_no_json_is_named(built: Benchmark, drives: Scenes) -> None:
    table = built.table.with_columns(facts=pl.when(pl.col("template") == "TM-3").then(pl.lit("{]}")).otherwise("facts"))
    found = check(replace(built, table=table), drives.root).findings
    broken = table.filter(template="TM-3")["id"].to_list()
    assert {(finding.question, finding.rule) for finding in found} == {(identity, "facts") for identity in broken}
