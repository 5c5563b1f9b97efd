from __future__ import annotations

import csv
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

Command = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def intervals(tmp_path: Path) -> Path:
    """Two events whose text is kept back, as the smallest release there is."""
    folder = tmp_path / "release"
    folder.mkdir()
    (folder / "scenes.csv").write_text("scene_id,scene_token,keyframes\n000000001,t,40\n")
    (folder / "temporal_grounding_intervals.csv").write_text(
        "index,scene_id,A,B,C,D,correct_option,prediction\n"
        '0,000000001,1-9,12-20,22-30,31-39,A,"A."\n'
        '1,000000001,2-9,12-20,22-30,31-39,C,"B."\n'
    )
    return folder


def test_imports_a_release_and_answers_to_it(command: Command, here: Command, intervals: Path, tmp_path: Path) -> None:
    bench, run = tmp_path / "bench", tmp_path / "run"
    done = command("import", "lidar-hallu", intervals, "--out", bench, "--run", run)
    assert done.returncode == 0, done.stderr
    assert f"{bench}: 2 questions, written" in done.stdout
    assert f"{run}: 2 answers, 0 errors (B4DL, default, plain layout)" in done.stdout
    again = here("import", "lidar-hallu", intervals, "--out", bench, "--run", run)
    assert again.returncode == 2
    assert again.stderr.count("\n") == 1
    assert "holds a run already" in again.stderr
    other = here("import", "lidar-hallu", intervals, "--out", bench, "--run", tmp_path / "b", "--setting", "tscd")
    assert "2 questions, left as it is" in other.stdout
    assert "(B4DL, tscd, plain layout)" in other.stdout

    import polars as pl

    ids = pl.read_parquet(bench / "questions.parquet")["id"]
    with open(tmp_path / "mine.csv", "w", newline="") as file:
        csv.writer(file).writerows([("question", "answer"), (ids[0], "A"), (ids[1], "The second.")])
    mine = here("import", "answers", bench, tmp_path / "mine.csv", "--run", tmp_path / "mine")
    assert mine.returncode == 0, mine.stderr
    assert "2 answers, 0 errors (mine, default)" in mine.stdout


def test_a_wrong_file_ends_in_one_sentence(here: Command, intervals: Path, tmp_path: Path) -> None:
    path = intervals / "temporal_grounding_intervals.csv"
    path.write_text(path.read_text().replace("12-20,22-30,31-39,C", "12-20,22-30,31-40,C"))
    done = here("import", "lidar-hallu", intervals, "--out", tmp_path / "bench", "--run", tmp_path / "run")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1
    assert "line 3" in done.stderr
    assert "an option leaves the scene" in done.stderr
    assert not (tmp_path / "bench").exists()
