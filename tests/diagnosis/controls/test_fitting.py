"""Controls that learn from another benchmark, of whose questions none is asked here."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import msgspec
import numpy as np
import pytest
from diagnosis_making import benchmark_of, question
from hypothesis import given, settings
from hypothesis import strategies as st
from pair_making import balanced_in_contexts, pair_questions

from probe4d.benchmarks.benchmark import Benchmark
from probe4d.benchmarks.fingerprints import fingerprint
from probe4d.benchmarks.question import LETTERS, Question
from probe4d.diagnosis.controls.answerers import content_answers
from probe4d.diagnosis.controls.fitting import ControlAnswers, control_answers
from probe4d.diagnosis.controls.runs import control_model
from probe4d.diagnosis.sheets.by_kind import Sheets
from probe4d.diagnosis.sheets.labels import label_of, make_label_sheet
from probe4d.diagnosis.statistics.bootstrap import intervals, scene_sums
from probe4d.errors import InputError
from probe4d.runs.ask import ask

FULL = benchmark_of(pair_questions(1, scenes=40))
BALANCED = benchmark_of(balanced_in_contexts(FULL.questions, 6), parameters={"balance": "contents"})


def fitted(benchmark: Benchmark, other: Benchmark) -> ControlAnswers:
    """What controls answer that learned from another benchmark."""
    return control_answers(Sheets(benchmark), other)


def shares_right(benchmark: Benchmark, labels: np.ndarray[tuple[int], np.dtype[np.int8]]) -> tuple[float, float, float]:
    """The share of labels that are right, and its interval."""
    sheet = make_label_sheet(benchmark)
    order = np.argsort(sheet.scenes, kind="stable")
    right = (labels == sheet.references)[None, order]
    ((bounds,),) = intervals([scene_sums(sheet.scenes[order], right)])
    return float(right.mean()), *bounds.tolist()


def test_inside_a_sample_balanced_in_contents_leaving_a_scene_out_falls_below_chance() -> None:
    value, _, high = shares_right(BALANCED, content_answers(make_label_sheet(BALANCED)).labels)
    assert high < 0.45
    assert value < 0.35


def test_outside_of_it_the_interval_contains_chance() -> None:
    answers = fitted(BALANCED, FULL)
    value, low, high = shares_right(BALANCED, answers.content.labels)
    assert value == 0.5
    assert low <= 0.5 <= high
    assert answers.content.known.mean() > 0.9
    assert 0 < answers.content.labels.mean() < 1


def test_outside_of_a_plain_sample_it_finds_what_words_tell() -> None:
    here, there = pair_questions(1, scenes=8), benchmark_of(pair_questions(1, scenes=20, first=8))
    for template, least, most in (("longer", 0.7, 0.9), ("left", 0.35, 0.65)):
        sample = benchmark_of([one for one in here if one.template == template])
        assert least < shares_right(sample, fitted(sample, there).content.labels)[0] < most


CLASSES, SCENES = ("car", "bus", "van"), ("a", "b", "c", "d")
asked_about = st.tuples(st.sampled_from(CLASSES), st.sampled_from(SCENES), st.sampled_from(["Yes", "No"]))
offered = st.tuples(st.permutations(CLASSES), st.sampled_from(SCENES), st.sampled_from("ABC"))


def questions_of(yes_no: list[tuple[str, str, str]], choices: list[tuple[list[str], str, str]]) -> list[Question]:
    """One question of each: a context, a scene and an answer, or options, a scene and a letter."""
    made = [question(n, answer, scene=scene, context=word) for n, (word, scene, answer) in enumerate(yes_no)]
    return made + [
        question(n, letter, scene=scene, family="next", options=tuple(words))
        for n, (words, scene, letter) in enumerate(choices)
    ]


@settings(deadline=None, max_examples=50)
@given(
    st.lists(asked_about, min_size=1, max_size=6),
    st.lists(offered, min_size=1, max_size=4),
    st.lists(asked_about, max_size=12),
    st.lists(offered, max_size=8),
)
def test_it_learns_from_other_scenes_and_questions_alone(
    yes_no: list[tuple[str, str, str]],
    choices: list[tuple[list[str], str, str]],
    more_yes_no: list[tuple[str, str, str]],
    more_choices: list[tuple[list[str], str, str]],
) -> None:
    # A scene of its own keeps the other benchmark from leaving nothing to learn from.
    always = ([(word, "z", "Yes") for word in CLASSES], [(list(CLASSES), "z", "B")])
    asked = questions_of(yes_no, choices)
    other = questions_of([*yes_no, *more_yes_no, *always[0]], [*choices, *more_choices, *always[1]])
    answers = fitted(benchmark_of(asked), benchmark_of(other))
    beside = [one for one in other if one.id not in {own.id for own in asked}]
    for own, code in zip(asked, answers.content.labels, strict=True):
        alike = [one for one in beside if (one.family, one.context) == (own.family, own.context)]
        if own.format == "yes-no":
            scenes = {one.scene for one in asked if (one.family, one.context) == (own.family, own.context)}
            answers = [one.answer for one in alike if one.scene not in scenes]
            expected = "Yes" if answers.count("Yes") > answers.count("No") else "No"
        else:
            alike = [one for one in alike if one.scene != own.scene]
            scores = []
            for value in own.features:
                right = sum(one.features[LETTERS.index(one.answer)] == value for one in alike)
                scores.append((right + 1) / (sum(value in one.features for one in alike) - right + 1))
            expected = LETTERS[int(np.argmax(scores))]
        assert label_of(int(code), own.format) == expected


def test_numbers_are_learned_from_other_scenes() -> None:
    here, there = benchmark_of(pair_questions(1, scenes=3)), benchmark_of(pair_questions(1, scenes=9))
    answers = fitted(here, there)
    beside = [one for one in there.questions if one.id not in set(here.table["id"])]
    numbers = [one for one in here.questions if one.format == "number"]
    for own, constant, median in zip(
        numbers, answers.numbers["control:fixed"], answers.numbers["control:median"], strict=True
    ):
        alike = [one for one in beside if one.template == own.template and one.scene != own.scene]
        assert constant == np.median([float(one.answer) for one in alike])
        of_context = [float(one.answer) for one in alike if one.context == own.context]
        assert median == (np.median(of_context) if of_context else constant)


def test_a_run_keeps_what_its_control_learned_from(built: Benchmark, tmp_path: Path) -> None:
    few = benchmark_of([one for one in built.questions if int(one.id, 16) % 3 == 0])
    model = control_model(few, "control:content", fit_controls=built)
    run = ask(few, tmp_path / "run", model=model)
    assert run.record.parameters == {"fit_controls": built.fingerprint}
    sheet, answers = make_label_sheet(few), fitted(few, built)
    kinds = sheet.questions["format"]
    labels = [label_of(int(code), kind) for code, kind in zip(answers.content.labels, kinds, strict=True)]
    assert run.answers["text"].to_list() == labels
    with pytest.raises(InputError, match=r'--fit-controls was "\w+" and is now not given'):
        ask(few, tmp_path / "run", model=control_model(few, "control:content"))


def with_other_contexts(benchmark: Benchmark) -> Benchmark:
    """The same benchmark as if its contexts were written otherwise, and its questions others."""
    rows = enumerate(benchmark.questions)
    return benchmark_of([msgspec.structs.replace(one, context="?", id=f"{place:016x}") for place, one in rows])


def test_what_teaches_nothing_is_refused() -> None:
    here = benchmark_of(pair_questions(1, scenes=1))
    there = benchmark_of(pair_questions(1, scenes=2))
    qualitative = [one for one in there.questions if one.family == "qualitative"]
    for other, words in (
        (dataclasses.replace(there, record=msgspec.structs.replace(there.record, suite="else")), "of the suite 'else'"),
        (here, "holds no yes-no questions of the family 'qualitative' but those to be answered"),
        (benchmark_of(qualitative), "holds no number questions of the family 'quantitative' but those"),
        (
            with_other_contexts(there),
            r"of a context that is asked about: it has '\?', for instance, and .* answered 'longer\|",
        ),
        (
            benchmark_of(pair_questions(1, scenes=1, objects=7)),
            "asks yes-no questions of the family 'qualitative' only of scenes in which they are to be answered",
        ),
    ):
        with pytest.raises(InputError, match=words):
            fitted(here, other)
    assert fitted(here, there).learned_from == fingerprint(there.table)
