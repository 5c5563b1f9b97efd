"""How long a diagnosis of 100,000 answers and the reading of as many replies take, in processor time.

Figures are printed, not asserted: they depend on the machine and what else it does.
"""

from __future__ import annotations

import dataclasses
import os
import time
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from probe4d.benchmarks.benchmark import read_benchmark
from probe4d.diagnosis.diagnose import diagnose
from probe4d.diagnosis.parsing import parse_table
from probe4d.exchange.lidar_hallu_release import import_lidar_hallu
from probe4d.runs.run import read_run

TEST_DATA = Path(os.environ.get("PROBE4D_TEST_DATA", Path(__file__).parents[2] / "shared" / "data"))
RELEASE = TEST_DATA / "lidar_hallu_release"
OPTIONS = ["car", "truck", "bus", "pedestrian"]
PROSE = (
    "the scene shows a car and truck near the ego vehicle which is moving slowly while option pedestrian stays on the "
    "left side of the road because it has not moved between frames so I consider each candidate carefully"
)


def test_a_hundred_thousand_answers(tmp_path: Path) -> None:
    if not RELEASE.exists():
        pytest.skip(f"the released records were not found at {RELEASE}; set PROBE4D_TEST_DATA")
    import_lidar_hallu(RELEASE, tmp_path / "benchmark", tmp_path / "B4DL")
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
    seconds = time.process_time() - started
    assert diagnosis.records.height == 12 * 10_000
    print(f"\n10 runs of 10,000 questions diagnosed in {seconds:.1f} s, {diagnosis.figures.height:,} figures")


@pytest.mark.parametrize(("words", "replies"), [(0, 100_000), (60, 10_000), (600, 2_000)])
def test_reading_replies(words: int, replies: int) -> None:
    rng = np.random.default_rng(0)
    texts = [
        f"{number}: {' '.join(rng.choice(PROSE.split(), words))}. Therefore the answer is C."
        for number in range(replies)
    ]
    table = pl.DataFrame({"text": texts, "format": "choice"}).with_columns(pl.lit(OPTIONS).alias("options"))
    started = time.process_time()
    assert "C" in parse_table(table)["label"]
    rate = replies / (time.process_time() - started)
    length = sum(map(len, texts)) / replies
    print(f"\nreplies of {length:,.0f} characters: {rate:,.0f} a second, 100,000 in {100_000 / rate:.0f} s")
