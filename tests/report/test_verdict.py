"""What is said in words, and what is not said because the figures do not carry it."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from itertools import cycle
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import polars as pl
import pytest
from report_making import benchmark, diagnosed, many_questions, right_answers, run

from probe4d.diagnosis.diagnose import diagnose
from probe4d.diagnosis.tables import Diagnosis
from probe4d.models.generation import Generation
from probe4d.report.verdict import Verdict, verdicts
from probe4d.runs.evidence_plan import evidence_named
from probe4d.runs.run import Run

QUESTIONS = many_questions()
CHOICES = sum(one.format == "choice" for one in QUESTIONS)


@cache
def said(kind: str) -> Verdict:
    replies = {
        "constant": ["A" if one.format == "choice" else "No" for one in QUESTIONS],
        "oracle": right_answers(QUESTIONS),
        "by family": [
            "Yes" if one.family == "motion" else "No" if one.format == "yes-no" else "B" for one in QUESTIONS
        ],
        "unreadable": [one.answer if number % 3 else "I cannot say." for number, one in enumerate(QUESTIONS)],
        "mixed letters": [letter if one.format == "choice" else "Yes" for one, letter in zip(QUESTIONS, cycle("ABCD"))],
    }[kind]
    return verdicts(diagnosed({kind: replies}, QUESTIONS))[0]


def text(kind: str) -> str:
    return "\n".join(statement.text for statement in said(kind).statements).replace("\u202f", " ")


def test_a_constant_answerer_is_found_out() -> None:
    assert f"Chooses A in all {CHOICES} choice questions" in text("constant")
    assert "cannot be told from that of always answering A" in text("constant")
    assert "Answers No to all" in text("constant")
    assert "Its accuracy in choice questions" in text("constant")


def test_letters_other_than_a_count_too() -> None:
    assert f"Chooses B in all {CHOICES} choice questions" in text("by family")
    assert "always answering A" not in text("by family")


def test_letters_that_vary_are_not_called_constant() -> None:
    assert "Chooses" not in text("mixed letters")


def test_an_oracle_has_nothing_said_against_it() -> None:
    assert [statement.text for statement in said("oracle").statements if statement.tone == "bad"] == []
    assert said("oracle").statements[0].tone == "good"
    assert "100.0 % of" in text("oracle")


def test_unreadable_answers_are_counted_by_state() -> None:
    assert "are no valid answer and count as wrong" in text("unreadable")
    assert "are no valid answer" not in text("oracle")


def test_changes_are_told_with_their_interval() -> None:
    right = right_answers(QUESTIONS)
    worse = ["A" if one.format == "choice" else "No" for one in QUESTIONS]
    first, second, _ = verdicts(diagnosed({"before": worse, "after": right}, QUESTIONS))
    broken = sum(answer != other for answer, other in zip(worse, right, strict=True))
    assert not any("Against" in statement.text for statement in first.statements)
    told = [statement for statement in second.statements if statement.text.startswith("Against before it repairs")]
    # Another model that is better says nothing of what either understands.
    assert [statement.tone for statement in told] == ["note"]
    assert f"repairs {broken:,} answers and breaks 0 of {len(QUESTIONS)}: +" in told[0].text


def of_one_model(name: str, replies: list[str], *, served: str | None = None, **record: Any) -> Run:
    made = run(name, benchmark(QUESTIONS), replies)
    about = {"model": "model", "generation": Generation()} | record
    answers = made.answers.with_columns(model=pl.lit(served, pl.String))
    return Run(name, msgspec.structs.replace(made.record, **about), answers)


@pytest.mark.parametrize(
    ("served", "changed", "tone"),
    [
        ("a", {}, "good"),
        (None, {"parameters": {"base_url": "http://localhost:1"}}, "good"),
        ("b", {}, "note"),
        ("a", {"generation": Generation(temperature=0.5)}, "note"),
        ("a", {"parameters": {"quantisation": "int4"}}, "note"),
        ("a", {"model": "another"}, "note"),
    ],
)
def test_a_change_of_one_model_alone_is_judged(served: str | None, changed: dict[str, Any], tone: str) -> None:
    before = of_one_model("before", ["No"] * len(QUESTIONS), served="a")
    after = of_one_model("after", right_answers(QUESTIONS), served=served, **changed)
    told = verdicts(diagnose(benchmark(QUESTIONS), [before, after]))[1].statements
    assert [one.tone for one in told if one.text.startswith("Against before it repairs")] == [tone]


@pytest.mark.parametrize(("scenes", "told"), [(1, "1 scene,"), (9, "9 scenes,")])
def test_few_scenes_carry_no_judgement_by_intervals(scenes: int, told: str) -> None:
    few = many_questions(scenes, frames=8)
    for replies in (right_answers(few), ["No" if one.format == "yes-no" else "B" for one in few]):
        statements = verdicts(diagnosed({"model": replies}, few))[0].statements
        assert statements[0].text.startswith(f"Its questions are from {told} too few for intervals to judge by")
        assert not any("interval " in one.text.replace("no interval", "") for one in statements)
        assert not any(one.tone == "good" for one in statements)
        assert statements[1].tone == "note"


@pytest.mark.parametrize("evidence", ["none", "black", "other-scene", "shuffled", "cameras"])
@pytest.mark.parametrize(("scenes", "share"), [(4, 1.0), (4, 0.9), (4, 0.5), (2, 1.0)])
def test_who_was_not_shown_its_scene_and_knows_raises_the_alarm_on_few_scenes(
    scenes: int, share: float, evidence: str
) -> None:
    few = many_questions(scenes, frames=8)
    wrong = {"Yes": "No", "No": "Yes"} | dict(zip("ABCD", "BCDA", strict=True))
    right = [place % 10 < 10 * share for place in range(len(few))]
    made = run(
        "m", benchmark(few), [one.answer if yes else wrong[one.answer] for one, yes in zip(few, right, strict=True)]
    )
    shown = Run("m", msgspec.structs.replace(made.record, evidence=evidence_named(evidence)), made.answers)
    told = verdicts(diagnose(benchmark(few), [shown]))[0].statements
    alarms = [one for one in told if "its questions or answers may be known to it" in one.text]
    known = share >= 0.9 and evidence in ("none", "black", "other-scene")
    assert [one.tone for one in alarms] == ["bad"] * known
    for one in alarms:
        assert f"{100 * sum(right) / len(few):.1f}\u202f% of {len(few)} answers are right (no interval)" in one.text


def test_a_handful_of_questions_raises_no_alarm() -> None:
    few = many_questions(2)[:40]
    made = run("m", benchmark(few), right_answers(few))
    shown = Run("m", msgspec.structs.replace(made.record, evidence=evidence_named("none")), made.answers)
    assert not any(one.tone == "bad" for one in verdicts(diagnose(benchmark(few), [shown]))[0].statements)


def test_a_benchmark_of_few_scenes_is_not_said_to_be_clean() -> None:
    (few,) = verdicts(diagnosed({}, many_questions(4, frames=8)))[0].statements
    told = few.text.replace("\u202f", " ")
    assert told.startswith("Whether the words alone beat a constant answer in any family cannot be told from 4 scenes.")
    # All distance questions of the invented benchmark have the same right option.
    assert "distance choice questions (100.0 % of 32, always A gets 25.0 %)" in told
    assert "In no family" not in told


def test_a_benchmark_that_words_do_not_answer_is_said_to_be_clean() -> None:
    rng = Random(5)
    guessed = [msgspec.structs.replace(one, answer=rng.choice(["Yes", "No"])) for one in many_questions(12, frames=8)]
    (told,) = verdicts(diagnosed({}, [one for one in guessed if one.format == "yes-no"]))[0].statements
    assert told.text.startswith(
        "In no family of 20 questions or more do the words alone beat a constant answer by 10.0"
    )


def test_one_scene_has_no_intervals() -> None:
    figures = diagnosed({"model": right_answers(many_questions(1))}, many_questions(1)).figures
    assert figures["low"].null_count() == figures["high"].null_count() == figures.height


@pytest.mark.parametrize("first", ["whole", "part"])
def test_the_benchmark_is_judged_alike_whichever_run_comes_first(first: str) -> None:
    asked = benchmark(QUESTIONS)
    whole = run("whole", asked, right_answers(QUESTIONS))
    existence = [one.id for one in QUESTIONS if one.family == "existence"][:30]
    made = run("part", asked, right_answers(QUESTIONS))
    part = Run("part", made.record, made.answers.filter(pl.col("question").is_in(existence)))
    runs = [whole, part] if first == "whole" else [part, whole]
    alone = verdicts(diagnose(asked, runs, allow_missing=True))[-1]
    assert alone == verdicts(diagnose(asked, [whole]))[-1]
    assert alone.statements


def test_without_runs_only_the_benchmark_is_spoken_of() -> None:
    (only,) = verdicts(diagnosed({}, QUESTIONS))
    assert only.run is None
    # All distance questions of the invented benchmark have the same right option.
    assert any(
        "from the lengths of the intervals offered" in s.text or "options offered" in s.text for s in only.statements
    )


@pytest.fixture(scope="module")
def published(real_data: Callable[[str], Path], tmp_path_factory: pytest.TempPathFactory) -> Diagnosis:
    from probe4d.benchmarks.benchmark import read_benchmark
    from probe4d.exchange.lidar_hallu_release import import_lidar_hallu
    from probe4d.runs.run import read_run

    folder = tmp_path_factory.mktemp("released")
    import_lidar_hallu(real_data("lidar_hallu_release"), folder / "benchmark", folder / "B4DL")
    return diagnose(read_benchmark(folder / "benchmark"), [read_run(folder / "B4DL")])


@pytest.mark.real_data
def test_released_answers_are_judged_as_published(published: Diagnosis) -> None:
    run, benchmark = verdicts(published)
    told = "\n".join(statement.text for statement in run.statements).replace("\u202f", " ")
    for expected in (
        "36.7 % of 10,000 answers are right",
        "Chooses A in 98.8 % of 6,000 choice questions",
        "nothing else in temporal choice questions",
        "nearly always follow the proposed sector",
        "978 of 1,000, a constant answer 741",
        "Answers No to all 722 motion questions about “left” and “right”",
        "Of 348 pairs with the same words and opposite truth it gets both right in 43 (12.4 %)",
        "69.8 % of 500 true position claims and to 78.4 % of 500 false ones (−8.6 points; ",
        "): true claims get a Yes no more often than false ones",
    ):
        assert expected in told
    assert all(statement.tone == "bad" for statement in run.statements)
    alone = "\n".join(statement.text for statement in benchmark.statements).replace("\u202f", " ")
    assert (
        "Temporal choice questions can be answered from the lengths of the intervals offered alone in 69.3 %" in alone
    )
    assert "Motion" not in alone, "9 points above No are no reason to speak"
