"""Runs that were asked a part of a benchmark are scored on that part, and compared on what both were asked."""

from __future__ import annotations

import dataclasses
from typing import Any

import msgspec
import polars as pl
import pytest
from diagnosis_making import benchmark_of, driving_benchmark, mixture, oracle, question, run_of

from probe4d.benchmarks.benchmark import Benchmark
from probe4d.diagnosis.diagnose import diagnose
from probe4d.diagnosis.overview import accuracies, numbers_asked
from probe4d.diagnosis.tables import Diagnosis
from probe4d.errors import InputError
from probe4d.report.lookup import percent
from probe4d.report.verdict import verdicts
from probe4d.runs.run import LeftOut, Run, asked_of, check_run
from probe4d.runs.selection import Selection

BENCHMARK = driving_benchmark(3, scenes=6, per_family=20)
FAMILIES = ("existence", "position")


def selecting(run: Run, **selection: Any) -> Run:
    """The run as if only a selection had been asked."""
    record = msgspec.structs.replace(run.record, selection=Selection(**selection))
    part = dataclasses.replace(run, record=record)
    answers = run.answers.filter(pl.col("question").is_in(asked_of(part, BENCHMARK)["id"].implode()))
    return dataclasses.replace(part, answers=answers)


def leaving_out(run: Run, *questions: str) -> Run:
    """The run as if these had been left out."""
    answers = run.answers.filter(~pl.col("question").is_in(questions))
    return dataclasses.replace(
        run, answers=answers, left_out=tuple(LeftOut(question=one, reason="one frame") for one in questions)
    )


def figure(diagnosis: Diagnosis, run: str, metric: str) -> tuple[float, int]:
    rows = diagnosis.figures.filter(run=run, metric=metric, family="all", format="all", relation="all")
    assert rows.height == 1
    return rows["value"][0], rows["n"][0]


def only(benchmark: Benchmark, families: tuple[str, ...]) -> Benchmark:
    return benchmark_of([asked for asked in benchmark.questions if asked.family in families])


def test_a_run_asked_one_family_is_neither_refused_nor_wrong_elsewhere() -> None:
    full, part = (
        run_of("full", BENCHMARK, mixture(1, 0.5)),
        selecting(run_of("part", BENCHMARK, oracle), families=FAMILIES),
    )
    diagnosis = diagnose(BENCHMARK, [full, part])
    assert figure(diagnosis, "full", "accuracy")[1] == 60
    assert figure(diagnosis, "part", "accuracy") == (1, 40)
    assert set(diagnosis.figures.filter(run="part")["family"]) == {"all", *FAMILIES}
    assert diagnosis.records.filter(run="part").height == 40
    said = [warning for warning in diagnosis.warnings if warning.startswith("part ")]
    assert said == [
        "part was asked 40 of the 60 questions that are scored: its figures are about these, and comparisons about "
        "those that both were asked."
    ]
    right = diagnosis.records.filter(run="full").join(diagnosis.records.filter(run="part"), on="question", how="semi")
    was = right["correct"].mean()
    assert figure(diagnosis, "part vs full", "accuracy_of_first") == (1, 40)
    assert figure(diagnosis, "part vs full", "accuracy_of_second") == (pytest.approx(was), 40)
    assert figure(diagnosis, "part vs full", "accuracy_change") == (pytest.approx(1 - was), 40)


@pytest.mark.parametrize("part_first", [False, True])
def test_a_part_has_the_figures_of_a_benchmark_of_that_part(part_first: bool) -> None:
    said = mixture(2, 0.6)
    full = run_of("full", BENCHMARK, said)
    part = dataclasses.replace(selecting(full, families=FAMILIES), name="part")
    small = only(BENCHMARK, FAMILIES)
    replies = dict(full.answers.select("question", "text").iter_rows())
    alone = diagnose(small, [run_of("part", small, lambda asked: replies[asked.id])])
    together = diagnose(BENCHMARK, [part, full] if part_first else [full, part])
    tables = ("figures", "shortcuts", "slices", "records")
    runs = ["part", "control:fixed", "control:content"] if part_first else ["part"]
    for table in tables:
        expected, found = (getattr(one, table).filter(pl.col("run").is_in(runs)) for one in (alone, together))
        assert found.height > 0
        assert found.equals(expected), table
    if not part_first:
        for control in ("control:fixed", "control:content"):
            beside = together.figures.filter(run=f"{control} for part").with_columns(run=pl.lit(control))
            assert beside.equals(alone.figures.filter(run=control))
    whole = diagnose(BENCHMARK, [full])
    for table in tables:
        expected, found = (getattr(one, table).filter(run="full") for one in (whole, together))
        assert found.equals(expected), table


def test_the_same_part_of_two_runs_is_diagnosed_together() -> None:
    runs = [selecting(run_of(name, BENCHMARK, oracle), families=FAMILIES) for name in ("a", "b")]
    diagnosis = diagnose(BENCHMARK, runs)
    assert figure(diagnosis, "control:fixed", "accuracy")[1] == 40
    assert figure(diagnosis, "b vs a", "accuracy_change") == (0, 40)
    assert figure(diagnosis, "b vs a", "answers_alike") == (1, 40)


def test_the_overview_has_every_family_in_order_and_nothing_where_none_was_asked() -> None:
    full = run_of("full", BENCHMARK, oracle)
    part = selecting(run_of("part", BENCHMARK, oracle), families=("position",))
    table = accuracies(diagnose(BENCHMARK, [part, full]))
    assert table.columns == ["family", "format", "part", "full", "control:fixed", "control:content"]
    assert table.select("family", "format").rows() == [
        ("existence", "yes-no"),
        ("position", "yes-no"),
        ("distance", "choice"),
        ("all", "yes-no"),
        ("all", "choice"),
        ("all", "all"),
    ]
    assert table["part"].to_list() == [None, 1, None, 1, None, 1]
    assert table["full"].to_list() == [1] * 6
    assert table["control:fixed"].null_count() == 0


def test_the_overview_tells_of_how_many_questions_its_figures_are() -> None:
    full = run_of("full", BENCHMARK, oracle)
    part = selecting(run_of("part", BENCHMARK, oracle), families=("position",))
    diagnosis = diagnose(BENCHMARK, [part, full])
    asked, of_all = numbers_asked(diagnosis), BENCHMARK.table
    assert asked.columns == accuracies(diagnosis).columns
    assert asked["full"][-1] == of_all.height
    assert asked["part"][-1] == of_all.filter(family="position").height < of_all.height


def test_what_a_run_left_out_is_no_mistake() -> None:
    chosen = BENCHMARK.table["id"][:3].to_list()
    run = leaving_out(run_of("m", BENCHMARK, oracle), *chosen)
    assert check_run(run, BENCHMARK) == ()
    diagnosis = diagnose(BENCHMARK, [run])
    assert figure(diagnosis, "m", "accuracy") == (1, 57)
    assert any("57 of the 60 questions that are scored, with 3 questions left out" in one for one in diagnosis.warnings)


def test_what_was_left_out_and_answered_yet_counts() -> None:
    run = run_of("m", BENCHMARK, oracle)
    answered = BENCHMARK.table["id"][0]
    both = dataclasses.replace(run, left_out=(LeftOut(question=answered, reason="a picture is gone"),))
    assert asked_of(both, BENCHMARK)["id"].equals(BENCHMARK.table["id"])
    assert figure(diagnose(BENCHMARK, [both]), "m", "accuracy") == (1, 60)


def test_missing_answers_count_among_what_was_asked() -> None:
    part = selecting(run_of("m", BENCHMARK, oracle), families=FAMILIES)
    cut = dataclasses.replace(part, answers=part.answers.head(38))
    with pytest.raises(InputError, match="leaves 2 of 40 questions without an answer"):
        diagnose(BENCHMARK, [cut])
    assert figure(diagnose(BENCHMARK, [cut], allow_missing=True), "m", "accuracy") == (pytest.approx(38 / 40), 40)


def test_answers_outside_the_selection_are_refused() -> None:
    run = run_of("m", BENCHMARK, oracle)
    record = msgspec.structs.replace(run.record, selection=Selection(families=FAMILIES))
    with pytest.raises(
        InputError, match=r"m: answers questions outside the selection in its record \(20, first \w{16}\)"
    ):
        diagnose(BENCHMARK, [dataclasses.replace(run, record=record)])


def test_runs_without_a_question_in_common_are_not_compared() -> None:
    runs = [selecting(run_of(name, BENCHMARK, oracle), families=(name,)) for name in FAMILIES]
    diagnosis = diagnose(BENCHMARK, runs)
    assert diagnosis.comparisons == ()
    assert "position and existence are not compared: they were asked no question in common." in diagnosis.warnings
    assert not diagnosis.figures["run"].str.contains(" vs ").any()
    with pytest.raises(InputError, match="position and existence were asked no question in common"):
        diagnose(BENCHMARK, runs, compare=["position:existence"])


def test_a_run_that_was_asked_nothing_that_is_scored_is_refused() -> None:
    benchmark = benchmark_of([
        question(0, "Yes"),
        question(1, "a red car", format="text", family="caption"),
    ])  # fmt: skip
    run = run_of("m", benchmark, oracle)
    record = msgspec.structs.replace(run.record, selection=Selection(families=("caption",)))
    with pytest.raises(InputError, match=r"m: was asked no question that is scored: .*yes-no or choice.* Leave it out"):
        diagnose(benchmark, [dataclasses.replace(run, record=record, answers=run.answers.tail(1))])


def test_a_verdict_holds_a_run_against_controls_on_its_own_questions() -> None:
    full = run_of("full", BENCHMARK, oracle)
    part = selecting(run_of("part", BENCHMARK, mixture(4, 0.5)), families=("position",))
    diagnosis = diagnose(BENCHMARK, [full, part])
    shares = {
        (name, control): figure(diagnosis, name, "accuracy")[0]
        for control in ("control:fixed", "control:content")
        for name in (control, f"{control} for part")
    }
    told = {verdict.run: " ".join(one.text for one in verdict.statements) for verdict in verdicts(diagnosis)}
    for run, beside in (("full", ""), ("part", " for part")):
        fixed, content = (shares[f"{control}{beside}", control] for control in ("control:fixed", "control:content"))
        said = f"the words alone give {percent(content)}, always A or No {percent(fixed)}"
        assert said in told[run]
    assert shares["control:content", "control:content"] != shares["control:content for part", "control:content"]
