"""What a benchmark on disk says when it is asked and diagnosed is what it says in memory, and it is read no further."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import fields
from pathlib import Path

import polars as pl
import pytest

import probe4d
from probe4d.benchmarks.benchmark import Benchmark, read_benchmark, write_benchmark
from probe4d.errors import InputError
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


NEVER_SCORED_BY = ("suite", "rule", "evidence", "needs")


def test_a_diagnosis_of_everything_reads_no_column_that_it_does_not_score_by(built: Benchmark, tmp_path: Path) -> None:
    run = probe4d.ask(built, tmp_path / "run", model=probe4d.control_model(built, "control:fixed"))
    write_benchmark(built, tmp_path / "bench", card="")
    file = tmp_path / "bench" / "questions.parquet"
    table = pl.read_parquet(file)
    table.with_columns(pl.lit(None, table.schema[name]).alias(name) for name in NEVER_SCORED_BY).write_parquet(file)
    stored = read_benchmark(tmp_path / "bench")
    for name in NEVER_SCORED_BY:
        with pytest.raises(InputError, match=f"no value in the column '{name}'"):
            stored.columns(name)
    diagnosis = probe4d.diagnose(stored, [run])
    assert diagnosis.figures.equals(probe4d.diagnose(built, [run]).figures)


def test_details_are_read_once_for_all_sheets_of_the_same_questions(
    folder: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    stored = read_benchmark(folder)
    read: list[tuple[str, ...]] = []
    rows = Benchmark.rows

    def counting(self: Benchmark, ids: Collection[str], *names: str) -> pl.DataFrame:
        read.append(names if len(ids) else ())
        return rows(self, ids, *names)

    monkeypatch.setattr(Benchmark, "rows", counting)
    probe4d.diagnose(stored, [run])
    assert sum("entities" in names for names in read) == 1
