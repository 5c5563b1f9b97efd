"""Shortcut attribution accuses who answers from text, and nobody else."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from diagnosis_making import COMMON, driving_benchmark, mixture, oracle, random_answerer, run_of

from probe4d.benchmarks.benchmark import Benchmark, read_benchmark
from probe4d.benchmarks.question import LETTERS, Question
from probe4d.benchmarks.suites import build
from probe4d.diagnosis.diagnose import diagnose
from probe4d.diagnosis.sheets.labels import LabelSheet, code_labels, make_label_sheet
from probe4d.diagnosis.shortcuts.attribution import shortcuts_table
from probe4d.exchange.lidar_hallu_release import import_lidar_hallu
from probe4d.scenes.opening import open_scenes


def shortcuts(benchmark: Benchmark, answerers: dict[str, Callable[[Question], str]]) -> pl.DataFrame:
    """Attribution alone, without the rest of a diagnosis."""
    sheet = make_label_sheet(benchmark)
    labels = [
        code_labels(pl.Series([answer(asked) for asked in benchmark.questions], dtype=pl.String), sheet.questions)
        for answer in answerers.values()
    ]
    return shortcuts_table(sheet.answered(list(answerers), labels), list(answerers))


def innocent(seeds: range) -> dict[str, Callable[[Question], str]]:
    answerers: dict[str, Callable[[Question], str]] = {"oracle": oracle}
    answerers |= {f"random {seed}": random_answerer(seed) for seed in seeds}
    return answerers | {f"mixture {seed}": mixture(seed, 0.7) for seed in seeds}


@pytest.mark.parametrize(("scenes", "per_family"), [(5, 60), (10, 200), (40, 400)])
@pytest.mark.parametrize("seed", [1, 2])
def test_knowing_and_guessing_get_no_name(scenes: int, per_family: int, seed: int) -> None:
    benchmark = driving_benchmark(seed, scenes=scenes, per_family=per_family)
    found = shortcuts(benchmark, innocent(range(6)))
    assert found.filter("named").is_empty()


def test_being_right_where_text_predicts_the_truth_is_no_shortcut() -> None:
    found = shortcuts(driving_benchmark(1, scenes=40, per_family=400), {"oracle": oracle})
    tempting = found.filter(pl.col("feature").is_in(["class", "option"]), pl.col("family") != "position")
    assert tempting.height == 2
    assert (tempting["excess"] > 0.10).all()
    assert (tempting["low"] > 0).all()
    assert (tempting["beyond"] == 0).all()
    assert not tempting["named"].any()


@pytest.mark.real_data
def test_knowing_and_guessing_get_no_name_on_the_released_questions(
    real_data: Callable[[str], Path], tmp_path: Path
) -> None:
    import_lidar_hallu(real_data("lidar_hallu_release"), tmp_path / "benchmark", None)
    found = shortcuts(read_benchmark(tmp_path / "benchmark"), innocent(range(3)))
    assert found.filter("named").is_empty()


def test_knowing_and_guessing_get_no_name_on_questions_of_simulated_scenes(simulated: Path) -> None:
    benchmark = build("lidar-hallu", open_scenes(simulated), None, per_family=100)
    assert shortcuts(benchmark, innocent(range(20))).filter("named").is_empty()


def by_sector(asked: Question) -> str:
    return "Yes" if asked.relation in ("front", "left") else "No"


def test_an_answerer_by_sector_is_named_with_its_rule() -> None:
    benchmark = driving_benchmark(3, scenes=20, per_family=300)
    guess = random_answerer(4)
    found = shortcuts(benchmark, {"m": lambda asked: by_sector(asked) if asked.family == "position" else guess(asked)})
    named = found.filter("named").row(0, named=True)
    assert found.filter("named").height == 1
    assert (named["family"], named["format"], named["feature"]) == ("position", "yes-no", "relation")
    assert named["rule"] == "answers Yes when the proposed sector is front or left, else No"
    assert named["share"] == 1.0


def test_a_partial_shortcut_beside_knowledge_is_named() -> None:
    benchmark = driving_benchmark(5, scenes=40, per_family=600)
    rng = np.random.default_rng(6)
    found = shortcuts(benchmark, {"m": lambda asked: by_sector(asked) if rng.random() < 0.75 else asked.answer})
    named = found.filter("named", pl.col("family") == "position")
    assert named["feature"].to_list() == ["relation"]


def test_a_taste_for_a_letter_is_named() -> None:
    benchmark = driving_benchmark(7, scenes=20, per_family=300)
    guess = random_answerer(8)
    found = shortcuts(benchmark, {"m": lambda asked: "C" if asked.format == "choice" else guess(asked)})
    named = found.filter("named")
    assert named["feature"].to_list() == ["letter"]
    assert named["rule"].to_list() == ["picks option C whatever the options say"]
    assert (named["share"][0], named["constant"][0]) == (1.0, 0.25)


def test_a_taste_for_an_option_is_named_whatever_its_letter() -> None:
    benchmark = driving_benchmark(9, scenes=20, per_family=300)
    guess = random_answerer(10)

    def by_option(asked: Question) -> str:
        return LETTERS[int(np.argmax([COMMON[option] for option in asked.options]))]

    found = shortcuts(benchmark, {"m": lambda asked: by_option(asked) if asked.format == "choice" else guess(asked)})
    named = found.filter("named")
    assert named["feature"].to_list() == ["option"]
    assert named["rule"][0].startswith("prefers the option that says car, then pedestrian, then truck")


def test_two_features_together_are_named_only_where_one_does_not_do() -> None:
    benchmark = driving_benchmark(11, scenes=40, per_family=800)
    guess = random_answerer(12)

    def by_both(asked: Question) -> str:
        return (
            "Yes" if (asked.relation in ("front", "left")) == (asked.entities[0] in ("car", "bus", "barrier")) else "No"
        )

    found = shortcuts(benchmark, {"m": lambda asked: by_both(asked) if asked.family == "position" else guess(asked)})
    named = found.filter("named")
    assert named["feature"].to_list() == ["class and relation"]


def test_one_scene_leaves_nothing_to_predict_from() -> None:
    benchmark = driving_benchmark(13, scenes=1, per_family=30)
    assert shortcuts(benchmark, {"m": by_sector}).is_empty()


def test_invalid_answers_are_left_out_of_the_share() -> None:
    benchmark = driving_benchmark(15, scenes=10, per_family=100)
    ids = [asked.id for asked in benchmark.questions if asked.family == "position"][:40]
    run = run_of("m", benchmark, lambda asked: "" if asked.id in ids else by_sector(asked))
    found = diagnose(benchmark, [run]).shortcuts
    row = found.row(by_predicate=(pl.col("run") == "m") & (pl.col("feature") == "relation"), named=True)
    assert (row["share"], row["n"]) == (1.0, 60)


def test_a_sheet_without_answerers_has_no_shortcuts() -> None:
    sheet: LabelSheet = make_label_sheet(driving_benchmark(17, scenes=3, per_family=5))
    assert shortcuts_table(sheet, []).is_empty()


def test_options_without_features_are_known_by_their_texts() -> None:
    benchmark = driving_benchmark(1, scenes=10, per_family=60)
    bare = benchmark.table.with_columns(features=pl.lit([], pl.List(pl.String)))
    taste = {"car lover": lambda asked: LETTERS[asked.options.index("car")] if "car" in asked.options else asked.answer}
    found, expected = shortcuts(dataclasses.replace(benchmark, table=bare), taste), shortcuts(benchmark, taste)
    assert "option" in found["feature"]
    assert found.equals(expected)


def test_a_class_that_decides_everything_is_named_on_few_scenes() -> None:
    def by_class(asked: Question) -> str:
        return ("No" if asked.entities[0] == "car" else "Yes") if asked.entities else "A"

    for seed in range(3):
        benchmark = driving_benchmark(seed, scenes=10, per_family=120)
        answerers = {
            "class": by_class,
            "oracle": oracle,
            "guess": random_answerer(seed),
            "mix": mixture(seed, 0.7),
        }
        runs = [run_of(name, benchmark, answer) for name, answer in answerers.items()]
        named = diagnose(benchmark, runs).shortcuts.filter("named", ~pl.col("run").str.starts_with("control:"))
        yes_no = named.filter(format="yes-no")
        assert set(yes_no.select("run", "family", "feature").iter_rows()) == {
            ("class", "existence", "class"),
            ("class", "position", "class"),
        }
        assert set(named["run"]) == {"class"}
