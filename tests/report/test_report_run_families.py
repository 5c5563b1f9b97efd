"""What a report shows of one model asked otherwise: figures as diagnosed, and sentences only where they carry them."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

import msgspec
import polars as pl
import pytest
from report_making import benchmark, diagnosed, many_questions, part_of, right_answers, run

from probe4d.benchmarks.question import LETTERS, Question
from probe4d.diagnosis.diagnose import diagnose
from probe4d.diagnosis.tables import Diagnosis
from probe4d.report.browser import browser
from probe4d.report.evidence_shown import shown_in_words
from probe4d.report.lookup import percent, points
from probe4d.report.sections import sections
from probe4d.report.sections.part import Section
from probe4d.report.statement import Statement
from probe4d.report.verdict import verdicts
from probe4d.runs.evidence_plan import EvidencePlan, evidence_named
from probe4d.runs.run import ANSWER_SCHEMA, Run

QUESTIONS = many_questions()
RIGHT = right_answers(QUESTIONS)
FIRST = ["A" if one.format == "choice" else "No" for one in QUESTIONS]
BENCHMARK = benchmark(QUESTIONS)
HOSTILE = "<img src=x onerror=alert(1)></script>"


def mixed(right_of_ten: int) -> list[str]:
    """Right answers to so many of ten questions, the first answer to the others."""
    return [
        right if place * 7 % 10 < right_of_ten else first
        for place, (right, first) in enumerate(zip(RIGHT, FIRST, strict=True))
    ]


def shown(name: str, replies: Sequence[str], seen: str, **columns: Any) -> Run:
    """A run of one model that saw this evidence; columns are those of `ANSWER_SCHEMA`."""
    made = run(name, BENCHMARK, list(replies))
    record = msgspec.structs.replace(made.record, model="model", evidence=evidence_named(seen))
    answers = made.answers.with_columns(**{key: pl.Series(key, values) for key, values in columns.items()})
    return Run(name, record, answers.select(list(ANSWER_SCHEMA)))


def turned(name: str, reply: Callable[[Question, int], str], *, setting: str = "permuted:4") -> Run:
    """A run that asked every choice question in four orders; replies are letters of the question itself."""
    rows = []
    for one in QUESTIONS:
        for rotation in range(max(len(one.options), 1)):
            said = reply(one, rotation)
            if one.options:
                said = LETTERS[(LETTERS.index(said) - rotation) % len(one.options)]
            rows.append({"question": one.id, "variant": f"rotation-{rotation}", "text": said, "rotation": rotation})
    table = pl.DataFrame([dict.fromkeys(ANSWER_SCHEMA) | row for row in rows], schema=ANSWER_SCHEMA)
    record = msgspec.structs.replace(run(name, BENCHMARK, FIRST).record, setting=setting)
    return Run(name, record, table)


def part(diagnosis: Diagnosis, anchor: str) -> Section:
    (found,) = (section for section in sections(diagnosis) if section.anchor == anchor)
    return found


def said_of(diagnosis: Diagnosis, name: str) -> list[Statement]:
    (found,) = (verdict for verdict in verdicts(diagnosis) if verdict.run == name)
    return list(found.statements)


def value(diagnosis: Diagnosis, name: str, metric: str) -> dict[str, Any]:
    return diagnosis.figures.filter(run=name, metric=metric, family="all", format="all", relation="all").row(
        0, named=True
    )


def test_runs_of_different_models_are_no_family() -> None:
    shown_parts = {section.anchor for section in sections(diagnosed({"one": FIRST, "other": RIGHT}, QUESTIONS))}
    assert "changes" in shown_parts
    assert not shown_parts & {"run-families", "variants"}


def test_figures_are_those_of_the_diagnosis() -> None:
    diagnosis = diagnose(BENCHMARK, [shown("sees", mixed(8), "cameras"), shown("blind", mixed(4), "none")])
    section = part(diagnosis, "run-families")
    assert all(len(row) == len(section.table.columns) for row in section.table.rows)
    row = section.table.rows[0]
    assert row[:3] == ("sees (cameras)", "blind (none)", "All questions")
    first, second, change, alike = (
        value(diagnosis, "sees vs blind", metric)
        for metric in ("accuracy_of_first", "accuracy_of_second", "accuracy_change", "answers_alike")
    )
    assert row[3:6] == (percent(first["value"]), percent(second["value"]), points(change["value"]))
    assert row[7] == percent(alike["value"])
    assert row[9] == str(len(QUESTIONS))
    (chart,) = section.charts
    assert chart.title == "sees (cameras) less blind (none)"
    assert f"{percent(alike['value'])} alike" in chart.words


def test_evidence_that_helps_speaks_for_a_model_without_leading() -> None:
    diagnosis = diagnose(BENCHMARK, [shown("sees", RIGHT, "cameras"), shown("blind", mixed(3), "none")])
    statements = said_of(diagnosis, "sees")
    assert statements[0].text.startswith("100.0")
    (helps,) = (one for one in statements if one.text.startswith("Its camera pictures add to what it gets right: "))
    assert helps.tone == "good"
    assert helps.text in [one.text.removeprefix("sees: ") for one in part_of(diagnosis, "run-families").statements]
    assert not any("blind" in one.text for one in said_of(diagnosis, "blind"))


def test_evidence_that_adds_nothing_leads() -> None:
    diagnosis = diagnose(BENCHMARK, [shown("sees", mixed(5), "birds-eye"), shown("blind", mixed(5), "none")])
    leading = said_of(diagnosis, "sees")[0]
    assert leading.tone == "bad"
    assert leading.text.startswith("Its bird's-eye views add nothing that can be told from chance: ")
    assert leading.text.endswith("Asked without them, 100.0\u202f% of its answers stay the same.")


def test_a_wide_interval_accuses_nobody() -> None:
    # Half of the scenes gain and the other half lose, so that nothing can be told.
    half = ["scene-0001", "scene-0002", "scene-0003", "scene-0004"]
    sees = [right if one.scene in half else first for one, right, first in zip(QUESTIONS, RIGHT, FIRST, strict=True)]
    blind = [first if one.scene in half else right for one, right, first in zip(QUESTIONS, RIGHT, FIRST, strict=True)]
    leading = said_of(diagnose(BENCHMARK, [shown("sees", sees, "cameras"), shown("blind", blind, "none")]), "sees")[0]
    assert leading.tone == "note"
    assert "add nothing that can be told from chance" in leading.text


def test_evidence_that_harms_leads() -> None:
    diagnosis = diagnose(BENCHMARK, [shown("sees", FIRST, "cameras"), shown("blind", RIGHT, "none")])
    assert said_of(diagnosis, "sees")[0].text.startswith("Its camera pictures do harm: ")


def test_another_scene_is_said_of_the_run_that_saw_its_own() -> None:
    wrong = {"Yes": "No", "No": "Yes", "A": "B", "B": "C", "C": "D", "D": "A"}
    there = [wrong[right] for right in RIGHT]
    other = {"shown_scene": ["scene-0009"] * len(RIGHT), "shown_answer": there}
    diagnosis = diagnose(
        BENCHMARK, [shown("sees", RIGHT, "cameras"), shown("elsewhere", there, "other-scene", **other)]
    )
    (told,) = (one for one in said_of(diagnosis, "sees") if "Shown another scene instead" in one.text)
    assert told.tone == "good"
    assert told.text.startswith("What it gets right depends on which scene it sees.")
    assert f"({len(RIGHT)} questions), it gives that one in 100.0\u202f%" in told.text
    assert "the one of its own scene in 0.0\u202f%" in told.text
    row = part_of(diagnosis, "run-families").table.rows[0]
    assert row[-3:] == ("100.0\u202f%", "0.0\u202f%", str(len(RIGHT)))


def test_who_was_shown_a_lie_is_not_praised() -> None:
    runs = [shown(name, RIGHT, seen) for name, seen in (("sees", "cameras"), ("lie", "other-scene"), ("blind", "none"))]
    diagnosis = diagnose(BENCHMARK, runs)
    lie, blind = said_of(diagnosis, "lie"), said_of(diagnosis, "blind")
    assert lie[0].text.startswith("It was shown camera pictures of another scene: ")
    assert "good" not in [one.tone for one in lie]
    assert blind[0].text.startswith("It was shown nothing: what it gets right, it gets right without looking.")
    assert "good" not in [one.tone for one in blind]
    assert not any("It was shown" in one.text for one in said_of(diagnosis, "sees"))


@pytest.mark.parametrize("seen", ["none", "black", "other-scene"])
def test_being_right_without_the_scene_is_an_alarm(seen: str) -> None:
    runs = [shown("sees", RIGHT, "cameras"), shown("control", RIGHT, seen)]
    for beside in (runs, runs[1:]):
        bad = [one.text for one in said_of(diagnose(BENCHMARK, beside), "control") if one.tone == "bad"]
        assert len(bad) == 1
        assert bad[0].startswith("Without the scene it is right more often than words allow: ")


@pytest.mark.parametrize("seen", ["none", "black", "other-scene", "shuffled"])
def test_failing_speaks_against_no_control(seen: str) -> None:
    turned_round = {"Yes": "No", "No": "Yes", "A": "B", "B": "C", "C": "D", "D": "A"}
    for replies in (FIRST, [turned_round[right] for right in RIGHT], ["I cannot see it."] * len(RIGHT)):
        diagnosis = diagnose(BENCHMARK, [shown("sees", RIGHT, "cameras"), shown("control", replies, seen)])
        (control,) = (verdict for verdict in verdicts(diagnosis) if verdict.run == "control")
        assert control.statements[0].text.startswith("It was shown ")
        assert {one.tone for one in control.statements} == {"note"}
        assert control.count == "control, 0 against, 0 for"


@pytest.mark.parametrize(
    ("evidence", "tone", "leads"), [("black", "bad", True), ("other-scene", "bad", True), ("shuffled", "note", False)]
)
def test_false_evidence_that_changes_nothing(evidence: str, tone: str, leads: bool) -> None:
    diagnosis = diagnose(BENCHMARK, [shown("sees", mixed(6), "cameras"), shown("false", mixed(6), evidence)])
    statements = said_of(diagnosis, "sees")
    place = next(n for n, one in enumerate(statements) if "no difference that can be told from chance" in one.text)
    assert (statements[place].tone, place == 0) == (tone, leads)
    assert "100.0\u202f% of its answers stay the same" in statements[place].text


def test_few_questions_carry_no_sentence() -> None:
    few = benchmark(QUESTIONS[:19])
    runs = []
    for name, evidence in (("sees", "cameras"), ("blind", "none")):
        made = run(name, few, RIGHT[:19])
        record = msgspec.structs.replace(made.record, model="model", evidence=evidence_named(evidence))
        runs.append(Run(name, record, made.answers))
    diagnosis = diagnose(few, runs)
    section = part_of(diagnosis, "run-families")
    assert section.table.rows
    assert section.statements == []
    assert not any("Asked without them" in one.text for one in said_of(diagnosis, "sees"))


def test_answers_that_do_not_survive_another_order_lead() -> None:
    def first_shown(one: Question, rotation: int) -> str:
        return LETTERS[rotation] if one.options else one.answer

    diagnosis = diagnose(BENCHMARK, [turned("letters", first_shown)])
    leading = said_of(diagnosis, "letters")[0]
    choices = sum(bool(one.options) for one in QUESTIONS)
    assert leading.tone == "bad"
    assert leading.text.startswith(
        f"Its answers change with the order of the options. With the options in 4 orders, 0.0\u202f% of {choices} "
    )
    assert "25.0\u202f% of the answers are right, 0.0\u202f% of the questions every time, 100.0" in leading.text
    assert "It gives the letter A in 100.0\u202f% of its answers" in leading.text
    assert leading.text.endswith("75.0 points more often than if the order did not matter (the same in every scene).")
    section = part(diagnosis, "variants")
    assert [row[2] for row in section.table.rows][-1] == "Choice questions"
    assert "All questions" not in [row[2] for row in section.table.rows]
    assert all(len(row) == len(section.table.columns) for row in section.table.rows)
    (chart,) = section.charts
    assert chart.title == "letters: with the options in 4 orders"


def test_answers_that_survive_every_order_are_no_accusation() -> None:
    diagnosis = diagnose(BENCHMARK, [turned("steady", lambda one, _: one.answer)])
    (told,) = (one for one in said_of(diagnosis, "steady") if "With the options in 4 orders" in one.text)
    assert told.tone == "note"
    assert "100.0\u202f% of" in told.text
    assert said_of(diagnosis, "steady")[0] is not told


def packed(diagnosis: Diagnosis) -> dict[str, Any]:
    made = browser(diagnosis, None)
    assert "<" not in made.data
    return json.loads(made.data)  # type: ignore[no-any-return]


def test_the_page_holds_every_variant_with_its_order() -> None:
    diagnosis = diagnose(
        BENCHMARK, [turned("letters", lambda one, rotation: LETTERS[rotation % 2] if one.options else "No")]
    )
    data = packed(diagnosis)
    own = data["answers"][0]
    for place, one in enumerate(QUESTIONS):
        kept = own["variants"][place]
        expected = [LETTERS[rotation % 2] for rotation in range(4)] if one.options else ["No"]
        assert [variant[1] for variant in kept] == expected
        assert [variant[5] for variant in kept] == list(range(len(expected)))
        assert [variant[3] for variant in kept] == [int(label == one.answer) for label in expected]
        if one.options:
            assert [data["texts"][variant[4]] for variant in kept] == ["A", "A", "C", "C"]
    assert data["answers"][1]["variants"] is None


def test_the_page_tells_what_each_answer_saw() -> None:
    columns = {
        "evidence": ["ab" * 32] * len(QUESTIONS),
        "evidence_frames": [list(range(12))] * len(QUESTIONS),
        "shown_scene": [HOSTILE] * len(QUESTIONS),
        "shown_answer": ["A" if one.options else "Yes" for one in QUESTIONS],
    }
    runs = [shown("elsewhere", RIGHT, "other-scene", **columns), shown("blind", RIGHT, "none")]
    elsewhere, blind, *_ = packed(diagnose(BENCHMARK, runs))["answers"]
    assert elsewhere["shown"]["what"] == "camera pictures of another scene"
    assert elsewhere["shown"]["of"][0] == ["frames 0\u201311", "ab" * 6, HOSTILE, "Yes"]
    assert blind["shown"] is None


@pytest.mark.parametrize(
    ("frames", "told"),
    [
        ([3], "frame 3"),
        ([3, 4], "frames 3, 4"),
        ([3, 4, 5], "frames 3\u20135"),
        ([4, 3, 5], "frames 4, 3, 5"),
        ([0, 9, 18], "frames 0, 9, 18"),
        (None, None),
    ],
)
def test_frames_are_told_as_the_log_has_them(frames: list[int] | None, told: str | None) -> None:
    logged = pl.Series([frames] * len(QUESTIONS), dtype=ANSWER_SCHEMA["evidence_frames"])
    data = packed(diagnose(BENCHMARK, [shown("sees", RIGHT, "shuffled", evidence_frames=logged)]))
    assert {seen[0] for seen in data["answers"][0]["shown"]["of"]} == {told}


def test_what_was_seen_is_told_by_an_answer_and_never_by_a_failure() -> None:
    made = shown("sees", RIGHT, "cameras", evidence=["ab" * 32] * len(QUESTIONS))
    first = made.answers.head(1).with_columns(variant=pl.lit("seed-0"))
    failed = first.with_columns(
        variant=pl.lit("seed-1"), text=pl.lit(None, pl.String), evidence=pl.lit(None, pl.String), error=pl.lit("busy")
    )
    lost = QUESTIONS[1].id
    rest = made.answers[1:].with_columns(error=pl.when(pl.col("question") == lost).then(pl.lit("busy")))
    rest = rest.with_columns(text=pl.when(pl.col("error").is_null()).then(pl.col("text")))
    for rows in ([failed, first, rest], [first, rest, failed]):
        diagnosis = diagnose(BENCHMARK, [Run("sees", made.record, pl.concat(rows))], allow_missing=True)
        seen = packed(diagnosis)["answers"][0]["shown"]["of"]
        assert seen[0] == [None, "ab" * 6, None, None]
        assert seen[1] is None


def test_questions_that_a_run_was_not_asked_are_kept_apart() -> None:
    made = shown("part", RIGHT, "cameras")
    left_out = QUESTIONS[0].id
    part_of = Run("part", made.record, made.answers.filter(pl.col("question") != left_out))
    diagnosis = diagnose(BENCHMARK, [shown("all", RIGHT, "none"), part_of], allow_missing=True)
    assert packed(diagnosis)["answers"][1]["shown"]["of"][0] is None


@pytest.mark.parametrize(
    ("plan", "words"),
    [
        (None, "evidence"),
        (EvidencePlan(), "nothing"),
        (evidence_named("cameras"), "camera pictures"),
        (evidence_named("birds-eye", span="scene"), "bird's-eye views, the whole scene"),
        (evidence_named("shuffled"), "camera pictures in a wrong order"),
        (evidence_named("black:birds-eye"), "black pictures for bird's-eye views"),
    ],
)
def test_what_was_shown_reads_well(plan: EvidencePlan | None, words: str) -> None:
    assert shown_in_words(plan) == words


def test_few_scenes_judge_no_change() -> None:
    few = many_questions(4)
    asked = benchmark(few)
    made = {"cameras": right_answers(few), "none": ["B" if one.options else "No" for one in few]}
    made["other-scene"] = made["none"]
    runs = []
    for seen, replies in made.items():
        one = run(f"saw {seen}", asked, replies)
        record = msgspec.structs.replace(one.record, model="model", evidence=evidence_named(seen))
        runs.append(Run(one.name, record, one.answers))
    diagnosis = diagnose(asked, runs)
    statements = [*said_of(diagnosis, "saw cameras"), *part_of(diagnosis, "run-families").statements]
    assert {one.tone for one in statements} == {"note"}
    texts = "\n".join(one.text for one in statements)
    assert "Its camera pictures: 100.0\u202f% of " in texts
    assert "Shown another scene instead, " in texts
    assert "chance" not in texts
    assert "95" not in texts
