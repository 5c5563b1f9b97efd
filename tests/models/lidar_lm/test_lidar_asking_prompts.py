"""How a LiDAR language model is asked: its ego text, its layout, and what of its prompts a run is known by."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest
from lidar_asking_making import ENCODER, GREEDY, WIDTH, checkpoint_of

import probe4d
from probe4d.benchmarks.benchmark import Benchmark
from probe4d.benchmarks.question import Question, to_table
from probe4d.errors import InputError
from probe4d.evidence import ego_text
from probe4d.evidence.ego_text_kind import EgoText
from probe4d.models.lidar_lm import answering, conversation
from probe4d.models.lidar_lm.answering_options import LidarOptions
from probe4d.models.lidar_lm.checkpoints.released import save_released_checkpoint
from probe4d.models.lidar_lm.language_model import LidarLanguageModel
from probe4d.runs.evidence_plan import evidence_named
from probe4d.runs.opening import open_reader
from probe4d.runs.plan import RunPlan
from probe4d.runs.prepared import prepare
from probe4d.runs.run import Run
from probe4d.scenes.tables import Scenes


def test_the_ego_text_that_it_was_trained_with_goes_into_every_prompt(
    asked: Any, base: Path, built: Benchmark, scenes: Scenes, tmp_path: Path
) -> None:
    plain, told = asked(), asked(model=checkpoint_of(base, tmp_path / "ego", ego_text="question"))
    assert (plain.record.layout, told.record.layout) == ("plain", "ego")
    assert (told.answers["input_tokens"] > plain.answers["input_tokens"]).all()
    paper = checkpoint_of(base, tmp_path / "paper", ego_text="paper", layout="paper")
    with pytest.raises(InputError, match="measured in the dataset"):
        asked(model=paper)
    assert (asked(model=paper, scenes=scenes).answers["input_tokens"] > plain.answers["input_tokens"]).all()
    with pytest.raises(InputError, match="the ego-motion text that it was trained with"):
        asked(setting="ego")


@pytest.fixture(scope="module")
def released(base: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkpoint of the released layout, whose name says nothing of the ego vehicle."""
    folder = tmp_path_factory.mktemp("released") / "b4dl"
    save_released_checkpoint(LidarLanguageModel.from_base(base, WIDTH, encoder=ENCODER).with_lora(2), folder)
    return folder / "stage2"


def test_a_released_checkpoint_is_asked_with_the_ego_text_that_is_said(
    asked: Any, base: Path, released: Path, caplog: pytest.LogCaptureFixture
) -> None:
    def messages() -> list[str]:
        return [message for message in caplog.messages if "ego vehicle" in message]

    part = {"selection": probe4d.Selection(limit=2), "model": released}
    assumed = asked(**part, arguments={"base": str(base)})
    assert messages() == [
        f"{released} does not say with which text about the ego vehicle it was trained. Taken is none, since the "
        "folder's name has no word metatoken; ego_text=, or -M ego_text=none|question|paper when asking, says "
        "otherwise."
    ]
    caplog.clear()
    told = asked(**part, arguments={"base": str(base), "ego_text": "question"})
    assert (assumed.record.layout, told.record.layout) == ("plain", "ego")
    assert told.record.parameters["ego_text"] == "question"
    assert (told.answers["input_tokens"] > assumed.answers["input_tokens"]).all()
    assert not messages()


def test_a_released_checkpoint_without_its_base_is_refused(asked: Any, released: Path) -> None:
    with pytest.raises(InputError, match=r"needs the language model .* -M base=DIR when asking"):
        asked(model=released)


@pytest.mark.parametrize("kind", ["none", "question", "paper"])
@pytest.mark.parametrize("changed", ["the template", "the layout", "a measured text", "a text that questions hold"])
def test_a_run_is_not_gone_on_with_in_another_prompt_of_the_model(
    built: Benchmark,
    base: Path,
    features: Path,
    scenes: Scenes,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    kind: EgoText,
    changed: str,
) -> None:
    plan = RunPlan(
        evidence=evidence_named("lidar"), generation=GREEDY, selection=probe4d.Selection(families=("motion",), limit=2)
    )
    model = f"lidar-lm:{checkpoint_of(base, tmp_path / 'checkpoint', ego_text=kind)}"

    def ask(benchmark: Benchmark) -> Run:
        return probe4d.ask(benchmark, tmp_path / "run", model=model, plan=plan, scenes=scenes, features=features)

    before = ask(built)
    asked = built
    if changed == "the template":
        otherwise = conversation.TEMPLATES["v1"]._replace(opening="You see. USER: ")
        monkeypatch.setattr(conversation, "TEMPLATES", {"v1": otherwise})
    elif changed == "the layout":
        monkeypatch.setattr(answering, "laid_out", lambda layout, question, ego_text: ("", question))
    elif changed == "a measured text":
        monkeypatch.setattr(ego_text.EgoTexts, "of", lambda *_: "The car moves.")
    else:
        asked = Benchmark(to_table([retold(question) for question in built.questions]), built.record)
    matters = {"a measured text": kind != "none", "a text that questions hold": kind == "question"}.get(changed, True)
    if matters:
        with pytest.raises(InputError, match="holds another run: its prompts are worded otherwise than by"):
            ask(asked)
    else:
        assert ask(asked).record == before.record


def retold(question: Question) -> Question:
    """A question whose ego motion is told in other words."""
    if "ego_motion" not in question.facts:
        return question
    told = {**question.facts["ego_motion"], "text": "The car moves."}
    return msgspec.structs.replace(question, facts={**question.facts, "ego_motion": told})


def test_one_prompt_has_one_digest_whatever_is_shown(
    built: Benchmark, base: Path, features: Path, scenes: Scenes, tmp_path: Path
) -> None:
    told = f"lidar-lm:{checkpoint_of(base, tmp_path / 'checkpoint', ego_text='question')}"
    plan = RunPlan(evidence=evidence_named("lidar"))
    reader = open_reader(told, plan, features=features)
    thinner = msgspec.structs.replace(plan, evidence=evidence_named("lidar", max_frames=3))
    assert (
        prepare(built, plan, reader=reader).wording
        == prepare(built, plan, reader=reader, scenes=scenes).wording
        == prepare(built, thinner, reader=reader).wording
    )


def test_a_model_with_ego_text_is_asked_blind_too(asked: Any, base: Path, scenes: Scenes, tmp_path: Path) -> None:
    paper = checkpoint_of(base, tmp_path / "paper", ego_text="paper")
    run = asked("none", features=None, model=paper, scenes=scenes)
    assert run.answers["error"].null_count() == run.answers.height


def test_the_layout_may_be_another_when_that_is_meant(asked: Any) -> None:
    run = asked(lidar=LidarOptions(layout="paper", force=True))
    assert run.record.parameters["layout"] == "paper"


def test_questions_whose_ego_motion_is_not_known_are_left_out_before_anything_is_asked(
    asked: Any, base: Path, built: Benchmark, tmp_path: Path
) -> None:
    silent = [msgspec.structs.replace(one, facts={}) if one.family == "motion" else one for one in built.questions]
    benchmark = Benchmark(to_table(silent), built.record)
    told = checkpoint_of(base, tmp_path / "ego", ego_text="question")
    run = probe4d.ask(benchmark, tmp_path / "run", model=f"lidar-lm:{told}", plan=RunPlan(generation=GREEDY))
    assert {one.question for one in run.left_out} == {one.id for one in silent if one.family == "motion"}
    assert all("ego motion" in one.reason for one in run.left_out)
    assert run.answers["error"].null_count() == run.answers.height == len(silent) - len(run.left_out)
