"""A benchmark of 100,000 questions: the page stays small, says what it leaves out, and no work blows up."""

from __future__ import annotations

import json
import re
import time
from pathlib import Path

import polars as pl
import pytest
from report_making import benchmark, many_questions, run, scenes

from probe4d.benchmarks.benchmark import Benchmark
from probe4d.diagnosis.diagnose import diagnose
from probe4d.report.page import write_report

COUNT = 100_000


def large() -> Benchmark:
    small = benchmark(many_questions(names=40))
    copies = -(-COUNT // small.table.height)
    table = pl.concat([small.table] * copies).head(COUNT)
    identity = pl.int_range(pl.len()).map_elements(lambda number: f"{number:016x}", return_dtype=pl.String)
    return Benchmark(table.with_columns(id=identity), small.record)


@pytest.mark.soak
def test_a_hundred_thousand_questions(tmp_path: Path) -> None:
    asked = large()
    answers = asked.table["answer"].to_list()
    wrong = ["No" if answer == "Yes" else "A" for answer in answers]
    long = [f"{answer}. " + f"because {number} " * 60 for number, answer in enumerate(answers)]
    runs = [run("wrong", asked, wrong), run("right", asked, answers), run("long", asked, long)]
    diagnosis = diagnose(asked, runs)
    began = time.process_time()
    path = write_report(diagnosis, tmp_path, scenes=scenes(40))
    assert time.process_time() - began < 200  # some tens of seconds; a blow-up would take many minutes
    assert path.stat().st_size < 40_000_000
    page = path.read_text(encoding="utf-8")
    assert "This page holds 5,000 of the 100,000 questions" in page
    data = re.search(r'id="data">(.*?)</script>', page, re.DOTALL)
    assert data is not None
    packed = json.loads(data[1])
    assert len(packed["questions"]["id"]) == 5_000
    assert all(correct == 0 for correct in packed["answers"][0]["correct"]), "wrong ones come first"
