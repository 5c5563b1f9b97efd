"""Rows that train a LiDAR language model, written from benchmarks."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest
from export_making import hostile_benchmark

import making
from probe4d.benchmarks.benchmark import Benchmark
from probe4d.benchmarks.question import Evidence, Question
from probe4d.benchmarks.suites import suite_prompt
from probe4d.errors import InputError
from probe4d.evidence.ego_text_kind import EgoText
from probe4d.exchange.exports.training import export_training
from probe4d.models.lidar_lm.training.rows import TrainingRow, read_training_rows
from probe4d.runs.evidence_plan import evidence_named
from probe4d.runs.plan import RunPlan
from probe4d.runs.selection import Selection
from probe4d.scenes.tables import Scenes

LIDAR = evidence_named("lidar")


def exported(benchmark: Benchmark, out: Path, **options: object) -> list[TrainingRow]:
    export_training(benchmark, out, **options)  # type: ignore[arg-type]  # what a test gives fits
    return read_training_rows(out)


def test_every_question_is_a_row_with_its_prompt_and_answer(built: Benchmark, tmp_path: Path) -> None:
    rows = exported(built, tmp_path / "out")
    word = suite_prompt("lidar-hallu", "default")
    assert [(row.scene, row.prompt, row.answer) for row in rows] == [
        (question.scene, word(question), question.answer) for question in built.questions
    ]
    assert {(row.frames, row.ego_text, row.ego_text_kind) for row in rows} == {(None, None, "none")}
    readme = (tmp_path / "out" / "README.md").read_text()
    assert built.fingerprint in readme
    assert "evidence `lidar`" in readme
    assert {path.name for path in (tmp_path / "out").iterdir()} == {"README.md", "SHA256SUMS", "training.jsonl"}


def test_hostile_texts_come_back_letter_for_letter(tmp_path: Path) -> None:
    benchmark = hostile_benchmark(tmp_path / "bench")
    word = suite_prompt("lidar-hallu", "default")
    rows = exported(benchmark, tmp_path / "out")
    assert [row.prompt for row in rows] == [word(question) for question in benchmark.questions]
    assert len((tmp_path / "out" / "training.jsonl").read_bytes().splitlines()) == len(rows)


def test_the_span_of_a_question_shows_its_own_frames(built: Benchmark, tmp_path: Path) -> None:
    plan = RunPlan(evidence=evidence_named("lidar", span="question"))
    rows = exported(built, tmp_path / "out", plan=plan)
    expected = [question.evidence.frames for question in built.questions]
    assert [row.frames for row in rows] == expected
    assert len(set(expected)) > 5


def test_a_question_that_lists_no_frames_shows_its_scene(tmp_path: Path) -> None:
    listed = making.question(0, suite="lidar-hallu", evidence=Evidence(frames=(5, 3)))
    benchmark = making.benchmark_of([listed, making.question(1, suite="lidar-hallu", keyframes=None)])
    plan = RunPlan(evidence=evidence_named("lidar", span="question"))
    assert [row.frames for row in exported(benchmark, tmp_path / "out", plan=plan)] == [(3, 5), None]


def test_a_long_scene_is_thinned_as_it_is_asked(tmp_path: Path) -> None:
    benchmark = making.benchmark_of([making.question(0, suite="lidar-hallu", keyframes=40, frames=(7,))])
    plan = RunPlan(evidence=evidence_named("lidar", max_frames=4))
    (row,) = exported(benchmark, tmp_path / "out", plan=plan)
    assert row.frames is not None
    assert len(row.frames) == 4
    assert {0, 7, 39} <= set(row.frames)


def test_each_rotation_of_options_is_a_row_with_its_own_letter(built: Benchmark, tmp_path: Path) -> None:
    plan = RunPlan(setting="permuted:4", evidence=LIDAR, selection=Selection(families=("distance",), limit=2))
    rows = exported(built, tmp_path / "out", plan=plan)
    assert len(rows) == 8
    assert {row.answer for row in rows[:4]} == set("ABCD")
    for row in rows:
        question = next(one for one in built.questions if one.question and row.prompt.startswith(one.question))
        right = question.options["ABCD".index(question.answer)]
        assert f"\n{row.answer}. {right}\n" in row.prompt


def test_the_text_of_the_release_comes_from_the_questions(built: Benchmark, scenes: Scenes, tmp_path: Path) -> None:
    rows = exported(built, tmp_path / "held", ego_text="question")
    assert [row.ego_text for row in rows] == [question.facts["ego_motion"]["text"] for question in built.questions]
    assert {row.ego_text_kind for row in rows} == {"question"}
    bare = making.benchmark_of([without_motion(question) for question in built.questions], suite="lidar-hallu")
    measured = exported(bare, tmp_path / "measured", ego_text="question", scenes=scenes)
    assert measured == [msgspec.structs.replace(row, dataset=None) for row in rows]


def without_motion(question: Question) -> Question:
    facts = {name: fact for name, fact in question.facts.items() if name != "ego_motion"}
    return msgspec.structs.replace(question, facts=facts)


def test_the_text_of_the_paper_is_measured_in_the_scenes(built: Benchmark, scenes: Scenes, tmp_path: Path) -> None:
    rows = exported(built, tmp_path / "out", ego_text="paper", scenes=scenes)
    assert all(row.ego_text and row.ego_text.startswith("The metadata of the ") for row in rows)
    with pytest.raises(InputError, match=r"Give the dataset that the benchmark was built from \(scenes=, --data\)"):
        exported(built, tmp_path / "other", ego_text="paper")
    assert not (tmp_path / "other").exists()


@pytest.mark.parametrize("ego_text", ["question", "paper"])
def test_no_text_depends_on_an_answer(built: Benchmark, scenes: Scenes, tmp_path: Path, ego_text: str) -> None:
    turned = [
        msgspec.structs.replace(
            without_motion(question),
            answer={"Yes": "No", "No": "Yes"}.get(question.answer, "ABCD"["BCDA".find(question.answer)]),
        )
        for question in built.questions
    ]
    straight = [without_motion(question) for question in built.questions]
    rows = [
        exported(making.benchmark_of(questions, suite="lidar-hallu"), tmp_path / name, ego_text=ego_text, scenes=scenes)
        for name, questions in (("straight", straight), ("turned", turned))
    ]
    for one, other in zip(*rows, strict=True):
        assert one.answer != other.answer
        assert one.ego_text == other.ego_text


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"plan": RunPlan(evidence=evidence_named("cameras"))}, "show LiDAR features, not the evidence cameras"),
        ({"plan": RunPlan(evidence=evidence_named("shuffled:lidar"))}, "not the evidence shuffled:lidar"),
        ({"plan": RunPlan(setting="ego", evidence=LIDAR), "ego_text": "question"}, "put it there twice"),
        ({"plan": RunPlan(setting="repeat:2", evidence=LIDAR)}, "other seeds"),
        ({"ego_text": "question"}, r"no question can be exported \(1 × its ego motion.* is not known"),
    ],
)
def test_what_rows_cannot_hold_is_refused(tmp_path: Path, options: dict[str, object], words: str) -> None:
    facts = {"ego_motion": {"text": "It stands."}} if "plan" in options else {}
    benchmark = making.benchmark_of([making.question(0, suite="lidar-hallu", facts=facts)])
    with pytest.raises(InputError, match=words):
        exported(benchmark, tmp_path / "out", **options)
    assert list(tmp_path.iterdir()) == []


def test_no_question_is_read_that_may_not_be_learnt_from(tmp_path: Path) -> None:
    questions = [
        making.question(n, suite="lidar-hallu", scene=scene) for n, scene in enumerate(("scene-0001", "scene-0003"))
    ]
    made = making.benchmark_of(questions).record.source
    source = msgspec.structs.replace(made, name="nuscenes", version="v1.0-trainval", fingerprint="f" * 64)
    benchmark = making.benchmark_of(questions, source=source)
    stored = making.legible_alone(benchmark, [questions[0].id], tmp_path / "bench", "scene")
    assert [row.scene for row in exported(stored, tmp_path / "out")] == ["scene-0001"]


def test_what_was_left_out_is_listed(tmp_path: Path) -> None:
    benchmark = making.benchmark_of(
        [making.question(0, suite="lidar-hallu"), making.question(1, suite="lidar-hallu", question=None)]
    )
    done = export_training(benchmark, tmp_path / "out")
    assert len(read_training_rows(tmp_path / "out")) == 1
    (left,) = (json.loads(line) for line in (tmp_path / "out" / "left_out.jsonl").read_bytes().splitlines())
    assert left["question"] == done.left_out[0].question == benchmark.questions[1].id


@pytest.mark.parametrize(("ego_text", "known"), [("none", (0, 1)), ("question", (0,))])
def test_a_question_whose_motion_is_not_known_is_left_out_as_in_asking(
    tmp_path: Path, ego_text: EgoText, known: tuple[int, ...]
) -> None:
    told = making.question(0, suite="lidar-hallu", facts={"ego_motion": {"text": "It stands."}})
    questions = [told, making.question(1, suite="lidar-hallu")]
    begun: list[int] = []
    benchmark = making.benchmark_of(questions)
    done = export_training(benchmark, tmp_path / "out", ego_text=ego_text, begun=begun.append)
    assert [item.id for item in done.items] == [questions[place].id for place in known]
    assert begun == [len(known)]
    assert [(left.question, left.reason) for left in done.left_out] == [
        (question.id, "its ego motion, which the model is asked with, is not known")
        for place, question in enumerate(questions)
        if place not in known
    ]
    readme = (tmp_path / "out" / "README.md").read_text()
    assert ("left out: 1 × its ego motion" in readme) == (ego_text == "question")


def test_rows_say_which_scene_they_are_about(tmp_path: Path) -> None:
    benchmark = making.benchmark_of(
        [making.question(place, suite="lidar-hallu", keyframes=count) for place, count in enumerate((40, None))]
    )
    export_training(benchmark, tmp_path / "rows")
    rows = read_training_rows(tmp_path / "rows")
    assert [row.keyframes for row in rows] == [40, None]
    assert [row.dataset for row in rows] == [None, None]  # which nobody knows of made questions


def test_rows_say_which_dataset_they_are_of(built: Benchmark, tmp_path: Path) -> None:
    rows = exported(built, tmp_path / "rows")
    assert {row.dataset for row in rows} == {built.record.source.fingerprint}
    assert rows[0].dataset is not None
