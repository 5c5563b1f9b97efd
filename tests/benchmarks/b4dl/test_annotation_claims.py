"""Phrases and the check of answers are two measurements of one scene: what the one says the other never contradicts."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

from probe4d.benchmarks.b4dl.annotations import annotations_of
from probe4d.benchmarks.b4dl.claims import verdicts_of
from probe4d.benchmarks.b4dl.pairs import PAIRS_SCHEMA
from probe4d.benchmarks.b4dl.sequences import drawn_sequences
from probe4d.scenes.opening import open_scenes
from probe4d.scenes.tables import Scenes

ASKED = {
    "approaches": "Does a {words} approach the ego vehicle",
    "comes-nearer": "Does a {words} get closer to the ego vehicle",
    "recedes": "Does a {words} move away from the ego vehicle",
    "is-left-behind": "Does the distance between a {words} and the ego vehicle increase",
    "keeps-distance": "Does a {words} keep its distance from the ego vehicle",
    "overtakes": "Does a {words} overtake the ego vehicle",
    "is-passed": "Does the ego vehicle pass a {words}",
    "stops": "Does a {words} stop",
    "starts": "Does a {words} start moving",
    "turns-left": "Does a {words} turn left",
    "turns-right": "Does a {words} turn right",
    "stays": "Does a {words} remain stationary",
}
ASKED_OF_EGO = {
    "stays": "Does the ego vehicle remain stationary",
    "stops": "Does the ego vehicle stop",
    "starts": "Does the ego vehicle start moving",
    "turns-left": "Does the ego vehicle turn left",
    "turns-right": "Does the ego vehicle turn right",
    "accelerates": "Does the ego vehicle accelerate",
    "brakes": "Does the ego vehicle brake",
    "drives-on": "Does the ego vehicle move forward",
}


def asked(annotations: pl.DataFrame, answer: str) -> pl.DataFrame:
    """Phrases as questions to be answered by yes or no, columns of `PAIRS_SCHEMA`."""
    rows = []
    for number, row in enumerate(annotations.iter_rows(named=True)):
        words = (ASKED if row["track"] else ASKED_OF_EGO).get(row["event"])
        if words is not None:
            frames = f"from frame {row['start_frame']:03d} to frame {row['end_frame']:03d}"
            rows.append((row["sequence"], "binary", number, f"{words.format(words=row['words'])} {frames}?", answer))
    return pl.DataFrame(rows, schema=PAIRS_SCHEMA, orient="row")


def shares(scenes: Scenes, answer: str) -> dict[str, float]:
    """Which share of phrases as questions has which verdict."""
    sequences = drawn_sequences(scenes, seed=2)
    pairs = asked(annotations_of(sequences, scenes), answer)
    assert pairs.height > 1000
    verdicts = verdicts_of(pairs, sequences, scenes)["verdict"]
    return {name: (verdicts == name).mean() for name in ("supported", "contradicted")}  # type: ignore[misc]  # a mean


def test_phrases_about_simulated_scenes_are_not_contradicted_and_mostly_supported(scenes: Scenes) -> None:
    found = shares(scenes, "Yes.")
    assert found["contradicted"] == 0
    assert found["supported"] > 0.8


def test_what_denies_a_phrase_is_never_supported(scenes: Scenes) -> None:
    found = shares(scenes, "No.")
    assert found["supported"] == 0
    assert found["contradicted"] > 0.8


@pytest.mark.real_data
def test_phrases_about_nuscenes_mini_are_not_contradicted(real_data: Callable[[str], Path]) -> None:
    found = shares(open_scenes(real_data("nuscenes_mini")), "Yes.")
    assert found["contradicted"] == 0
    assert found["supported"] > 0.8
