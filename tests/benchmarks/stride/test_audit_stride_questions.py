"""Breaks questions one by one; the audit has to name each by question and rule, and no other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import msgspec
import polars as pl
import pytest
from mutating import Original, changed, rebuilt
from stride_mutations import MUTATIONS, another_label

from probe4d.benchmarks.benchmark import Benchmark
from probe4d.benchmarks.question import Question, derived_id
from probe4d.benchmarks.stride.audit import audit
from probe4d.benchmarks.stride.linking import with_links
from probe4d.benchmarks.stride.templates import TEMPLATES
from probe4d.benchmarks.suite import AuditFinding

_OF_THE_WHOLE = ("order", "balance")
"""Checks that a question can fail for what another one has become."""


def with_changes(original: Original, changes: Mapping[str, Question]) -> Benchmark:
    """The benchmark with other questions in the place of some, linked anew."""
    questions = [changes.get(question.id, question) for question in original.questions]
    return rebuilt(original.benchmark, questions, linked=partial(with_links, templates=TEMPLATES.values()))


class Broken:
    """All mutations, each of a question of its own, in as few benchmarks as that takes, and what the audit found."""

    def __init__(self, original: Original) -> None:
        self.mutated: dict[str, Question] = {}
        self.findings: list[AuditFinding] = []
        left = dict(MUTATIONS)
        while left:
            targets = dict(_targets(original, left))
            assert targets, f"no question can be broken by {', '.join(left)}"
            mutated = {name: left.pop(name).change(question) for name, question in targets.items()}
            self.mutated |= mutated
            benchmark = with_changes(original, {targets[name].id: mutated[name] for name in mutated})
            self.findings += audit(benchmark, original.root)

    def about(self, name: str) -> list[AuditFinding]:
        identity = derived_id(self.mutated[name])
        return [finding for finding in self.findings if finding.question == identity]


def _targets(original: Original, mutations: Mapping[str, Any]) -> Iterator[tuple[str, Question]]:
    """A question for each of those mutations that one is left for."""
    taken: set[str] = set()
    for name, mutation in mutations.items():
        fitting = (
            question
            for question in original.questions
            if question.template == mutation.template and question.id not in taken and mutation.keep(question)
        )
        question = next(fitting, None)
        if question is not None:
            taken.add(question.id)
            yield name, question


@pytest.fixture(scope="module")
def broken(original: Original) -> Broken:
    return Broken(original)


@pytest.mark.parametrize("name", MUTATIONS)
def test_a_broken_question_is_named_with_its_rule(name: str, broken: Broken) -> None:
    found, mutation = broken.about(name), MUTATIONS[name]
    fitting = [finding for finding in found if mutation.told in finding.what]
    assert fitting, found
    assert fitting[0].rule in (mutation.rule or TEMPLATES[mutation.template].relation, broken.mutated[name].rule)


def test_no_unbroken_question_is_named(broken: Broken) -> None:
    mutated = {derived_id(question) for question in broken.mutated.values()}
    others = [finding for finding in broken.findings if finding.question not in {*mutated, ""}]
    assert [finding for finding in others if finding.rule not in _OF_THE_WHOLE] == []


def test_every_template_is_broken_in_several_ways() -> None:
    assert len(MUTATIONS) >= 50
    for template in TEMPLATES:
        assert sum(mutation.template == template for mutation in MUTATIONS.values()) >= 2, template


DAMAGES: list[dict[str, Any]] = [
    {"objects": "none", "target": [], "tags": {}},
    {"objects": [3, None], "reference_parts": {}, "candidates": {}},
    {"objects": [{"box": {}}], "reference_parts": [None], "candidates": [None, 3]},
    {"margin_unit": 7, "challenge": [], "target": {"bounds": None}},
    {"reference_parts": [{"template": "SP-2"}], "candidates": [{"course": {}}], "ego_motion": 3, "tags": [[]]},
]
LISTS = ("entities", "options", "features", "needs", "links", "frames")


def test_strange_facts_are_findings(original: Original) -> None:
    changes: dict[str, Question] = {}
    for template in TEMPLATES:
        for damage in DAMAGES[:2] if template == "SC-6" else DAMAGES:
            question = original.first(template, but=changes)
            changes[question.id] = changed(question, facts={**question.facts, **damage})
    findings = audit(with_changes(original, changes), original.root)
    assert {finding.question for finding in findings} - {""} == {*changes}


def test_lists_with_nothing_in_them_are_findings(original: Original) -> None:
    table, targets = original.benchmark.table, dict[str, str]()
    for template in TEMPLATES:
        of_template = [q for q in original.questions if q.template == template]
        targets |= {q.id: name for q, name in zip(of_template, LISTS, strict=False) if getattr(q, name)}
    for name in LISTS:
        chosen = [identity for identity, column in targets.items() if column == name]
        emptied = pl.col(name).list.eval(pl.lit(None, table.schema[name].inner))  # type: ignore[attr-defined]
        table = table.with_columns(pl.when(pl.col("id").is_in(chosen)).then(emptied).otherwise(name))
    findings = audit(replace(original.benchmark, table=table), original.root)
    assert targets.keys() <= {finding.question for finding in findings}


def test_an_id_of_another_question_is_named(original: Original) -> None:
    unlinked = original.first("SP-6", lambda question: not question.links)
    table = original.benchmark.table.with_columns(
        id=pl.when(pl.col("id") == unlinked.id).then(pl.lit("0" * 16)).otherwise("id")
    )
    findings = [each for each in audit(replace(original.benchmark, table=table), original.root) if each.question]
    assert [(each.question, each.rule) for each in findings] == [("0" * 16, "identity")]
    assert unlinked.id in findings[0].what


def test_links_that_are_not_whole_are_named(original: Original) -> None:
    broken: dict[str, Question] = {}
    for template in ("SP-7", "SU-2", "TRJ-1"):
        fewer = original.first(template, lambda question: len(question.links) > 0)
        more = original.first(template, but=[fewer.id])
        broken[fewer.id] = changed(fewer, links=fewer.links[1:])
        broken[more.id] = changed(more, links=(*more.links, "f" * 16))
    questions = [broken.get(question.id, question) for question in original.questions]
    findings = audit(rebuilt(original.benchmark, questions, links=False), original.root)
    assert {(each.question, each.rule) for each in findings} == {(identity, "links") for identity in broken}


def test_labels_that_contradict_one_another_are_named(original: Original) -> None:
    whole = original.first("SC-6")
    part = original.first("SC-2", lambda question: (question.scene, question.frames) == (whole.scene, whole.frames))
    findings = audit(with_changes(original, {part.id: another_label(part)}), original.root)
    (found,) = [finding for finding in findings if finding.question]
    assert found.rule == "labels"
    assert {found.question} < {whole.id, part.id}
    assert any(identity in found.what for identity in {whole.id, part.id} - {found.question})


def test_a_label_of_no_file_is_named(original: Original) -> None:
    record = original.benchmark.record
    parameters = {**record.parameters, "labels_sha256": None}
    without = msgspec.structs.replace(record, parameters=parameters)
    findings = audit(replace(original.benchmark, record=without), original.root)
    assert {finding.rule for finding in findings} == {"labels"}
    of_labels = {q.id for q in original.questions if {"weather", "time_of_day", "road_type", "lane"} & {*q.needs}}
    assert of_labels <= {finding.question for finding in findings}


def test_a_clip_that_is_asked_about_twice_is_named(original: Original) -> None:
    question = original.first("SP-3")
    again = changed(question, options=question.options[::-1], features=question.options[::-1])
    letters = "ABCDE"
    again = changed(again, answer=letters[len(letters) - 1 - letters.index(question.answer)], order=999)
    benchmark = rebuilt(
        original.benchmark,
        [*original.questions, again],
        linked=partial(with_links, templates=TEMPLATES.values()),
    )
    findings = audit(benchmark, original.root)
    assert (derived_id(again), "uniqueness") in [(each.question, each.rule) for each in findings]
