"""`probe4d import waypoints`, as a user runs it, and what diagnosis prints of it."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import making
from waypoint_making import QUESTIONS

Command = Callable[..., "subprocess.CompletedProcess[str]"]


def test_a_planner_becomes_a_run_and_stands_beside_the_controls(here: Command, tmp_path: Path) -> None:
    bench, run = tmp_path / "bench", tmp_path / "run"
    making.benchmark_of([*QUESTIONS, making.question(999)], bench, card="# Made\n")
    file = tmp_path / "planner.json"
    future = [one for one in QUESTIONS if one.template == "TRJ-5"]
    file.write_text(json.dumps({one.id: [[x + 0.5, y] for x, y in json.loads(one.answer)] for one in future}))
    done = here("import", "waypoints", file, "--bench", bench, "--out", run)
    assert done.returncode == 0, done.stderr
    assert f"{run}: 24 answers (planner, frame ego)" in done.stdout
    assert "25 other questions of the benchmark left out of the run." in done.stderr
    told = here("diagnose", bench, run, "--out", tmp_path / "report", "--no-report")
    assert told.returncode == 0, told.stderr
    rows = [[cell.strip() for cell in line.split("│")] for line in told.stdout.splitlines()]
    (penalised,) = [row for row in rows if "ADE penalised, m" in row and "0.50" in row]
    assert penalised[3] == "0.50"
    again = here("import", "waypoints", file, "--bench", bench, "--out", run)
    assert (again.returncode, again.stderr.count("\n")) == (2, 1)
    assert "holds a run already" in again.stderr


def test_a_bad_row_ends_in_one_sentence(here: Command, tmp_path: Path) -> None:
    bench = tmp_path / "bench"
    making.benchmark_of(QUESTIONS, bench, card="# Made\n")
    (tmp_path / "a.jsonl").write_text(json.dumps({"question": QUESTIONS[0].id, "waypoints": [[1, 2]]}) + "\n")
    done = here("import", "waypoints", tmp_path / "a.jsonl", "--bench", bench, "--out", tmp_path / "run")
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert f"line 1, {QUESTIONS[0].id}: has 1 waypoint where 5 are asked for" in done.stderr
    assert not (tmp_path / "run").exists()
