"""A command that writes one file never writes over what a benchmark or a run consists of."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

import probe4d
from probe4d.benchmarks.benchmark import Benchmark


@pytest.fixture
def kept(built: Benchmark, tmp_path: Path) -> Path:
    """A folder with a benchmark and a run of it."""
    assert built.path is not None
    shutil.copytree(built.path, tmp_path / "bench")
    model = probe4d.control_model(built, "control:fixed")
    probe4d.ask(built, tmp_path / "run", model=model, plan=probe4d.RunPlan(selection=probe4d.Selection(limit=3)))
    return tmp_path


NAMES = (
    *("bench/benchmark.json", "bench/questions.parquet", "bench/README.md"),
    *("run/run.json", "run/answers.jsonl"),
)
VERBS = {
    "prompts": ("prompts", "bench", "--out"),
    "show": ("show", "bench", "0", "--out"),
    "review": ("review", "bench", "--evidence", "none", "--out"),
    "import answers": ("import", "answers", "bench", "r.jsonl", "--model", "m", "--out", "other", "--problems"),
    "import training": ("import", "training", "rows.json", "--out"),
    "judge agree": ("judge", "agree", "scores.csv", "--out"),
    "detect": ("detect", "data", "--out"),
}


@pytest.mark.parametrize("arguments", VERBS.values(), ids=VERBS)
def test_nothing_that_a_benchmark_or_a_run_consists_of_is_written_over(
    arguments: tuple[str, ...], kept: Path, here: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    before = {name: (kept / name).read_bytes() for name in NAMES}
    for name in NAMES:
        result = here(*arguments, name, cwd=kept)
        assert result.returncode == 2
        assert f"{name}: is there already" in " ".join(result.stderr.split())
    assert {name: (kept / name).read_bytes() for name in NAMES} == before


def test_an_earlier_outcome_is_replaced_and_a_name_that_is_free_is_taken(
    kept: Path, here: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    (kept / "bench" / "prompts.jsonl").write_text("earlier")
    for name in ("bench/prompts.jsonl", "answers.jsonl"):
        assert here("prompts", "bench", "--limit", "2", "--out", name, cwd=kept).returncode == 0
        assert len((kept / name).read_text().splitlines()) == 2
