"""Questions about one camera image, asked of a model that is shown it and of one that only reads.

The vision-language model's weights are random: that the picture reaches it shows in tokens and replies, not in figures.
"""

from __future__ import annotations

import json
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
LEVELS = ["qualitative", "quantitative", "direct-reasoning", "situational"]
RUNS = ("seen", "black", "blind", "reasoned")


class Asked(NamedTuple):
    """The benchmark's questions, the answers of each run, and the folder of the report."""

    questions: pl.DataFrame
    answers: dict[str, pl.DataFrame]
    report: Path


@pytest.fixture(scope="module")
def asked(
    here: Command,
    streets: Path,
    vision_language_server: Server,
    smollm2_server: Server,
    tmp_path_factory: pytest.TempPathFactory,
) -> Asked:
    """Two questions of each template, asked greedily: with the image, a black one, and of a model that only reads."""
    folder = tmp_path_factory.mktemp("spatial")
    bench = folder / "bench"
    ran(here, "build", "spatial-qa", streets, "--refer", "marker", "--scale", "sample:76", "--out", bench)
    shown = (
        "--model",
        f"openai-api/local/{vision_language_server.model}",
        "--base-url",
        vision_language_server.base_url,
    )
    read = ("--model", f"openai-api/local/{smollm2_server.model}", "--base-url", smollm2_server.base_url)
    told = {
        "seen": (*shown, "--evidence", "one-camera", "--data", streets, "--max-tokens", 8),
        "black": (*shown, "--evidence", "black:one-camera", "--data", streets, "--max-tokens", 8),
        "blind": (*read, "--max-tokens", 3),
        "reasoned": (*read, "--setting", "chain-of-thought", "--sample", 20, "--max-tokens", 12),
    }
    for name, options in told.items():
        ran(here, "ask", bench, "--out", folder / name, "--temperature", 0, *options)
    runs = [folder / name for name in RUNS]
    ran(here, "diagnose", bench, *runs, "--data", streets, "--out", folder / "report")
    answers = {name: read_run(folder / name).answers for name in RUNS}
    return Asked(pl.read_parquet(bench / "questions.parquet"), answers, folder / "report")


def ran(here: Command, *arguments: object) -> str:
    done = here(*arguments)
    assert done.returncode == 0, done.stderr
    return str(done.stdout)


def test_every_question_is_answered_and_the_image_reaches_the_model(asked: Asked) -> None:
    assert asked.questions["template"].n_unique() > 30
    assert asked.questions["family"].unique(maintain_order=True).to_list() == LEVELS
    for name, answers in asked.answers.items():
        assert answers["error"].null_count() == answers.height
        if name != "reasoned":
            assert answers["question"].to_list() == asked.questions["id"].to_list()
    seen, black, blind = (asked.answers[name] for name in ("seen", "black", "blind"))
    assert seen["evidence"].str.contains(r"^[0-9a-f]{64}$").all()
    assert blind["evidence"].null_count() == blind.height
    assert (seen["input_tokens"] >= blind["input_tokens"] + TOKENS_OF_A_PICTURE - 40).all()
    assert (seen["evidence"] != black["evidence"]).all()
    assert (seen["text"] != black["text"]).mean() > 0.3


def test_figures_of_all_levels_appear_in_the_report_with_pictures(asked: Asked) -> None:
    figures = pl.read_csv(asked.report / "figures.csv", infer_schema_length=None)
    for name in RUNS:
        of_run = figures.filter(run=name)
        for level in LEVELS:
            metric = "tolerance_accuracy" if level == "quantitative" else "accuracy"
            of_level = of_run.filter(family=level, metric=metric)
            assert of_level.height, (name, level)
            assert of_level["value"].drop_nulls().is_between(0, 1).all()
    page = (asked.report / "report.html").read_text()
    assert 0 < page.count("data:image/jpeg;base64,") <= 200


def test_reasoning_first_is_compared_with_answering_at_once(asked: Asked) -> None:
    changes = pl.read_csv(asked.report / "figures.csv", infer_schema_length=None).filter(
        pl.col("run").str.contains("reasoned")
    )
    assert set(LEVELS) <= set(changes["family"])


def test_captioning_runs_from_crops_to_questions(
    here: Command, streets: Path, vision_language_server: Server, tmp_path: Path
) -> None:
    """The model's words are no noun phrases: each object is asked for three times, and has no caption then."""
    folder = tmp_path / "captions"
    said = ran(
        here,
        *("caption", streets, "--out", folder, "--model", f"openai-api/local/{vision_language_server.model}"),
        *("--base-url", vision_language_server.base_url, "--temperature", 0, "--max-tokens", 4, "--min-side", 250),
    )
    captions = [json.loads(line) for line in (folder / "captions.jsonl").read_text().splitlines()]
    replies = [json.loads(line) for line in (folder / "replies.jsonl").read_text().splitlines()]
    assert captions
    assert len({line["track"] for line in captions}) == len(captions)
    assert len(replies) >= len(captions)
    assert "captions of" in said
    written = folder / "by-hand.jsonl"
    lines = [{**line, "caption": line["caption"] or f"the thing {line['track'][:6]}"} for line in captions]
    written.write_text("".join(json.dumps(line) + "\n" for line in lines))
    ran(here, "build", "spatial-qa", streets, "--captions", written, "--out", folder / "bench", "--min-side", 250)
    questions = pl.read_parquet(folder / "bench" / "questions.parquet")
    assert set(questions["entities"].explode().drop_nulls()) <= {line["caption"] for line in lines}
