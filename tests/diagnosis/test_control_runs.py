from __future__ import annotations

import asyncio
from pathlib import Path

import polars as pl
import pytest
from diagnosis_making import benchmark_of, question

import making
import probe4d
from probe4d.benchmarks.benchmark import Benchmark
from probe4d.diagnosis.control_runs import control_model
from probe4d.diagnosis.controls import is_control
from probe4d.errors import InputError
from probe4d.evidence.image import Image
from probe4d.models.request import ModelFailure, Request
from probe4d.runs.ask import ask
from probe4d.runs.plan import RunPlan


@pytest.mark.parametrize("name", ["control:fixed", "control:content"])
def test_a_controls_run_scores_what_the_control_scores(built: Benchmark, name: str, tmp_path: Path) -> None:
    run = ask(built, tmp_path / "run", model=control_model(built, name))
    assert run.record.model == name
    assert run.answers["error"].null_count() == built.table.height
    diagnosis = probe4d.diagnose(built, [run])
    figures = diagnosis.figures.filter(metric="accuracy").sort("family", "format", "relation")
    by_run = [figures.filter(run=one)["value"].to_list() for one in ("run", name)]
    assert by_run[0]
    assert by_run[0] == by_run[1]


def test_the_content_control_follows_its_option_and_the_fixed_one_its_letter(built: Benchmark, tmp_path: Path) -> None:
    plain = {
        name: dict(
            ask(built, tmp_path / f"plain-{name[8:]}", model=control_model(built, name))
            .answers.select("question", "text")
            .iter_rows()
        )
        for name in ("control:fixed", "control:content")
    }
    questions = {one.id: one for one in built.questions}
    for name, given in plain.items():
        model = control_model(built, name, setting="permuted:4")
        run = ask(built, tmp_path / name[8:], model=model, plan=RunPlan(setting="permuted:4"))
        for identity, text, rotation in run.answers.select("question", "text", "rotation").iter_rows():
            options = questions[identity].options
            if not options or name == "control:fixed":
                assert text == given[identity]
            else:
                shown = options[rotation:] + options[:rotation]
                assert shown[ord(text) - ord("A")] == options[ord(given[identity]) - ord("A")]


def test_formats_that_controls_do_not_answer_are_failures(tmp_path: Path) -> None:
    mixed = benchmark_of([question(0, "Yes"), question(1, "12.5", format="number")])
    model = control_model(mixed, "control:fixed")
    first, second = (Request(key=identity, text="") for identity in mixed.table["id"])
    assert asyncio.run(model.reply(first)).text == "No"
    with pytest.raises(ModelFailure, match="control:fixed answers yes-no and choice questions only"):
        asyncio.run(model.reply(second))


def test_the_median_control_answers_numbers_alone() -> None:
    numbers = [
        question(place, answer, scene=scene, format="number", template=template, facts={"unit": unit})
        for place, (answer, scene, template, unit) in enumerate(
            [
                ("2.0", "s0", "gap", "metres"),
                ("4.0", "s1", "gap", "metres"),
                ("8.0", "s1", "gap", "metres"),
                ("-90.5", "s0", "bearing", "degrees"),
                ("10.0", "s1", "bearing", "degrees"),
                ("1.0", "s0", "alone", "metres"),
            ],
            start=1,
        )
    ]
    mixed = benchmark_of([question(0, "Yes"), question(7, "No", scene="s1"), *numbers])
    model = control_model(mixed, "control:median")
    given, failures = {}, []
    for asked in mixed.questions:
        try:
            given[asked.id] = asyncio.run(model.reply(Request(key=asked.id, text=""))).text
        except ModelFailure as failure:
            failures.append(str(failure))
    texts = [given.get(one.id) for one in numbers]
    assert texts == ["6.0 metres", "2.0 metres", "2.0 metres", "10.0 degrees", "-90.5 degrees", None]
    assert len(failures) == 3
    assert all("control:median answers numbers of a known unit" in failure for failure in failures)
    rows = [{"question": asked.id, "text": given.get(asked.id, "")} for asked in mixed.questions]
    run = making.run_of("run", mixed, rows)
    figures = probe4d.diagnose(mixed, [run]).figures.filter(pl.col("metric") == "tolerance_accuracy")
    by_run = [figures.filter(run=one)["value"].to_list() for one in ("run", "control:median")]
    assert by_run[0]
    assert by_run[0] == by_run[1]


def test_a_benchmark_without_numbers_has_no_median_control(built: Benchmark) -> None:
    with pytest.raises(InputError, match="holds no question that control:median answers"):
        control_model(built, "control:median")


def test_a_control_asked_in_another_setting_than_its_own_is_refused_and_leaves_no_folder(
    built: Benchmark, tmp_path: Path
) -> None:
    model = control_model(built, "control:content")
    words = r"made for the setting default, .*Give control_model the benchmark and setting"
    with pytest.raises(InputError, match=words):
        ask(built, tmp_path / "run", model=model, plan=RunPlan(setting="permuted:4"))
    assert not (tmp_path / "run").exists()


def test_a_control_that_is_shown_pictures_ends_asking(built: Benchmark) -> None:
    model = control_model(built, "control:fixed")
    request = Request(key=built.table["id"][0], text="", images=(Image(b"", "image/png", "0" * 64),))
    with pytest.raises(ModelFailure, match="control:fixed looks at nothing") as raised:
        asyncio.run(model.reply(request))
    assert raised.value.fatal


def test_unknown_controls_are_refused(built: Benchmark) -> None:
    assert is_control("control:magic")
    assert not is_control("openai/control:fixed")
    with pytest.raises(InputError, match=r"no control 'control:magic'\. There are control:fixed, .*and control:median"):
        control_model(built, "control:magic")
