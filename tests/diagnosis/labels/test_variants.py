"""Questions asked in several ways: letters are mapped back, agreement is counted, strange variants are refused."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import polars as pl
import pytest
from diagnosis_making import (
    benchmark_of,
    driving_benchmark,
    letter_shown,
    mixture,
    oracle,
    question,
    run_of,
    varied_run,
)
from hypothesis import given, settings
from hypothesis import strategies as st

from probe4d.benchmarks.benchmark import Benchmark
from probe4d.benchmarks.question import LETTERS, Question
from probe4d.diagnosis.diagnose import diagnose
from probe4d.diagnosis.labels.reading import shown_options, turned_back
from probe4d.diagnosis.tables import RECORDS_SCHEMA, Diagnosis
from probe4d.errors import InputError
from probe4d.runs.run import Run
from probe4d.runs.settings import Variant

BENCHMARK = driving_benchmark(3, scenes=6, per_family=10)
METRICS = ("variants_accuracy", "variants_alike", "variants_pairs_alike", "variants_all_right", "variants_any_right")


def figures(diagnosis: Diagnosis, run: str, family: str = "all", kind: str = "all") -> dict[str, tuple[float, int]]:
    rows = diagnosis.figures.filter(pl.col("metric").is_in(METRICS), run=run, family=family, format=kind)
    return {metric: (value, n) for metric, value, n in rows.select("metric", "value", "n").iter_rows()}


def small() -> Benchmark:
    """Two choice questions, of four options and of two, and a yes-no question."""
    return benchmark_of([
        question(0, "C", options=("car", "bus", "van", "bike"), scene="s0"),
        question(1, "A", options=("left", "right"), scene="s1"),
        question(2, "Yes", scene="s1"),
    ])  # fmt: skip


def in_own_letters(said: Callable[[Question, Variant], str]) -> Callable[[Question, Variant], str]:
    """Replies whose letters are those of the benchmark's order, as a model sees and gives them."""
    return lambda asked, way: letter_shown(asked, said(asked, way), way) if asked.options else said(asked, way)


@settings(max_examples=30)
@given(st.lists(st.tuples(st.integers(2, 6), st.integers(0, 5), st.sampled_from([*"ABCDEF", None])), min_size=1))
def test_columns_are_turned_as_variants_are(rows: list[tuple[int, int, str | None]]) -> None:
    table = pl.DataFrame(
        {
            "options": [[f"option {place}" for place in range(size)] for size, _, _ in rows],
            "rotation": [rotation % size for size, rotation, _ in rows],
            "label": [letter if letter is not None and letter in LETTERS[:size] else None for size, _, letter in rows],
        },
        schema={"options": pl.List(pl.String), "rotation": pl.Int64, "label": pl.String},
    )
    turned = table.select("options", "rotation", "label", shown=shown_options(), back=turned_back("label"))
    for options, rotation, label, shown, back in turned.iter_rows():
        variant = Variant(rotation=rotation)
        assert tuple(shown) == variant.shown(options)
        assert back == (None if label is None else variant.letter_of(label, len(options)))


def test_rotations_by_hand() -> None:
    benchmark = small()
    # The options meant, rotation by rotation: C, C, A, unreadable; A, B; Yes.
    meant = {0: ["C", "C", "A", "?"], 1: ["A", "B"], 2: ["Yes"]}

    def reply(asked: Question, way: Variant) -> str:
        said = meant[asked.order][way.rotation]
        return said if said in "?Yes" else letter_shown(asked, said, way)

    diagnosis = diagnose(benchmark, [varied_run("m", benchmark, reply, setting="permuted:4")])
    assert figures(diagnosis, "m", kind="choice") == figures(diagnosis, "m") == {
        "variants_accuracy": (pytest.approx((2 / 4 + 1 / 2) / 2), 2),
        "variants_alike": (0, 2),
        "variants_pairs_alike": (pytest.approx((1 / 6 + 0) / 2), 2),
        "variants_all_right": (0, 2),
        "variants_any_right": (1, 2),
    }  # fmt: skip
    assert figures(diagnosis, "m", kind="yes-no") == {}
    assert diagnosis.variants.schema == pl.Schema(RECORDS_SCHEMA)
    assert diagnosis.variants["label"].to_list() == ["C", "C", "A", None, "A", "B", "Yes"]
    assert diagnosis.variants["correct"].to_list() == [True, True, False, False, True, False, True]
    own = diagnosis.records.filter(run="m")
    assert own["variant"].to_list() == ["rotation-0"] * 3
    assert own["label"].to_list() == ["C", "A", "Yes"]
    assert "m asked in variants: its own figures are those of the first, 'rotation-0'." in diagnosis.warnings


def test_repeats_by_hand() -> None:
    benchmark = small()
    said = {0: ["A", "C", "C"], 1: ["B", "B", "B"], 2: ["?", "?", "hm"]}
    run = varied_run("m", benchmark, lambda asked, way: said[asked.order][way.seed_offset or 0], setting="repeat:3")
    diagnosis = diagnose(benchmark, [run])
    assert figures(diagnosis, "m") == {
        "variants_accuracy": (pytest.approx(2 / 9), 3),
        "variants_alike": (pytest.approx(2 / 3), 3),  # two unreadable replies are alike
        "variants_pairs_alike": (pytest.approx((1 / 3 + 1 + 1) / 3), 3),
        "variants_all_right": (0, 3),
        "variants_any_right": (pytest.approx(1 / 3), 3),
    }


def test_every_variant_metric_has_an_interval_around_it() -> None:
    said = mixture(5, 0.6)
    run = varied_run("m", BENCHMARK, in_own_letters(lambda asked, way: said(asked)), setting="permuted:4")
    rows = diagnose(BENCHMARK, [run]).figures.filter(pl.col("metric").is_in(METRICS), run="m")
    assert set(rows["metric"]) == set(METRICS)
    assert (rows["low"] <= rows["value"]).all()
    assert (rows["value"] <= rows["high"]).all()


def test_who_is_always_right_is_right_in_every_rotation() -> None:
    run = varied_run("m", BENCHMARK, in_own_letters(lambda asked, way: asked.answer), setting="permuted:4")
    found = figures(diagnose(BENCHMARK, [run]), "m", kind="choice")
    assert found == dict.fromkeys(METRICS, (1.0, 10))


def test_who_always_says_a_agrees_with_itself_nowhere() -> None:
    run = varied_run("m", BENCHMARK, lambda asked, way: "A" if asked.options else "No", setting="permuted:4")
    found = figures(diagnose(BENCHMARK, [run]), "m", "distance", "choice")
    assert found == {
        "variants_accuracy": (0.25, 10),
        "variants_alike": (0, 10),
        "variants_pairs_alike": (0, 10),
        "variants_all_right": (0, 10),
        "variants_any_right": (1, 10),
    }


@settings(max_examples=10)
@given(st.integers(0, 2**32 - 1), st.integers(1, 3))
def test_rotating_options_and_reply_alike_changes_no_figure(seed: int, turn: int) -> None:
    benchmark = driving_benchmark(seed % 1000, scenes=3, per_family=3)
    said = mixture(seed, 0.5)
    plain = run_of("m", benchmark, said)
    answers = {row["question"]: row["text"] for row in plain.answers.iter_rows(named=True)}
    rows = [
        {
            "question": asked.id,
            "rotation": turn if asked.options else 0,
            "text": letter_shown(asked, answers[asked.id], Variant(rotation=turn))
            if asked.options
            else answers[asked.id],
        }
        for asked in benchmark.questions
    ]
    turned = dataclasses.replace(plain, answers=pl.DataFrame(rows, schema=plain.answers.schema))
    before, after = (diagnose(benchmark, [run]) for run in (plain, turned))
    assert before.figures.equals(after.figures)
    assert before.records.drop("text").equals(after.records.drop("text"))
    assert before.shortcuts.equals(after.shortcuts)


def test_options_are_read_in_the_order_in_which_they_were_shown() -> None:
    benchmark = benchmark_of([question(0, "B", options=("car", "bus", "van"))])
    run = varied_run("m", benchmark, lambda asked, way: "the bus", setting="permuted:3")
    assert diagnose(benchmark, [run]).variants["label"].to_list() == ["B", "B", "B"]


@pytest.mark.parametrize("parser", ["default", "published", "older"])
def test_of_a_chain_of_thought_the_answer_alone_is_read(parser: str) -> None:
    benchmark = small()
    thought = "A is out, and no car is left.\n**Answer:** "
    run = varied_run("m", benchmark, lambda asked, way: thought + asked.answer, setting="chain-of-thought")
    diagnosis = diagnose(benchmark, [run], parser=parser)
    assert diagnosis.records.filter(run="m")["label"].to_list() == ["C", "A", "Yes"]
    assert diagnosis.records.filter(run="m")["text"].to_list() == [thought + answer for answer in ("C", "A", "Yes")]


def test_several_people_in_one_run_are_told_apart_and_named() -> None:
    run = run_of("human", BENCHMARK, oracle)
    people = [run.answers.with_columns(variant=pl.lit(name)) for name in ("Ada", "Émile")]
    wrong = people[1].with_columns(text=pl.when(pl.int_range(pl.len()) < 3).then(pl.lit("?")).otherwise("text"))
    diagnosis = diagnose(BENCHMARK, [dataclasses.replace(run, answers=pl.concat([people[0], wrong]))])
    found = figures(diagnosis, "human")
    assert found["variants_alike"] == (pytest.approx(27 / 30), 30)
    assert diagnosis.records.filter(run="human")["variant"].unique().to_list() == ["Ada"]
    assert any("its own figures are those of 'Ada' alone: import" in warning for warning in diagnosis.warnings)


def test_a_run_without_variants_has_none() -> None:
    diagnosis = diagnose(BENCHMARK, [run_of("m", BENCHMARK, oracle)])
    assert diagnosis.variants.is_empty()
    assert diagnosis.variants.schema == pl.Schema(RECORDS_SCHEMA)
    assert not diagnosis.figures["metric"].str.starts_with("variants").any()


def permuted() -> Run:
    return varied_run("m", BENCHMARK, in_own_letters(lambda asked, way: asked.answer), setting="permuted:4")


def changed(run: Run, **columns: Any) -> Run:
    return dataclasses.replace(run, answers=run.answers.with_columns(**columns))


LAST = pl.int_range(pl.len()) == pl.len() - 1


def test_missing_variants_are_refused_or_wrong() -> None:
    run = permuted()
    without = dataclasses.replace(
        run, answers=run.answers.with_row_index("row").filter(~pl.col("row").is_in([2, 3])).drop("row")
    )
    assert run.answers["variant"][2:4].to_list() == ["rotation-0", "rotation-1"]
    with pytest.raises(InputError, match=r"m: leaves 2 variants without an answer, first 'rotation-0' of \w{16}"):
        diagnose(BENCHMARK, [without])
    diagnosis = diagnose(BENCHMARK, [without], allow_missing=True)
    assert "m leaves 2 variants of questions without an answer; they count as wrong." in diagnosis.warnings
    assert figures(diagnosis, "m", kind="choice") == {
        "variants_accuracy": (pytest.approx(38 / 40), 10),
        "variants_alike": (pytest.approx(9 / 10), 10),
        "variants_pairs_alike": (pytest.approx(56 / 60), 10),
        "variants_all_right": (pytest.approx(9 / 10), 10),
        "variants_any_right": (1, 10),
    }


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"variant": pl.when(LAST).then(pl.lit("rotation-9")).otherwise("variant")}, "the variant 'rotation-9', which"),
        ({"variant": pl.when(~LAST).then("variant")}, "without a variant, which the setting 'permuted:4' does not ask"),
        ({"variant": pl.lit(None, pl.String)}, "without a variant, a second time"),
        ({"rotation": pl.when(LAST).then(1).otherwise("rotation")}, "'rotation-3' with the options rotated by 1"),
    ],
)  # fmt: skip
def test_strange_variants_are_refused(columns: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        diagnose(BENCHMARK, [changed(permuted(), **columns)])


def test_a_repeated_answer_and_a_missing_first_variant() -> None:
    run = permuted()
    twice = dataclasses.replace(run, answers=pl.concat([run.answers, run.answers.tail(1)]))
    with pytest.raises(InputError, match="in the variant 'rotation-3', a second time"):
        diagnose(BENCHMARK, [twice])
    # Without the first two questions' own variants, a run has no answer to them at all.
    first_two = run.answers["question"].unique(maintain_order=True)[:2]
    without = dataclasses.replace(run, answers=run.answers.filter(~pl.col("question").is_in(first_two.implode())))
    with pytest.raises(InputError, match="leaves 2 of 30 questions without an answer"):
        diagnose(BENCHMARK, [without])
    assert diagnose(BENCHMARK, [without], allow_missing=True).records.filter(run="m", state="missing").height == 2


def letter_excess(said: Callable[[Question, Variant], str], setting: str) -> float:
    run = varied_run("m", BENCHMARK, said, setting=setting)
    rows = diagnose(BENCHMARK, [run]).figures.filter(
        run="m", metric="variants_letter_excess", family="all", format="choice", relation="all"
    )
    return float(rows["value"].item())


@pytest.mark.parametrize("setting", ["permuted:2", "permuted:3", "permuted:4"])
def test_a_letter_is_preferred_only_where_the_order_decides(setting: str) -> None:
    def first_option(asked: Question, way: Variant) -> str:
        return letter_shown(asked, "A", way) if asked.options else "No"

    def one_letter(asked: Question, _: Variant) -> str:
        return "B" if asked.options else "No"

    # Whoever goes by what options say prefers no letter, though in some of the orders A may come more often.
    assert letter_excess(first_option, setting) == 0.0
    assert letter_excess(one_letter, setting) >= 0.5


def test_repeats_say_nothing_of_letters() -> None:
    run = varied_run("m", BENCHMARK, lambda asked, _: "A" if asked.options else "No", setting="repeat:3")
    metrics = set(diagnose(BENCHMARK, [run]).figures.filter(run="m")["metric"])
    assert "variants_alike_by_chance" in metrics
    assert not metrics & {"variants_letter", "variants_letter_excess"}
