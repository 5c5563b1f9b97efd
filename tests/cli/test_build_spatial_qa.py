from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

from probe4d.benchmarks.benchmark import read_benchmark
from probe4d.benchmarks.captions import Caption, write_captions
from probe4d.scenes.opening import open_scenes

Command = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="module")
def captions(photographed: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Captions of all objects, no two alike."""
    tracks = open_scenes(photographed).boxes["track"].unique().sort()
    path = tmp_path_factory.mktemp("captions") / "captions.jsonl"
    write_captions([Caption(track=track, caption=f"the object {place}") for place, track in enumerate(tracks)], path)
    return path


def test_a_sample_by_letters_is_told_level_by_level(command: Command, photographed: Path, tmp_path: Path) -> None:
    out = tmp_path / "bench"
    drawn = ("--refer", "marker", "--min-side", 5, "--scale", "sample:76", "--workers", 2, "--graphs")
    done = command("build", "spatial-qa", photographed, "--out", out, *drawn)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0] == "split all: 1 scene of Probe4D's simulation (v1.0-sim, in nuScenes format)"
    assert [line.partition(":")[0] for line in lines[1:-1]] == [
        "qualitative",
        "quantitative",
        "direct-reasoning",
        "situational",
    ]
    assert "qualitative: 28 yes-no" in lines
    read = read_benchmark(out)
    assert lines[-1] == f"{read.table.height} questions, fingerprint {read.fingerprint}, in {out}"
    reasons = read.record.exclusions
    told = [line.removeprefix("left out: ") for line in done.stderr.splitlines() if line.startswith("left out: ")]
    numbers = [int(line.split()[0].replace(",", "")) for line in told]
    assert len(told) == 6 < len(reasons)
    assert all(reasons[line.partition(" × ")[2]] == n for line, n in zip(told[:5], numbers, strict=False))
    assert numbers[:5] == sorted(reasons.values(), reverse=True)[:5]
    assert told[-1] == f"{sum(reasons.values()) - sum(numbers[:5]):,} for other reasons (all are in {out}/README.md)"
    parameters = read.record.parameters
    assert parameters | {"refer": "marker", "scale": "sample:76", "min_side_px": 5.0, "min_visibility": 4} == parameters
    graphs = [json.loads(line) for path in (out / "graphs").iterdir() for line in path.read_text().splitlines()]
    assert graphs


def test_a_full_build_by_captions_prints_its_record(
    here: Command, photographed: Path, captions: Path, tmp_path: Path
) -> None:
    out = tmp_path / "bench"
    kept = ("--min-visibility", 3, "--unknown-visibility", "drop", "--ambiguous", "keep", "--seed", 7)
    done = here("build", "spatial-qa", photographed, "--out", out, "--captions", captions, *kept, "--json")
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told == json.loads((out / "benchmark.json").read_text())
    asked = {"min_visibility": 3, "unknown_visibility": "drop", "ambiguous": "keep", "scale": "full"}
    assert told["parameters"] | asked == told["parameters"]
    assert told["seed"] == 7
    entities = read_benchmark(out, ["qualitative"]).table["entities"].explode()
    assert entities.str.starts_with("the object ").all()


def test_contents_are_balanced_where_asked(here: Command, photographed: Path, tmp_path: Path) -> None:
    out = tmp_path / "bench"
    drawn = ("--refer", "marker", "--min-side", 5, "--scale", "sample:380", "--balance", "contents")
    done = here("build", "spatial-qa", photographed, "--out", out, *drawn, "--quiet")
    assert (done.returncode, done.stderr) == (0, "")
    relations = read_benchmark(out, ["qualitative"]).table
    balance = relations.group_by("context").agg((pl.col("answer") == "Yes").mean().alias("yes"))
    assert relations.height > 0
    assert balance["yes"].to_list() == [0.5] * balance.height


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "there are no captions to call objects by"),
        (["--captions", "none.jsonl"], "none.jsonl: there is no such file of captions"),
        (["--refer", "marker", "--captions", "none.jsonl"], "captions have no place where letters stand for objects"),
        (["--refer", "name"], "'name' is not one of 'caption', 'marker'"),
        (["--refer", "marker", "--scale", "half"], "there is no scale 'half'"),
        (["--refer", "marker", "--balance", "contents"], "contents can be balanced in samples only"),
        (["--refer", "marker", "--min-visibility", "5"], "must be a level from 1 to 4, not 5"),
        (["--refer", "marker", "--min-side", "5000"], "allows no question"),
        (["--refer", "marker", "--split", "val"], "holds no scene of the split 'val'"),
        (["--per-family", "4"], "No such option: --per-family"),
    ],
)
def test_bad_input_ends_in_one_sentence(
    here: Command, photographed: Path, tmp_path: Path, arguments: list[str], words: str
) -> None:
    done = here("build", "spatial-qa", photographed, "--out", tmp_path / "bench", *arguments, "--quiet")
    assert (done.returncode, done.stdout) == (2, "")
    assert words in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
    assert not (tmp_path / "bench").exists()
