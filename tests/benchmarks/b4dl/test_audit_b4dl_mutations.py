"""Breaks questions of B4DL one by one; the audit has to name each by question and rule, and no other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from b4dl_audit_making import original_of
from b4dl_mutations import MUTATIONS
from mutating import Original, changed

from probe4d.benchmarks.b4dl.audit import audit, taken_as_told_by_audit
from probe4d.benchmarks.b4dl.audit.facts import shape_of
from probe4d.benchmarks.question import Question, derived_id
from probe4d.benchmarks.suite import AuditFinding
from probe4d.benchmarks.suites import check

Originals = Mapping[bool, Original]


@pytest.fixture(scope="module")
def originals(simulated: Path, tmp_path_factory: pytest.TempPathFactory) -> Originals:
    """Questions whose wrong answers stay, and questions whose wrong answers were corrected."""
    (folder,) = simulated.glob("v1.0-*")
    root = tmp_path_factory.mktemp("tables")
    simple = {"grounded": "correct", "sequences_per_scene": 30, "tasks": ["existence", "binary", "time-grounding"]}
    return {False: original_of(folder, root / "keep"), True: original_of(folder, root / "correct", **simple)}


class Broken:
    """All mutations, each of a question of its own, in as few benchmarks as that takes, and what the audit found."""

    def __init__(self, originals: Originals) -> None:
        self.mutated: dict[str, Question] = {}
        self.findings: list[AuditFinding] = []
        left = dict(MUTATIONS)
        while left:
            targets = dict(_targets(originals, left))
            assert targets, f"no question can be broken by {', '.join(left)}"
            mutated = {name: left.pop(name).change(question) for name, question in targets.items()}
            self.mutated |= mutated
            for corrects, original in originals.items():
                changes = {targets[name].id: mutated[name] for name in mutated if MUTATIONS[name].corrected == corrects}
                self.findings += audit(original.with_changes(changes), original.root)

    def about(self, name: str) -> list[AuditFinding]:
        identity = derived_id(self.mutated[name])
        return [finding for finding in self.findings if finding.question == identity]


def _targets(originals: Originals, mutations: Mapping[str, Any]) -> Iterator[tuple[str, Question]]:
    """A question for each of those mutations that one is left for."""
    taken: set[tuple[bool, str]] = set()
    for name, mutation in mutations.items():
        fitting = (
            question
            for question in originals[mutation.corrected].questions
            if (mutation.corrected, question.id) not in taken and mutation.keep(question)
        )
        question = next(fitting, None)
        if question is not None:
            taken.add((mutation.corrected, question.id))
            yield name, question


@pytest.fixture(scope="module")
def broken(originals: Originals) -> Broken:
    return Broken(originals)


@pytest.mark.parametrize("name", MUTATIONS)
def test_a_broken_question_is_named_with_its_rule(name: str, broken: Broken) -> None:
    found, mutation = broken.about(name), MUTATIONS[name]
    fitting = [finding for finding in found if mutation.told in finding.what]
    assert fitting, found
    assert mutation.rule in {finding.rule for finding in fitting}


def test_no_unbroken_question_is_named(broken: Broken) -> None:
    mutated = {derived_id(question) for question in broken.mutated.values()}
    others = [finding for finding in broken.findings if finding.question not in {*mutated, ""}]
    assert [finding for finding in others if finding.rule != "order"] == []


@pytest.mark.parametrize("corrects", [False, True])
def test_nothing_is_found_in_what_was_built(corrects: bool, originals: Originals) -> None:
    benchmark, root = originals[corrects].benchmark, originals[corrects].root
    told: list[str] = []
    assert audit(benchmark, root, done=told.append) == []
    assert sorted(told) == sorted(benchmark.table["id"])
    shapes = {shape_of(question.facts["measured"]) for question in originals[corrects].questions}
    assert shapes >= {"nothing", "things", "motion", "ego"}


def test_what_is_taken_as_told_is_counted(originals: Originals) -> None:
    original = originals[False]
    (undecided,) = check(original.benchmark, original.root).taken_as_told
    verdicts = [question.facts["verdict"] for question in original.questions]
    assert undecided.questions == verdicts.count("undecided")
    assert undecided.why == "geometry does not decide what a model wrote"


def test_verdicts_on_words_that_are_not_read_are_counted(originals: Originals) -> None:
    original = originals[False]
    decided = next(q for q in original.questions if q.template == "binary" and q.facts["verdict"] == "supported")
    never = changed(decided, question=(decided.question or "").replace("?", " and never stop?"))
    told = list(taken_as_told_by_audit(original.with_changes({decided.id: never}).table))
    assert told[1].by_template == {"binary": 1}
    assert "does not read words" in told[1].why


@pytest.mark.parametrize("seed", range(6))
def test_an_unbroken_copy_raises_nothing(seed: int, originals: Originals, tmp_path: Path) -> None:
    assert audit(*originals[seed % 2 == 0].unbroken_copy(tmp_path, seed)) == []


DAMAGES: list[dict[str, Any]] = [
    {"track": None},
    {"track": ["a"], "frame": True},
    {"frame": "3", "candidates": "many"},
    {"candidates": 1.5, "sure": [], "range_m": {}},
    {"frames": 3, "way_m": "far", "turn_deg": None},
    {"frames": [None, "x", {}], "speed_start_mps": {}, "box": 3},
]


@pytest.mark.parametrize("damage", DAMAGES)
def test_strange_measures_are_findings(damage: dict[str, Any], originals: Originals) -> None:
    original = originals[False]
    changes: dict[str, Question] = {}
    for shape in ("nothing", "things", "motion", "ego"):
        question = next(q for q in original.questions if shape_of(q.facts["measured"]) == shape)
        measured = question.facts["measured"] | {
            name: damage[name] for name in damage if name in question.facts["measured"]
        }
        if measured != question.facts["measured"]:
            changes[question.id] = changed(question, facts=question.facts | {"measured": measured})
    findings = audit(original.with_changes(changes), original.root)
    assert {finding.question for finding in findings} - {""} == {derived_id(question) for question in changes.values()}


@pytest.mark.parametrize("text", ["", "null", "[1]", "{", '{"sequence": 3}', '{"sequence": {"a": 1}}'])
def test_facts_that_are_none_are_a_finding(text: str, originals: Originals) -> None:
    original = originals[False]
    question = original.first("comprehensive")
    facts = pl.when(pl.col("id") == question.id).then(pl.lit(text)).otherwise("facts")
    findings = audit(
        replace(original.benchmark, table=original.benchmark.table.with_columns(facts=facts)), original.root
    )
    assert {(finding.question, finding.rule) for finding in findings} >= {(question.id, "facts")}


@pytest.mark.parametrize(
    "text", ["Is it so?", "?", "Is there a car in frame 000000099?", "Frames 3 to 4, cars, never a bus: no."]
)
@pytest.mark.parametrize("claim", ["presence", "count", "keeps-distance", "straight", "stops", "nobody knows"])
def test_strange_words_and_claims_are_findings(text: str, claim: str, originals: Originals) -> None:
    original = originals[False]
    changes: dict[str, Question] = {}
    for shape in ("nothing", "things", "motion", "ego"):
        question = next(
            q for q in original.questions if q.format == "yes-no" and shape_of(q.facts["measured"]) == shape
        )
        changes[question.id] = changed(question, question=text, facts=question.facts | {"claim": claim})
    findings = audit(original.with_changes(changes), original.root)
    assert {finding.question for finding in findings} - {""} >= {derived_id(question) for question in changes.values()}


def test_an_id_of_another_question_is_named(originals: Originals) -> None:
    original = originals[False]
    question = original.first("binary")
    table = original.benchmark.table.with_columns(
        id=pl.when(pl.col("id") == question.id).then(pl.lit("0" * 16)).otherwise("id")
    )
    findings = [each for each in audit(replace(original.benchmark, table=table), original.root) if each.question]
    assert [(each.question, each.rule) for each in findings] == [("0" * 16, "identity")]
    assert question.id in findings[0].what


def test_there_are_many_ways_to_break_a_question() -> None:
    assert len(MUTATIONS) >= 40
