"""Averages as the paper of a suite prints them."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import polars as pl
import pytest
from diagnosis_making import oracle, question, run_of
from number_making import number, said

from making import benchmark_of
from probe4d.benchmarks.lidar_hallu import SUITE
from probe4d.benchmarks.question import Question
from probe4d.benchmarks.suite import Average
from probe4d.benchmarks.suites import SUITES
from probe4d.diagnosis.diagnose import diagnose
from probe4d.diagnosis.overview import averages
from probe4d.diagnosis.tables import Diagnosis

AVERAGES = (
    Average("paper_error", "mean_absolute_error", {"gap": ("gap",), "rest": ("width", "bearing")}, pooled=False),
    Average("paper_near", "tolerance_accuracy", {"gap": ("gap",), "rest": ("width", "bearing")}, pooled=True),
    Average("paper_judged", "accuracy", {"fits": ("fits",), "clear": ("clear",)}, pooled=False),
    Average("paper_absent", "accuracy", {"fits": ("fits",), "none": ("never asked",)}, pooled=False),
)


def questions(seed: int) -> list[Question]:
    rng = np.random.default_rng(seed)
    made = []
    for place in range(60):
        scene = f"s{int(rng.integers(5))}"
        made.append(
            number(place, ("gap", "width", "bearing")[place % 3], float(rng.integers(1, 90)), scene, suite="papers")
        )
        template = "clear" if place % 4 else "fits"
        family = {"fits": "direct", "clear": "situational"}[template]
        made.append(question(place, "Yes", scene=scene, family=family, template=template, suite="papers"))
    return made


BENCHMARK = benchmark_of(questions(2))


def halting(asked: Question) -> str:
    """Right of the one judged template, now and then of the other, and numbers far off in one."""
    if asked.format == "number":
        return said(1.5 if asked.template == "gap" else 1.2)(asked)
    return "Yes" if asked.template == "fits" or asked.order % 3 == 0 else "No"


@pytest.fixture
def known_suite(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(SUITES, "papers", dataclasses.replace(SUITE, name="papers", averages=AVERAGES))


@pytest.fixture(scope="module")
def diagnosis() -> Diagnosis:
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(SUITES, "papers", dataclasses.replace(SUITE, name="papers", averages=AVERAGES))
        return diagnose(BENCHMARK, [run_of("m", BENCHMARK, oracle), run_of("n", BENCHMARK, halting)])


def row(diagnosis: Diagnosis, run: str, metric: str, relation: str = "all") -> dict[str, Any]:
    return diagnosis.figures.filter(run=run, metric=metric, relation=relation).row(0, named=True)


def test_columns_are_figures_of_their_templates(diagnosis: Diagnosis) -> None:
    gap = row(diagnosis, "n", "mean_absolute_error", "template:gap")
    assert row(diagnosis, "n", "paper_error", "gap") == gap | {"metric": "paper_error", "relation": "gap"}
    errors = diagnosis.numbers.filter(run="n").join(BENCHMARK.table.select("template", question="id"), on="question")
    rest = errors.filter(pl.col("template") != "gap")
    value = (rest["value"] - rest["reference"]).abs().mean()
    assert row(diagnosis, "n", "paper_error", "rest")["value"] == pytest.approx(value)
    assert row(diagnosis, "n", "paper_judged", "fits")["family"] == "direct"


def test_an_average_is_of_columns_or_of_questions(diagnosis: Diagnosis) -> None:
    columns = [row(diagnosis, "n", "paper_error", name)["value"] for name in ("gap", "rest")]
    average = row(diagnosis, "n", "paper_error")
    assert (average["value"], average["n"]) == (pytest.approx(sum(columns) / 2), 2)
    assert average["low"] < average["value"] < average["high"]
    pooled = row(diagnosis, "n", "paper_near")
    overall = row(diagnosis, "n", "tolerance_accuracy")
    assert {name: pooled[name] for name in ("value", "low", "high", "n")} == {
        name: overall[name] for name in ("value", "low", "high", "n")
    }
    judged = row(diagnosis, "n", "paper_judged")
    assert judged["value"] == pytest.approx((1 + row(diagnosis, "n", "paper_judged", "clear")["value"]) / 2)
    assert (judged["family"], judged["format"]) == ("all", "yes-no")


def test_a_column_that_nobody_was_asked_leaves_no_average(diagnosis: Diagnosis) -> None:
    assert diagnosis.figures.filter(run="n", metric="paper_absent")["relation"].to_list() == ["fits"]


def test_comparisons_have_averages_and_their_change(diagnosis: Diagnosis) -> None:
    for metric in ("paper_error", "paper_near", "paper_judged"):
        first, second = (row(diagnosis, name, metric) for name in ("n", "m"))
        change = row(diagnosis, "n vs m", f"{metric}_change")
        assert change["value"] == pytest.approx(first["value"] - second["value"])
        assert row(diagnosis, "n vs m", f"{metric}_of_first")["value"] == pytest.approx(first["value"])
        assert row(diagnosis, "n vs m", f"{metric}_of_second")["value"] == pytest.approx(second["value"])


@pytest.mark.usefixtures("known_suite")
def test_the_overview_has_averages_in_the_order_of_the_suite(diagnosis: Diagnosis) -> None:
    table = averages(diagnosis)
    assert table.columns[:4] == ["average", "of", "m", "n"]
    assert table.select("average", "of").rows() == [(one.name, one.of) for one in AVERAGES[:3]]
    assert table["n"].to_list() == [row(diagnosis, "n", one.name)["value"] for one in AVERAGES[:3]]


def test_questions_of_an_unknown_suite_have_none() -> None:
    assert not diagnose(BENCHMARK, []).figures["metric"].str.starts_with("paper_").any()
