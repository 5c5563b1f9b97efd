"""What is true is never accused, and enough of it is recognised."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest
from true_statements import true_statements

from probe4d.benchmarks.b4dl.annotations import EVENTS, annotations_of
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
    assert simulated_truths["claim"].null_count() == 0


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


SAID = {
    "stays": ("remain stationary", "stay where it is"),
    "comes-nearer": ("come nearer", "approach the ego vehicle"),
    "is-left-behind": ("get farther from the ego vehicle", "move away from the ego vehicle"),
    "approaches": ("approach the ego vehicle", "move toward the ego vehicle"),
    "recedes": ("move away from the ego vehicle", "recede"),
    "keeps-distance": ("keep its distance from the ego vehicle",),
    "passes": ("pass the ego vehicle",),
    "overtakes": ("overtake the ego vehicle",),
    "is-passed": ("get passed by the ego vehicle",),
    "crosses-right": ("cross from left to right", "cross in front of the ego vehicle"),
    "crosses-left": ("cross from right to left", "cross in front of the ego vehicle"),
    "turns-left": ("turn left", "turn"),
    "turns-right": ("turn right", "turn"),
    "stops": ("stop", "come to a stop"),
    "starts": ("start moving", "start to move"),
    "accelerates": ("accelerate", "speed up"),
    "brakes": ("brake", "slow down"),
    "drives-on": ("go straight", "move forward"),
    "reverses": ("reverse", "move backwards"),
}
"""Words for the events of annotation phrases."""


def test_what_annotation_phrases_say_is_never_accused(scenes: Scenes) -> None:
    """Models are told the phrases as ground truth: what they make of them must not be denied."""
    assert set(SAID) == set(EVENTS)
    sequences = drawn_sequences(scenes, seed=2)
    rows = []
    for row in annotations_of(sequences, scenes).iter_rows(named=True):
        frames = f"from frame {row['start_frame']:03d} to frame {row['end_frame']:03d}"
        thing = "the ego vehicle" if row["track"] is None else f"a {row['words']}"
        for verb in SAID[row["event"]]:
            asked = (
                ("binary", f"Does {thing} {verb} {frames}?", "Yes."),
                ("time-grounding", f"When does {thing} {verb}?", frames),
            )
            rows += [(row["sequence"], task, len(rows), question, answer) for task, question, answer in asked]
    pairs = pl.DataFrame(rows, schema=PAIRS_SCHEMA, orient="row").unique(["sequence", "question", "answer"])
    verdicts = verdicts_of(pairs, sequences, scenes).with_columns(pairs["question"], pairs["answer"])
    assert accused(verdicts) == []
    assert (verdicts["verdict"] == "supported").sum() >= 0.25 * len(verdicts)


@pytest.mark.real_data
def test_none_of_many_true_statements_about_nuscenes_mini_is_accused(real_data: Callable[[str], Path]) -> None:
    verdicts = judged(open_scenes(real_data("nuscenes_mini")), rounds=1)
    assert accused(verdicts) == []
    assert (verdicts["verdict"] == "supported").sum() >= 0.3 * len(verdicts)
