"""Averages of a suite's paper, and models by family and size, as parts of the page."""

from __future__ import annotations

import dataclasses

import polars as pl
import pytest
from report_making import part_of

import making
from probe4d.benchmarks.question import Question
from probe4d.benchmarks.spatial_qa.averages import AVERAGES
from probe4d.diagnosis.diagnose import diagnose
from probe4d.diagnosis.overview import averages, by_model
from probe4d.diagnosis.tables import Diagnosis
from probe4d.report.lookup import percent
from probe4d.report.sections.averages import averages as averages_part
from probe4d.report.sections.models import models
from probe4d.wording import amount

QUALITATIVE, QUANTITATIVE, ERROR, REASONING = AVERAGES
RUNS = {"mixed": "llava-hf/llava-v1.6-34b", "right": "llava-hf/llava-v1.6-7b", "wrong": "openai/gpt-4o"}


def asked() -> list[Question]:
    """Two questions of each template that a table of the paper has."""
    made: list[Question] = []
    for average in (QUALITATIVE, QUANTITATIVE, REASONING):
        for column, templates in average.columns.items():
            family = column if average is REASONING else average.name.removeprefix("paper_")
            for template in [*templates, *templates]:
                about = {"format": "number", "answer": str(10 + len(made))}
                about |= {"facts": {"unit": "degrees" if template == "bearing" else "metres"}}
                place = len(made)
                about = about if average is QUANTITATIVE else {"answer": ("Yes", "No")[place % 2]}
                about |= {"suite": "spatial-qa", "family": family, "template": template, "scene": f"s{place % 11:02d}"}
                made.append(making.question(place, question=f"What of {place}?", **about))
    return [making.with_id_of_content(one) for one in made]


def replied(question: Question, *, right: bool) -> str:
    if question.format == "number":
        unit = question.facts["unit"]
        return f"{(1.0 if right else 2.0) * float(str(question.answer))} {unit}"
    return str(question.answer) if right else ("No" if question.answer == "Yes" else "Yes")


QUESTIONS = asked()
BENCHMARK = making.benchmark_of(QUESTIONS)


@pytest.fixture(scope="module")
def diagnosis() -> Diagnosis:
    runs = []
    for name, model in RUNS.items():
        replies = [
            {"question": one.id, "text": replied(one, right=name == "right" or (name == "mixed" and place % 3 == 0))}
            for place, one in enumerate(QUESTIONS)
        ]
        runs.append(making.run_of(name, BENCHMARK, replies, model=model))
    return diagnose(BENCHMARK, runs)


def test_averages_are_charted_with_a_table_of_their_columns(diagnosis: Diagnosis) -> None:
    part = part_of(diagnosis, "averages")
    table = averages(diagnosis)
    assert table["average"].to_list() == [one.name for one in AVERAGES]
    assert len(part.charts) == len(part.more) == len(AVERAGES)
    printed = iter(part.table.rows)
    for average, own in zip(AVERAGES, part.more, strict=True):
        figures = diagnosis.figures.filter(metric=average.name)
        told = amount if average is ERROR else percent
        assert [column.name for column in own.columns] == ["Run", "Average", *average.columns]
        whole = table.filter(average=average.name).drop("average", "of").unpivot().drop_nulls("value")
        assert [row[0] for row in own.rows] == whole["variable"].to_list()
        for row in own.rows:
            values = [
                figures.filter(run=row[0], relation=column)["value"].item() for column in ("all", *average.columns)
            ]
            assert list(row[1:]) == [told(value) for value in values]
            _, over, name, value, within, n = next(printed)
            figure = figures.filter(run=name, relation="all").row(0, named=True)
            assert (name, value, n) == (row[0], told(figure["value"]), str(figure["n"]))
            assert (over == "all questions together") == average.pooled
            assert within == "" or within.split(" to ")[0] == told(figure["low"]).removesuffix("\u202f%")
    assert next(printed, None) is None
    assert {key.text for key in part.keys} >= set(RUNS)


def test_an_average_without_one_of_its_columns_is_left_out() -> None:
    left = [one for one in QUESTIONS if one.template not in ("bearing", "left", "right")]
    part = part_of(diagnose(making.benchmark_of(left), []), "averages")
    names = {row[0] for row in part.table.rows}
    assert [name for name in ("Qualitative", "Quantitative", "Reasoning") if any(name in one for one in names)] == [
        "Reasoning"
    ]


def test_models_stand_by_family_and_size(diagnosis: Diagnosis) -> None:
    part = part_of(diagnosis, "models")
    assert [row[:3] for row in part.table.rows] == [
        ("gpt-4o", "", "wrong"),
        ("llava-v1.6", "7B", "right"),
        ("llava-v1.6", "34B", "mixed"),
    ]
    table = by_model(diagnosis)
    assert [chart.title for chart in part.charts] == ["Qualitative", "Quantitative", "Direct reasoning", "Situational"]
    for row, values in zip(part.table.rows, table.drop("model_family", "parameters", "run").iter_rows(), strict=True):
        assert row[3:] == tuple(percent(value) for value in values)
    assert "right 100.0\u202f%, 7B; mixed" in part.charts[0].words


def test_without_sizes_and_averages_there_are_no_such_parts(diagnosis: Diagnosis) -> None:
    unknown = diagnosis.models.with_columns(parameters=pl.lit(None, pl.Float64))
    bare = dataclasses.replace(diagnosis, models=unknown, averages=())
    of_one_run = dataclasses.replace(diagnosis, runs=diagnosis.runs[:1])
    assert [made.charts for made in (models(bare), averages_part(bare), models(of_one_run))] == [[], [], []]


def test_names_of_runs_are_text_on_the_page() -> None:
    hostile = making.run_of("<b>&", BENCHMARK, [{"question": one.id, "text": "Yes"} for one in QUESTIONS])
    part = part_of(diagnose(BENCHMARK, [hostile]), "averages")
    assert "&lt;b&gt;&amp;" in part.charts[0].svg
    assert all("<b>" not in chart.svg for chart in part.charts)
