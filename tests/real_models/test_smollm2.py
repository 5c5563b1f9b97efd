"""A language model that sees nothing is asked over HTTP and in this process, and scores as the controls do."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import polars as pl
import pytest
from serving import Server

from probe4d.runs.run import Run, read_run

Command = Callable[..., "subprocess.CompletedProcess[str]"]
QUESTIONS = 60
FAMILIES = 5
MAX_TOKENS = 8
ROUTES = ("http", "hf")
CONTROLS = ("control:fixed", "control:content")


class Asked(NamedTuple):
    """A folder with the benchmark, the runs `http` and `hf`, and their diagnosis, `report`."""

    folder: Path
    runs: dict[str, Run]
    figures: pl.DataFrame
    records: pl.DataFrame


@pytest.fixture(scope="module")
def bench(here: Command, simulated: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("smollm2") / "bench"
    done = here("build", "lidar-hallu", simulated, "--per-family", QUESTIONS // FAMILIES, "--out", folder)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture(scope="module")
def asked(command: Command, here: Command, bench: Path, smollm2: Path, smollm2_server: Server) -> Asked:
    """Every question asked greedily by both routes, without evidence."""
    folder = bench.parent
    server = ("--model", f"openai-api/local/{smollm2_server.model}", "--base-url", smollm2_server.base_url)
    loaded = ("--model", "hf/smollm2", "-M", f"model_path={smollm2}", "-M", "do_sample=false")
    of_route = {"http": (*server, "--temperature", 0), "hf": (*loaded, "--max-connections", QUESTIONS // 2)}
    for route, call in zip(ROUTES, (here, command), strict=True):  # a model that is loaded goes with its process
        done = call("ask", bench, "--out", folder / route, "--max-tokens", MAX_TOKENS, *of_route[route])
        assert done.returncode == 0, done.stderr
    runs = {route: folder / route for route in ROUTES}
    beside = [word for route in ROUTES for control in CONTROLS for word in ("--compare", f"{route}:{control}")]
    done = here("diagnose", bench, *runs.values(), *beside, "--no-report", "--out", folder / "report")
    assert done.returncode == 0, done.stderr
    return Asked(
        folder,
        {route: read_run(path) for route, path in runs.items()},
        pl.read_csv(folder / "report" / "figures.csv"),
        pl.read_parquet(folder / "report" / "records.parquet"),
    )


@pytest.mark.parametrize("route", ROUTES)
def test_every_question_is_answered(asked: Asked, bench: Path, route: str) -> None:
    questions = pl.read_parquet(bench / "questions.parquet")
    answers = asked.runs[route].answers
    assert questions.group_by("family").len()["len"].to_list() == [QUESTIONS // FAMILIES] * FAMILIES
    assert answers["question"].to_list() == questions["id"].to_list()
    assert answers["error"].null_count() == answers.height
    assert answers["evidence"].null_count() == answers.height
    assert set(answers["model"]) == {"smollm2"}


def test_both_routes_lead_to_the_same_model(asked: Asked) -> None:
    """Greedy decoding leaves little room; a batch pads its prompts, which may turn a close call."""
    texts = [asked.runs[route].answers["text"].str.strip_chars() for route in ROUTES]
    assert (texts[0] == texts[1]).mean() >= 0.9
    assert texts[0].n_unique() > 5


@pytest.mark.parametrize("route", ROUTES)
@pytest.mark.parametrize("control", CONTROLS)
def test_a_model_that_sees_nothing_gains_nothing_on_the_controls(asked: Asked, route: str, control: str) -> None:
    """Question by question: it is right in no more of them than words alone are, and not in far fewer."""
    paired = asked.figures.filter(run=f"{route} vs {control}", family="all", format="all", relation="all")
    change = paired.row(by_predicate=pl.col("metric") == "accuracy_change", named=True)
    assert change["n"] == QUESTIONS
    assert -0.25 < change["low"] <= change["high"] < 0.1


@pytest.mark.parametrize("route", ROUTES)
def test_a_small_model_answers_as_one_that_always_says_the_same(asked: Asked, route: str) -> None:
    paired = asked.figures.filter(run=f"{route} vs control:fixed", family="all", format="all", relation="all")
    figures = dict(paired.select("metric", "value").iter_rows())
    assert figures["answers_alike"] > 0.8
    assert figures["repairs"] <= 3


def test_replies_that_were_cut_are_counted(asked: Asked) -> None:
    """A cut reply without an answer is `truncated`; one that gave its answer before is read.

    What runs in this process does not say why it stopped, and says so.
    """
    assert asked.runs["hf"].answers["finish_reason"].null_count() == QUESTIONS
    answers = asked.runs["http"].answers
    assert answers["tokens"].max() == MAX_TOKENS
    assert answers["input_tokens"].min() > 30
    cut = answers.filter(finish_reason="max_tokens")
    assert cut.height > 0
    assert cut["tokens"].to_list() == [MAX_TOKENS] * cut.height
    assert answers.filter(pl.col("tokens") == MAX_TOKENS).height == cut.height
    states = asked.records.filter(run="http")
    read = states.filter(pl.col("question").is_in(cut["question"].implode()))
    assert set(read["state"]) == {"truncated", "valid"}
    assert states.filter(state="truncated").height == read.filter(state="truncated").height


def test_the_server_honours_the_seed(here: Command, bench: Path, smollm2_server: Server, tmp_path: Path) -> None:
    """One connection: the server's generator is seeded when a request comes in, not when its turn comes."""

    def asked_twice(name: str) -> pl.DataFrame:
        done = here(
            *("ask", bench, "--out", tmp_path / name, "--model", f"openai-api/local/{smollm2_server.model}"),
            *("--base-url", smollm2_server.base_url, "--temperature", 1.5, "--max-tokens", MAX_TOKENS),
            *("--setting", "repeat:2", "--seed", 1, "--limit", 3, "--max-connections", 1),
        )
        assert done.returncode == 0, done.stderr
        return read_run(tmp_path / name).answers

    answers = asked_twice("first")
    assert answers["seed"].to_list() == [1, 2] * 3
    assert answers.filter(seed=1)["text"].to_list() != answers.filter(seed=2)["text"].to_list()
    assert asked_twice("again")["text"].to_list() == answers["text"].to_list()
