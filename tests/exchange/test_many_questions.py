"""Verbs that need a few questions of a benchmark make records of these alone: there can be millions of others."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import probe4d
from probe4d.benchmarks.benchmark import Benchmark
from probe4d.errors import InputError
from probe4d.exchange.answers import import_answers
from probe4d.exchange.exports.export import export
from probe4d.exchange.exports.jsonl import read_items
from probe4d.exchange.inspect_log import write_inspect_log
from probe4d.report.describing import find_question
from probe4d.report.page import write_report
from probe4d.runs.plan import RunPlan
from probe4d.runs.run import Run
from probe4d.runs.selection import Selection

FEW = RunPlan(setting="permuted:2", selection=Selection(sample=15))


@pytest.fixture
def many(built: Benchmark, monkeypatch: pytest.MonkeyPatch) -> Benchmark:
    """A benchmark whose questions are not to be made records, all of them."""

    def refuse(benchmark: Benchmark) -> Any:
        raise AssertionError("all questions were made records")

    monkeypatch.setattr(Benchmark, "questions", property(refuse))
    monkeypatch.setattr(Benchmark, "each_question", refuse)
    return dataclasses.replace(built)


@pytest.fixture
def run(many: Benchmark, tmp_path: Path) -> Run:
    model = probe4d.control_model(many, "control:content", setting=FEW.setting)
    return probe4d.ask(many, tmp_path / "run", model=model, plan=FEW)


def test_a_control_is_asked_of_a_sample_and_diagnosed(many: Benchmark, run: Run, tmp_path: Path) -> None:
    assert run.answers["question"].n_unique() == 15
    diagnosis = probe4d.diagnose(many, [run])
    assert diagnosis.records.filter(run="run").height == 15
    assert write_report(diagnosis, tmp_path / "report").exists()


def test_the_log_of_inspect_ai_holds_what_was_asked(many: Benchmark, run: Run, tmp_path: Path) -> None:
    log = pytest.importorskip("inspect_ai.log")
    write_inspect_log(run, many, tmp_path / "run.eval")
    samples = log.read_eval_log(tmp_path / "run.eval").samples
    assert {sample.id for sample in samples} == set(run.answers["question"])
    assert all(sample.epoch <= 2 for sample in samples)


def test_a_sample_is_exported_and_its_answers_come_back(many: Benchmark, tmp_path: Path) -> None:
    export(many, tmp_path / "export", to="jsonl", plan=FEW)
    items = read_items(tmp_path / "export")
    lines = [json.dumps({"id": item.id, "variant": item.variant, "text": "A"}) + "\n" for item in items]
    (tmp_path / "replies.jsonl").write_text("".join(lines))
    _, answers, errors = import_answers(
        many, tmp_path / "replies.jsonl", tmp_path / "back", setting=FEW.setting, allow_missing=True
    )
    assert (answers, errors) == (len(items), 0)


def test_answers_that_are_missing_are_counted(many: Benchmark, tmp_path: Path) -> None:
    first = many.table["id"][0]
    (tmp_path / "replies.jsonl").write_text(json.dumps({"id": first, "text": "A"}) + "\n")
    with pytest.raises(InputError, match=f"missing: {many.table.height - 1} of {many.table.height} "):
        import_answers(many, tmp_path / "replies.jsonl", tmp_path / "run")


def test_a_question_is_found_by_its_id(many: Benchmark) -> None:
    row = many.table.filter(pl.col("format") == "choice").row(0, named=True)
    assert find_question(many, row["id"]).options == tuple(row["options"])
