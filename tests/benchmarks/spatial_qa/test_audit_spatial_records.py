"""Breaks records and leaves out questions: the audit has to find both, and nothing in unbroken copies."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import polars as pl
import pytest
from mutating import SCENES, Original, changed, rebuilt
from spatial_changes import objects_in_order
from spatial_mutating import labels, view_of

from probe4d.benchmarks.auditing import suite_audit
from probe4d.benchmarks.benchmark import read_benchmark, write_benchmark
from probe4d.benchmarks.question import Question, derived_id
from probe4d.benchmarks.questions_file import StoredQuestions
from probe4d.benchmarks.spatial_qa.audit import audit
from probe4d.benchmarks.spatial_qa.templates import TEMPLATES
from probe4d.benchmarks.suites import build, check
from probe4d.errors import InputError
from probe4d.scenes.opening import open_scenes

pytestmark = pytest.mark.real_data


def rules_broken(original: Original, questions: list[Question] | None = None, **fields: Any) -> set[str]:
    """Checks that a benchmark with another record, or with other questions, fails."""
    benchmark = original.benchmark if questions is None else rebuilt(original.benchmark, questions)
    record = msgspec.structs.replace(benchmark.record, **fields)
    return {finding.rule for finding in audit(replace(benchmark, record=record), original.root)}


def test_a_record_that_does_not_fit_is_found(original: Original) -> None:
    record = original.benchmark.record
    assert rules_broken(original, fingerprint="0" * 64) == {"fingerprint"}
    assert rules_broken(original, counts={}) == {"counts"}
    assert rules_broken(original, source=msgspec.structs.replace(record.source, scenes=3)) == {"source"}
    assert rules_broken(original, source=msgspec.structs.replace(record.source, scenes=1)) == {"counts"}
    for stricter in ({"min_side_px": 200.0}, {"unknown_visibility": "drop"}):
        assert len(rules_broken(original, parameters=record.parameters | stricter)) > 20


def test_answers_that_are_not_balanced_are_found(original: Original) -> None:
    for template in ("above", "collision", "closest-to-ego"):
        lost = original.first(template)
        found = audit(rebuilt(original.benchmark, [q for q in original.questions if q.id != lost.id]), original.root)
        told = [f.what for f in found if f.rule == "balance"]
        assert len(told) == 1
        assert told[0].startswith(f"{template} has ")


def test_answers_of_a_full_build_that_are_not_balanced_are_found(lettered: Original) -> None:
    """There as many are Yes as No of each relation, and of situations of two objects in each scene."""
    by_scene = [(template, scene) for template in ("collision", "occlusion", "passing") for scene in SCENES]
    answers = {of: Counter(q.answer for q in lettered.questions if (q.template, q.scene) == of) for of in by_scene}
    uneven = {f"{template} of {scene}" for (template, scene), n in answers.items() if n["Yes"] != n["No"]}
    lost = lettered.first("collision")
    one_less = f"collision of {lost.scene}"
    kept = rebuilt(lettered.benchmark, [q for q in lettered.questions if q.template != "left" and q.id != lost.id])
    parameters = kept.record.parameters | {"scale": "full"}
    found = audit(replace(kept, record=msgspec.structs.replace(kept.record, parameters=parameters)), lettered.root)
    assert {f.what.split(" has ")[0] for f in found if f.rule == "balance"} == uneven ^ {one_less}


def test_questions_that_come_twice_or_change_places_are_found(original: Original) -> None:
    target = original.first("closest-to-object")
    turned_round = objects_in_order(target, (3, 2, 1, 0))
    again = changed(turned_round, answer="ABCD"[3 - "ABCD".index(target.answer)], order=len(original.questions))
    found = audit(rebuilt(original.benchmark, [*original.questions, again]), original.root)
    assert ("uniqueness", f"asks the same as question {target.id}.") in {
        (f.rule, f.what) for f in found if f.question == derived_id(again)
    }
    first, second = original.questions[:2]
    places = {first.id: second.order}
    swapped = [changed(q, order=places.get(q.id, q.order)) for q in original.questions]
    assert rules_broken(original, swapped) == {"order"}


def test_an_id_of_another_question_is_found(original: Original) -> None:
    target = original.first("near-object")
    questions = [changed(q, id="0" * 16) if q.id == target.id else q for q in original.questions]
    found = audit(rebuilt(original.benchmark, questions, ids=False), original.root)
    assert [(f.question, f.rule, f.what) for f in found] == [("0" * 16, "identity", f"the id should be {target.id}.")]


@pytest.mark.parametrize(
    "parameters", [{"min_visibility": "high"}, {"min_side_px": None}, {"refer": 3}, {"reference_channel": []}]
)
def test_a_strange_parameter_is_named(parameters: dict[str, Any], original: Original) -> None:
    record = msgspec.structs.replace(
        original.benchmark.record, parameters=original.benchmark.record.parameters | parameters
    )
    with pytest.raises(InputError, match=rf"holds a parameter that does not fit .*{next(iter(parameters))}"):
        audit(replace(original.benchmark, record=record), original.root)


def test_questions_that_a_full_build_lacks_are_found(original: Original) -> None:
    scenes = open_scenes(original.root).select([SCENES[1]])
    benchmark = build("spatial-qa", scenes, None, refer="marker", split="all", min_side_px=80.0)
    questions = benchmark.questions
    lost = [next(q for q in questions if q.template == template) for template in ("taller", "bearing", "width")]
    # A pair that is taken away in both orders leaves as many Yes as No.
    pair = set(labels(lost[0]))
    gone = {
        q.id for q in questions if q.template == "taller" and set(labels(q)) == pair and view_of(q) == view_of(lost[0])
    }
    gone |= {question.id for question in lost}
    kept = [q for q in questions if q.id not in gone]
    found = audit(rebuilt(benchmark, kept), original.root)
    lacking = {finding.what.split(" about ")[0] for finding in found if finding.rule == "completeness"}
    assert lacking == {
        "taller lacks 2 questions",
        "bearing lacks 1 question",
        "width lacks 1 question",
    }
    assert {finding.rule for finding in found} == {"completeness", "order"}


@pytest.mark.parametrize("seed", [*range(12), *(pytest.param(seed, marks=pytest.mark.soak) for seed in range(12, 50))])
def test_an_unbroken_copy_raises_nothing(seed: int, original: Original, lettered: Original, tmp_path: Path) -> None:
    of = (original, lettered)[seed % 2]
    assert audit(*of.unbroken_copy(tmp_path, seed)) == []


def test_of_a_benchmark_on_disk_questions_are_read_whole_of_some_scenes_at_a_time(
    original: Original, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_benchmark(original.benchmark, tmp_path, card="")
    read: set[str] = set()

    def columns(self: StoredQuestions, names: Sequence[str], of_all: Any = StoredQuestions.columns) -> pl.DataFrame:
        read.update(names)
        found: pl.DataFrame = of_all(self, names)
        return found

    monkeypatch.setattr(StoredQuestions, "columns", columns)
    monkeypatch.setattr(suite_audit, "QUESTIONS_AT_ONCE", 1)
    checked = check(read_benchmark(tmp_path), original.root)
    assert (checked.findings, checked.questions) == ([], len(original.questions))
    assert read == {"id", "family", "format", "rule", "scene", "template", "answer", "context", "order"}


@pytest.mark.parametrize(
    "parameters",
    [
        {"scale": "full"},
        {"scale": "sample:760", "min_visibility": 1, "min_side_px": 8.0},
        {"scale": "sample:760", "balance": "contents", "seed": 3},
    ],
    ids=str,
)
def test_builds_of_other_parameters_pass(parameters: dict[str, Any], original: Original) -> None:
    scenes = open_scenes(original.root).select([SCENES[1]])
    benchmark = build("spatial-qa", scenes, None, refer="marker", split="all", **parameters)
    told: list[str] = []
    checked = check(benchmark, original.root, done=told.append)
    assert checked.findings == []
    assert checked.questions == len(told) == benchmark.table.height
    assert set(told) == set(benchmark.table["id"])
    if parameters["scale"] == "full":
        assert set(benchmark.table["template"]) == set(TEMPLATES)
