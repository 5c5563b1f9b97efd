"""The parts of a report: every figure shown is the figure of the diagnosis, and empty parts are left out."""

from __future__ import annotations

import dataclasses
import re
from xml.etree import ElementTree

import msgspec
import polars as pl
import pytest
from report_making import benchmark, diagnosed, many_questions, part_of, right_answers, run
from view_making import view_question

import making
from probe4d.diagnosis.diagnose import diagnose
from probe4d.diagnosis.statistics.bootstrap import FEW_SCENES
from probe4d.diagnosis.tables import Diagnosis
from probe4d.report.lookup import Figure, percent
from probe4d.report.sections import sections
from probe4d.report.sections.part import Section, bounds, title_of
from probe4d.runs.run import Run
from probe4d.runs.selection import Selection

SVG = "{http://www.w3.org/2000/svg}"
QUESTIONS = many_questions()
WORSE = ["A" if one.format == "choice" else "No" for one in QUESTIONS]
DIAGNOSIS = diagnosed({"before": WORSE, "after": right_answers(QUESTIONS)}, QUESTIONS)


@pytest.fixture(scope="module")
def parts() -> dict[str, Section]:
    return {section.anchor: section for section in sections(DIAGNOSIS)}


def test_all_parts_are_there(parts: dict[str, Section]) -> None:
    assert list(parts) == ["accuracy", "relations", "answers", "pairs", "shortcuts", "slices", "changes"]


def test_families_come_in_the_order_of_the_benchmark_whatever_the_first_run_was_asked() -> None:
    whole = benchmark(QUESTIONS)
    families = list(whole.record.counts)
    assert len(families) > 2
    last = run("last", whole, right_answers(QUESTIONS))
    asked = last.answers.join(whole.table.filter(family=families[-1]), left_on="question", right_on="id", how="semi")
    record = msgspec.structs.replace(last.record, selection=Selection(families=(families[-1],)))
    diagnosis = diagnose(whole, [Run("last", record, asked), run("all", whole, WORSE)])
    accuracy = part_of(diagnosis, "accuracy")
    titles = list(dict.fromkeys(row[0] for row in accuracy.table.rows))
    of_families = [title.split()[0].lower() for title in titles if title.split()[0].lower() in families]
    assert list(dict.fromkeys(of_families)) == families


def test_rows_have_the_columns_of_their_table(parts: dict[str, Section]) -> None:
    for part in parts.values():
        assert part.charts
        assert all(len(row) == len(part.table.columns) for row in part.table.rows)


def test_accuracy_is_that_of_the_figures(parts: dict[str, Section]) -> None:
    shown = {row[:2]: row[2] for row in parts["accuracy"].table.rows}
    figures = DIAGNOSIS.figures.filter(pl.col("metric") == "accuracy", pl.col("relation") == "all")
    for name in ("before", "after", "control:fixed", "control:content"):
        of_run = figures.filter(pl.col("run") == name)
        (value,) = of_run.filter(pl.col("family") == "all", pl.col("format") == "all")["value"]
        assert shown["All questions", name] == percent(value)
        (value,) = of_run.filter(pl.col("family") == "motion", pl.col("format") == "yes-no")["value"]
        assert shown["Motion yes-no questions", name] == percent(value)


def test_relations_are_told_in_words() -> None:
    pair = {"relation": "shorter-in-length", "template": "shorter-in-length", "family": "direct-reasoning"}
    asked = [
        view_question(["car"], frame=frame, answer=answer, question=f"{frame}?", **pair)
        for frame, answer in enumerate(["Yes", "No"] * 3)
    ]
    benchmark = making.benchmark_of(asked)
    run = making.run_of("model", benchmark, [{"question": one.id, "text": "Yes"} for one in asked])
    part = part_of(diagnose(benchmark, [run]), "relations")
    assert [row[1:3] for row in part.table.rows if row[0] == "model"] == [
        ("direct reasoning", "all"),
        ("direct reasoning", "shorter in length"),
    ]
    assert title_of("direct-reasoning", "yes-no") == "Direct reasoning yes-no questions"


def test_every_answer_is_counted_once(parts: dict[str, Section]) -> None:
    for name in ("before", "after", "control:content"):
        rows = [row for row in parts["answers"].table.rows if row[1] == name]
        assert sum(int(row[4].replace(",", "")) for row in rows) == len(QUESTIONS)


def test_changes_are_those_of_the_figures(parts: dict[str, Section]) -> None:
    rows = {row[1]: row for row in parts["changes"].table.rows}
    broken = sum(answer != right for answer, right in zip(WORSE, right_answers(QUESTIONS), strict=True))
    assert rows["All questions"][0] == "after vs before"
    assert rows["All questions"][2:4] == (str(broken), "0")


def test_features_say_how_they_stand(parts: dict[str, Section]) -> None:
    names = [column.name for column in parts["shortcuts"].table.columns]
    assert "Gain beyond the truth" in names
    found = {row[0:3]: row[names.index("Standing")] for row in parts["shortcuts"].table.rows}
    assert set(found.values()) <= {"", "named", "truth", "partly", "second"}
    named = DIAGNOSIS.shortcuts.filter("named")
    assert named.height == sum(standing == "named" for standing in found.values())
    assert "beyond" not in parts["shortcuts"].intro
    assert "three times the width" in parts["shortcuts"].intro


def test_runs_that_are_not_drawn_are_spoken_of(parts: dict[str, Section]) -> None:
    runs = {f"run-{number}": WORSE for number in range(6)}
    section = part_of(diagnosed(runs, QUESTIONS), "slices")
    assert "Drawn are the first 4 of 6 runs, run-0, run-1, run-2 and run-3; the table holds all." in section.intro
    assert "Drawn are" not in parts["slices"].intro


def test_one_run_has_no_changes() -> None:
    made = sections(diagnosed({"only": WORSE}, QUESTIONS))
    assert "changes" not in [section.anchor for section in made]


@pytest.mark.parametrize(
    ("value", "told"),
    [(0.3665, "36.7"), (0.24950000000000003, "25.0"), (0.0, "0.0"), (1.0, "100.0"), (0.98749, "98.7")],
)
def test_halves_are_rounded_up_as_in_print(value: float, told: str) -> None:
    assert percent(value) == f"{told}\u202f%"


def few_and_partial() -> Diagnosis:
    """One scene, so that there are no intervals; a run that was asked a part, and one that asked in variants."""
    few = many_questions(1)
    asked = benchmark(few)
    part = run("part", asked, right_answers(few))
    existence = asked.table.filter(family="existence")["id"]
    record = msgspec.structs.replace(part.record, selection=Selection(families=("existence",)))
    part = Run("part", record, part.answers.filter(pl.col("question").is_in(existence.implode())))
    made = run("again", asked, right_answers(few))
    record = msgspec.structs.replace(made.record, setting="repeat:2")
    tries = [made.answers.with_columns(variant=pl.lit(f"seed-{place}")) for place in range(2)]
    again = Run("again", record, pl.concat(tries))
    return diagnose(asked, [run("all", asked, ["No"] * len(few)), part, again], allow_missing=True)


@pytest.mark.parametrize("diagnosis", [DIAGNOSIS, few_and_partial()], ids=["usual", "few"])
def test_no_chart_prints_a_missing_value(diagnosis: Diagnosis) -> None:
    charts = [chart for section in sections(diagnosis) for chart in section.charts]
    texts = [element.text or "" for chart in charts for element in ElementTree.fromstring(chart.svg).iter(f"{SVG}text")]
    assert len(texts) > 50
    assert [text for text in texts if re.search(r"undefined|nan\b|null|none\b", text, re.IGNORECASE)] == []


def test_runs_that_were_asked_a_part_are_drawn_with_how_much() -> None:
    accuracy = part_of(few_and_partial(), "accuracy")
    existence = sum(one.family == "existence" for one in many_questions(1))
    assert f"100.0\u202f% of {existence}<" in accuracy.charts[0].svg


def test_pairs_are_drawn_with_their_number(parts: dict[str, Section]) -> None:
    table = parts["pairs"].table.rows
    for row in table:
        if row[2] != "0":
            assert f"{row[1]}, {row[2]} pair" in "".join(chart.words for chart in parts["pairs"].charts)


def test_bins_of_a_part_are_not_drawn_among_those_of_all() -> None:
    other = (pl.col("run") == "after") & (pl.col("by") == "margin")
    moved = DIAGNOSIS.slices.with_columns(pl.col("from") + pl.when(other).then(0.5).otherwise(0.0))
    slices = part_of(dataclasses.replace(DIAGNOSIS, slices=moved), "slices")
    drawn = {chart.title: "after" in chart.words for chart in slices.charts}
    assert drawn
    assert {title: "margin" not in title for title in drawn} == drawn
    assert {row[1] for row in slices.table.rows if "margin" in row[0]} >= {"before", "after"}


def test_bins_that_begin_alike_and_end_otherwise_keep_their_names(parts: dict[str, Section]) -> None:
    other = (pl.col("run") == "after") & (pl.col("by") == "margin")
    longer = DIAGNOSIS.slices.with_columns(pl.when(other).then(pl.col("from") + 0.25).otherwise("to").alias("to"))
    slices, usual = part_of(dataclasses.replace(DIAGNOSIS, slices=longer), "slices"), parts["slices"]
    for name, changed in (("before", False), ("after", True)):
        named, before = ([row[2] for row in part.table.rows if row[1] == name] for part in (slices, usual))
        assert (named != before) == changed
        assert len(set(zip(named, before, strict=True))) == len(set(before))


def test_words_alone_are_charted_where_families_have_several_templates() -> None:
    templates = [msgspec.structs.replace(one, template=f"{one.template} {one.order % 2}") for one in QUESTIONS]
    diagnosis = diagnosed({}, templates)
    (part,) = (section for section in sections(diagnosis) if section.anchor == "templates")
    words = diagnosis.words_alone
    assert [row[1] for row in part.table.rows] == words["template"].to_list()
    assert [row[3] for row in part.table.rows] == [percent(value) for value in words["value"]]
    assert len(part.charts) == words.select("family", "format").n_unique()
    assert not part.statements
    assert set(words["scenes"]) == {5, FEW_SCENES}
    assert [row[4] for row in part.table.rows] == [
        bounds(Figure(*figure)) if scenes == FEW_SCENES else "5 scenes"
        for scenes, *figure in words.select("scenes", "value", "low", "high", "n").iter_rows()
    ]
    balanced = dataclasses.replace(diagnosis, balanced_in_context=True)
    part = part_of(balanced, "templates")
    assert "falls far below chance by construction" in part.statements[0].text
    part = part_of(dataclasses.replace(balanced, learned_from="0" * 64), "templates")
    assert not part.statements
    assert "learned from another benchmark" in part.intro
