"""Ten runs of ten thousand questions are diagnosed with every interval within five seconds of one processor."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from probe4d.benchmarks.benchmark import read_benchmark
from probe4d.diagnosis.diagnose import diagnose
from probe4d.exchange.lidar_hallu_release import import_lidar_hallu
from probe4d.runs.run import read_run


@pytest.mark.real_data
def test_a_hundred_thousand_answers(real_data: Callable[[str], Path], tmp_path: Path) -> None:
    import_lidar_hallu(real_data("lidar_hallu_release"), tmp_path / "benchmark", tmp_path / "B4DL")
    benchmark, recorded = read_benchmark(tmp_path / "benchmark"), read_run(tmp_path / "B4DL")
    rng = np.random.default_rng(0)
    # Other runs: replies moved among the questions of a format, from none to nine tenths of them.
    kinds = dict(benchmark.table.select("id", "format").iter_rows())
    yes_no = np.array([kinds[question] == "yes-no" for question in recorded.answers["question"]])
    texts = recorded.answers["text"].to_numpy()
    runs = []
    for number in range(10):
        changed = texts.copy()
        for side in (yes_no, ~yes_no):
            places = np.flatnonzero(side & (rng.random(texts.size) < number / 10))
            changed[places] = texts[rng.permutation(places)]
        answers = recorded.answers.with_columns(text=pl.Series(changed, dtype=pl.String))
        runs.append(dataclasses.replace(recorded, name=f"run {number}", answers=answers))
    started = time.process_time()
    diagnosis = diagnose(benchmark, runs)
    # Processor time, since other work on the machine is none of this function's.
    assert time.process_time() - started < 5.0
    assert diagnosis.records.height == 12 * 10_000
    assert diagnosis.figures.drop_nulls("low").height > 2000
