"""A vision-language model behind a real server is shown pictures of simulated and of real scenes.

Its weights are random, so that its replies say nothing of the scenes; but they follow from what it was sent.
"""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import polars as pl
import pytest
from serving import Server
from vision_language import TOKENS_OF_A_PICTURE

from probe4d.runs.run import read_run

Command = Callable[..., "subprocess.CompletedProcess[str]"]
VIEWS = ("cameras", "birds-eye")
MAX_FRAMES = 16


class Dataset(NamedTuple):
    """A dataset, the questions built from it, and a folder for runs."""

    data: Path
    bench: Path
    runs: Path


@pytest.fixture(
    scope="module", params=["simulated", pytest.param("kitti_0001_nuscenes_format", marks=pytest.mark.real_data)]
)
def dataset(request: pytest.FixtureRequest, here: Command, tmp_path_factory: pytest.TempPathFactory) -> Dataset:
    folder = tmp_path_factory.mktemp("shown")
    if request.param == "simulated":
        data = request.getfixturevalue("photographed")
    else:
        data = request.getfixturevalue("real_data")(request.param)
    done = here("build", "lidar-hallu", data, "--per-family", 6, "--out", folder / "bench")
    assert done.returncode == 0, done.stderr
    return Dataset(data, folder / "bench", folder)


@pytest.fixture(scope="module")
def ask(here: Command, dataset: Dataset, vision_language_server: Server) -> Callable[..., pl.DataFrame]:
    """Ask every question greedily, once for each way of showing; give the answers."""

    def run(name: str, *options: object) -> pl.DataFrame:
        out = dataset.runs / name
        if not out.exists():
            done = here(
                *("ask", dataset.bench, "--out", out, "--data", dataset.data, *options),
                *("--model", f"openai-api/local/{vision_language_server.model}"),
                *("--base-url", vision_language_server.base_url, "--temperature", 0, "--max-tokens", 8),
            )
            assert done.returncode == 0, done.stderr
        return read_run(out).answers

    return run


@pytest.mark.parametrize("view", VIEWS)
def test_pictures_reach_the_model(ask: Callable[..., pl.DataFrame], dataset: Dataset, view: str) -> None:
    questions = pl.read_parquet(dataset.bench / "questions.parquet")
    frames = questions["evidence"].struct.field("frames").list.len()
    shown, blind = ask(view, "--evidence", view), ask("none", "--evidence", "none")
    for answers in (shown, blind):
        assert answers["question"].to_list() == questions["id"].to_list()
        assert answers["error"].null_count() == answers.height
        assert set(answers["finish_reason"]) <= {"stop", "max_tokens"}
    assert shown["evidence"].str.contains(r"^[0-9a-f]{64}$").all()
    assert blind["evidence"].null_count() == blind.height
    more = shown["input_tokens"] - blind["input_tokens"]
    pictures = more // TOKENS_OF_A_PICTURE  # what lists a picture takes fewer tokens than the picture
    assert frames.max() > 1
    assert (more >= frames.clip(upper_bound=MAX_FRAMES) * TOKENS_OF_A_PICTURE).all()
    assert (pictures >= frames.clip(upper_bound=MAX_FRAMES)).all()


def test_what_is_in_the_pictures_reaches_the_model(ask: Callable[..., pl.DataFrame], dataset: Dataset) -> None:
    """The same text and as many pictures of the same size: only what they show differs, and so do the replies."""
    cameras, black = ask("cameras", "--evidence", "cameras"), ask("black", "--evidence", "black")
    assert black["input_tokens"].equals(cameras["input_tokens"])
    assert (black["evidence"] != cameras["evidence"]).all()
    assert (black["text"] != cameras["text"]).mean() > 0.5
    assert (ask("birds-eye", "--evidence", "birds-eye")["evidence"] != cameras["evidence"]).all()


def test_the_figures_say_what_evidence_added(ask: Callable[..., pl.DataFrame], here: Command, dataset: Dataset) -> None:
    for view in (*VIEWS, "none"):
        ask(view, "--evidence", view)
    runs = [dataset.runs / name for name in ("none", *VIEWS)]
    done = here("diagnose", dataset.bench, *runs, "--no-report", "--out", dataset.runs / "report")
    assert done.returncode == 0, done.stderr
    figures = pl.read_csv(dataset.runs / "report" / "figures.csv")
    for view in VIEWS:
        compared = figures.filter(run=f"{view} vs none", family="all", format="all", metric="accuracy_change")
        assert compared["n"].to_list() == [pl.read_parquet(dataset.bench / "questions.parquet").height]
        assert compared["value"].is_between(-1, 1).all()
        assert compared["low"].to_list() == compared["high"].to_list() == [None]  # one scene leaves none to resample
