from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

Command = Callable[..., "subprocess.CompletedProcess[str]"]


def test_export_says_what_it_wrote(
    command: Command, here: Command, bench: Path, simulated: Path, tmp_path: Path
) -> None:
    arguments = ("--evidence", "birds-eye", "--data", simulated, "--family", "distance", "--limit", 3)
    done = command("export", bench, "--to", "jsonl", "--out", tmp_path / "out", *arguments)
    assert done.returncode == 0, done.stderr
    assert done.stdout == f"{tmp_path / 'out'}: 3 prompts, 3 pictures for jsonl\n"
    assert "prompts: 3 of 3" in done.stderr
    assert "fall under the licence of the dataset: CC0 1.0 Universal" in done.stderr
    lines = [json.loads(line) for line in (tmp_path / "out" / "questions.jsonl").read_text().splitlines()]
    assert {line["family"] for line in lines} == {"distance"}
    assert all((tmp_path / "out" / path).is_file() for line in lines for path in line["evidence"])
    again = here("export", bench, "--to", "jsonl", "--out", tmp_path / "out")
    assert again.returncode == 2
    assert "is not empty" in again.stderr


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--to", "vlmevalkit", "--setting", "ego"], "cannot follow the setting 'ego'"),
        (["--to", "jsonl", "--setting", "repeat:2"], "other seeds"),
        (["--to", "jsonl", "--evidence", "birds-eye"], "Give its folder with --data DATAROOT."),
        (["--to", "jsonl", "--evidence", "smell"], "there is no evidence 'smell'"),
        (["--to", "jsonl", "--family", "colour"], "colour"),
    ],
)
def test_bad_input_ends_in_one_sentence(
    here: Command, bench: Path, tmp_path: Path, arguments: list[str], words: str
) -> None:
    done = here("export", bench, "--out", tmp_path / "out", *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert words in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
    assert list(tmp_path.iterdir()) == []


def test_an_unknown_harness_is_named_with_those_there_are(here: Command, bench: Path, tmp_path: Path) -> None:
    done = here("export", bench, "--out", tmp_path / "out", "--to", "elsewhere")
    assert done.returncode == 2
    assert "'elsewhere'" in done.stderr
    assert "'vlmevalkit'" in done.stderr
