"""What is true is never accused, and enough of it is recognised."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest
from true_statements import true_statements

from probe4d.benchmarks.b4dl.claims import verdicts_of
from probe4d.benchmarks.b4dl.pairs import PAIRS_SCHEMA
from probe4d.benchmarks.b4dl.sequences import drawn_sequences
from probe4d.scenes.opening import open_scenes
from probe4d.scenes.tables import Scenes


def judged(scenes: Scenes, *, rounds: int, seed: int = 5) -> pl.DataFrame:
    """True statements, each once, with their verdicts."""
    sequences = drawn_sequences(scenes, seed=seed)
    made = dict.fromkeys(true_statements(scenes, sequences.to_dicts(), seed=seed, rounds=rounds))
    rows = [(of, task, number, question, answer) for number, (of, task, question, answer) in enumerate(made)]
    pairs = pl.DataFrame(rows, schema=PAIRS_SCHEMA, orient="row")
    verdicts = verdicts_of(pairs, sequences, scenes)
    assert verdicts.select("sequence", "task", "number").equals(pairs.select("sequence", "task", "number"))
    return verdicts.with_columns(pairs["question"], pairs["answer"])


def accused(verdicts: pl.DataFrame) -> list[tuple[str, ...]]:
    wrong = verdicts.filter(pl.col("verdict") == "contradicted")
    return wrong.select("sequence", "question", "answer", "why").rows()


@pytest.fixture(scope="module")
def simulated_truths(scenes: Scenes) -> pl.DataFrame:
    return judged(scenes, rounds=2)


def test_none_of_many_true_statements_about_simulated_scenes_is_accused(simulated_truths: pl.DataFrame) -> None:
    assert len(simulated_truths) >= 300
    assert accused(simulated_truths) == []


def test_true_statements_are_recognised_and_all_of_them_are_read(simulated_truths: pl.DataFrame) -> None:
    supported = simulated_truths.filter(pl.col("verdict") == "supported")
    assert len(supported) >= 0.4 * len(simulated_truths)
    unread = simulated_truths.filter(pl.col("claim").is_null())["answer"].str.strip_chars(".").str.to_lowercase()
    assert set(unread) <= {"construction vehicle"}  # no class of the list: a build does not take it


def test_a_false_answer_in_place_of_a_true_one_is_never_supported(scenes: Scenes) -> None:
    sequences = drawn_sequences(scenes, seed=8)
    made = dict.fromkeys(true_statements(scenes, sequences.to_dicts(), seed=8, rounds=1))
    swapped = {"Yes.": "No.", "No.": "Yes."}
    rows = [
        (of, task, number, question, swapped[answer])
        for number, (of, task, question, answer) in enumerate(made)
        if answer in swapped
    ]
    verdicts = verdicts_of(pl.DataFrame(rows, schema=PAIRS_SCHEMA, orient="row"), sequences, scenes)
    supported = (verdicts["verdict"] == "supported").arg_true()
    assert [(rows[row][3:], verdicts["why"][row]) for row in supported] == []
    assert (verdicts["verdict"] == "contradicted").sum() >= 0.3 * len(rows)


def test_the_answer_that_geometry_gives_is_never_accused_itself(scenes: Scenes) -> None:
    sequences = drawn_sequences(scenes, seed=9)
    made = true_statements(scenes, sequences.to_dicts(), seed=9, rounds=2)
    asked = {(of, task, question) for of, task, question, _ in made if task in ("existence", "time-grounding")}
    wrong = ("BUS.", "Bicycle", "from frame 000 to frame 001.", "from frame 038 to frame 039")
    pairs = pl.DataFrame(
        [(of, task, number, question, wrong[number % 4]) for number, (of, task, question) in enumerate(sorted(asked))],
        schema=PAIRS_SCHEMA,
        orient="row",
    )
    corrected = pairs.with_columns(answer=verdicts_of(pairs, sequences, scenes)["correct"]).drop_nulls("answer")
    assert len(corrected) >= 30
    assert "contradicted" not in verdicts_of(corrected, sequences, scenes)["verdict"]


@pytest.mark.real_data
def test_none_of_many_true_statements_about_nuscenes_mini_is_accused(real_data: Callable[[str], Path]) -> None:
    verdicts = judged(open_scenes(real_data("nuscenes_mini")), rounds=1)
    assert accused(verdicts) == []
    assert (verdicts["verdict"] == "supported").sum() >= 0.3 * len(verdicts)
