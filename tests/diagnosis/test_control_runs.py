from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from diagnosis_making import benchmark_of, question

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
    with pytest.raises(InputError, match=r"no control 'control:magic'\. There are control:fixed and control:content"):
        control_model(built, "control:magic")
