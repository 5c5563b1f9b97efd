"""Answers that are numbers: how near they come to the truth, and how a diagnosis shows it."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import polars as pl
import pytest
from diagnosis_making import mixture, oracle, question, run_of, varied_run
from hypothesis import given
from hypothesis import strategies as st
from number_making import BENCHMARK, LABELLED, UNITS, figure, number, said

import making
from making import benchmark_of
from probe4d.benchmarks.benchmark import Benchmark
from probe4d.benchmarks.question import Question
from probe4d.diagnosis.diagnose import diagnose
from probe4d.diagnosis.statistics.bootstrap import draw_counts
from probe4d.diagnosis.statistics.number_errors import absolute_errors, within_tolerance
from probe4d.diagnosis.tables import NUMBERS_SCHEMA
from probe4d.diagnosis.writing import write_tables
from probe4d.errors import InputError
from probe4d.runs.run import asked_of
from probe4d.runs.selection import Selection
from probe4d.runs.settings import setting_named

FIELDS: dict[str, Any] = {"format": "number", "facts": {"unit": "metres"}, "family": "quantities", "template": "gap"}


@pytest.mark.parametrize(
    ("value", "reference", "right"),
    [
        (9.0, 12.0, True),
        (15.0, 12.0, True),
        (8.99, 12.0, False),
        (15.01, 12.0, False),
        (9.3, 12.4, True),
        (15.5, 12.4, True),
        (-12.0, 12.0, False),
        (-9.0, -12.0, True),
        (-15.01, -12.0, False),
        (0.0, 0.0, True),
        (1e-12, 0.0, False),
        (0.0, 0.1, False),
        (-179.0, 179.0, False),
        (math.nan, 12.0, False),
        (math.nan, 0.0, False),
    ],
)
def test_tolerance_takes_its_boundaries_and_respects_the_sign(value: float, reference: float, right: bool) -> None:
    assert within_tolerance(np.array([value]), np.array([reference]))[0] == right


@given(
    reference=st.floats(-1e6, 1e6).filter(lambda one: abs(one) > 1e-6),
    share=st.floats(-3, 3).filter(lambda one: min(abs(one - 0.75), abs(one - 1.25)) > 1e-6),
)
def test_tolerance_is_a_share_of_the_truth(reference: float, share: float) -> None:
    right = within_tolerance(np.array([share * reference]), np.array([reference]))[0]
    assert right == (0.75 <= share <= 1.25)


@given(value=st.integers(-3600, 3600), reference=st.integers(-180, 180), turns=st.integers(-3, 3))
def test_a_wrapped_error_is_the_shorter_way_round(value: int, reference: int, turns: int) -> None:
    wrapped = absolute_errors(np.array([float(value)]), np.array([float(reference)]), wrapped=True)[0]
    assert 0 <= wrapped <= 180
    assert wrapped == min(abs(value - reference - 360 * turn) for turn in range(-12, 13))
    again = absolute_errors(np.array([value + 360.0 * turns]), np.array([float(reference)]), wrapped=True)[0]
    assert again == wrapped
    assert absolute_errors(np.array([float(value)]), np.array([float(reference)]))[0] == abs(value - reference)


def test_figures_say_what_a_naive_count_says() -> None:
    run = run_of("m", BENCHMARK, said(1.2, unread_every=4))
    diagnosis = diagnose(BENCHMARK, [run])
    table = diagnosis.numbers.filter(run="m").join(
        BENCHMARK.table.select("id", "template"), left_on="question", right_on="id"
    )
    assert table.height == 60
    assert table["state"].value_counts().sort("count")["count"].to_list() == [15, 45]
    for name, unit in UNITS.items():
        own, template = table.filter(template=name), f"template:{name}"
        read = own.filter(state="valid")
        errors = [abs(value - truth) for value, truth in read.select("value", "reference").iter_rows()]
        right = figure(diagnosis, "m", "tolerance_accuracy", template, "quantities")
        assert (right["value"], right["n"]) == (pytest.approx(read.height / own.height), own.height)
        error = figure(diagnosis, "m", "mean_absolute_error", template, "quantities")
        assert (error["value"], error["n"]) == (pytest.approx(np.mean(errors)), read.height)
        rate = figure(diagnosis, "m", "valid_rate", template, "quantities")
        assert rate["value"] == pytest.approx(read.height / own.height)
        assert error["low"] < error["value"] < error["high"]
        wrapped = diagnosis.figures.filter(run="m", metric="mean_absolute_error_wrapped", relation=template)
        assert wrapped.height == (unit == "degrees")
    assert figure(diagnosis, "m", "tolerance_accuracy")["value"] == pytest.approx(0.75)
    assert figure(diagnosis, "m", "tolerance_accuracy", "metres")["n"] == 40
    assert figure(diagnosis, "m", "tolerance_accuracy", "degrees")["n"] == 20
    assert diagnosis.figures.filter(run="m", metric="mean_absolute_error", relation="all").height == 0


def test_macro_figures_are_plain_means_over_templates() -> None:
    diagnosis = diagnose(BENCHMARK, [run_of("m", BENCHMARK, said(1.5, unread_every=4))])
    per_template = {
        template: figure(diagnosis, "m", "mean_absolute_error", f"template:{template}", "quantities")["value"]
        for template in UNITS
    }
    metres = figure(diagnosis, "m", "mean_absolute_error_macro", "metres")
    assert (metres["value"], metres["n"]) == (pytest.approx((per_template["gap"] + per_template["width"]) / 2), 2)
    assert metres["low"] < metres["value"] < metres["high"]
    mixed = figure(diagnosis, "m", "mean_absolute_error_mixed_macro")
    assert (mixed["value"], mixed["n"]) == (pytest.approx(np.mean(list(per_template.values()))), 3)
    assert figure(diagnosis, "m", "tolerance_accuracy_macro")["value"] == 0


def test_the_interval_of_an_error_resamples_whole_scenes() -> None:
    diagnosis = diagnose(BENCHMARK, [run_of("m", BENCHMARK, said(1.2, unread_every=4))])
    read = (
        diagnosis.numbers.filter(run="m", state="valid", unit="metres")
        .join(BENCHMARK.table.select("id", "scene"), left_on="question", right_on="id")
        .with_columns(error=(pl.col("value") - pl.col("reference")).abs())
        .group_by("scene")
        .agg(pl.col("error").sum(), n=pl.len())
        .sort("scene")
    )
    counts = draw_counts(read.height).astype(np.float64)
    draws = (counts @ read["error"].to_numpy()) / (counts @ read["n"].to_numpy())
    row = figure(diagnosis, "m", "mean_absolute_error", "metres")
    assert (row["low"], row["high"]) == pytest.approx(tuple(np.quantile(draws, (0.025, 0.975))))


def test_the_median_control_leaves_the_scene_out() -> None:
    diagnosis = diagnose(BENCHMARK, [run_of("m", BENCHMARK, oracle)])
    rows = [
        (asked.id, float(np.median([float(other.answer) for other in asked_alike if other.scene != asked.scene])))
        for template in UNITS
        for asked_alike in [[one for one in BENCHMARK.questions if one.template == template]]
        for asked in asked_alike
    ]
    control = diagnosis.numbers.filter(run="control:median").select("question", "value")
    assert dict(control.iter_rows()) == pytest.approx(dict(rows))
    right = figure(diagnosis, "control:median", "tolerance_accuracy")["value"]
    assert right < figure(diagnosis, "m", "tolerance_accuracy")["value"] == 1


def test_a_template_of_one_scene_has_no_median() -> None:
    lone = benchmark_of([*LABELLED, number(1, "gap", 3.0, "scene-0000"), number(2, "gap", 5.0, "scene-0000")])
    diagnosis = diagnose(lone, [run_of("m", lone, oracle)])
    assert diagnosis.numbers.filter(run="control:median")["state"].to_list() == ["empty", "empty"]
    assert figure(diagnosis, "control:median", "valid_rate")["value"] == 0
    assert diagnosis.figures.filter(run="control:median", metric="mean_absolute_error").height == 0
    assert figure(diagnosis, "m", "tolerance_accuracy")["low"] is None


def test_labels_are_scored_as_if_there_were_no_numbers() -> None:
    alone = benchmark_of(LABELLED)
    replies = {asked.id: mixture(3, 0.5)(asked) for asked in LABELLED}
    texts: Callable[[Question], str] = lambda asked: replies.get(asked.id, "12")  # noqa: E731
    without = diagnose(alone, [run_of("m", alone, texts)])
    beside = diagnose(BENCHMARK, [run_of("m", BENCHMARK, texts)])
    assert beside.figures.filter(pl.col("format") != "number").equals(without.figures)
    for name in ("records", "pairs", "shortcuts", "slices", "changes", "variants"):
        assert getattr(beside, name).equals(getattr(without, name))
    assert beside.warnings == without.warnings
    assert without.numbers.equals(pl.DataFrame(schema=NUMBERS_SCHEMA))


def test_a_part_of_the_numbers_has_a_control_of_its_own() -> None:
    full, part = run_of("full", BENCHMARK, oracle), run_of("part", BENCHMARK, oracle)
    record = msgspec.structs.replace(part.record, selection=Selection(limit=84))
    part = dataclasses.replace(part, record=record)
    asked = asked_of(part, BENCHMARK)
    part = dataclasses.replace(part, answers=part.answers.filter(pl.col("question").is_in(asked["id"].implode())))
    diagnosis = diagnose(BENCHMARK, [full, part])
    own = asked.filter(format="number").height
    assert 0 < own < 60
    assert figure(diagnosis, "part", "tolerance_accuracy")["n"] == own
    assert figure(diagnosis, "control:median for part", "tolerance_accuracy")["n"] == own
    assert figure(diagnosis, "control:median", "tolerance_accuracy")["n"] == 60


def test_what_is_missing_or_failed_is_wrong() -> None:
    run = run_of("m", BENCHMARK, oracle)
    gone = [asked.id for asked in BENCHMARK.questions if asked.template == "gap"]
    rows = run.answers.filter(~pl.col("question").is_in(gone[:5]))
    failed = pl.col("question").is_in(gone[5:8])
    rows = rows.with_columns(
        text=pl.when(~failed).then("text"), error=pl.when(failed).then(pl.lit("timeout")).otherwise("error")
    )
    diagnosis = diagnose(BENCHMARK, [dataclasses.replace(run, answers=rows)], allow_missing=True)
    states = diagnosis.numbers.filter(run="m")["state"].value_counts()
    assert dict(states.iter_rows()) == {"missing": 5, "error": 3, "valid": 52}
    row = figure(diagnosis, "m", "tolerance_accuracy")
    assert (row["value"], row["n"]) == (pytest.approx(52 / 60), 60)
    assert figure(diagnosis, "m", "mean_absolute_error", "metres")["value"] == 0


def test_chain_of_thought_and_variants_are_read_as_the_setting_says() -> None:
    thinking = making.run_of(
        "cot",
        BENCHMARK,
        [
            {"question": asked.id, "text": f"The car is 3 m long, the van 7 m.\nAnswer: {asked.answer}"}
            for asked in BENCHMARK.questions
        ],
        setting="chain-of-thought",
    )
    first = setting_named("repeat:2").variants(BENCHMARK.questions[0])[0].name
    repeated = varied_run(
        "twice", BENCHMARK, lambda asked, way: asked.answer if way.name == first else "1", setting="repeat:2"
    )
    diagnosis = diagnose(BENCHMARK, [thinking, repeated])
    for name in ("cot", "twice"):
        assert figure(diagnosis, name, "tolerance_accuracy")["value"] == 1
    assert diagnosis.numbers.filter(run="twice").height == 60


def test_a_reference_that_is_no_number_is_refused() -> None:
    broken = benchmark_of([*LABELLED, number(1, "gap", 3.0, "s0"), question(2, "far", **FIELDS)])
    with pytest.raises(InputError, match="has the reference 'far', which is no number"):
        diagnose(broken, [])


@pytest.mark.parametrize("facts", [{}, {"unit": "seconds"}, {"unit": 3}])
def test_numbers_of_no_known_unit_are_not_scored_and_said_so(facts: dict[str, Any]) -> None:
    mixed = benchmark_of([*LABELLED, number(1, "gap", 3.0, "s0"), question(2, "4", **(FIELDS | {"facts": facts}))])
    diagnosis = diagnose(mixed, [run_of("m", mixed, oracle)])
    assert diagnosis.warnings[0] == "1 question of the format number is not scored."
    assert figure(diagnosis, "m", "tolerance_accuracy")["n"] == 1


def test_numbers_are_written_and_an_old_table_goes(tmp_path: Path) -> None:
    diagnosis = diagnose(BENCHMARK, [run_of("m", BENCHMARK, said(1.1))])
    write_tables(diagnosis, tmp_path / "report")
    assert pl.read_parquet(tmp_path / "report" / "numbers.parquet").equals(diagnosis.numbers)
    alone: Benchmark = benchmark_of(LABELLED)
    write_tables(diagnose(alone, [run_of("m", alone, oracle)]), tmp_path / "report")
    assert not (tmp_path / "report" / "numbers.parquet").exists()
