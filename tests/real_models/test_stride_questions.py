"""STRIDE from simulated scenes to a report: asked of a vision-language model that is shown five grids, judged by
another model, diagnosed.

The vision-language model's weights are random and SmolLM2 judges poorly: what is held is that pictures reach the one,
that every answer is accounted for, and that the report shows all families and forms of answers.
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

from probe4d.benchmarks.stride.templates import FAMILIES
from probe4d.runs.run import read_run

Command = Callable[..., "subprocess.CompletedProcess[str]"]
TEMPLATES = ("SC-6", "SP-2", "SP-7", "SU-1", "TM-2", "TE-1", "TRJ-1", "TRJ-5", "TRJ-6")


class Asked(NamedTuple):
    """The benchmark's questions, the model's answers, and the folder of the report."""

    questions: pl.DataFrame
    answers: pl.DataFrame
    report: Path


@pytest.fixture(scope="module")
def asked(
    here: Command,
    streets: Path,
    vision_language_server: Server,
    smollm2_server: Server,
    tmp_path_factory: pytest.TempPathFactory,
) -> Asked:
    folder = tmp_path_factory.mktemp("stride")
    bench, run, judged = (folder / name for name in ("bench", "run", "judged"))
    ran(here, "build", "stride", streets, "--out", bench, "--templates", ",".join(TEMPLATES), "--per-template", 1)
    ran(
        here,
        *("ask", bench, "--out", run, *reached(vision_language_server), "--evidence", "cameras", "--data", streets),
        *("--max-side", 640, "--clip-side", 360, "--max-frames", 5, "--max-tokens", 60),
    )
    ran(
        here,
        *("judge", "run", bench, run, "--out", judged, *reached(smollm2_server), "--evidence", "none"),
        *("--max-tokens", 12),
    )
    ran(here, "diagnose", bench, run, "--judgements", judged, "--data", streets, "--out", folder / "report")
    return Asked(pl.read_parquet(bench / "questions.parquet"), read_run(run).answers, folder / "report")


def reached(server: Server) -> tuple[str, ...]:
    return ("--model", f"openai-api/local/{server.model}", "--base-url", server.base_url)


def ran(here: Command, *arguments: object) -> None:
    done = here(*arguments)
    assert done.returncode == 0, done.stderr


def test_five_grids_reach_the_model_with_every_question(asked: Asked) -> None:
    assert asked.answers["question"].to_list() == asked.questions["id"].to_list()
    assert asked.answers["error"].null_count() == asked.answers.height
    assert (asked.answers["evidence_frames"].list.len() == 5).all()
    assert (asked.answers["input_tokens"] >= 5 * (TOKENS_OF_A_PICTURE - 1)).all()


def test_the_report_shows_six_families_and_all_forms_of_answers(asked: Asked) -> None:
    figures = pl.read_csv(asked.report / "figures.csv", infer_schema_length=None).filter(run="run")
    assert set(FAMILIES) <= set(figures["family"])
    assert {"choice", "text", "waypoints"} <= set(figures["format"])
    chance = figures.filter(metric="judged_share", family="all")
    assert chance.height
    for relation in ("future-waypoints", "past-waypoints"):
        metrics = set(figures.filter(relation=relation)["metric"])
        assert any(metric.startswith("waypoint_ade") for metric in metrics), metrics
        assert any(metric.startswith("waypoint_fde") for metric in metrics), metrics
    page = (asked.report / "report.html").read_text()
    for family in FAMILIES:
        assert family in page
    assert "waypoints" in page
