"""Leads over whoever does not look."""

from __future__ import annotations

import polars as pl
import pytest
from diagnosis_making import benchmark_of, driving_benchmark, mixture, oracle, question, run_of

from probe4d.diagnosis.diagnose import diagnose


def test_leads_are_differences_of_the_rates_beside_them() -> None:
    benchmark = driving_benchmark(41, scenes=12, per_family=200)
    figures = diagnose(benchmark, [run_of("m", benchmark, mixture(1, 0.6))]).figures
    for family in ("existence", "position"):
        rates = {
            (run, metric): figure
            for run, metric, figure in figures.filter(family=family, format="yes-no", relation="all")
            .select("run", "metric", "value")
            .iter_rows()
        }
        lead = rates["m", "tpr"] - rates["m", "fpr"]
        words = rates["control:content", "tpr"] - rates["control:content", "fpr"]
        assert rates["m", "yes_lead"] == pytest.approx(lead)
        assert rates["m", "yes_lead_over_words"] == pytest.approx(lead - words)
    leads = figures.filter(pl.col("metric").is_in(["yes_lead", "yes_lead_over_words"]), run="m")
    assert leads.height == 4
    assert (leads["low"] < leads["value"]).all()
    assert (leads["value"] < leads["high"]).all()


def test_one_sided_claims_have_no_lead() -> None:
    benchmark = benchmark_of([question(n, "Yes", scene=f"s{n}") for n in range(6)])
    figures = diagnose(benchmark, [run_of("m", benchmark, oracle)]).figures
    assert figures.filter(pl.col("metric").str.starts_with("yes_lead")).is_empty()
