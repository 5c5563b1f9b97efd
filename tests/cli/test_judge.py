"""Judging from the command line: what is printed, what is refused, and how it goes on."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest
from fake_server import FakeServer

from judge_making import MODEL, run_on_disk, text_benchmark, verdict
from probe4d.runs.evidence_plan import EvidencePlan

Here = Callable[..., subprocess.CompletedProcess[str]]
Server = Callable[..., FakeServer]
ANSWERS = ["It turns left.", "It stands still.", "", "It turns right."]


@pytest.fixture
def answered(tmp_path: Path) -> tuple[Path, Path]:
    """A benchmark and a run on disk."""
    benchmark = text_benchmark([f"reference {n}" for n in range(4)], tmp_path / "bench")
    run_on_disk(benchmark, tmp_path / "run", ANSWERS)
    return tmp_path / "bench", tmp_path / "run"


def test_judged_told_and_diagnosed(
    here: Here, answered: tuple[Path, Path], fake_server: Server, tmp_path: Path
) -> None:
    refused = {"status": 400, "json": {"error": {"message": "too long", "code": "context_length_exceeded"}}}
    server = fake_server(
        default=verdict(80),
        steps={"object 1": [{"change": {"choices": [{"index": 0, "message": {"content": "Good."}}]}}],
               "object 3": [refused, {}], "": [{}]},
    )  # fmt: skip
    out = tmp_path / "judged"
    asked = ("judge", "run", *answered, "--model", MODEL, "--base-url", server.base_url, "--rubric", "b4dl")
    done = here(*asked, "--out", out)
    assert done.returncode == 1
    assert done.stdout == f"{out}: 1 answer scored, on average 80.00 of 100\n"
    assert "1 answer left unscored by a reply without a verdict:\n  1 × holds no JSON object" in done.stderr
    assert "1 answer got no reply; the same command asks for them again:\n" in done.stderr
    assert "1 answer with nothing to judge, not sent and 0 in the mean of all:\n  1 × empty\n" in done.stderr
    again = here(*asked, "--out", out)
    assert again.returncode == 0, again.stderr
    assert again.stdout == f"{out}: 2 answers scored, on average 80.00 of 100\n"
    assert sum(server.counts().values()) == 4
    record = json.loads((out / "judge.json").read_text())
    assert (record["run"], record["model"], record["rubric"], record["highest"]) == ("run", MODEL, "b4dl", 100)
    assert record["generation"] == {"temperature": 0.0, "max_tokens": 4096, "seed": 42}
    assert {len(record[name]) for name in ("judge", "prompt", "benchmark")} == {64}
    diagnosed = here("diagnose", *answered, "--judgements", out, "--out", tmp_path / "report", "--no-report")
    assert diagnosed.returncode == 0, diagnosed.stderr
    assert "judge's mean score" in diagnosed.stdout
    assert "run, of 100" in diagnosed.stdout
    figures = pl.read_csv(tmp_path / "report" / "figures.csv")
    rows = figures.filter(run="run", metric="judge_mean_all", family="all", relation="all")
    assert rows.select("value", "n").rows() == [(pytest.approx(160 / 3), 3)]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--model", "control:content"), "control:content is a control, and judges nothing. Give --model"),
        (("--model", MODEL, "--rubric", "none"), "there is no rubric 'none'"),
        (("--model", MODEL, "--max-tokens", 0), "max_tokens must be at least 1"),
    ],
)
def test_options_that_mean_nothing_are_refused_before_the_run_is_read(
    here: Here, tmp_path: Path, options: tuple[object, ...], words: str
) -> None:
    done = here("judge", "run", tmp_path / "bench", tmp_path / "run", *options, "--dry-run")
    assert done.returncode == 2
    assert words in done.stderr


def test_a_dry_run_sends_nothing_and_shows_a_request(
    here: Here, answered: tuple[Path, Path], fake_server: Server, tmp_path: Path
) -> None:
    server = fake_server(default=verdict(8))
    asked = ("judge", "run", *answered, "--model", MODEL, "--base-url", server.base_url, "--max-tokens", 100)
    done = here(*asked, "--dry-run", "--out", tmp_path / "judged")
    assert done.returncode == 0, done.stderr
    assert server.counts() == {}
    assert not (tmp_path / "judged").exists()
    for said in ("calls         3 (rubric stride)", "pictures      none", "replies       at most 300 tokens"):
        assert f"  {said}\n" in done.stdout
    assert "  temperature: 0.0\n" in done.stdout
    assert "\n  | It turns left.\n" in done.stdout
    assert "1 × empty" in done.stderr
    here(*asked, "--out", tmp_path / "judged")
    (shown,) = {text for text in server.counts() if "\nIt turns left.\n" in text}
    assert shown == "\n".join(
        line.removeprefix("  | ") for line in done.stdout.partition("  text:\n")[2].rstrip("\n").split("\n")
    )
    assert "Give --out FOLDER, or --dry-run to send nothing." in here(*asked).stderr


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--rubric", "harsh"), "there is no rubric 'harsh'; there are stride, b4dl and b4dl-without-reference."),
        (("--evidence", "black"), "a judge is shown the true pictures or none, not black."),
        (("--evidence", "lidar"), "a judge is shown the true pictures or none, not lidar."),
        (("--evidence", "everything"), "there is no evidence 'everything'"),
        (("--evidence", "cameras"), "showing evidence needs the dataset."),
        (("--max-frames", "0", "--evidence", "none"), "the most frames shown must be at least 1, not 0."),
        (("--model", "judge"), "the model 'judge' names no provider."),
        (("-M", "key"), "-M takes KEY=VALUE"),
    ],
)
def test_what_is_wrong_is_told_before_a_folder_is_made(
    here: Here, answered: tuple[Path, Path], tmp_path: Path, options: tuple[str, ...], said: str
) -> None:
    done = here("judge", "run", *answered, "--model", MODEL, "--out", tmp_path / "judged", *options)
    assert done.returncode == 2
    assert said in done.stderr
    assert not (tmp_path / "judged").exists()


def test_a_run_that_saw_something_else_is_told_what_to_give(
    here: Here, answered: tuple[Path, Path], tmp_path: Path
) -> None:
    bench, _ = answered
    benchmark = text_benchmark([f"reference {n}" for n in range(4)])
    lidar = EvidencePlan(kind="own", view="lidar")
    run_on_disk(benchmark, tmp_path / "lidar", ANSWERS, evidence=lidar)
    done = here("judge", "run", bench, tmp_path / "lidar", "--model", MODEL, "--out", tmp_path / "judged")
    assert done.returncode == 2
    assert (
        "showed LiDAR features, which no judge can read. Say what the judge is shown (--evidence none," in done.stderr
    )
    done = here("diagnose", bench, tmp_path / "lidar", "--judgements", bench, "--out", tmp_path / "report")
    assert done.returncode == 2
    assert "has no judge.json. Give a folder that `probe4d judge run` wrote." in done.stderr
    done = here("diagnose", bench, tmp_path / "lidar", "--judgements", bench, "--out", bench)
    assert "is a folder to be read" in done.stderr
