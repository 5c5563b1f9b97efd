"""The audit draws again what the seed decides: questions that are right in all but their draw are named."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mutating import Original, Tables, changed, with_facts
from spatial_changes import objects_in_order
from spatial_mutating import box_of, view_of

from probe4d.benchmarks import sampling
from probe4d.benchmarks.auditing import ranks
from probe4d.benchmarks.question import Question, derived_id
from probe4d.benchmarks.spatial_qa.audit import audit

PARTNERS = ("closest-to-ego", "closer-to-ego")
"""Templates of which an option is exchanged: they measure it by itself."""
CHOICES = ("closest-to-object", "closest-to-ego", "largest", "closer-to-object", "closer-to-ego")


def judged(question: Question) -> Question:
    """A question about options with the answer and the margin that its measures give."""
    measures = question.facts.get("distances_m") or [-volume for volume in question.facts["volumes_m3"]]
    best, second = sorted(measures)[:2]
    return changed(question, answer="ABCD"[measures.index(best)], margin=second - best)


def with_number(question: Question, name: str, by: float, text: str) -> Question:
    """A situation with another drawn number, in text, facts and answer."""
    number = round(question.facts[name] + by, 1)
    old, new = (text.format(f"{size:g}") for size in (question.facts[name], number))
    assert question.question is not None
    assert old in question.question
    other = with_facts(question, lambda facts: facts.update({name: number}))
    facts = other.facts
    if question.template == "passing":
        surplus = facts["gap_m"] - facts["vehicle_width_m"]
        answer, margin = surplus >= 0, abs(surplus)
    else:
        spare = [
            facts[f"spot_{size}_m"] - facts[f"{size}_m"] - 2 * facts["clearance_m"] for size in ("length", "width")
        ]
        answer = min(spare) >= 0
        margin = min(spare) if answer else math.hypot(*(max(-each, 0) for each in spare))
    return changed(other, question=question.question.replace(old, new), answer="Yes" if answer else "No", margin=margin)


def exchanged_partner(tables: Tables, target: Question, others: list[Question]) -> Question | None:
    """A choice with another object of the image as its first option; null where no question tells of one."""
    known = {one["box"] for one in target.facts["objects"]}
    for other in others:
        for place, told in enumerate(other.facts["objects"]):
            if told["box"] not in known:
                facts = {
                    "objects": [told, *target.facts["objects"][1:]],
                    "distances_m": [other.facts["distances_m"][place], *target.facts["distances_m"][1:]],
                }
                made = changed(
                    target,
                    facts=target.facts | facts,
                    options=(other.options[place], *target.options[1:]),
                    features=(other.features[place], *target.features[1:]),
                )
                points = [box_of(tables, made, place)["num_lidar_pts"] for place in range(len(made.options))]
                return judged(changed(made, lidar_points=min(points)))
    return None


NUMBERS = {
    "a wider vehicle": ("passing", "vehicle_width_m", 0.1, "width of {} "),
    "a narrower vehicle": ("passing", "vehicle_width_m", -0.3, "width of {} "),
    "more room": ("parking", "clearance_m", 0.1, "at least {} "),
    "a longer spot": ("parking", "spot_length_m", 0.1, "{}"),
    "a narrower spot": ("parking", "spot_width_m", -0.1, "{}"),
}
"""By what is changed: the template, the number, by how much, and how the text has it."""


class Redrawn:
    """All questions that are drawn otherwise in one benchmark, and what the audit found."""

    def __init__(self, original: Original, *, letters: bool) -> None:
        self.targets: dict[str, Question] = {}
        self.made: dict[str, Question] = {}
        if letters:
            measured = [q for q in original.questions if q.template in PARTNERS]
            for template in PARTNERS:
                known = {
                    q.id: exchanged_partner(original.tables, q, [o for o in measured if view_of(o) == view_of(q)])
                    for q in measured
                }
                target = self._next(original, template, lambda q, known=known: known[q.id] is not None)  # type: ignore[misc]
                exchanged = known[target.id]
                assert exchanged is not None
                self._put(f"partner of {template}", target, exchanged)
        for template in CHOICES:
            target = self._next(original, template)
            turned = judged(objects_in_order(target, (*range(1, len(target.options)), 0)))
            self._put(f"order of {template}", target, turned)
        for name, (template, fact, by, text) in NUMBERS.items():
            target = self._next(original, template, lambda q, f=fact, t=text: stands_once(q, f, t))  # type: ignore[misc]
            self._put(name, target, with_number(target, fact, by, text))
        changes = {target.id: self.made[name] for name, target in self.targets.items()}
        self.findings = audit(original.with_changes(changes), original.root)

    def _next(
        self, original: Original, template: str, keep: Callable[[Question], bool] = lambda question: True
    ) -> Question:
        return original.first(template, keep, but={target.id for target in self.targets.values()})

    def _put(self, name: str, target: Question, made: Question) -> None:
        self.targets[name], self.made[name] = target, made

    def about(self, name: str) -> list[tuple[str, str]]:
        """Checks and words of what is found of a question."""
        identity = derived_id(self.made[name])
        return [(finding.rule, finding.what) for finding in self.findings if finding.question == identity]


def stands_once(question: Question, name: str, text: str) -> bool:
    """Whether the text has a number of the facts once."""
    return (question.question or "").count(text.format(f"{question.facts[name]:g}")) == 1


@pytest.fixture(scope="module")
def redrawn(original: Original, lettered: Original) -> dict[str, Redrawn]:
    return {"captions": Redrawn(original, letters=False), "letters": Redrawn(lettered, letters=True)}


refers = pytest.mark.parametrize("refer", ["captions", "letters"])


@pytest.mark.real_data
@pytest.mark.parametrize("template", CHOICES)
@refers
def test_options_in_another_order_are_found(template: str, refer: str, redrawn: dict[str, Redrawn]) -> None:
    found = redrawn[refer].about(f"order of {template}")
    assert found == [("draw", "the options stand in another order than the seed draws.")]


@pytest.mark.real_data
@pytest.mark.parametrize("template", PARTNERS)
def test_another_object_among_the_options_is_found(template: str, redrawn: dict[str, Redrawn]) -> None:
    """Its measures, words and place are right: only the seed does not draw it."""
    found = redrawn["letters"].about(f"partner of {template}")
    assert {rule for rule, _ in found} == {"draw"}
    assert any(what.startswith("the options are other objects than the seed draws (boxes ") for _, what in found)


@pytest.mark.real_data
@pytest.mark.parametrize("name", NUMBERS)
@refers
def test_a_number_that_the_seed_does_not_draw_is_found(name: str, refer: str, redrawn: dict[str, Redrawn]) -> None:
    _, fact, by, _ = NUMBERS[name]
    found, drawn = redrawn[refer].about(name), redrawn[refer].targets[name].facts[fact]
    assert ("draw", f"facts.{fact}: stored {round(drawn + by, 1)}, drawn {drawn}.") in found
    assert {rule for rule, _ in found} == {"draw"}


@pytest.mark.real_data
def test_what_is_as_drawn_is_not_named(redrawn: dict[str, Redrawn]) -> None:
    for of in redrawn.values():
        made = {derived_id(question) for question in of.made.values()}
        assert {finding.rule for finding in of.findings if finding.question not in made} <= {"balance"}


@pytest.mark.real_data
def test_another_seed_draws_otherwise_and_none_is_named(lettered: Original) -> None:
    def found(seed: int | None) -> list[str]:
        record = msgspec.structs.replace(lettered.benchmark.record, seed=seed)
        return [finding.what for finding in audit(replace(lettered.benchmark, record=record), lettered.root)]

    drawn = [q for q in lettered.questions if q.template in (*CHOICES, "passing", "parking")]
    assert len(found(43)) > len(drawn) / 2
    assert found(None) == ["benchmark.json names no seed, so that nothing can be drawn again."]


@given(st.integers(0, 2**63 - 1), st.text(max_size=9), st.lists(st.integers(0, 2**64 - 1), min_size=1, max_size=4))
def test_ranks_are_those_that_builds_draw_by(seed: int, name: str, keys: list[int]) -> None:
    draw = ranks.rank(seed, name, "")
    assert draw == sampling.rank(seed, name, "")
    numbers = np.array(keys, dtype=np.uint64)
    both: tuple[Callable[..., Any], ...] = (ranks.mixed, sampling.mixed_ranks)
    mine, theirs = (mix(draw, numbers, numbers[::-1]) for mix in both)
    assert mine.tolist() == theirs.tolist()
    assert ranks.unit_interval(mine).tolist() == sampling.unit_intervals(theirs).tolist()
