from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from probe4d.benchmarks.benchmark import Benchmark, write_benchmark
from probe4d.benchmarks.question import to_table
from probe4d.benchmarks.suites import build, check
from probe4d.errors import InputError
from probe4d.scenes.opening import open_scenes

Command = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="module")
def built(simulated: Path) -> Benchmark:
    return build("lidar-hallu", open_scenes(simulated), None, per_family=20)


def test_a_right_benchmark_passes(
    command: Command, here: Command, built: Benchmark, simulated: Path, tmp_path: Path
) -> None:
    write_benchmark(built, tmp_path / "bench", card="")
    done = command("check", tmp_path / "bench", simulated)
    assert (done.returncode, done.stderr) == (0, f"Checking questions: {built.table.height} of {built.table.height}\n")
    assert done.stdout == f"{built.table.height} questions checked, 0 of them wrong, 0 findings\n"
    again = here("check", tmp_path / "bench", simulated, "--version", "v1.0-sim", "--json")
    assert json.loads(again.stdout) == {
        "questions": built.table.height,
        "faulty": 0,
        "taken_as_told": [],
        "findings": [],
    }


def test_wrong_answers_are_listed_by_rule_and_id(
    here: Command, built: Benchmark, simulated: Path, tmp_path: Path
) -> None:
    import msgspec

    right = next(question for question in built.questions if question.template == "distance-choice")
    wrong = msgspec.structs.replace(right, answer="A" if right.answer != "A" else "B")
    table = to_table([wrong if question is right else question for question in built.questions])
    write_benchmark(replace(built, table=table), tmp_path / "bench", card="")
    done = here("check", tmp_path / "bench", simulated)
    assert done.returncode == 1
    assert done.stdout.splitlines() == [
        "nearest-class: 1 finding",
        f"  {right.id}: answer: stored {wrong.answer!r}, derived {right.answer!r}.",
        f"{built.table.height} questions checked, 1 of them wrong, 1 finding",
    ]
    as_json = here("check", tmp_path / "bench", simulated, "--json")
    assert as_json.returncode == 1
    assert [finding["question"] for finding in json.loads(as_json.stdout)["findings"]] == [right.id]


def test_a_wrong_folder_ends_in_one_sentence(here: Command, built: Benchmark, tmp_path: Path) -> None:
    write_benchmark(built, tmp_path / "bench", card="")
    done = here("check", tmp_path / "bench", tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1
    assert "holds no tables of version 'v1.0-sim'" in done.stderr


def test_tables_that_may_not_be_read_end_in_one_sentence(
    built: Benchmark, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: Path) -> bool:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(Path, "is_file", refuse)
    with pytest.raises(InputError, match=r"cannot be read \(Permission denied\)"):
        check(built, tmp_path)


def test_a_lost_split_fails_the_check(built: Benchmark, simulated: Path) -> None:
    import msgspec

    record = msgspec.structs.replace(built.record, parameters={**built.record.parameters, "split": "val"})
    findings = check(replace(built, record=record), simulated).findings
    assert {finding.rule for finding in findings} == {"split"}


def test_other_tables_can_be_named(here: Command, built: Benchmark, simulated: Path, tmp_path: Path) -> None:
    write_benchmark(built, tmp_path / "bench", card="")
    done = here("check", tmp_path / "bench", simulated, "--version", "v1.0-other")
    assert (done.returncode, done.stdout) == (2, "")
    assert "holds no tables of version 'v1.0-other'" in done.stderr
    quiet = here("check", "--quiet", tmp_path / "bench", simulated, "--version", "v1.0-sim")
    assert (quiet.returncode, quiet.stderr) == (0, "")
