"""What a diagnosis promises: its accounts add up, nothing wrong is answered in silence, order does not matter."""

from __future__ import annotations

import dataclasses
from typing import Any

import polars as pl
import pytest
from diagnosis_making import benchmark_of, driving_benchmark, mixture, oracle, question, random_answerer, run_of
from hypothesis import given, settings
from hypothesis import strategies as st

from probe4d.benchmarks.benchmark import Benchmark
from probe4d.diagnosis.diagnose import diagnose
from probe4d.diagnosis.tables import FIGURES_SCHEMA, RECORDS_SCHEMA, Diagnosis
from probe4d.errors import InputError
from probe4d.runs.run import Run

BENCHMARK = driving_benchmark(41, scenes=8, per_family=40)


def value(
    diagnosis: Diagnosis, run: str, metric: str, family: str = "all", kind: str = "all", relation: str = "all"
) -> Any:
    rows = diagnosis.figures.filter(run=run, metric=metric, family=family, format=kind, relation=relation)
    assert rows.height == 1
    return rows.row(0, named=True)


def replies(benchmark: Benchmark, texts: list[str]) -> dict[str, str]:
    return dict(zip(benchmark.table["id"], texts, strict=True))


def test_controls_alone_are_a_diagnosis() -> None:
    diagnosis = diagnose(BENCHMARK, [])
    assert diagnosis.figures["run"].unique(maintain_order=True).to_list() == ["control:fixed", "control:content"]
    assert diagnosis.comparisons == ()
    assert diagnosis.changes.is_empty()
    assert diagnosis.figures.schema == pl.Schema(FIGURES_SCHEMA)


def test_records_hold_every_run_and_question_in_order() -> None:
    runs = [run_of("b", BENCHMARK, oracle), run_of("a", BENCHMARK, random_answerer(1))]
    records = diagnose(BENCHMARK, runs).records
    assert records.schema == pl.Schema(RECORDS_SCHEMA)
    expected = [(run, q) for run in ("b", "a", "control:fixed", "control:content") for q in BENCHMARK.table["id"]]
    assert records.select("run", "question").rows() == expected
    assert records.filter(run="b")["correct"].all()
    assert records.filter(run="control:fixed")["text"].null_count() == BENCHMARK.table.height


def test_accounts_by_hand() -> None:
    # Letters of the reference and of the reply: rescue, damage, both A, both not A, wrong, invalid, invalid.
    pairs = [("B", "B."), ("A", "B"), ("A", "A"), ("C", "C"), ("B", "C"), ("A", "no idea"), ("B", "")]
    questions = [
        question(n, reference, scene=f"s{n % 3}", options=("car", "bus", "van"))
        for n, (reference, _) in enumerate(pairs)
    ]
    benchmark = benchmark_of(questions)
    said = replies(benchmark, [reply for _, reply in pairs])
    diagnosis = diagnose(benchmark, [run_of("m", benchmark, lambda q: said[q.id])])
    found = {
        metric: value(diagnosis, "m", metric, "existence", "choice")["value"]
        for metric in ("accuracy", "valid_rate", "selected_a", "constant_a", "rescues", "damages", "excess_over_a")
    }
    assert found == pytest.approx(
        {
            "accuracy": 3 / 7,
            "valid_rate": 5 / 7,
            "selected_a": 1,
            "constant_a": 3 / 7,
            "rescues": 2,
            "damages": 2,
            "excess_over_a": 0,
        }
    )
    assert value(diagnosis, "m", "selection_rate_c", "existence", "choice")["value"] == pytest.approx(2 / 7)
    assert value(diagnosis, "m", "accuracy", "existence", "choice")["n"] == 7


def test_rates_by_hand() -> None:
    # An invalid reply is neither a true nor a false positive, and stays in the denominator.
    pairs = [("Yes", "Yes"), ("Yes", "No"), ("Yes", "hm"), ("No", "Yes"), ("No", "No"), ("No", "No"), ("No", "hm")]
    near = {"below_threshold": True}
    questions = [
        question(n, reference, family="motion", relation="closer", facts=near if n in (3, 4) else {}, scene=f"s{n}")
        for n, (reference, _) in enumerate(pairs)
    ]
    benchmark = benchmark_of(questions)
    said = replies(benchmark, [reply for _, reply in pairs])
    diagnosis = diagnose(benchmark, [run_of("m", benchmark, lambda q: said[q.id])])
    for relation in ("all", "closer"):
        rates = {
            metric: (row["value"], row["n"])
            for metric in ("tpr", "fpr", "fpr_below_threshold", "selection_rate_yes")
            for row in [value(diagnosis, "m", metric, "motion", "yes-no", relation)]
        }
        assert rates == {
            "tpr": (pytest.approx(1 / 3), 3),
            "fpr": (0.25, 4),
            "fpr_below_threshold": (0.5, 2),
            "selection_rate_yes": (pytest.approx(2 / 7), 7),
        }


def test_changes_by_hand() -> None:
    # before, after of questions whose reference is B: repaired, regressed, other wrong, same wrong,
    # invalid to other invalid text, invalid to wrong.
    pairs = [("A", "B"), ("B", "A"), ("A", "C"), ("A", "A."), ("hm", "what?"), ("hm", "C")]
    questions = [question(n, "B", scene=f"s{n}", options=("car", "bus", "van")) for n in range(6)]
    benchmark = benchmark_of(questions)
    before, after = (replies(benchmark, list(texts)) for texts in zip(*pairs, strict=True))
    runs = [run_of("x", benchmark, lambda q: before[q.id]), run_of("y", benchmark, lambda q: after[q.id])]
    diagnosis = diagnose(benchmark, runs)
    counts = {
        metric: value(diagnosis, "y vs x", metric)["value"] for metric in ("repairs", "regressions", "changed_wrong")
    }
    assert counts == {"repairs": 1, "regressions": 1, "changed_wrong": 2}
    assert value(diagnosis, "y vs x", "accuracy_change")["value"] == 0
    assert diagnosis.changes["change"].to_list() == ["repaired", "regressed", "changed-wrong", "changed-wrong"]


def test_a_run_against_its_copy_changes_nothing() -> None:
    runs = [run_of(name, BENCHMARK, mixture(3, 0.5)) for name in ("m", "copy")]
    diagnosis = diagnose(BENCHMARK, runs)
    change = value(diagnosis, "copy vs m", "accuracy_change")
    assert (change["value"], change["low"], change["high"]) == (0, 0, 0)
    assert diagnosis.changes.is_empty()
    rows = [diagnosis.figures.filter(run=name).drop("run") for name in ("m", "copy")]
    assert rows[0].equals(rows[1])


@given(st.integers(0, 2**32 - 2), st.floats(0, 1))
@settings(max_examples=8)
def test_the_identities_hold_for_any_answers(seed: int, share: float) -> None:
    runs = [run_of("x", BENCHMARK, random_answerer(seed)), run_of("y", BENCHMARK, mixture(seed, share))]
    figures = diagnose(BENCHMARK, runs).figures
    wide = figures.filter(format="choice").pivot(on="metric", index=["run", "family", "relation", "n"], values="value")
    wide = wide.filter(pl.col("excess_over_a").is_not_null())
    assert wide.height > 0
    assert (((wide["rescues"] - wide["damages"]) / wide["n"] - wide["excess_over_a"]).abs() < 1e-12).all()
    assert ((wide["accuracy"] - wide["constant_a"] - wide["excess_over_a"]).abs() < 1e-12).all()
    assert (wide["excess_over_a"].abs() <= 1 - wide["selected_a"] / wide["n"] + 1e-12).all()
    changes = figures.filter(run="y vs x").pivot(
        on="metric", index=["family", "format", "relation", "n"], values="value"
    )
    assert (
        ((changes["repairs"] - changes["regressions"]) / changes["n"] - changes["accuracy_change"]).abs() < 1e-12
    ).all()
    bounded = figures.drop_nulls("low")
    assert (bounded["low"] <= bounded["value"] + 0.5).all()
    assert (bounded["low"] <= bounded["high"]).all()


def test_the_order_of_rows_does_not_matter() -> None:
    run = run_of("m", BENCHMARK, mixture(5, 0.4))
    shuffled = Benchmark(BENCHMARK.table.sample(fraction=1.0, shuffle=True, seed=1), BENCHMARK.record)
    again = dataclasses.replace(run, answers=run.answers.sample(fraction=1.0, shuffle=True, seed=2))
    first, second = diagnose(BENCHMARK, [run]), diagnose(shuffled, [again])
    assert first.figures.equals(second.figures)
    assert first.slices.equals(second.slices)
    assert first.shortcuts.equals(second.shortcuts)


def test_comparisons_beside_the_baseline() -> None:
    runs = [run_of(name, BENCHMARK, oracle) for name in ("a", "b", "c:d")]
    diagnosis = diagnose(BENCHMARK, runs, compare=["c:d:b", "a:control:content", "b:a"])
    assert [one.name for one in diagnosis.comparisons] == ["b vs a", "c:d vs a", "c:d vs b", "a vs control:content"]
    with pytest.raises(InputError, match="'a:nobody' is not of the form X:Y"):
        diagnose(BENCHMARK, runs, compare=["a:nobody"])


def test_names_have_to_be_free() -> None:
    run = run_of("m", BENCHMARK, oracle)
    with pytest.raises(InputError, match="two runs are named 'm'"):
        diagnose(BENCHMARK, [run, run])
    with pytest.raises(InputError, match="reserved for controls"):
        diagnose(BENCHMARK, [dataclasses.replace(run, name="control:fixed")])


def test_missing_answers_are_refused_or_counted_as_wrong() -> None:
    whole = run_of("m", BENCHMARK, oracle)
    partial = dataclasses.replace(whole, answers=whole.answers.head(100))
    with pytest.raises(InputError, match="leaves 20 of 120 questions without an answer"):
        diagnose(BENCHMARK, [partial])
    diagnosis = diagnose(BENCHMARK, [partial], allow_missing=True)
    assert value(diagnosis, "m", "accuracy")["value"] == pytest.approx(100 / 120)
    assert value(diagnosis, "m", "valid_rate")["n"] == 120
    assert diagnosis.records.filter(run="m", state="missing").height == 20
    assert "20 questions without an answer" in diagnosis.warnings[-1]


def test_failed_calls_are_errors_and_wrong() -> None:
    run = run_of("m", BENCHMARK, oracle)
    answers = run.answers.with_row_index("row").with_columns(
        text=pl.when(pl.col("row") >= 3).then("text"), error=pl.when(pl.col("row") < 3).then(pl.lit("timeout"))
    )
    diagnosis = diagnose(BENCHMARK, [dataclasses.replace(run, answers=answers.drop("row"))])
    assert diagnosis.records.filter(run="m", state="error").height == 3
    assert value(diagnosis, "m", "accuracy")["value"] == pytest.approx(117 / 120)


def test_another_benchmark_is_refused() -> None:
    other = driving_benchmark(42, scenes=3, per_family=5)
    with pytest.raises(InputError, match="answers another benchmark"):
        diagnose(BENCHMARK, [run_of("m", other, oracle)])


@pytest.mark.parametrize(("answer", "options"), [("E", ("car", "bus")), ("yes", ()), ("", ("car", "bus"))])
def test_a_reference_that_is_no_answer_is_refused(answer: str, options: tuple[str, ...]) -> None:
    benchmark = benchmark_of([question(0, "Yes"), question(1, answer, options=options)])
    with pytest.raises(InputError, match="which is none of its answers"):
        diagnose(benchmark, [])


def test_other_formats_are_left_out_and_said_so() -> None:
    numbers = [
        question(9, "4", format="number", family="counting"),
        question(8, "5", format="number", family="counting"),
    ]
    benchmark = benchmark_of([question(0, "Yes"), question(1, "No", scene="s1"), *numbers])
    diagnosis = diagnose(benchmark, [run_of("m", benchmark, oracle)])
    assert diagnosis.warnings[0] == "2 questions of the format number are not scored."
    assert value(diagnosis, "m", "accuracy")["n"] == 2
    with pytest.raises(InputError, match="holds no question that can be scored"):
        diagnose(benchmark_of(numbers), [])


def test_parsers_are_compared() -> None:
    texts = {q.id: f"**{q.answer}**" if q.format == "choice" else q.answer for q in BENCHMARK.questions}
    run = run_of("m", BENCHMARK, lambda q: texts[q.id])
    default, published = diagnose(BENCHMARK, [run]), diagnose(BENCHMARK, [run], parser="published")
    assert value(default, "m", "accuracy")["value"] == 1
    assert value(published, "m", "accuracy")["value"] == pytest.approx(2 / 3)
    changed = value(default, "m", "parser_changed_published")
    assert (changed["value"], changed["n"]) == (pytest.approx(1 / 3), 120)
    assert value(published, "m", "parser_changed_default")["value"] == pytest.approx(1 / 3)


def test_accuracy_where_the_content_control_is_wrong() -> None:
    diagnosis = diagnose(BENCHMARK, [run_of("oracle", BENCHMARK, oracle)])
    wrong = diagnosis.records.filter(~pl.col("correct"), run="control:content").height
    row = value(diagnosis, "oracle", "accuracy_control_wrong")
    assert (row["value"], row["n"]) == (1, wrong)
    assert value(diagnosis, "control:content", "accuracy_control_wrong")["value"] == 0


def test_a_half_written_line_is_reported() -> None:
    run: Run = dataclasses.replace(run_of("m", BENCHMARK, oracle), warnings=("answers.jsonl, line 9: half a line.",))
    assert run.warnings[0] in diagnose(BENCHMARK, [run]).warnings


def test_few_scenes_are_said_to_be_few() -> None:
    assert "there are 8." in diagnose(BENCHMARK, []).warnings[0]
    assert diagnose(driving_benchmark(43, scenes=12, per_family=40), []).warnings == ()


def test_features_have_to_match_the_options() -> None:
    benchmark = benchmark_of([question(0, "A", options=("car", "bus"), features=("car",))])
    with pytest.raises(InputError, match="has 2 options but 1 features"):
        diagnose(benchmark, [])
