"""Comparisons of runs that answer with numbers, and runs that were asked numbers alone."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec
import numpy as np
import polars as pl
import pytest
from diagnosis_making import oracle, question, run_of, varied_run
from number_making import BENCHMARK, LABELLED, NUMBERS_ALONE, UNITS, figure, number, said

import making
from making import benchmark_of
from probe4d.benchmarks.benchmark import Benchmark
from probe4d.benchmarks.question import Question
from probe4d.diagnosis.diagnose import diagnose
from probe4d.diagnosis.statistics.bootstrap import draw_counts
from probe4d.diagnosis.tables import Diagnosis
from probe4d.errors import InputError
from probe4d.report.page import write_report
from probe4d.runs.run import Run
from probe4d.runs.selection import Selection


def asked_family(run: Run, benchmark: Benchmark, family: str) -> Run:
    """The run as if it had been asked this family alone."""
    ids = benchmark.table.filter(family=family)["id"]
    record = msgspec.structs.replace(run.record, selection=Selection(families=(family,)))
    return dataclasses.replace(run, record=record, answers=run.answers.filter(pl.col("question").is_in(ids.implode())))


def thinking(benchmark: Benchmark, answer: Callable[[Question], str]) -> Run:
    """A run of the setting chain-of-thought of the model `m`."""
    rows = [{"question": asked.id, "text": f"I see a car.\nAnswer: {answer(asked)}"} for asked in benchmark.questions]
    return making.run_of("thinking", benchmark, rows, model="m", setting="chain-of-thought")


@pytest.fixture(scope="module")
def compared() -> Diagnosis:
    runs = [
        run_of("m", NUMBERS_ALONE, said(1.2, unread_every=4)),
        run_of("n", NUMBERS_ALONE, said(0.7, unread_every=5)),
    ]
    return diagnose(NUMBERS_ALONE, runs)


def test_a_benchmark_of_numbers_alone_is_diagnosed(compared: Diagnosis) -> None:
    assert set(compared.figures["run"]) == {"m", "n", "n vs m", "control:fixed", "control:median"}
    assert set(compared.figures["format"]) == {"number"}
    assert compared.records.height == compared.pairs.height == compared.slices.height == 0
    assert compared.numbers.group_by("run").len()["len"].to_list() == [60] * 4


def test_changes_are_those_of_a_naive_count(compared: Diagnosis) -> None:
    names = ("m", "n")
    first, second = (compared.numbers.filter(run=name).select("question", "value", "reference") for name in names)
    both = first.join(second, on=["question", "reference"]).join(
        NUMBERS_ALONE.table.select("template", question="id"), on="question"
    )
    for template in UNITS:
        own = both.filter(template=template)
        within = [
            (own[column] - own["reference"]).abs() <= 0.25 * own["reference"].abs()
            for column in ("value_right", "value")
        ]
        after, before = (column.fill_null(False).to_numpy() for column in within)
        relation = ("template:" + template, "quantities")
        assert figure(compared, "n vs m", "repairs", *relation)["value"] == (after & ~before).sum()
        assert figure(compared, "n vs m", "regressions", *relation)["value"] == (~after & before).sum()
        change = figure(compared, "n vs m", "tolerance_accuracy_change", *relation)
        assert (change["value"], change["n"]) == (pytest.approx(after.mean() - before.mean()), own.height)
        read = own.drop_nulls()
        errors = [(read[column] - read["reference"]).abs().mean() for column in ("value_right", "value")]
        for metric, value in zip(("_of_first", "_of_second"), errors, strict=True):
            row = figure(compared, "n vs m", f"mean_absolute_error{metric}", *relation)
            assert (row["value"], row["n"]) == (pytest.approx(value), read.height)
        change = figure(compared, "n vs m", "mean_absolute_error_change", *relation)
        assert change["value"] == pytest.approx(errors[0] - errors[1])
        assert change["low"] < change["value"] < change["high"]
    alike = figure(compared, "n vs m", "answers_alike")
    assert alike["value"] == pytest.approx(
        both.filter(pl.col("value").is_null() & pl.col("value_right").is_null()).height / 60
    )
    rates = [figure(compared, name, "valid_rate")["value"] for name in ("n", "m")]
    assert figure(compared, "n vs m", "valid_rate_change")["value"] == pytest.approx(rates[0] - rates[1])


def test_the_interval_of_a_change_keeps_runs_paired(compared: Diagnosis) -> None:
    values = compared.numbers.filter(unit="metres").with_columns(error=(pl.col("value") - pl.col("reference")).abs())
    first, second = (values.filter(run=name).select("question", "error") for name in ("n", "m"))
    sums = (
        first.join(second, on="question")
        .drop_nulls()
        .join(NUMBERS_ALONE.table.select("scene", question="id"), on="question")
        .group_by("scene")
        .agg((pl.col("error") - pl.col("error_right")).sum(), n=pl.len())
        .sort("scene")
    )
    counts = draw_counts(sums.height).astype(np.float64)
    draws = (counts @ sums["error"].to_numpy()) / (counts @ sums["n"].to_numpy())
    row = figure(compared, "n vs m", "mean_absolute_error_change", "metres")
    assert (row["low"], row["high"]) == pytest.approx(tuple(np.quantile(draws, (0.025, 0.975))))


def test_changes_name_the_questions_whose_numbers_came_into_the_tolerance() -> None:
    runs = [run_of("far", NUMBERS_ALONE, said(1.5)), run_of("near", NUMBERS_ALONE, said(1.1))]
    changes = diagnose(NUMBERS_ALONE, runs, compare=["far:near"]).changes
    assert changes["comparison"].value_counts(sort=True)["count"].to_list() == [60, 60]
    assert set(changes.filter(comparison="near vs far")["change"]) == {"repaired"}
    assert set(changes.filter(comparison="far vs near")["change"]) == {"regressed"}


def test_chain_of_thought_is_held_against_plain_for_numbers_and_labels() -> None:
    plain = run_of("m", BENCHMARK, said(1.5))
    diagnosis = diagnose(BENCHMARK, [plain, thinking(BENCHMARK, said(1.1))])
    (comparison,) = diagnosis.run_families
    assert (comparison.name, comparison.questions) == ("thinking vs m", 120)
    assert figure(diagnosis, "thinking vs m", "tolerance_accuracy_change")["value"] == 1
    labels = diagnosis.figures.filter(run="thinking vs m", metric="accuracy_change", family="all", format="all")
    assert labels["n"].to_list() == [60]


def test_a_control_of_numbers_can_be_compared() -> None:
    diagnosis = diagnose(BENCHMARK, [run_of("m", BENCHMARK, oracle)], compare=["m:control:median"])
    medians = figure(diagnosis, "control:median", "tolerance_accuracy")["value"]
    change = figure(diagnosis, "m vs control:median", "tolerance_accuracy_change")
    assert change["value"] == pytest.approx(1 - medians)
    assert not diagnosis.figures.filter(run="m vs control:median", metric="accuracy_change").height
    with pytest.raises(InputError, match="control:content and control:median were asked no question in common"):
        diagnose(BENCHMARK, [run_of("m", BENCHMARK, oracle)], compare=["control:content:control:median"])


@pytest.mark.parametrize("order", [(0, 1), (1, 0), (1,)])
def test_a_run_of_numbers_alone_stands_beside_others(order: Sequence[int], tmp_path: Path) -> None:
    runs = [run_of("whole", BENCHMARK, said(1.1)), run_of("part", BENCHMARK, said(1.5))]
    runs[1] = asked_family(runs[1], BENCHMARK, "quantities")
    diagnosis = diagnose(BENCHMARK, [runs[place] for place in order])
    assert figure(diagnosis, "part", "tolerance_accuracy")["value"] == 0
    assert not diagnosis.figures.filter(run="part", metric="accuracy").height
    fixed = diagnosis.figures.filter(run="control:fixed", metric="accuracy", family="all", format="all")
    assert fixed["n"].to_list() == [60] * (len(order) - 1), "controls stand beside runs"
    assert any(sentence.startswith("part was asked 60 of the 120 questions") for sentence in diagnosis.warnings)
    if len(order) == 2:
        name = " vs ".join(diagnosis.runs[place].name for place in (1, 0))
        assert abs(figure(diagnosis, name, "tolerance_accuracy_change")["value"]) == 1
    page = write_report(diagnosis, tmp_path)
    assert page.name == "report.html"


def test_a_report_of_numbers_alone_is_written(compared: Diagnosis, tmp_path: Path) -> None:
    assert "no family of" not in write_report(compared, tmp_path).read_text()


def test_runs_without_a_question_in_common_are_not_compared() -> None:
    runs = [run_of(name, BENCHMARK, oracle) for name in ("a", "b")]
    runs = [asked_family(run, BENCHMARK, family) for run, family in zip(runs, ("quantities", "position"), strict=True)]
    diagnosis = diagnose(BENCHMARK, runs)
    assert diagnosis.comparisons == ()
    assert "b and a are not compared: they were asked no question in common." in diagnosis.warnings


def test_variants_without_an_answer_are_refused_of_numbers_too() -> None:
    run = varied_run("m", NUMBERS_ALONE, lambda asked, way: asked.answer, setting="repeat:2")
    cut = dataclasses.replace(run, answers=run.answers.slice(1))
    with pytest.raises(InputError, match="leaves 1 variant without an answer"):
        diagnose(NUMBERS_ALONE, [cut])
    states = diagnose(NUMBERS_ALONE, [cut], allow_missing=True).numbers.filter(run="m")["state"]
    assert (states == "missing").sum() == 1


def test_relations_of_numbers_and_templates_of_labels_have_rows() -> None:
    related = [number(place, "gap", 4.0 + place, f"s{place % 3}", relation="ahead") for place in range(6)]
    of_two = [
        question(place, "Yes", scene=f"s{place % 3}", family="situational", template=("fits", "clear")[place % 2])
        for place in range(6)
    ]
    benchmark = benchmark_of([*related, *of_two])
    diagnosis = diagnose(
        benchmark, [run_of("m", benchmark, lambda asked: "No" if asked.template == "fits" else asked.answer)]
    )
    assert figure(diagnosis, "m", "tolerance_accuracy", "ahead", "quantities")["n"] == 6
    accuracies = diagnosis.figures.filter(run="m", metric="accuracy", family="situational", format="yes-no")
    assert dict(accuracies.select("relation", "value").iter_rows()) == {
        "all": 0.5,
        "template:clear": 1.0,
        "template:fits": 0.0,
    }
    one = diagnose(benchmark_of(LABELLED), []).figures
    assert not one["relation"].str.starts_with("template:").any()
