"""What a run must have in common with the call that goes on with it, and what it keeps when evidence is gone."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest
from msgspec import structs

from making import Model
from probe4d.benchmarks.benchmark import Benchmark
from probe4d.benchmarks.question import Question
from probe4d.diagnosis.controls.runs import control_model
from probe4d.errors import InputError
from probe4d.models import hosted_job
from probe4d.models.course import Course
from probe4d.models.generation import Generation
from probe4d.models.request import ModelFailure, Request
from probe4d.runs import prepared
from probe4d.runs.ask import ask
from probe4d.runs.evidence_plan import evidence_named
from probe4d.runs.plan import RunPlan
from probe4d.runs.selection import Selection
from probe4d.runs.summary import summary_of
from probe4d.scenes.tables import Scenes

BIRDS_EYE = RunPlan(evidence=evidence_named("birds-eye"), selection=Selection(families=("existence",), limit=6))


def failing_at(*questions: str) -> Model:
    def reply(request: Request) -> str:
        if request.key in questions:
            raise ModelFailure("out of sorts")
        return "A"

    return Model(reply)


def without_sensors(scenes: Scenes, root: Path) -> Scenes:
    return dataclasses.replace(scenes, root=root)


def worded_otherwise(suite: str, wording: str) -> Callable[[Question], str]:
    return lambda question: f"Please: {question.question}"


@pytest.mark.parametrize(
    ("changed", "otherwise"), [("suite_prompt", worded_otherwise), ("preamble", lambda *_, **__: "Look at this:\n\n")]
)
def test_a_run_is_not_gone_on_with_in_another_wording(
    built: Benchmark,
    scenes: Scenes,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    changed: str,
    otherwise: Callable[..., object],
) -> None:
    failed = built.table["id"][0]
    first = ask(built, tmp_path / "run", model=failing_at(failed), plan=BIRDS_EYE, scenes=scenes)
    assert summary_of(first).unanswered == 1
    with monkeypatch.context() as patched:
        patched.setattr(prepared, changed, otherwise)
        with pytest.raises(InputError, match="holds another run: its prompts are worded otherwise than by") as raised:
            ask(built, tmp_path / "run", model=failing_at(), plan=BIRDS_EYE, scenes=scenes)
    assert first.record.wording not in str(raised.value)
    assert summary_of(ask(built, tmp_path / "run", model=failing_at(), plan=BIRDS_EYE, scenes=scenes)).answers == 6


def test_one_wording_has_one_digest_whatever_is_shown_or_left_out(
    built: Benchmark, scenes: Scenes, tmp_path: Path
) -> None:
    seen = prepared.prepare(built, BIRDS_EYE, scenes=scenes)
    assert prepared.prepare(built, BIRDS_EYE, scenes=without_sensors(scenes, tmp_path)).wording == seen.wording
    longer = structs.replace(BIRDS_EYE, evidence=evidence_named("birds-eye", span="scene", max_frames=3))
    assert prepared.prepare(built, longer, scenes=scenes).wording == seen.wording
    settings = ("default", "anti-position", "ego", "explicit-threshold", "chain-of-thought")
    assert len({prepared.prepare(built, RunPlan(setting=name)).wording for name in settings}) == len(settings)


def test_a_run_goes_on_on_another_course(built: Benchmark, tmp_path: Path) -> None:
    plan = RunPlan(selection=Selection(limit=3))
    begun = ask(built, tmp_path / "run", model=failing_at(built.table["id"][0]), plan=plan)
    assert begun.record.course == {"max_connections": 4, "max_retries": 5, "timeout_s": 600}
    course = Course(max_connections=2, max_retries=0, timeout_s=9, workers=1)
    ended = ask(built, tmp_path / "run", model=failing_at(), plan=plan, course=course)
    assert (summary_of(ended).answers, ended.record) == (3, begun.record)


def test_a_model_in_this_process_keeps_the_size_of_its_batches(
    built: Benchmark, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hosted_job, "open_model", lambda *_, **__: failing_at(built.table["id"][0]))
    plan = RunPlan(selection=Selection(limit=3), arguments={"model_path": "tiny"})
    run = ask(built, tmp_path / "run", model="hf/tiny", plan=plan, course=Course(max_connections=4))
    assert run.record.parameters == {"max_connections": 4, "model_path": "tiny"}
    with pytest.raises(InputError, match="--max-connections was 4 and is now 8"):
        ask(built, tmp_path / "run", model="hf/tiny", plan=plan, course=Course(max_connections=8))


def test_what_a_setting_gives_is_recorded_where_it_holds(built: Benchmark, tmp_path: Path) -> None:
    plan = RunPlan(setting="chain-of-thought", selection=Selection(limit=1))
    assert ask(built, tmp_path / "open", model=failing_at(), plan=plan).record.hints == {"max_tokens": 2048}
    own = structs.replace(plan, generation=Generation(max_tokens=9))
    assert ask(built, tmp_path / "own", model=failing_at(), plan=own).record.hints == {}


@pytest.mark.parametrize("of", ["control", "own model"])
def test_what_took_no_part_has_no_version(built: Benchmark, tmp_path: Path, of: str) -> None:
    model = control_model(built, "control:fixed") if of == "control" else failing_at()
    run = ask(built, tmp_path / "run", model=model, plan=RunPlan(selection=Selection(limit=2)))
    assert set(run.record.versions) == {"probe4d", "pillow"}


def test_a_finished_run_needs_no_evidence(built: Benchmark, scenes: Scenes, tmp_path: Path) -> None:
    first = ask(built, tmp_path / "run", model=failing_at(), plan=BIRDS_EYE, scenes=scenes)
    lost = without_sensors(scenes, tmp_path)
    model = failing_at()
    again = ask(built, tmp_path / "run", model=model, plan=BIRDS_EYE, scenes=lost)
    assert again.answers.equals(first.answers)
    assert (again.left_out, model.asked) == ((), [])
    with pytest.raises(InputError, match=r"none of the 6 selected .* of the first: .*is not there"):
        ask(built, tmp_path / "new", model=model, plan=BIRDS_EYE, scenes=lost)
    assert not (tmp_path / "new").exists()


def test_answers_keep_the_benchmarks_order_when_evidence_is_lost(
    built: Benchmark, scenes: Scenes, tmp_path: Path
) -> None:
    wanted = built.table.filter(pl.col("family") == "existence")["id"][:6].to_list()
    ask(built, tmp_path / "run", model=failing_at(wanted[-1]), plan=BIRDS_EYE, scenes=scenes)
    again = ask(built, tmp_path / "run", model=failing_at(), plan=BIRDS_EYE, scenes=without_sensors(scenes, tmp_path))
    assert again.answers["question"].to_list() == wanted[:-1]
    assert [one.question for one in again.left_out] == wanted[-1:]


def test_a_model_that_is_not_asked_is_closed(built: Benchmark, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = failing_at()
    monkeypatch.setattr(hosted_job, "open_model", lambda *_, **__: model)
    (tmp_path / "taken.txt").write_text("something else")
    with pytest.raises(InputError, match="is not empty and holds no run"):
        ask(built, tmp_path, model="openai-api/fake/m")
    assert (model.asked, model.closed) == ([], 1)
    ask(built, tmp_path / "run", model="openai-api/fake/m", plan=RunPlan(selection=Selection(limit=2)))
    assert (len(model.asked), model.closed) == (2, 2)
