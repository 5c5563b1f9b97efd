"""Accuracy by margin and by LiDAR returns."""

from __future__ import annotations

import polars as pl
from diagnosis_making import benchmark_of, driving_benchmark, oracle, question, run_of

from probe4d.diagnosis.diagnose import diagnose
from probe4d.diagnosis.tables import SLICES_SCHEMA


def test_returns_by_hand() -> None:
    returns = [1, 4, 5, 99, 100, 500, None]
    questions = [question(n, "Yes", scene=f"s{n}", lidar_points=points) for n, points in enumerate(returns)]
    benchmark = benchmark_of(questions)
    wrong = questions[0].id
    slices = diagnose(benchmark, [run_of("m", benchmark, lambda q: "No" if q.id == wrong else "Yes")]).slices
    assert slices.schema == pl.Schema(SLICES_SCHEMA)
    rows = slices.filter(run="m", by="lidar_points").select("unit", "from", "to", "accuracy", "n").rows()
    assert rows == [
        ("returns", 0, 5, 0.5, 2),
        ("returns", 5, 10, 1.0, 1),
        ("returns", 50, 100, 1.0, 1),
        ("returns", 100, None, 1.0, 2),
    ]


def test_margins_are_cut_into_equal_parts_of_their_family() -> None:
    benchmark = driving_benchmark(51, scenes=10, per_family=200)
    slices = diagnose(benchmark, [run_of("oracle", benchmark, oracle)]).slices.filter(run="oracle", by="margin")
    assert slices["family"].unique().to_list() == ["position"]
    assert slices["n"].sum() == 200
    assert slices["n"].min() >= 38
    assert slices["to"].to_list()[:-1] == slices["from"].to_list()[1:]
    assert slices["to"].null_count() == 1
    assert slices["accuracy"].to_list() == [1.0] * slices.height


def test_the_unit_comes_from_the_facts() -> None:
    questions = [question(n, "Yes", margin=float(n), facts={"margin_unit": "degrees"}) for n in range(5)]
    assert diagnose(benchmark_of(questions), []).slices["unit"].unique().to_list() == ["degrees"]


def test_equal_margins_are_one_bin() -> None:
    questions = [question(n, "Yes", margin=2.0) for n in range(5)]
    slices = diagnose(benchmark_of(questions), []).slices.filter(run="control:fixed")
    assert slices.select("from", "to", "n").rows() == [(2.0, None, 5)]


def test_margins_of_different_units_share_no_bin() -> None:
    units = ["metres", "cubic metres"] * 10
    questions = [question(n, "Yes", margin=n / 10, facts={"margin_unit": unit}) for n, unit in enumerate(units)]
    slices = diagnose(benchmark_of(questions), []).slices.filter(run="control:fixed", by="margin")
    assert slices.group_by("unit").agg(pl.col("n").sum()).sort("unit").rows() == [("cubic metres", 10), ("metres", 10)]
