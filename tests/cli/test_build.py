from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

Command = Callable[..., subprocess.CompletedProcess[str]]


def test_build_prints_what_it_used_and_made(command: Command, simulated: Path, tmp_path: Path) -> None:
    done = command("build", "lidar-hallu", simulated, "--out", tmp_path / "bench", "--per-family", 40, "--workers", 2)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0] == "split all: 6 scenes of Probe4D's simulation (v1.0-sim, in nuScenes format)"
    assert "existence: 20 choice, 20 yes-no" in lines
    assert "fingerprint" in lines[-1]
    assert "Measuring scenes: 6 of 6\n" in done.stderr
    assert "left out: " in done.stderr
    assert {path.name for path in (tmp_path / "bench").iterdir()} == {
        "questions.parquet",
        "benchmark.json",
        "README.md",
    }


def test_build_prints_its_record_as_json(here: Command, simulated: Path, tmp_path: Path) -> None:
    out = tmp_path / "bench"
    done = here("build", "lidar-hallu", simulated, "--out", out, "--per-family", 8, "--seed", 7, "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == json.loads((out / "benchmark.json").read_text())
    assert json.loads(done.stdout)["seed"] == 7


def test_a_replaced_benchmark_is_named(here: Command, simulated: Path, tmp_path: Path) -> None:
    out = tmp_path / "bench"

    def stderr(*arguments: object) -> str:
        done = here("build", "lidar-hallu", simulated, "--out", out, "--per-family", 8, *arguments)
        assert done.returncode == 0, done.stderr
        return done.stderr

    assert "replaced another" not in stderr()
    assert "replaced another" not in stderr()
    first = json.loads((out / "benchmark.json").read_text())["fingerprint"]
    assert (
        f"replaced another benchmark in {out}: lidar-hallu from Probe4D's simulation (v1.0-sim, in nuScenes format), "
        f"split all, fingerprint {first}\n"
    ) in stderr("--seed", 7)


def test_rounding_to_as_many_yes_as_no_is_said(here: Command, simulated: Path, tmp_path: Path) -> None:
    done = here("build", "lidar-hallu", simulated, "--out", tmp_path / "bench", "--per-family", 7)
    assert "short: existence: 5 of 7 questions asked for, since Yes and No are equally many and half are" in done.stderr
    assert "short: motion: 6 of 7 questions asked for, since Yes and No are equally many." in done.stderr
    assert here("check", tmp_path / "bench", simulated).returncode == 0


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--per-family", "2"], "questions per family must be at least 4"),
        (["--annotated-sector=ahead"], "FROM:TO"),
        (["--split", "val"], "holds no scene of the split 'val'"),
        (["--version", "v1.0-none"], "v1.0-none"),
        (["--events", "none.json"], "none.json: cannot be read"),
        (["--distractors", "random"], "known are matched and published"),
    ],
)
def test_bad_input_ends_in_one_sentence(
    here: Command, simulated: Path, tmp_path: Path, arguments: list[str], words: str
) -> None:
    done = here("build", "lidar-hallu", simulated, "--out", tmp_path / "bench", *arguments)
    assert done.returncode == 2
    assert words in done.stderr
    assert "Traceback" not in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
    assert not (tmp_path / "bench").exists()


def test_a_handful_of_what_is_missing_is_told_and_where_all_of_it_is(
    here: Command, simulated: Path, tmp_path: Path
) -> None:
    out, labels = tmp_path / "bench", tmp_path / "labels.csv"
    labels.write_text("scene,frame,track,name,value\nsim-0001,,,weather,fog\nscene-O061,,,weather,rain\n")
    done = here("build", "stride", simulated, "--out", out, "--per-template", 5000, "--labels", labels)
    assert done.returncode == 0, done.stderr
    record = json.loads((out / "benchmark.json").read_text())
    short = [line.removeprefix("short: ") for line in done.stderr.splitlines() if line.startswith("short: ")]
    all_short = record["shortfalls"]
    assert short == [*all_short[:5], f"{len(all_short) - 5} more (all are in {out}/README.md)"]
    left_out = [line.removeprefix("left out: ") for line in done.stderr.splitlines() if line.startswith("left out: ")]
    mistaken = [reason for reason in record["exclusions"] if reason.startswith("labels: ")]
    assert left_out[0] == f"1 × {mistaken[0]}"  # what the user gave comes first, however few it is
    assert len(left_out) == 7 < len(record["exclusions"])
    card = (out / "README.md").read_text()
    assert all(words in card for words in [*all_short, *record["exclusions"]])


@pytest.mark.parametrize(
    "verb",
    [("lidar-hallu",), ("spatial-qa", "--refer", "marker"), ("stride",), ("b4dl", "--model", "mockllm/model")],
    ids=lambda verb: verb[0],
)
def test_a_folder_of_other_things_is_refused_before_the_dataset_is_opened(
    verb: tuple[str, ...], here: Command, tmp_path: Path
) -> None:
    out = tmp_path / "taken"
    out.mkdir()
    (out / "notes.txt").write_text("kept")
    result = here("build", verb[0], tmp_path / "no dataset", *verb[1:], "--out", out)
    assert result.returncode == 2
    assert result.stderr.strip() == (
        f"probe4d: {out}: is not empty and holds no benchmark. Choose another folder, or empty this one."
    )
    assert [path.name for path in tmp_path.iterdir()] == ["taken"]
