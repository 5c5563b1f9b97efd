"""What a benchmark on disk says when it is asked and diagnosed is what it says in memory, and it is read no further."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import polars as pl
import pytest

import probe4d
from probe4d.benchmarks.benchmark import Benchmark, read_benchmark, write_benchmark
from probe4d.runs.run import Run

PLAN = probe4d.RunPlan(selection=probe4d.Selection(sample=60))


@pytest.fixture
def run(built: Benchmark, tmp_path: Path) -> Run:
    model = probe4d.control_model(built, "control:content")
    return probe4d.ask(built, tmp_path / "run", model=model, plan=PLAN)


@pytest.fixture
def folder(built: Benchmark, run: Run, tmp_path: Path) -> Path:
    """The benchmark with facts that cannot be read in all questions that the run was not asked."""
    write_benchmark(built, tmp_path / "bench", card="")
    file = tmp_path / "bench" / "questions.parquet"
    is_asked = pl.col("id").is_in(run.answers["question"].implode())
    table = pl.read_parquet(file).with_columns(facts=pl.when(is_asked).then("facts").otherwise(pl.lit("[]")))
    assert 0 < table.filter(is_asked).height < table.height
    table.write_parquet(file)
    return tmp_path / "bench"


def test_a_diagnosis_reads_no_facts_but_of_what_was_asked(built: Benchmark, run: Run, folder: Path) -> None:
    in_memory = probe4d.diagnose(built, [run])
    stored = probe4d.diagnose(read_benchmark(folder), [run])
    tables = [field.name for field in fields(in_memory) if isinstance(getattr(in_memory, field.name), pl.DataFrame)]
    assert {"figures", "records", "pairs", "slices", "words_alone"} <= set(tables)
    for name in tables:
        assert getattr(stored, name).equals(getattr(in_memory, name)), name


def test_asking_reads_no_facts_but_of_what_is_asked(built: Benchmark, run: Run, folder: Path) -> None:
    stored = read_benchmark(folder)
    model = probe4d.control_model(stored, "control:content")
    again = probe4d.ask(stored, folder.parent / "again", model=model, plan=PLAN)
    answered = [one.answers.sort("question").select("question", "text") for one in (run, again)]
    assert answered[0].equals(answered[1])
