from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from fake_server import FakeServer
from in_process import called

from probe4d.benchmarks.benchmark import read_benchmark
from probe4d.errors import InputError
from probe4d.scenes.opening import open_scenes

Command = Callable[..., subprocess.CompletedProcess[str]]


def test_a_build_is_told_family_by_family_with_what_is_short(
    command: Command, photographed: Path, tmp_path: Path
) -> None:
    out, labels = tmp_path / "bench", tmp_path / "labels.csv"
    (scene,) = open_scenes(photographed).names
    labels.write_text(f"scene,frame,track,name,value\n{scene},,,weather,fog\nscene-O061,,,weather,rain\n")
    asked = ("--templates", "sc-1,SP-3,TRJ-5", "--per-template", 4, "--most-per-scene", 3, "--labels", labels)
    done = command("build", "stride", photographed, "--out", out, *asked, "--ego-history", "text", "--workers", 2)
    assert done.returncode == 0, done.stderr
    read = read_benchmark(out)
    assert done.stdout.splitlines() == [
        "split all: 1 scene of Probe4D's simulation (v1.0-sim, in nuScenes format)",
        "scene-context: 3 choice",
        "spatial-perception: 3 choice",
        "trajectory: 3 waypoints",
        f"9 questions, fingerprint {read.fingerprint}, in {out}",
    ]
    assert "short: SP-3 (distance): 3 of 4.\n" in done.stderr
    assert "× SP-3: nearer to a line than an eye could tell" in done.stderr
    assert "left out: 1 × labels: not of the scenes asked about, such as 'scene-O061' in line 3\n" in done.stderr
    asked_for = {"templates": ["SC-1", "SP-3", "TRJ-5"], "per_template": 4, "most_per_scene": 3, "ego_history": "text"}
    assert read.record.parameters | asked_for == read.record.parameters


def test_references_are_worded_by_a_model_and_the_same_command_goes_on(
    photographed: Path, tmp_path: Path, fake_server: Callable[..., FakeServer], capsys: pytest.CaptureFixture[str]
) -> None:
    server = fake_server(default="{text}")  # says every number and side of the statements again, and no other
    out = tmp_path / "bench"
    asked = ("--templates", "SP-7", "--per-template", 2, "--verbalizer", "openai-api/fake/model", "--json")
    called("build", "stride", photographed, "--out", out, *asked, "--base-url", server.base_url)
    record = json.loads(capsys.readouterr().out)
    assert record["parameters"]["verbalizer"] == "openai-api/fake/model"
    replies = tmp_path / "bench-verbalized" / "replies.jsonl"
    assert len(replies.read_text().splitlines()) >= 2
    before = len(server.requests())
    called("build", "stride", photographed, "--out", out, *asked, "--base-url", server.base_url)
    assert len(server.requests()) == before


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--templates", "SP-99"], "there is no template 'SP-99'"),
        (["--per-template", "0"], "must be at least 1, not 0"),
        (["--most-per-scene", "0"], "must be at least 1, not 0"),
        (["--labels", "none.csv"], "none.csv: there is no such file of labels"),
        (["--templates", "SC-1"], "allows no question of these templates"),
        (["--split", "val"], "holds no scene of the split 'val'"),
        (["--verbalized", "texts"], "nobody is to word references"),
    ],
)
def test_bad_input_is_refused(photographed: Path, tmp_path: Path, arguments: list[str], words: str) -> None:
    with pytest.raises(InputError, match=words):
        called("build", "stride", photographed, "--out", tmp_path / "bench", *arguments)
    assert not (tmp_path / "bench").exists()


def test_replies_in_the_benchmark_are_refused_before_anything_is_asked(photographed: Path, tmp_path: Path) -> None:
    out = tmp_path / "bench"
    asked = ("--verbalizer", "openai-api/fake/model", "--verbalized", out / "texts")
    with pytest.raises(InputError, match=r"which replies cannot lie in.*--verbalized"):
        called("build", "stride", photographed, "--out", out, *asked)
    assert not out.exists()


def test_bad_input_ends_in_one_sentence(here: Command, photographed: Path, tmp_path: Path) -> None:
    done = here("build", "stride", photographed, "--out", tmp_path / "bench", "--ego-history", "poses", "--quiet")
    assert (done.returncode, done.stdout) == (2, "")
    assert "'poses' is not one of 'none', 'text'" in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
