from __future__ import annotations

import asyncio
from pathlib import Path

import polars as pl
import pytest
from diagnosis_making import benchmark_of, question

import making
import probe4d
from probe4d.benchmarks.benchmark import Benchmark
from probe4d.diagnosis.controls.answerers import constant_control, is_control, median_control
from probe4d.diagnosis.controls.runs import control_model
from probe4d.diagnosis.sheets.numbers import make_number_sheet
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
    with pytest.raises(ModelFailure, match="control:fixed answers only yes-no and choice questions"):
        asyncio.run(model.reply(second))


NUMBERS = [
    question(place, answer, scene=scene, format="number", template=template, facts={"unit": unit}, context=context)
    for place, (answer, scene, template, unit, context) in enumerate(
        [
            ("2.0", "s0", "gap", "metres", "car|car"),
            ("4.0", "s1", "gap", "metres", "car|car"),
            ("8.0", "s1", "gap", "metres", "car|car"),
            ("6.0", "s1", "gap", "metres", "car|bus"),
            ("-90.5", "s0", "bearing", "degrees", "car"),
            ("10.0", "s1", "bearing", "degrees", "car"),
            ("1.0", "s0", "alone", "metres", "car"),
        ],
        start=10,
    )
]
MIXED = benchmark_of([question(0, "Yes"), question(7, "No", scene="s1"), *NUMBERS])
BY_TEMPLATE = ["6.0 metres", *["2.0 metres"] * 3, "10.0 degrees", "-90.5 degrees", None]


def replies(name: str) -> tuple[list[str | None], list[str | None], list[str]]:
    """What a control replies to the yes-no questions and to those for a number, and why not to others."""
    model, given, failures = control_model(MIXED, name), {}, []
    for asked in MIXED.questions:
        try:
            given[asked.id] = asyncio.run(model.reply(Request(key=asked.id, text=""))).text
        except ModelFailure as failure:
            failures.append(str(failure))
    of_format = {
        kind: [given.get(one.id) for one in MIXED.questions if one.format == kind] for kind in ("yes-no", "number")
    }
    return of_format["yes-no"], of_format["number"], failures


def test_the_median_control_answers_numbers_alone_by_template_and_context() -> None:
    labels, numbers, failures = replies("control:median")
    assert labels == [None, None]
    # In the other scene car|car was 4 and 8, car|bus nothing; alone is asked in one scene.
    assert numbers == ["6.0 metres", *BY_TEMPLATE[1:]]
    assert len(failures) == 3
    assert all("control:median answers only questions for a number of a known unit" in one for one in failures)


def test_the_fixed_control_answers_numbers_by_template_and_the_content_control_as_the_median_control_does() -> None:
    labels, numbers, failures = replies("control:fixed")
    assert labels == ["No", "No"]
    assert numbers == BY_TEMPLATE
    assert len(failures) == 1
    labels, numbers, _ = replies("control:content")
    assert labels == ["No", "Yes"]
    assert numbers == replies("control:median")[1]


def test_contexts_are_kept_apart_where_other_scenes_have_them() -> None:
    answers = [("s0", "car", 2.0), ("s1", "car", 4.0), ("s0", "bus", 10.0), ("s1", "bus", 12.0), ("s2", "van", 50.0)]
    rows = [
        question(place, repr(answer), scene=scene, format="number", facts={"unit": "metres"}, context=context)
        for place, (scene, context, answer) in enumerate(answers)
    ]
    sheet = make_number_sheet(benchmark_of(rows))
    assert median_control(sheet).tolist() == [4.0, 2.0, 12.0, 10.0, 7.0]
    assert constant_control(sheet).tolist() == [12.0, 10.0, 12.0, 10.0, 7.0]


@pytest.mark.parametrize("name", ["control:fixed", "control:median"])
def test_a_control_of_numbers_scores_as_a_run_what_it_scores_beside_runs(name: str) -> None:
    _, numbers, _ = replies(name)
    texts = dict(zip((one.id for one in NUMBERS), numbers, strict=True))
    run = making.run_of(
        "run", MIXED, [{"question": asked.id, "text": texts.get(asked.id) or ""} for asked in MIXED.questions]
    )
    figures = probe4d.diagnose(MIXED, [run]).figures.filter(pl.col("metric") == "tolerance_accuracy")
    by_run = [figures.filter(run=one)["value"].to_list() for one in ("run", name)]
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
