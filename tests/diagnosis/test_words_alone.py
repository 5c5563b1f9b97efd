"""What words alone give away, template by template."""

from __future__ import annotations

import dataclasses

import msgspec
import numpy as np
import polars as pl
import pytest
from diagnosis_making import benchmark_of, driving_benchmark, mixture, oracle, run_of
from pair_making import balanced_in_contexts, pair_questions

from probe4d.benchmarks.benchmark import Benchmark
from probe4d.diagnosis.diagnose import diagnose
from probe4d.diagnosis.statistics.bootstrap import draw_counts
from probe4d.diagnosis.tables import WORDS_ALONE_SCHEMA, Diagnosis
from probe4d.diagnosis.words_alone import said_of_templates
from probe4d.runs.selection import Selection
from probe4d.wording import in_percent

FULL = benchmark_of(pair_questions(1, scenes=16), suite="spatial-qa")
BALANCED = benchmark_of(balanced_in_contexts(FULL.questions, 4), suite="spatial-qa", parameters={"balance": "contents"})


@pytest.fixture(scope="module")
def diagnosis() -> Diagnosis:
    return diagnose(FULL, [])


def told_of(diagnosis: Diagnosis, control: str, template: str) -> pl.DataFrame:
    """How many answers of a control to a template are right, and how many there are, scene by scene."""
    labels = diagnosis.records.select("run", "question", right="correct")
    numbers = diagnosis.numbers.select("run", "question", right="within_tolerance")
    questions = diagnosis.benchmark.table.select("template", "scene", question="id")
    own = pl.concat([labels, numbers]).join(questions, on="question").filter(run=control, template=template)
    return own.group_by("scene").agg(pl.col("right").sum(), n=pl.len()).sort("scene")


def test_every_template_has_the_figures_of_its_questions(diagnosis: Diagnosis) -> None:
    words = diagnosis.words_alone
    assert dict(words.schema) == WORDS_ALONE_SCHEMA
    assert words["template"].to_list() == ["longer", "left", "length"]
    assert words["control"].to_list() == ["control:content", "control:content", "control:median"]
    assert words["metric"].to_list() == ["accuracy", "accuracy", "tolerance_accuracy"]
    assert words["chance"].to_list() == [0.5, 0.5, None]
    assert set(words["learned_from"]) == {FULL.fingerprint}
    for row in words.iter_rows(named=True):
        own, fixed = (told_of(diagnosis, control, row["template"]) for control in (row["control"], "control:fixed"))
        assert (row["value"], row["n"]) == (own["right"].sum() / own["n"].sum(), own["n"].sum())
        assert row["scenes"] == own.height
        assert row["fixed"] == fixed["right"].sum() / fixed["n"].sum()
        counts = draw_counts(own.height).astype(np.float64)
        draws = (counts @ own["right"].to_numpy()) / (counts @ own["n"].to_numpy())
        assert (row["low"], row["high"]) == pytest.approx(tuple(np.quantile(draws, (0.025, 0.975))))


def test_a_context_settles_what_the_other_scenes_answer_alike(diagnosis: Diagnosis) -> None:
    longer = [one for one in FULL.questions if one.template == "longer"]
    settled = []
    for own in longer:
        answers = [one.answer for one in longer if one.context == own.context and one.scene != own.scene]
        most = max(answers.count("Yes"), answers.count("No"))
        settled.append(len(answers) >= 20 and most >= 0.9 * len(answers))
    row = diagnosis.words_alone.row(by_predicate=pl.col("template") == "longer", named=True)
    assert row["settled"] == pytest.approx(np.mean(settled))
    assert 0.4 < row["settled"] < 0.9
    assert row["settled_value"] == 1
    assert diagnosis.words_alone["settled"].is_null().to_list() == [False, False, True]


def test_what_words_nearly_solve_is_said_with_its_threshold(diagnosis: Diagnosis) -> None:
    solved = diagnosis.words_alone.filter("nearly_solved")
    assert solved["template"].to_list() == ["length"]
    said, parts = said_of_templates(diagnosis)
    assert said == (
        "Words alone nearly solve (90 % right or more) 1 of 3 templates with 20 questions or more: "
        f"length (100.0 % of {solved['n'][0]:,})."
    )
    longer = diagnosis.words_alone.row(by_predicate=pl.col("template") == "longer", named=True)
    assert parts == (
        "In part they solve 1 more, by contexts that 90 % or more of the questions in other scenes answer alike: "
        f"longer ({in_percent(longer['settled'])} % of its questions, 100.0 % of these right)."
    )
    left = benchmark_of([one for one in FULL.questions if one.template != "length"])
    said, _ = said_of_templates(diagnose(left, []))
    assert said == "Words alone nearly solve (90 % right or more) none of 2 templates with 20 questions or more."


def test_of_families_with_one_template_and_of_few_questions_nothing_is_said() -> None:
    assert not list(said_of_templates(diagnose(driving_benchmark(3, scenes=4, per_family=30), [])))
    some = [[one for one in FULL.questions if one.template == name][:10] for name in ("longer", "left")]
    few = diagnose(benchmark_of(some[0] + some[1]), [])
    assert few.words_alone["n"].to_list() == [10, 10]
    assert not few.words_alone["nearly_solved"].any()
    assert not list(said_of_templates(few))


def test_the_table_is_of_the_whole_benchmark_whatever_runs_were_asked(diagnosis: Diagnosis) -> None:
    run = run_of("part", FULL, oracle)
    some = FULL.table["id"][:100]
    run = dataclasses.replace(
        run,
        record=msgspec.structs.replace(run.record, selection=Selection(limit=100)),
        answers=run.answers.filter(pl.col("question").is_in(some.implode())),
    )
    assert diagnose(FULL, [run]).words_alone.equals(diagnosis.words_alone)


def test_inside_a_sample_balanced_in_contents_it_is_said_that_nothing_can_be_told() -> None:
    inside = diagnose(BALANCED, [])
    assert (inside.words_alone["high"] < 0.5).all()
    assert any("falls far below chance by construction" in one for one in inside.warnings)
    assert not list(said_of_templates(inside))


def test_controls_that_learned_outside_stand_in_every_table() -> None:
    runs = [run_of("half", BALANCED, mixture(1, 0.5))]
    outside = diagnose(BALANCED, runs, fit_controls=FULL)
    assert outside.learned_from == FULL.fingerprint
    assert set(outside.words_alone["learned_from"]) == {FULL.fingerprint}
    for table in (outside.words_alone, outside.figures.filter(run="control:content", metric="accuracy")):
        assert ((table["low"] <= 0.5) & (table["high"] >= 0.5)).all()
    assert any("The controls learned from another benchmark" in one for one in outside.warnings)
    assert not any("by construction" in one for one in outside.warnings)
    inside = diagnose(BALANCED, runs)
    mine = pl.col("run") == "half"
    own = [one.figures.filter(mine & (pl.col("metric") == "accuracy")) for one in (inside, outside)]
    assert own[0].equals(own[1])
    hard = [one.figures.filter(mine & (pl.col("metric") == "accuracy_control_wrong")) for one in (inside, outside)]
    assert not hard[0].equals(hard[1])


def part_of(benchmark: Benchmark, scenes: int) -> Benchmark:
    """The questions of the first scenes."""
    some = [one for one in benchmark.questions if one.scene < f"scene-{scenes:04d}"]
    return benchmark_of(some, suite=benchmark.record.suite)


def test_numbers_learned_outside_stand_in_every_table() -> None:
    here = part_of(FULL, 4)
    outside, inside = diagnose(here, [], fit_controls=FULL), diagnose(here, [])
    values = [one.numbers.filter(run="control:fixed")["value"].to_list() for one in (outside, inside)]
    assert values[0] != values[1]
    assert len(set(values[0])) == 1  # none of its scenes is asked about elsewhere, so that all have one median
