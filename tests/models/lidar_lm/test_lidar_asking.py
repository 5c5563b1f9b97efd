"""A benchmark asked of a LiDAR language model: the same run as of any model, with its own evidence and decoding."""

from __future__ import annotations

import shutil
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from lidar_asking_making import GREEDY, features_of, texts

import probe4d
from probe4d.benchmarks.benchmark import Benchmark
from probe4d.errors import InputError, RunError
from probe4d.models.generation import Generation
from probe4d.models.lidar_lm.answering_options import LidarOptions
from probe4d.models.lidar_lm.decoding.shuffling import shuffled_order
from probe4d.models.lidar_lm.features import FeatureFolder
from probe4d.runs.dry_run import dry_run
from probe4d.runs.evidence_plan import evidence_named
from probe4d.runs.opening import open_reader
from probe4d.runs.plan import RunPlan
from probe4d.runs.prepared import prepare
from probe4d.runs.run import Run
from probe4d.scenes.tables import Scenes


def test_every_question_is_answered_over_its_whole_scene(asked: Any, built: Benchmark) -> None:
    run = asked()
    assert run.answers["error"].null_count() == run.answers.height == len(built.questions)
    assert [len(frames) for frames in run.answers["evidence_frames"]] == [q.keyframes for q in built.questions]
    assert run.answers["seed"].to_list() == [1234 + question.order for question in built.questions]
    assert run.record.parameters["layout"] == "hallu"
    assert len(run.record.parameters["checkpoint"]) == 16
    assert len(run.record.parameters["features"]) == 64


def test_what_is_answered_together_does_not_change_an_answer(asked: Any, built: Benchmark) -> None:
    together = texts(asked())
    alone = texts(asked(selection=probe4d.Selection(families=("position",), limit=3)))
    assert alone == {question: together[question] for question in alone}


def test_answers_depend_on_the_features_shown(asked: Any, scenes: Scenes, built: Benchmark) -> None:
    own = texts(asked())
    for evidence, more in (("none", {"features": None}), ("shuffled", {}), ("other-scene", {"scenes": scenes})):
        run = asked(evidence, **more)
        other = texts(run)
        assert any(other[question] != own[question] for question in other), evidence
    own_scene = {question.id: question.scene for question in built.questions}
    shown = dict(run.answers.select("question", "shown_scene").iter_rows())
    assert all(scene not in (None, own_scene[question]) for question, scene in shown.items())


def test_the_frames_of_the_question_alone_are_shown_on_demand(
    built: Benchmark, checkpoint: Path, features: Path, tmp_path: Path
) -> None:
    plan = RunPlan(
        evidence=evidence_named("lidar", span="question"),
        generation=GREEDY,
        selection=probe4d.Selection(families=("position",)),
    )
    run = probe4d.ask(built, tmp_path / "run", model=f"lidar-lm:{checkpoint}", plan=plan, features=features)
    asked_about = {question.id: list(question.frames) for question in built.questions}
    assert dict(run.answers.select("question", "evidence_frames").iter_rows()) == {
        question: asked_about[question] for question in run.answers["question"]
    }


SAMPLED = {"generation": Generation(temperature=1.5, max_tokens=3), "lidar": LidarOptions(sampling="same")}


@pytest.mark.parametrize("setting", ["tscd:0", "tscd-identity"])
def test_a_contrast_that_contrasts_nothing_changes_nothing(asked: Any, setting: str) -> None:
    assert texts(asked(setting=setting, **SAMPLED)) == texts(asked(**SAMPLED))


def test_a_contrast_changes_answers(asked: Any) -> None:
    assert texts(asked(setting="tscd:1.5")) != texts(asked())


def test_the_logits_of_both_branches_are_kept(asked: Any, built: Benchmark) -> None:
    run = asked(setting="tscd:1", lidar=LidarOptions(keep_logits=True))
    formats = {question.id: question.format for question in built.questions}
    for question, kept in run.answers.select("question", "first_logits").iter_rows():
        labels = [logit["label"] for logit in kept if logit["label"] is not None]
        assert labels == (["Yes", "No"] if formats[question] == "yes-no" else ["A", "B", "C", "D"])
        assert all(logit["shuffled"] is not None for logit in kept)
    assert asked().answers["first_logits"].null_count() == len(built.questions)


def test_each_branch_is_shuffled_by_its_own_question(built: Benchmark, features: Path) -> None:
    reader = SimpleNamespace(features=FeatureFolder(features), ego_text="none", prompt_text=lambda question: question)
    prepared = prepare(built, RunPlan(setting="tscd:0.5", evidence=evidence_named("lidar")), reader=reader)
    by_id = {question.id: question for question in built.questions}
    for request in prepared.requests(prepared.asked):
        question = by_id[request.key]
        assert request.contrast.alpha == 0.5
        assert request.contrast.order == shuffled_order(question.keyframes, 42 + question.order)


def test_a_scene_without_features_is_left_out_and_told(
    asked: Any, built: Benchmark, scenes: Scenes, tmp_path: Path
) -> None:
    run = asked(features=features_of(scenes, tmp_path / "fewer", left_out=1))
    last = scenes.scenes["scene"][-1]
    lacking = {question.id for question in built.questions if question.scene == last}
    assert {one.question for one in run.left_out} == lacking
    assert {one.reason for one in run.left_out} == {"its scene is not in the features"}
    assert len(texts(run)) == len(built.questions) - len(lacking)


def test_what_a_run_was_drawn_by_is_recorded(asked: Any) -> None:
    drawn = {"temperature": 0.05, "max_tokens": 32}
    part = {"selection": probe4d.Selection(limit=2), "generation": Generation()}
    released, same, contrasted = (
        asked(**part).record,
        asked(**part, lidar=LidarOptions(sampling="same")).record,
        asked(**part, setting="tscd:1").record,
    )
    assert released.hints == {**drawn, "top_k": 50, "top_p": 0.6}
    assert same.hints == contrasted.hints == drawn
    assert [one.parameters["sampling"] for one in (released, same, contrasted)] == ["released", "same", "same"]
    assert asked(selection=probe4d.Selection(limit=2)).record.hints == {"top_k": 50, "top_p": 0.6}


def test_a_moved_checkpoint_and_what_was_the_default_go_on_with_a_run(
    built: Benchmark, checkpoint: Path, features: Path, tmp_path: Path
) -> None:
    def ask(model: Path, **options: Any) -> Run:
        plan = RunPlan(
            evidence=evidence_named("lidar"), selection=probe4d.Selection(limit=2), generation=Generation(**options)
        )
        return probe4d.ask(built, tmp_path / "run", model=f"lidar-lm:{model}", plan=plan, features=features)

    first = ask(checkpoint)
    again = ask(shutil.copytree(checkpoint, tmp_path / "moved"), temperature=0.05, max_tokens=32)
    assert again.record == first.record
    assert again.answers.equals(first.answers)
    with pytest.raises(InputError, match=r"--temperature was not given and is now 0\.1\."):
        ask(checkpoint, temperature=0.1)


def test_a_dry_run_tells_what_a_lidar_model_is_shown(built: Benchmark, checkpoint: Path, features: Path) -> None:
    plan = RunPlan(evidence=evidence_named("lidar"), generation=GREEDY)
    model = f"lidar-lm:{checkpoint}"
    reader = open_reader(model, plan, features=features)
    seen = dry_run(prepare(built, plan, reader=reader), model=model, reader=reader)
    assert seen.features is not None
    assert (seen.features.layout, seen.features.ego_text) == ("hallu", "none")
    assert seen.features.rows == sum(question.keyframes or 0 for question in built.questions)
    assert seen.reply_tokens == 3 * len(built.questions)
    assert seen.example is not None
    assert seen.example.features is not None
    assert seen.example.features.scene == next(iter(built.questions)).scene


def test_a_dry_run_counts_what_is_read(asked: Any, built: Benchmark, checkpoint: Path, features: Path) -> None:
    plan = RunPlan(evidence=evidence_named("lidar"), generation=GREEDY, selection=probe4d.Selection(limit=5))
    reader = open_reader(f"lidar-lm:{checkpoint}", plan, features=features)
    seen = dry_run(prepare(built, plan, reader=reader), model="lidar-lm:tiny", reader=reader)
    assert seen.features is not None
    assert seen.text_tokens + seen.features.rows == asked(selection=plan.selection).answers["input_tokens"].sum()


@pytest.mark.parametrize("fault", [RuntimeError("CUDA error: an illegal memory access"), MemoryError(), KeyError("k")])
def test_whatever_fails_inside_the_model_ends_the_run_and_says_so(
    asked: Any, monkeypatch: pytest.MonkeyPatch, fault: Exception
) -> None:
    def fail(*_: object) -> None:
        raise fault

    monkeypatch.setattr("probe4d.models.lidar_lm.answering.Decoder.generate", fail)
    with pytest.raises(RunError, match=rf"the model failed \({type(fault).__name__}"):
        asked()


def test_the_first_of_several_seeds_is_the_usual_one(asked: Any) -> None:
    drawn = {"generation": Generation(temperature=1.5, max_tokens=3)}
    several = asked(setting="repeat:2", **drawn).answers
    assert dict(several.filter(variant="seed-0").select("question", "text").iter_rows()) == texts(asked(**drawn))
    assert not set(several.filter(variant="seed-0")["seed"]) & set(several.filter(variant="seed-1")["seed"])
