"""Breaks questions one by one; the audit has to name each by question and rule, and no other."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import polars as pl
import pytest
from mutating import Original, changed
from spatial_question_mutations import QUESTIONS

from probe4d.benchmarks.question import Question, derived_id
from probe4d.benchmarks.spatial_qa.audit import audit
from probe4d.benchmarks.spatial_qa.templates import TEMPLATES
from probe4d.benchmarks.suite import AuditFinding

pytestmark = pytest.mark.real_data


class Broken:
    """All mutations in one benchmark, each of a question of its own, and what the audit found."""

    def __init__(self, original: Original) -> None:
        self.targets: dict[str, Question] = {}
        self.mutated: dict[str, Question] = {}
        for name, (template, keep, change, _) in QUESTIONS.items():
            taken = {question.id for question in self.targets.values()}
            target = original.first(template, lambda q, keep=keep: keep(q), but=taken)  # type: ignore[misc]
            self.targets[name], self.mutated[name] = target, change(target)
        benchmark = original.with_changes({self.targets[name].id: self.mutated[name] for name in QUESTIONS})
        self.findings = audit(benchmark, original.root)

    def about(self, name: str) -> list[AuditFinding]:
        identity = derived_id(self.mutated[name])
        return [finding for finding in self.findings if finding.question == identity]


@pytest.fixture(scope="module")
def broken(original: Original) -> Broken:
    return Broken(original)


@pytest.mark.parametrize("name", QUESTIONS)
def test_a_broken_question_is_named_with_its_rule(name: str, broken: Broken) -> None:
    found = broken.about(name)
    told = QUESTIONS[name][3]
    fitting = [finding for finding in found if told in finding.what]
    assert fitting, found
    checks = {"suite", "template", "options", "answer", "links", "prompt"}
    assert fitting[0].rule == broken.mutated[name].rule or fitting[0].rule in checks


def test_no_unbroken_question_is_named(broken: Broken) -> None:
    mutated = {derived_id(question) for question in broken.mutated.values()}
    others = [finding for finding in broken.findings if finding.question not in {*mutated, ""}]
    # Where one question calls a box or a track otherwise, those that call it rightly contradict it; and one that goes
    # to another family takes the place of another.
    assert all("stands for" in finding.what or finding.rule == "order" for finding in others), others
    assert len(others) < len(QUESTIONS) / 10


def test_every_template_is_broken_in_two_ways() -> None:
    assert len(QUESTIONS) >= 50 + 2 * len(TEMPLATES)
    for template in TEMPLATES:
        assert sum(of == template for of, *_ in QUESTIONS.values()) >= 2, template


@pytest.mark.parametrize(
    "damage",
    [
        {"objects": "none"},
        {"objects": [3, None]},
        {"objects": [{"box": {}}]},
        {"objects": [{"label": "", "frame": 10**15, "box": "", "x": 1, "y": 2, "z": 3}] * 5},
        {"witness": 3, "distance_m": [], "distances_m": {}, "margin_unit": 7, "unit": None},
        {"objects": {"length_m": "long"}, "hidden_after_m": "soon"},
    ],
    ids=str,
)
def test_strange_facts_are_findings(damage: dict[str, Any], original: Original) -> None:
    firsts = [original.first(template) for template in TEMPLATES]
    changes = {q.id: changed(q, facts={**q.facts, **damage}) for q in firsts}
    findings = audit(original.with_changes(changes), original.root)
    assert {finding.question for finding in findings} == set(changes)
    assert all(finding.rule == changes[finding.question].rule for finding in findings)


@pytest.mark.parametrize("column", ["entities", "options", "features", "needs", "links", "frames"])
def test_lists_with_nothing_in_them_are_findings(column: str, original: Original) -> None:
    targets = {original.first(template).id for template in TEMPLATES}
    table = original.benchmark.table
    emptied = pl.col(column).list.eval(pl.lit(None, table.schema[column].inner))  # type: ignore[attr-defined]
    holds_some = pl.col(column).list.len() > 0
    broken = table.with_columns(pl.when(pl.col("id").is_in(targets) & holds_some).then(emptied).otherwise(column))
    wanted = broken.filter(pl.col("id").is_in(targets) & holds_some)["id"]
    findings = audit(replace(original.benchmark, table=broken), original.root)
    assert {finding.question for finding in findings} == set(wanted)
