from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

from probe4d.benchmarks.benchmark import Benchmark
from probe4d.runs.selection import Selection, selected_of

Command = Callable[..., subprocess.CompletedProcess[str]]


def test_prompts_of_a_built_benchmark(command: Command, bench: Path, tmp_path: Path) -> None:
    out = tmp_path / "prompts.jsonl"
    done = command("prompts", bench, "--setting", "anti-position", "--out", out)
    assert done.returncode == 0, done.stderr
    lines = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    assert done.stdout == f"{len(lines)} prompts in {out}\n"
    assert all(("Do not favor" in line["prompt"]) == bool(line["options"]) for line in lines)


def test_a_part_is_worded_that_a_model_would_be_asked(
    here: Command, bench: Path, built: Benchmark, tmp_path: Path
) -> None:
    out = tmp_path / "prompts.jsonl"
    part = ("--family", "motion", "--family", "existence", "--sample", 12, "--sample-seed", 3, "--limit", 9)
    done = here("prompts", bench, *part, "--out", out)
    assert done.returncode == 0, done.stderr
    assert done.stdout == f"9 prompts in {out}\n"
    assert done.stderr == "prompts: 9 of 9\n"
    selection = Selection(families=("motion", "existence"), sample=12, seed=3, limit=9)
    asked = selected_of(built, selection)
    assert set(asked["family"]) == {"motion", "existence"}
    assert [json.loads(line)["question"] for line in out.read_text().splitlines()] == asked["id"].to_list()


@pytest.mark.parametrize(
    ("part", "words"),
    [
        (("--family", "courage"), "has no family 'courage'. Choose from its families: existence,"),
        (("--sample", 10**7), "a sample of 10,000,000 cannot be drawn from"),
        (("--limit", 0), "the limit is 0"),
    ],
)
def test_a_part_that_there_is_not_is_refused(
    here: Command, bench: Path, tmp_path: Path, part: tuple[object, ...], words: str
) -> None:
    done = here("prompts", bench, *part, "--out", tmp_path / "out.jsonl")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert words in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_bad_input_ends_in_one_sentence(here: Command, tmp_path: Path) -> None:
    done = here("prompts", tmp_path, "--out", tmp_path / "out.jsonl")
    assert done.returncode == 2
    assert "has no benchmark.json" in done.stderr
    assert "Traceback" not in done.stderr


def test_prompts_do_not_go_into_a_folder(here: Command, bench: Path, tmp_path: Path) -> None:
    done = here("prompts", bench, "--out", tmp_path)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "is a folder, not a file" in done.stderr


@pytest.mark.parametrize(
    ("column", "value", "words"),
    [
        ("facts", '{"a": ', "has no JSON object in the column 'facts'"),
        ("facts", "[]", "has no JSON object in the column 'facts'"),
        ("answer", None, "has no value in the column 'answer'"),
    ],
)
def test_a_damaged_question_ends_every_verb_in_one_sentence(
    here: Command, built: Benchmark, simulated: Path, tmp_path: Path, column: str, value: str | None, words: str
) -> None:
    assert built.path
    bench = shutil.copytree(built.path, tmp_path / "bench")
    table = pl.read_parquet(bench / "questions.parquet")
    first = pl.int_range(pl.len()) == 0
    damaged = pl.when(first).then(pl.lit(value, dtype=pl.String)).otherwise(pl.col(column)).alias(column)
    table.with_columns(damaged).write_parquet(bench / "questions.parquet")
    for arguments in (["prompts", bench, "--out", tmp_path / "p"], ["check", bench, simulated], ["diagnose", bench]):
        done = here(*arguments, *(["--out", tmp_path / "d"] if arguments[0] == "diagnose" else []))
        assert done.returncode == 2
        assert done.stderr.count("\n") == 1
        assert f"questions.parquet: question {table['id'][0]} {words}" in done.stderr
