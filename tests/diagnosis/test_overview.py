"""The figures that tell at a glance how a diagnosis came out."""

from __future__ import annotations

import polars as pl
import pytest
from diagnosis_making import driving_benchmark, oracle, run_of
from number_making import BENCHMARK, NUMBERS_ALONE, said

from probe4d.diagnosis.diagnose import diagnose
from probe4d.diagnosis.overview import accuracies, averages, nearness, nearness_asked, parser_changes
from probe4d.runs.run import Run


def test_accuracies_have_a_column_for_each_answerer_and_a_row_for_each_group() -> None:
    benchmark = driving_benchmark(3, scenes=5, per_family=20)
    table = accuracies(diagnose(benchmark, [run_of("knows", benchmark, oracle)]))
    assert table.columns == ["family", "format", "knows", "control:fixed", "control:content"]
    assert "all" in table["family"]
    assert (table["knows"] == 1.0).all()
    assert table.select("family", "format").is_unique().all()
    assert set(table["format"]) == {"yes-no", "choice", "all"}


def test_parser_changes_are_counts_of_answers() -> None:
    benchmark = driving_benchmark(3, scenes=5, per_family=20)
    run = run_of("explains", benchmark, lambda asked: f"I think the answer is **{asked.answer}**.")
    changes = {change.parser: change for change in parser_changes(diagnose(benchmark, [run]))}
    assert changes["published"].run == "explains"
    assert changes["published"].n == benchmark.table.height
    assert changes["published"].changed == benchmark.table.height


def test_a_control_has_a_value_wherever_some_run_was_asked() -> None:
    benchmark = driving_benchmark(3, scenes=5, per_family=20)
    whole, made = (run_of(name, benchmark, oracle) for name in ("whole", "part"))
    existence = benchmark.table.filter(family="existence")["id"]
    part = Run("part", made.record, made.answers.filter(pl.col("question").is_in(existence.implode())))
    first, other = (
        accuracies(diagnose(benchmark, runs, allow_missing=True)).drop("whole", "part")
        for runs in ([part, whole], [whole, part])
    )
    assert first.equals(other)
    assert not any(first.null_count().row(0))


def test_nearness_has_a_row_for_each_figure_of_templates_units_and_all() -> None:
    diagnosis = diagnose(BENCHMARK, [run_of("m", BENCHMARK, said(1.2, unread_every=4))])
    table = nearness(diagnosis)
    assert table.columns == ["family", "part", "unit", "metric", "m", "control:fixed", "control:median"]
    shares = ("tolerance_accuracy", "mean_absolute_error", "valid_rate")
    angles = ("tolerance_accuracy", "mean_absolute_error", "mean_absolute_error_wrapped", "valid_rate")
    assert table.select("family", "part", "unit", "metric").rows() == [
        *(("quantities", "bearing", "degrees", metric) for metric in angles),
        *(("quantities", "gap", "metres", metric) for metric in shares),
        *(("quantities", "width", "metres", metric) for metric in shares),
        *(("all", "metres", "metres", metric) for metric in shares),
        *(("all", "all", None, metric) for metric in ("tolerance_accuracy", "valid_rate")),
    ]
    assert table["m"][-2:].to_list() == [pytest.approx(0.75)] * 2
    asked = nearness_asked(diagnosis)
    assert asked.select("family", "part", "metric").equals(table.select("family", "part", "metric"))
    assert asked["m"][-2:].to_list() == [60, 60]


def test_overviews_of_what_was_not_asked_are_empty() -> None:
    labels = driving_benchmark(3, scenes=5, per_family=20)
    without = diagnose(labels, [run_of("m", labels, oracle)])
    assert nearness(without).height == 0
    assert averages(without).height == 0
    alone = diagnose(NUMBERS_ALONE, [run_of("m", NUMBERS_ALONE, oracle)])
    assert accuracies(alone).height == 0
    assert nearness(alone)["m"].null_count() == 0


@pytest.mark.parametrize("name", ["family", "format", "part", "unit", "metric"])
def test_a_run_may_be_called_like_a_column(name: str) -> None:
    diagnosis = diagnose(BENCHMARK, [run_of(name, BENCHMARK, said(1.1))])
    about = {"family", "format"}, {"family", "part", "unit", "metric"}
    for columns, table in zip(about, (accuracies(diagnosis), nearness(diagnosis)), strict=True):
        runs = [column for column in table.columns if column not in columns and "control" not in column]
        assert runs == [f"run {name}" if name in columns else name]
