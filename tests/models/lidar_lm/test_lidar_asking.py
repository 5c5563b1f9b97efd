"""A benchmark asked of a LiDAR language model: the same run as of any model, with its own evidence and decoding."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
import numpy as np
import pytest
from lidar_making import smollm_like_tokenizer, tiny_llama

import probe4d
from probe4d.benchmarks.benchmark import Benchmark, write_benchmark
from probe4d.benchmarks.question import Question, to_table
from probe4d.errors import InputError, RunError
from probe4d.evidence import ego_text
from probe4d.evidence.ego_text_kind import EgoText
from probe4d.models.generation import Generation
from probe4d.models.lidar_lm import answering, conversation
from probe4d.models.lidar_lm.answering_options import LidarOptions
from probe4d.models.lidar_lm.base_model import write_base
from probe4d.models.lidar_lm.checkpoints.checkpoint import save
from probe4d.models.lidar_lm.checkpoints.released import save_released_checkpoint
from probe4d.models.lidar_lm.decoding.shuffling import shuffled_order
from probe4d.models.lidar_lm.features import FeatureFolder, FeatureRecord, start_features, write_rows
from probe4d.models.lidar_lm.language_model import LidarLanguageModel
from probe4d.runs.dry_run import dry_run
from probe4d.runs.evidence_plan import evidence_named
from probe4d.runs.opening import open_reader
from probe4d.runs.plan import RunPlan
from probe4d.runs.prepared import prepare
from probe4d.runs.run import Run
from probe4d.scenes.tables import Scenes

ENCODER, WIDTH = "e" * 16, 6
GREEDY = Generation(temperature=0, max_tokens=3)


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One whose weights are large enough that what it says turns on the order of what it reads."""
    folder = tmp_path_factory.mktemp("base") / "llama"
    tokenizer = smollm_like_tokenizer()
    write_base(tiny_llama(tokenizer, initializer_range=0.4), tokenizer, folder)
    return folder


def checkpoint_of(base: Path, folder: Path, **asked: Any) -> Path:
    save(LidarLanguageModel.from_base(base, WIDTH, encoder=ENCODER, **asked), folder)
    return folder


@pytest.fixture(scope="module")
def checkpoint(base: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return checkpoint_of(base, tmp_path_factory.mktemp("checkpoint") / "tiny")


def features_of(
    scenes: Scenes,
    folder: Path,
    *,
    width: int = WIDTH,
    encoder: str = ENCODER,
    left_out: int = 0,
    dataset: str | None = None,
) -> Path:
    """Features drawn at random, of all scenes but the last ones, strong enough to change what is said."""
    start_features(folder, FeatureRecord(encoder=encoder, width=width, dataset=dataset))
    rng = np.random.default_rng(0)
    lengths = list(scenes.scenes.select("scene", "keyframes").iter_rows())
    for scene, keyframes in lengths[: len(lengths) - left_out]:
        write_rows(folder, scene, rng.normal(scale=20, size=(keyframes, width)).astype(np.float32))
    return folder


@pytest.fixture(scope="module")
def features(scenes: Scenes, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return features_of(scenes, tmp_path_factory.mktemp("features") / "drawn")


@pytest.fixture
def asked(built: Benchmark, checkpoint: Path, features: Path, tmp_path: Path) -> Any:
    """Ask the tiny model; every call in a folder of its own."""
    count = iter(range(100))

    def ask(evidence: str = "lidar", *, features: Path | None = features, **fields: Any) -> Run:
        scenes, model = fields.pop("scenes", None), fields.pop("model", checkpoint)
        plan = RunPlan(evidence=evidence_named(evidence, usual_view="lidar"), **({"generation": GREEDY} | fields))
        out = tmp_path / f"run{next(count)}"
        return probe4d.ask(built, out, model=f"lidar-lm:{model}", plan=plan, scenes=scenes, features=features)

    return ask


def texts(run: Run) -> dict[str, str]:
    return dict(run.answers.select("question", "text").iter_rows())


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


def test_a_scene_without_features_is_left_out_and_told(
    asked: Any, built: Benchmark, scenes: Scenes, tmp_path: Path
) -> None:
    run = asked(features=features_of(scenes, tmp_path / "fewer", left_out=1))
    last = scenes.scenes["scene"][-1]
    lacking = {question.id for question in built.questions if question.scene == last}
    assert {one.question for one in run.left_out} == lacking
    assert {one.reason for one in run.left_out} == {"its scene is not in the features"}
    assert len(texts(run)) == len(built.questions) - len(lacking)


def test_broken_features_are_told_before_anything_is_asked(
    asked: Any, built: Benchmark, features: Path, tmp_path: Path
) -> None:
    scene = built.questions[-1].scene
    with pytest.raises(InputError, match=rf"{scene}.*NaN or infinite"):
        asked(features=spoilt(features, tmp_path / "nan", scene, lambda rows: np.full_like(rows, np.nan)))
    assert not list(tmp_path.glob("run*"))


def test_features_of_another_make_are_refused(asked: Any, scenes: Scenes, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"width 4.*width 6"):
        asked(features=features_of(scenes, tmp_path / "narrow", width=4))
    with pytest.raises(InputError, match="another encoder"):
        asked(features=features_of(scenes, tmp_path / "strange", encoder="f" * 16))
    assert not list(tmp_path.glob("run*"))


def spoilt(features: Path, folder: Path, scene: str, change: Callable[[np.ndarray[Any, Any]], Any]) -> Path:
    """A copy of features in which those of one scene are changed."""
    shutil.copytree(features, folder)
    (folder / f"{scene}.safetensors").unlink()
    write_rows(folder, scene, change(FeatureFolder(features).rows(scene)))
    return folder


def test_features_of_another_number_of_key_frames_are_refused(
    asked: Any, built: Benchmark, features: Path, tmp_path: Path
) -> None:
    question = next(iter(built.questions))
    fewer = spoilt(features, tmp_path / "fewer", question.scene, lambda rows: rows[:5])
    told = rf"{question.scene}.*features of 5 key frames, and the scene has {question.keyframes}\."
    with pytest.raises(InputError, match=told):
        asked(features=fewer)
    assert not list(tmp_path.glob("run*"))


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


WRONG = {
    "argument": ("-M junk=1", "takes no argument 'junk'"),
    "server": ("--base-url http://127.0.0.1:9", "has no server"),
    "effort": ("--reasoning-effort high", "takes no reasoning_effort"),
    "no features": ("--features nowhere", "is no folder of features"),
    "blind with features": ("--evidence none", "is shown no features"),
    "ego setting": ("--setting ego", "the ego-motion text that it was trained with"),
    "ego text": ("-M ego_text=question", "says itself that it was trained with the ego text none"),
    "unknown ego text": ("-M ego_text=some", "takes no such argument .*none, question or paper"),
    "base": ("-M base=nowhere", "is not in nowhere"),
    "layout": ("--layout paper", "trained in the layout hallu"),
    "no checkpoint": ("--model lidar-lm:.", "is no checkpoint"),
}


def test_wrong_options_are_told_before_torch_is_imported(
    built: Benchmark, checkpoint: Path, features: Path, scenes: Scenes, tmp_path: Path
) -> None:
    """Importing it takes longer than all else that a wrong command does; and no weights can be read without it."""
    write_benchmark(built, tmp_path / "bench", card="")
    usual = ["ask", str(tmp_path / "bench"), "--out", "run", "--model", f"lidar-lm:{checkpoint}"]
    usual += ["--features", str(features)]
    narrow = features_of(scenes, tmp_path / "narrow", width=4)
    strange = features_of(scenes, tmp_path / "strange", encoder="f" * 16)
    wrong = {
        **WRONG,
        "width": (f"--features {narrow}", "width 4.*width 6"),
        "encoder": (f"--features {strange}", "another encoder"),
    }
    code = (
        "import json, sys\nfrom probe4d.cli import app\nfrom probe4d.errors import InputError\n"
        "for options in json.load(sys.stdin):\n"
        "    try:\n        app(options, standalone_mode=False)\n"
        "    except InputError as error:\n        print('torch' in sys.modules, ascii(str(error)))\n"
    )
    commands = [usual + options.split() for options, _ in wrong.values()]
    done = subprocess.run(
        [sys.executable, "-c", code],
        input=json.dumps(commands),
        capture_output=True,
        text=True,
        check=True,
        cwd=tmp_path,
    )
    for line, (name, (_, told)) in zip(done.stdout.splitlines(), wrong.items(), strict=True):
        assert line.startswith("False"), name
        assert re.search(told, line), name
    assert not (tmp_path / "run").exists()


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


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"evidence": "lidar", "features": None}, "of which there is no folder"),
        ({"evidence": "none"}, "is shown no features"),
        ({"evidence": "cameras"}, "is shown no features"),
        ({"evidence": "none", "features": None, "setting": "tscd:1"}, "contrasts the feature rows"),
        ({"lidar": LidarOptions(layout="paper")}, "trained in the layout hallu.*force"),
        ({"arguments": {"speed": 3}}, "takes no argument 'speed'"),
        ({"arguments": {"device": "abacus"}}, "no device 'abacus'"),
        ({"base_url": "http://localhost:1"}, "has no server"),
        ({"generation": Generation(system="Be good.")}, "takes no system"),
        ({"model": Path("nowhere")}, "names no folder of a checkpoint"),
        ({"setting": "tscd:1", "lidar": LidarOptions(sampling="released")}, "the sampling same, not released"),
        ({"setting": "tscd:1", "generation": Generation(top_p=0.5)}, r"top_p \(--top-p\) has no effect"),
        ({"generation": Generation(max_tokens=10**6)}, r"1,000,000 tokens .* Lower max_tokens"),
    ],
)
def test_what_cannot_be_asked_is_refused_before_a_folder_is_made(
    asked: Any, tmp_path: Path, fields: dict[str, Any], told: str
) -> None:
    with pytest.raises(InputError, match=told):
        asked(**fields)
    assert not list(tmp_path.glob("run*"))


@pytest.mark.parametrize("fault", [RuntimeError("CUDA error: an illegal memory access"), MemoryError(), KeyError("k")])
def test_whatever_fails_inside_the_model_ends_the_run_and_says_so(
    asked: Any, monkeypatch: pytest.MonkeyPatch, fault: Exception
) -> None:
    def fail(*_: object) -> None:
        raise fault

    monkeypatch.setattr("probe4d.models.lidar_lm.answering.Decoder.generate", fail)
    with pytest.raises(RunError, match=rf"the model failed \({type(fault).__name__}"):
        asked()


def test_features_of_another_dataset_are_refused(asked: Any, scenes: Scenes, tmp_path: Path) -> None:
    strange = features_of(scenes, tmp_path / "strange", dataset="x" * 64)
    for more in ({}, {"scenes": scenes}):
        with pytest.raises(InputError, match="another dataset"):
            asked(features=strange, **more)
    assert texts(asked(features=features_of(scenes, tmp_path / "own", dataset=scenes.fingerprint)))


def test_the_first_of_several_seeds_is_the_usual_one(asked: Any) -> None:
    drawn = {"generation": Generation(temperature=1.5, max_tokens=3)}
    several = asked(setting="repeat:2", **drawn).answers
    assert dict(several.filter(variant="seed-0").select("question", "text").iter_rows()) == texts(asked(**drawn))
    assert not set(several.filter(variant="seed-0")["seed"]) & set(several.filter(variant="seed-1")["seed"])


def test_a_model_with_ego_text_is_asked_blind_too(asked: Any, base: Path, scenes: Scenes, tmp_path: Path) -> None:
    paper = checkpoint_of(base, tmp_path / "paper", ego_text="paper")
    run = asked("none", features=None, model=paper, scenes=scenes)
    assert run.answers["error"].null_count() == run.answers.height


def test_the_layout_may_be_another_when_that_is_meant(asked: Any) -> None:
    run = asked(lidar=LidarOptions(layout="paper", force=True))
    assert run.record.parameters["layout"] == "paper"


@pytest.mark.parametrize(("setting", "evidence"), [("tscd:1", "none"), ("default", "lidar")])
def test_other_models_take_neither_contrast_nor_features(
    built: Benchmark, scenes: Scenes, tmp_path: Path, setting: str, evidence: str
) -> None:
    plan = RunPlan(setting=setting, evidence=evidence_named(evidence))
    with pytest.raises(InputError, match="LiDAR language model"):
        probe4d.ask(built, tmp_path / "run", model="openai/gpt-5", plan=plan, scenes=scenes)
    assert not (tmp_path / "run").exists()


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


@pytest.mark.parametrize("options", [{"sampling": "same"}, {"keep_logits": True}, {"layout": "paper"}, {"force": True}])
def test_options_of_lidar_models_are_refused_for_others(
    built: Benchmark, tmp_path: Path, options: dict[str, Any]
) -> None:
    control = probe4d.control_model(built, "control:fixed")
    with pytest.raises(InputError, match="are options of LiDAR language models"):
        probe4d.ask(built, tmp_path / "run", model=control, plan=RunPlan(lidar=LidarOptions(**options)))
    assert not (tmp_path / "run").exists()
