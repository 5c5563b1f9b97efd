"""Calls objects otherwise; the audit has to name the questions whose words no longer hold."""

from __future__ import annotations

from collections import Counter
from copy import deepcopy
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest
from mutating import Original, changed, rebuilt, with_facts, write_tables
from spatial_mutating import box_of, labels, view_of
from street_making import captioned

from probe4d.benchmarks.question import Question, derived_id
from probe4d.benchmarks.spatial_qa.audit import audit
from probe4d.benchmarks.suites import build
from probe4d.scenes.opening import open_scenes

pytestmark = pytest.mark.real_data


def renamed(question: Question, words: dict[str, str]) -> Question:
    """A question that calls objects otherwise, wherever it does."""

    def told(facts: dict[str, Any]) -> None:
        for one in facts["objects"]:
            if "label" in one:
                one["label"] = words.get(one["label"], one["label"])

    text = question.question or ""
    for number, old in enumerate(words):
        text = text.replace(old, f"\0{number}\0")
    for number, new in enumerate(words.values()):
        text = text.replace(f"\0{number}\0", new)
    return changed(
        with_facts(question, told),
        question=text,
        entities=tuple(words.get(entity, entity) for entity in question.entities),
        options=tuple(words.get(option, option) for option in question.options),
    )


def repeating(question: Question, **told: Any) -> Question:
    """A question whose facts say of its objects what it says itself, as those of earlier builds do."""

    def repeated(facts: dict[str, Any]) -> None:
        for one, label in zip(facts["objects"], labels(question), strict=True):
            one |= {"label": label, "frame": question.frames[0]} | told

    return with_facts(question, repeated)


def test_facts_may_repeat_what_their_question_says(original: Original) -> None:
    once = original.benchmark
    assert audit(rebuilt(once, [repeating(q) for q in once.questions]), original.root) == []


def test_facts_that_say_otherwise_than_their_question_are_found(original: Original) -> None:
    target = original.first("bearing")
    of_another = repeating(target, label="the lorry", frame=400)
    findings = audit(original.with_changes({target.id: of_another}), original.root)
    about = [finding.what for finding in findings if finding.question == target.id]
    assert f"the text names {', '.join(target.entities)}, and the facts tell of the lorry, the lorry." in about
    assert f"facts.objects[1].frame: stored 400, derived {target.frames[0]}." in about


def test_letters_that_change_places_are_found(lettered: Original) -> None:
    target = lettered.first("distance")
    first, second = labels(target)
    swapped = renamed(target, {first: second, second: first})
    findings = audit(lettered.with_changes({target.id: swapped}), lettered.root)
    about = [finding for finding in findings if finding.question == derived_id(swapped)]
    assert {finding.rule for finding in about} == {"distance"}
    assert f"'{first}' stands for an object whose place from the left makes it '{second}'." in {f.what for f in about}


def test_letters_follow_from_all_that_an_image_shows(lettered: Original, tmp_path: Path) -> None:
    leftmost = {view_of(q): q for q in lettered.questions if labels(q) == ["object E"]}
    target = next(q for q in lettered.questions if labels(q) == ["object F"] and view_of(q) in leftmost)
    tables = deepcopy(lettered.tables)
    tables["sample_annotation"].remove(box_of(tables, leftmost[view_of(target)]))
    about = [f.what for f in audit(lettered.benchmark, write_tables(tables, tmp_path)) if f.question == target.id]
    assert about == ["'object F' stands for an object whose place from the left makes it 'object E'."]


def test_a_track_that_one_question_calls_otherwise_is_found(original: Original) -> None:
    times = Counter(label for question in original.questions for label in labels(question))
    target = original.first("ego-distance", lambda q: times[labels(q)[0]] > 3)
    odd = renamed(target, {labels(target)[0]: "the blue lorry"})
    findings = audit(original.with_changes({target.id: odd}), original.root)
    assert [(f.question, f.rule, f.what) for f in findings] == [
        (derived_id(odd), odd.rule, "'the blue lorry' stands for a track that other questions call otherwise.")
    ]


def test_words_that_stand_for_two_objects_of_an_image_are_found(original: Original) -> None:
    first, second = labels(original.first("distance"))
    # Questions about both would name one of them twice.
    kept = [q for q in original.questions if not {first, second} <= set(labels(q))]
    called = {first: first.upper(), second: first}
    findings = audit(rebuilt(original.benchmark, [renamed(q, called) for q in kept]), original.root)
    named = {f.question for f in findings if "stands for two objects of the image" in f.what}
    both = {view_of(q) for q in kept if first in labels(q)} & {view_of(q) for q in kept if second in labels(q)}
    assert named == {
        derived_id(renamed(q, called)) for q in kept if view_of(q) in both and {first, second} & set(labels(q))
    }
    assert named


def test_kept_ambiguous_words_are_told_apart_by_their_tracks(original: Original, tmp_path: Path) -> None:
    scenes = open_scenes(original.root)
    captions = captioned(scenes, tmp_path / "captions.jsonl", shared=True)
    benchmark = build("spatial-qa", scenes, None, scale="sample:760", captions=captions, ambiguous="keep")
    assert audit(benchmark, original.root) == []
    told_apart = next(q for q in benchmark.questions if q.template == "distance" and q.entities[0].endswith(")"))
    for entities in ((told_apart.entities[0][:-2] + "0)", told_apart.entities[1]), (labels(told_apart)[0], "a car")):
        broken = changed(told_apart, entities=entities)
        others = [broken if q.id == told_apart.id else q for q in benchmark.questions]
        about = [f for f in audit(rebuilt(benchmark, others), original.root) if f.question == derived_id(broken)]
        assert about
        assert all(f.what.startswith("entities[") for f in about)
    # Left out, as is usual, they would stand for two objects of an image.
    parameters = benchmark.record.parameters | {"ambiguous": "drop"}
    record = msgspec.structs.replace(benchmark.record, parameters=parameters)
    found = {f.what.split("'")[2] for f in audit(replace(benchmark, record=record), original.root)}
    assert " stands for two objects of the image." in found
