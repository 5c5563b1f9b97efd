from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

Command = Callable[..., subprocess.CompletedProcess[str]]


def test_prompts_of_a_built_benchmark(command: Command, simulated: Path, tmp_path: Path) -> None:
    bench, out = tmp_path / "bench", tmp_path / "prompts.jsonl"
    assert command("build", "lidar-hallu", simulated, "--out", bench, "--per-family", 8).returncode == 0
    done = command("prompts", bench, "--setting", "anti-position", "--out", out)
    assert done.returncode == 0, done.stderr
    lines = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    assert done.stdout == f"{len(lines)} prompts in {out}\n"
    assert all(("Do not favor" in line["prompt"]) == bool(line["options"]) for line in lines)


def test_bad_input_ends_in_one_sentence(command: Command, tmp_path: Path) -> None:
    done = command("prompts", tmp_path, "--out", tmp_path / "out.jsonl")
    assert done.returncode == 2
    assert "has no benchmark.json" in done.stderr
    assert "Traceback" not in done.stderr
