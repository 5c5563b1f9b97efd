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


def test_refuses_a_folder_of_something_else(command: Command, tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("years of work")
    result = command("simulate", tmp_path, "--scenes", 1)
    assert result.returncode == 2
    assert "is not empty" in result.stderr
    assert "Traceback" not in result.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]
