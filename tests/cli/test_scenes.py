from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from probe4d.cli import app, scenes  # noqa: F401 - the verb registers itself

RUNNER = CliRunner()


def _set(root: Path, table: str, number: int, field: str, value: object) -> None:
    (path,) = root.glob(f"*/{table}.json")
    rows = json.loads(path.read_text())
    rows[number][field] = value
    path.write_text(json.dumps(rows))


@pytest.fixture
def dataset(simulated: Path, tmp_path: Path) -> Path:
    """The tables of simulated scenes, to be broken."""
    (version,) = (folder for folder in simulated.iterdir() if (folder / "scene.json").is_file())
    (tmp_path / version.name).mkdir()
    for table in version.iterdir():
        (tmp_path / version.name / table.name).write_bytes(table.read_bytes())
    return tmp_path


def _json(*arguments: object, code: int = 0) -> dict[str, Any]:
    result = RUNNER.invoke(app, ["scenes", *map(str, arguments), "--json"])
    assert result.exit_code == code, result.output
    document = json.loads(result.stdout)
    assert isinstance(document, dict)
    return document


def test_it_counts_what_a_dataset_holds(simulated: Path) -> None:
    document = _json(simulated, "--strict")
    (version,) = (folder for folder in simulated.iterdir() if (folder / "scene.json").is_file())
    boxes = json.loads((version / "sample_annotation.json").read_text())
    assert document["scenes"] == 6
    assert document["boxes"] == len(boxes)
    assert document["boxes_without_lidar_points"] == sum(box["num_lidar_pts"] == 0 for box in boxes)
    assert sum(document["boxes_by_class"].values()) + document["boxes_of_no_class"] == len(boxes)
    assert document["splits"] == {"none": 6}
    assert document["reference_channel"] == "LIDAR_TOP"


def test_strict_fails_on_errors_alone(dataset: Path) -> None:
    _json(dataset, "--strict")  # its files are missing, which is a warning
    _set(dataset, "sample_annotation", 0, "size", [1, 0, 1])
    assert [f["rule"] for f in _json(dataset)["findings"] if f["severity"] == "error"] == ["BOX001"]
    _json(dataset, "--strict", code=1)
    _json(dataset, "--strict", "--exclude", "BOX001")
    _json(dataset, "--strict", "--exclude", "box-size-not-positive")


def test_plain_text_names_rule_count_severity_and_tokens(dataset: Path) -> None:
    _set(dataset, "sample_annotation", 4, "rotation", [0, 0, 0, 0])
    (path,) = dataset.glob("*/sample_annotation.json")
    token = json.loads(path.read_text())[4]["token"]
    result = RUNNER.invoke(app, ["scenes", str(dataset), "--strict"])
    assert result.exit_code == 1
    lines = result.stdout.splitlines()
    (at,) = (number for number, line in enumerate(lines) if "VAL022" in line)
    assert lines[at].split() == ["error", "VAL022", "box-rotation-zero", "1"]
    assert lines[at + 3].strip() == token
    assert any(line.split()[:2] == ["scenes", "6"] for line in lines)
    assert any("1 error," in line for line in lines)


def test_what_cannot_be_opened_is_still_described(dataset: Path) -> None:
    (path,) = dataset.glob("*/sample_data.json")
    path.write_bytes(path.read_bytes()[:-1000])
    result = RUNNER.invoke(app, ["scenes", str(dataset)])
    assert result.exit_code == 0
    assert "table-unreadable" in result.stdout
    assert "Not checked, since sample_data is missing or unreadable:" in result.stdout
    assert any(line.split()[:2] == ["scenes", "6"] for line in result.stdout.splitlines())


def test_text_from_data_cannot_steer_a_terminal(dataset: Path) -> None:
    for field, value in (("channel", "\x1b]0;owned\x07\u202e[red]"), ("modality", "\x1b[2J")):
        _set(dataset, "sensor", 0, field, value)
    result = RUNNER.invoke(app, ["scenes", str(dataset)])
    assert result.exception is None
    assert "SEN006" in result.stdout
    assert "\x1b" not in result.stdout
    assert "\u202e" not in result.stdout
    screen = _on_a_terminal("scenes", dataset)
    assert "\x1b]0;owned" not in screen
    assert "\x1b[2J" not in screen
    assert "[red]" in screen


def test_a_terminal_gets_a_table(dataset: Path) -> None:
    _set(dataset, "scene", 0, "nbr_samples", 1)
    screen = _on_a_terminal("scenes", dataset)
    assert "CNT001" in screen
    assert "┃" in screen


def test_wrong_input_is_one_sentence(here: Callable[..., subprocess.CompletedProcess[str]], tmp_path: Path) -> None:
    for arguments, word in (
        ((tmp_path / "nowhere",), "does not exist"),
        ((tmp_path,), "holds no dataset"),
    ):
        result = here("scenes", *arguments)
        assert result.returncode == 2
        assert result.stdout == ""
        assert word in result.stderr
        assert "Traceback" not in result.stderr


def test_a_wrong_version_or_rule_is_named(
    here: Callable[..., subprocess.CompletedProcess[str]], simulated: Path
) -> None:
    wrong_version = here("scenes", simulated, "--version", "v9")
    assert wrong_version.returncode == 2
    assert "has no version 'v9'" in wrong_version.stderr
    wrong_rule = here("scenes", simulated, "--exclude", "NONSENSE")
    assert wrong_rule.returncode == 2
    assert "no sanity rule 'NONSENSE'" in wrong_rule.stderr


def _on_a_terminal(*arguments: object) -> str:
    """What the command prints on a terminal of 100 columns."""
    ours, theirs = pty.openpty()
    environment = {**os.environ, "COLUMNS": "100", "TERM": "xterm-256color"}
    process = subprocess.Popen(
        [sys.executable, "-m", "probe4d", *map(str, arguments)], stdout=theirs, stderr=theirs, env=environment
    )
    os.close(theirs)
    chunks = []
    try:
        while chunk := os.read(ours, 65_536):
            chunks.append(chunk)
    except OSError:
        pass  # Linux reports the far end's closing so
    os.close(ours)
    assert process.wait(timeout=60) == 0
    return b"".join(chunks).decode()
