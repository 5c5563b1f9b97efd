from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

Command = Callable[..., "subprocess.CompletedProcess[str]"]


def test_writes_a_dataset_and_prints_its_folder(command: Command, tmp_path: Path) -> None:
    out = tmp_path / "scenes"
    result = command("simulate", out, "--scenes", 1, "--seed", 5, "--no-cameras")
    assert result.returncode == 0, result.stderr
    assert result.stdout == f"{out}\n"
    assert [row["name"] for row in json.loads((out / "v1.0-sim" / "scene.json").read_text())] == ["sim-0001"]


def test_refuses_a_folder_of_something_else(here: Command, tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("years of work")
    result = here("simulate", tmp_path, "--scenes", 1)
    assert result.returncode == 2
    assert "is not empty" in result.stderr
    assert "Traceback" not in result.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]


def test_says_what_is_there_and_replaces_it_only_when_told(here: Command, tmp_path: Path) -> None:
    def simulated(*options: object) -> subprocess.CompletedProcess[str]:
        return here("simulate", tmp_path, "--scenes", 1, "--no-cameras", *options)

    assert simulated("--seed", 5).returncode == 0
    again = simulated("--seed", 5)
    assert (again.returncode, again.stdout) == (0, f"{tmp_path}\n")
    assert "1 scene (all already there)" in again.stderr
    other = simulated("--seed", 6)
    assert other.returncode == 2
    assert "--scenes 1 --seed 5 --no-cameras, not --scenes 1 --seed 6" in other.stderr
    assert "--replace" in other.stderr
    assert simulated("--seed", 6, "--replace").returncode == 0
    assert json.loads((tmp_path / "simulation.json").read_text())["seed"] == 6
