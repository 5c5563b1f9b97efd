from __future__ import annotations

import dataclasses
import json
import shutil
from collections.abc import Callable, Collection
from pathlib import Path

import polars as pl
import pytest
from fake_server import FakeServer
from msgspec import structs

import probe4d
from making import Model
from probe4d.benchmarks.benchmark import Benchmark
from probe4d.diagnosis.controls.runs import control_model
from probe4d.diagnosis.diagnose import diagnose
from probe4d.errors import InputError
from probe4d.models.course import Course
from probe4d.models.generation import Generation
from probe4d.models.request import ModelFailure, Reply, Request
from probe4d.runs.ask import ask
from probe4d.runs.evidence_plan import EvidencePlan, evidence_named
from probe4d.runs.plan import RunPlan
from probe4d.runs.run import Answer, AnswerError, asked_of
from probe4d.runs.selection import Selection
from probe4d.runs.summary import summary_of
from probe4d.scenes.tables import Scenes

Server = Callable[..., FakeServer]


def moody(failing: set[str]) -> Model:
    """A model that fails at some questions."""

    def reply(request: Request) -> Reply:
        if request.key in failing:
            raise ModelFailure("out of sorts")
        return Reply(text="A", finish_reason="stop", tokens=2, input_tokens=5, model="moody-1")

    return Model(reply, name="test/moody")


def test_a_run_holds_every_option_that_changes_answers(
    built: Benchmark, scenes: Scenes, fake_server: Server, tmp_path: Path
) -> None:
    generation = Generation(temperature=0.5, max_tokens=9, seed=3, system="Look.", extra_body={"top_k": 4})
    run = ask(
        built,
        tmp_path / "run",
        model="openai-api/fake/m",
        plan=RunPlan(
            setting="repeat:2",
            evidence=evidence_named("birds-eye", max_frames=2),
            selection=Selection(sample=6, seed=1),
            generation=generation,
            base_url=(server := fake_server(default="A")).base_url,
            arguments={"emulate_tools": False},
            preset="of mine",
        ),
        scenes=scenes,
    )
    record = json.loads((tmp_path / "run" / "run.json").read_text())
    assert record["generation"] == {
        "temperature": 0.5,
        "max_tokens": 9,
        "seed": 3,
        "system": "Look.",
        "extra_body": {"top_k": 4},
    }
    assert record["parameters"] == {"base_url": server.base_url, "emulate_tools": False}
    assert record["evidence"]["view"] == "birds-eye"
    assert record["selection"] == {"families": [], "sample": 6, "limit": None, "seed": 1}
    assert record["preset"] == "of mine"
    assert {"probe4d", "pillow", "inspect-ai", "openai"} <= set(record["versions"])
    assert not {"max_connections", "max_retries", "timeout_s", "workers"} & set(record)
    assert run.answers["seed"].to_list() == [3, 4] * 6
    assert run.answers["evidence"].null_count() == 0
    bodies = [request["body"] for request in server.requests()]
    assert len(bodies) == 12
    for body in bodies:
        assert (body["temperature"], body["max_tokens"], body["top_k"]) == (0.5, 9, 4)
        assert body["messages"][0] == {"role": "system", "content": "Look."}


def test_a_repetition_asks_only_what_failed(built: Benchmark, tmp_path: Path) -> None:
    first, second = built.table["id"][:2]
    model = moody({first, second})
    lines: list[Answer | AnswerError] = []
    plan = RunPlan(selection=Selection(limit=5))
    run = ask(built, tmp_path / "run", model=model, plan=plan, done=lines.append)
    assert model.closed == 1
    summary = summary_of(run)
    assert (summary.answers, summary.unanswered, summary.errors) == (3, 2, {"out of sorts": 2})
    assert (summary.tokens, summary.input_tokens, summary.servers) == (6, 15, {"moody-1": 3})
    assert sorted(type(line).__name__ for line in lines) == ["Answer"] * 3 + ["AnswerError"] * 2
    begun: list[tuple[int, int]] = []
    again = moody(set())
    run = ask(built, tmp_path / "run", model=again, plan=plan, begun=lambda *counts: begun.append(counts))
    assert sorted(again.asked) == sorted([first, second])
    assert begun == [(5, 3)]
    assert (summary_of(run).answers, summary_of(run).unanswered) == (5, 0)
    assert run.answers["question"].to_list() == built.table["id"][:5].to_list()


def test_a_run_without_answers_may_begin_anew_with_other_options(built: Benchmark, tmp_path: Path) -> None:
    part = Selection(limit=3)
    failing = moody(set(built.table["id"]))
    ask(built, tmp_path / "run", model=failing, plan=RunPlan(selection=part, base_url="http://nowhere"))
    assert summary_of(probe4d.read_run(tmp_path / "run")).unanswered == 3
    fewer = RunPlan(selection=Selection(limit=2), base_url="http://here")
    run = ask(built, tmp_path / "run", model=moody(set()), plan=fewer)
    assert run.record.parameters == {"base_url": "http://here"}
    assert (summary_of(run).answers, summary_of(run).unanswered) == (2, 0)
    with pytest.raises(InputError, match=r"holds another run: .*base.url was"):
        ask(built, tmp_path / "run", model=moody(set()), plan=structs.replace(fewer, base_url="http://there"))


def test_a_finished_run_needs_neither_key_nor_server(
    built: Benchmark, fake_server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = fake_server(default="A")
    plan = RunPlan(base_url=server.base_url, selection=Selection(limit=3))
    first = ask(built, tmp_path / "run", model="openai-api/fake/m", plan=plan)
    server.stop()
    monkeypatch.delenv("FAKE_API_KEY")
    again = ask(built, tmp_path / "run", model="openai-api/fake/m", plan=plan)
    assert again.answers.equals(first.answers)
    assert again.answers.height == 3


def test_answers_stay_when_what_they_were_shown_is_gone(built: Benchmark, scenes: Scenes, tmp_path: Path) -> None:
    plan = RunPlan(evidence=evidence_named("birds-eye"), selection=Selection(families=("existence",)))
    failing = set(built.table.filter(family="existence")["id"][:4])
    first = ask(built, tmp_path / "run", model=moody(failing), plan=plan, scenes=scenes)
    assert summary_of(first).answers == 16
    kept = {question.id: question for question in built.questions}[min(failing)]
    for file in scenes.sensors.filter(channel="LIDAR_TOP", scene=kept.scene, frame=kept.frames[0])["file"]:
        (tmp_path / "moved" / file).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(scenes.root / file, tmp_path / "moved" / file)
    moved = dataclasses.replace(scenes, root=tmp_path / "moved")
    again = ask(built, tmp_path / "run", model=moody(set()), plan=plan, scenes=moved)
    answered = set(again.answers.filter(pl.col("error").is_null())["question"])
    left_out = {one.question for one in again.left_out}
    assert set(first.answers.filter(pl.col("error").is_null())["question"]) < answered
    assert left_out
    assert not answered & left_out
    assert answered | left_out == set(built.table.filter(family="existence")["id"])
    assert set(asked_of(again, built)["id"]) == answered
    assert (summary_of(again).unanswered, sum(summary_of(again).left_out.values())) == (0, len(left_out))
    accuracy = diagnose(built, [again]).figures.filter(run="run", metric="accuracy", family="existence", format="all")
    assert accuracy["n"].to_list() == [len(answered)]


def test_what_is_sent_is_the_suites_wording(built: Benchmark, fake_server: Server, tmp_path: Path) -> None:
    server = fake_server(default="A")
    plan = RunPlan(base_url=server.base_url, selection=Selection(limit=8))
    ask(built, tmp_path / "run", model="openai-api/fake/m", plan=plan)
    probe4d.write_prompts(built, tmp_path / "prompts.jsonl")
    prompts = [json.loads(line)["prompt"] for line in (tmp_path / "prompts.jsonl").read_text().splitlines()][:8]
    assert server.counts() == dict.fromkeys(prompts, 1)


@pytest.mark.parametrize(
    ("plan", "words"),
    [
        (RunPlan(setting="permuted"), "there is no setting 'permuted'"),
        (RunPlan(selection=Selection(limit=0)), "the limit is 0"),
        (RunPlan(evidence=evidence_named("cameras")), r"Give the dataset \(scenes=, --data\)"),
        (RunPlan(arguments={"api_key": "x"}), "would put a key"),
        (RunPlan(generation=Generation(extra_body={"headers": {"authorization": "x"}})), "would put a key"),
    ],
)
def test_what_cannot_be_asked_is_refused_before_anything_is_written(
    built: Benchmark, tmp_path: Path, plan: RunPlan, words: str
) -> None:
    model = moody(set())
    with pytest.raises(InputError, match=words) as raised:
        ask(built, tmp_path / "run", model=model, plan=plan)
    assert raised.value.exit_code == 2
    assert not model.asked
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("course", "model", "connections"),
    [
        (Course(), "openai/gpt-5.5", 10),
        (Course(), "lidar-lm:checkpoint", 64),
        (Course(max_connections=3), "openai/gpt-5.5", 3),
        (Course(max_connections=3), "lidar-lm:checkpoint", 3),
        (Course(), Model(lambda _: "A", max_connections=7), 7),
        (Course(max_connections=3), Model(lambda _: "A", max_connections=7), 7),
    ],
)
def test_every_model_has_its_usual_number_of_requests_at_once(
    course: Course, model: str | Model, connections: int
) -> None:
    assert course.connections(model) == connections


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"max_connections": 0}, "max_connections must be at least 1, not 0"),
        ({"timeout_s": 0}, "timeout_s must be at least 1, not 0"),
        ({"max_retries": -1}, "max_retries must be at least 0, not -1"),
        ({"workers": 0}, "workers must be at least 1, not 0"),
    ],
)
def test_a_course_that_asks_nothing_is_refused(options: dict[str, int], words: str) -> None:
    with pytest.raises(InputError, match=words):
        Course(**options)


def test_scenes_of_another_dataset_are_refused_with_what_differs(
    built: Benchmark, scenes: Scenes, tmp_path: Path
) -> None:
    probe4d.simulate(tmp_path / "other", scenes=1, seed=99, cameras=False)
    other = probe4d.open_scenes(tmp_path / "other")
    plan = RunPlan(evidence=evidence_named("birds-eye"), selection=Selection(limit=1))
    with pytest.raises(InputError, match=r"measured in: 5 of the benchmark's 6 scenes are not in .*, first sim-"):
        ask(built, tmp_path / "run", model=moody(set()), plan=plan, scenes=other)
    source = structs.replace(built.record.source, fingerprint="f" * 64)
    changed = Benchmark(built.table, structs.replace(built.record, source=source))
    same_names = r"holds scenes of the same names, and other tables \(SHA-256 [0-9a-f]{12}…, not f{12}…\)"
    with pytest.raises(InputError, match=same_names):
        ask(changed, tmp_path / "run", model=moody(set()), plan=plan, scenes=scenes)
    nothing_shown = structs.replace(plan, evidence=EvidencePlan())
    ask(built, tmp_path / "run", model=moody(set()), plan=nothing_shown, scenes=other)


def test_a_run_without_a_question_is_refused(built: Benchmark, scenes: Scenes, tmp_path: Path) -> None:
    of_one_frame = Benchmark(built.table.filter(family="existence"), built.record)
    plan = RunPlan(evidence=evidence_named("shuffled:birds-eye"))
    with pytest.raises(InputError, match=r"none of the 20 selected questions can be asked; of the first: "):
        ask(of_one_frame, tmp_path / "run", model=moody(set()), plan=plan, scenes=scenes)


def test_a_wrong_model_leaves_no_folder(built: Benchmark, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="knows no provider 'nobody'"):
        ask(built, tmp_path / "run", model="nobody/nothing")
    assert not (tmp_path / "run").exists()


def test_a_model_that_knows_what_it_cannot_be_asked_refuses_before_a_folder_is_made(
    built: Benchmark, scenes: Scenes, tmp_path: Path
) -> None:
    told: list[tuple[list[str], bool]] = []

    class Choosy(Model):
        def check(self, keys: Collection[str], *, pictures: bool) -> None:
            told.append((list(keys), pictures))
            raise InputError("this is not for me.")

    choosy = Choosy(lambda request: "A")
    for evidence in ("none", "birds-eye"):
        plan = RunPlan(setting="repeat:2", evidence=evidence_named(evidence), selection=Selection(limit=1))
        with pytest.raises(InputError, match=r"^this is not for me\.$"):
            ask(built, tmp_path / "run", model=choosy, plan=plan, scenes=scenes)
    first = built.table["id"][0]
    assert told == [([f"{first}/seed-0", f"{first}/seed-1"], pictures) for pictures in (False, True)]
    assert choosy.asked == []
    assert not (tmp_path / "run").exists()


def test_a_control_is_recorded_as_itself(built: Benchmark, tmp_path: Path) -> None:
    plan = RunPlan(selection=Selection(limit=4))
    run = ask(built, tmp_path / "run", model=control_model(built, "control:fixed"), plan=plan)
    assert (run.record.model, run.record.parameters) == ("control:fixed", {})
    assert set(run.answers["text"]) <= {"A", "No"}
