"""Exact-prompt pairs and same-object contrasts."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest
from diagnosis_making import benchmark_of, driving_benchmark, oracle, question, random_answerer, run_of

from probe4d.benchmarks.benchmark import Benchmark
from probe4d.benchmarks.contrasts import with_contrasts
from probe4d.benchmarks.question import Question
from probe4d.diagnosis.diagnose import diagnose
from probe4d.diagnosis.labels.pairs import EGO, PLAIN, prompt_pairs
from probe4d.diagnosis.sheets.labels import make_label_sheet

SAME = "Does car exist in frame 003?"


def value(figures: pl.DataFrame, run: str, metric: str, family: str = "all") -> float:
    rows = figures.filter(run=run, metric=metric, family=family, format="yes-no", relation="all")
    assert rows.height == 1
    return float(rows["value"][0])


def paired(benchmark: Benchmark, layout: str = PLAIN) -> list[tuple[int, int]]:
    """Order numbers of the positives and negatives."""
    sheet = make_label_sheet(benchmark)
    pairs = prompt_pairs(sheet, layout)
    order = sheet.questions["order"].to_list()
    return [(order[i], order[j]) for i, j in zip(pairs.positives, pairs.negatives, strict=True)]


def asked(number: int, answer: str, scene: str, **fields: Any) -> Question:
    # The id takes `frames` from the number, so equal texts stay different questions.
    return question(number, answer, scene=scene, **{"question": SAME} | fields)


def test_pairs_share_prompt_and_length_but_neither_scene_nor_answer() -> None:
    questions = [
        asked(0, "Yes", "s0"),
        asked(1, "No", "s0"),
        asked(2, "No", "s1"),
        asked(3, "Yes", "s2", keyframes=39),
        asked(4, "Yes", "s3", family="motion"),
        asked(5, "Yes", "s4", question="Another?"),
    ]
    assert paired(benchmark_of(questions)) == [(0, 2)]


def test_a_fixed_prompt_takes_the_place_of_the_question() -> None:
    questions = [asked(0, "Yes", "s0", prompt="x"), asked(1, "No", "s1", prompt="y"), asked(2, "No", "s2", prompt="x")]
    assert paired(benchmark_of(questions)) == [(0, 2)]


def test_the_ego_layout_pairs_by_the_motion_text_too() -> None:
    facts = [{"ego_motion": {"text": text}} for text in ("fast", "slow", "fast")]
    questions = [asked(n, "Yes" if n == 0 else "No", f"s{n}", facts=facts[n]) for n in range(3)]
    benchmark = benchmark_of(questions)
    assert paired(benchmark, EGO) == [(0, 2)]
    assert paired(benchmark) == [(0, 1)]
    runs = [run_of("plain", benchmark, oracle), run_of("ego", benchmark, oracle, layout="ego")]
    pairs = diagnose(benchmark, runs).pairs
    assert pairs["layout"].to_list() == ["plain", "ego"]
    assert pairs["negative"].to_list() == [questions[1].id, questions[2].id]


def test_questions_without_text_are_in_no_pair() -> None:
    assert paired(benchmark_of([asked(0, "Yes", "s0", question=None), asked(1, "No", "s1", question=None)])) == []


def test_pairs_do_not_depend_on_the_order_of_rows() -> None:
    benchmark = benchmark_of([asked(n, "Yes" if n % 3 else "No", f"s{n % 7}") for n in range(60)])
    shuffled = Benchmark(benchmark.table.sample(fraction=1.0, shuffle=True, seed=3), benchmark.record)
    assert paired(shuffled) == paired(benchmark)


def test_joint_figures_by_hand() -> None:
    questions = [asked(n, "Yes" if n < 3 else "No", f"s{n}") for n in range(6)]
    replies = dict(zip([q.id for q in questions], ["Yes", "Yes", "No", "No", "Yes", "what?"], strict=True))
    benchmark = benchmark_of(questions)
    pairs = paired(benchmark)
    assert sorted(pairs) == [(0, 5), (1, 4), (2, 3)]
    figures = diagnose(benchmark, [run_of("m", benchmark, lambda q: replies[q.id])]).figures
    rows = figures.filter(
        pl.col("metric").str.starts_with("pair"), run="m", family="all", format="yes-no", relation="all"
    )
    found = dict(rows.select("metric", "value").iter_rows())
    # (0, 5): right and invalid; (1, 4): Yes twice; (2, 3): No twice.
    assert found == {
        "pairs": 3,
        "pairs_both": 0,
        "pairs_one": 3,
        "pairs_neither": 0,
        "pair_both_rate": 0.0,
        "pair_item_accuracy": 0.5,
        "pair_same_answer": pytest.approx(2 / 3),
        "pair_reference_deterministic": 0.0,
        "pair_reference_sampling": 0.25,
        "pair_lead": -0.25,
        "pairs_all_both": 2,  # Yes of 0 and 1 with No of 3
    }


def test_references_bound_answerers_that_see_the_prompt_alone() -> None:
    benchmark = benchmark_of([asked(n, "Yes" if n % 2 else "No", f"s{n:04d}") for n in range(2000)])
    figures = diagnose(benchmark, [run_of("coin", benchmark, random_answerer(1))]).figures
    assert value(figures, "control:fixed", "pairs_both") == 0
    joint = value(figures, "coin", "pairs_both") / value(figures, "coin", "pairs")
    assert joint == pytest.approx(value(figures, "coin", "pair_reference_sampling"), abs=0.03)


def test_every_pair_counts_cross_scene_opposites_only() -> None:
    benchmark = driving_benchmark(31, scenes=6, per_family=400)
    figures = diagnose(benchmark, [run_of("oracle", benchmark, oracle)]).figures
    yes_no = [q for q in benchmark.questions if q.format == "yes-no"]
    expected = sum(
        a.answer == "Yes"
        and b.answer == "No"
        and a.scene != b.scene
        and (a.family, a.question, a.keyframes) == (b.family, b.question, b.keyframes)
        for a in yes_no
        for b in yes_no
    )
    row = figures.row(
        by_predicate=(pl.col("run") == "oracle") & (pl.col("metric") == "pairs_all_both") & (pl.col("family") == "all"),
        named=True,
    )
    assert (row["value"], row["n"]) == (expected, expected)
    assert expected > 0


def test_contrasts_follow_the_links() -> None:
    frames = {"frames": (1,), "entities": ("car",), "family": "motion"}
    questions = [
        question(0, "Yes", question="closer?", relation="closer", **frames),
        question(1, "No", question="farther?", relation="farther", **frames),
        question(2, "No", question="left?", relation="left", **frames),
        question(3, "Yes", question="right?", scene="s1", relation="right", **frames),
    ]
    benchmark = benchmark_of(questions)
    benchmark = Benchmark(with_contrasts(benchmark.table), benchmark.record)
    says_no = {questions[1].id}
    figures = diagnose(benchmark, [run_of("m", benchmark, lambda q: "No" if q.id in says_no else "Yes")]).figures
    found = {name: value(figures, "m", name, "motion") for name in ("contrasts", "contrasts_both", "contrasts_one")}
    assert found == {"contrasts": 2, "contrasts_both": 1, "contrasts_one": 1}
    assert value(figures, "m", "contrast_same_answer", "motion") == 0.5


def test_a_fixed_prompt_may_hold_the_motion_text_or_not() -> None:
    motion = ["fast", "slow", "fast"]
    facts = [{"ego_motion": {"text": text}} for text in motion]
    for prompts in ([SAME] * 3, [f"{text}\n{SAME}" for text in motion]):
        made = [asked(n, "Yes" if n == 0 else "No", f"s{n}", facts=facts[n], prompt=prompts[n]) for n in range(3)]
        assert paired(benchmark_of(made), EGO) == [(0, 2)]
        assert paired(benchmark_of(made), PLAIN) == [(0, 1)]


def test_a_run_whose_prompts_are_not_known_has_no_pairs_and_it_is_said() -> None:
    benchmark = benchmark_of([asked(n, "Yes" if n % 2 else "No", f"s{n}", prompt=SAME) for n in range(8)])
    found = diagnose(benchmark, [run_of("plain", benchmark, oracle), run_of("moved", benchmark, oracle, layout="ego")])
    metrics = found.figures.filter(pl.col("metric").str.starts_with("pair"))
    assert set(metrics["run"]) == {"plain", "control:fixed", "control:content"}
    assert found.pairs["layout"].unique().to_list() == ["plain"]
    assert any(text.startswith("moved was asked with ego-motion text") for text in found.warnings)
    assert not any(text.startswith("plain") for text in found.warnings)


def test_a_family_without_pairs_says_zero() -> None:
    lonely = [asked(10 + n, "Yes", f"s{n}", family="position", question=f"Only {n}?") for n in range(3)]
    paired_up = [asked(n, "Yes" if n % 2 else "No", f"s{n}") for n in range(6)]
    benchmark = benchmark_of([*lonely, *paired_up])
    figures = diagnose(benchmark, [run_of("m", benchmark, oracle)]).figures
    rows = figures.filter(pl.col("metric").str.starts_with("pair"), family="position", run="m")
    assert rows.select("format", "relation", "metric", "value", "n").rows() == [("yes-no", "all", "pairs", 0.0, 0)]
    assert value(figures, "m", "pairs", "existence") == 3


def test_the_rate_and_the_lead_over_guessing_have_intervals_that_tell_knowing_from_guessing() -> None:
    benchmark = benchmark_of([asked(n, "Yes" if n % 2 else "No", f"s{n % 40:02d}") for n in range(400)])
    runs = [run_of("knows", benchmark, oracle), run_of("coin", benchmark, random_answerer(3))]
    figures = diagnose(benchmark, runs).figures
    for metric, of_knowing, of_guessing in (("pair_lead", 0.75, 0.0), ("pair_both_rate", 1.0, 0.25)):
        found = figures.filter(metric=metric, family="all")
        (knows,), (coin,) = (found.filter(run=name).to_dicts() for name in ("knows", "coin"))
        assert (knows["value"], knows["low"], knows["high"]) == pytest.approx((of_knowing,) * 3)
        assert coin["low"] < of_guessing < coin["high"]
        assert coin["low"] < coin["value"] < coin["high"]
