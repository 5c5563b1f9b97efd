from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import polars as pl
import pytest
from exhibit_making import question, scenes_of
from hypothesis import given
from hypothesis import strategies as st

import probe4d
from making import benchmark_of
from probe4d.benchmarks.benchmark import Benchmark
from probe4d.benchmarks.question import Question
from probe4d.benchmarks.suite import ANSWERS_SCHEMA
from probe4d.benchmarks.suites import answers_elsewhere
from probe4d.evidence.sources import Sources
from probe4d.runs.evidence_plan import evidence_named
from probe4d.runs.exhibits import Exhibits, exhibits
from probe4d.runs.known_scenes import known_scenes
from probe4d.runs.other_scenes import other_scenes
from probe4d.scenes.opening import open_scenes
from probe4d.scenes.tables import Scenes

Answers = list[tuple[str, str, str]]


def chosen(
    questions: list[Question], lengths: dict[str, int], answers: Answers, seed: int = 42
) -> dict[str, tuple[str, str | None]]:
    table = pl.DataFrame(answers, schema=ANSWERS_SCHEMA, orient="row")
    own = {one.id: one.scene for one in questions}
    return other_scenes(questions, own, known_scenes(scenes_of(lengths), None).lengths, table, seed=seed)


def test_a_scene_of_the_same_length_goes_before_a_longer_one() -> None:
    lengths = {"a": 4, "b": 4, "c": 3, "d": 5, "e": 9}
    asked = [question("q", scene="a")]
    assert chosen(asked, lengths, []) == {"q": ("b", None)}
    assert chosen(asked, lengths, [("q", "b", "Yes")]) == {"q": ("d", None)}
    assert chosen(asked, lengths, [("q", "b", "Yes"), ("q", "d", "Yes")]) == {"q": ("e", None)}
    assert chosen(asked, lengths, [("q", other, "Yes") for other in "bde"]) == {}


def test_the_answer_there_is_told_where_there_is_one() -> None:
    lengths = {"a": 4, "b": 4}
    asked = [question("q", scene="a", answer="C")]
    assert chosen(asked, lengths, [("q", "b", "A")]) == {"q": ("b", "A")}
    assert chosen(asked, lengths, [("q", "b", "A"), ("q", "b", "D")]) == {"q": ("b", None)}
    assert chosen(asked, lengths, [("q", "b", "A"), ("q", "b", "C")]) == {}
    assert chosen(asked, lengths, [("other", "b", "C"), ("q", "a", "C")]) == {"q": ("b", None)}


@given(
    st.dictionaries(st.sampled_from("abcdefgh"), st.integers(2, 5), min_size=1),
    st.lists(st.tuples(st.sampled_from("abcdefgh"), st.sampled_from(["Yes", "No"])), max_size=6),
    st.sets(st.tuples(st.integers(0, 5), st.sampled_from("abcdefgh"), st.sampled_from(["Yes", "No"]))),
    st.randoms(use_true_random=False),
)
def test_a_choice_is_another_scene_with_another_answer_and_knows_no_order(
    lengths: dict[str, int], asked: list[tuple[str, str]], right: set[tuple[int, str, str]], random: object
) -> None:
    questions = [
        question(f"q{at}", scene=scene, answer=answer) for at, (scene, answer) in enumerate(asked) if scene in lengths
    ]
    answers = sorted((f"q{at}", scene, answer) for at, scene, answer in right)
    found = chosen(questions, lengths, answers)
    for one in questions:
        possible = {
            scene: length
            for scene, length in lengths.items()
            if length >= lengths[one.scene] and scene != one.scene and (one.id, scene, one.answer) not in answers
        }
        if not possible:
            assert one.id not in found
            continue
        scene, answer = found[one.id]
        assert possible[scene] == min(possible.values())
        there = {told for of, where, told in answers if (of, where) == (one.id, scene)}
        assert answer == (there.pop() if len(there) == 1 else None)
    random.shuffle(questions)  # type: ignore[attr-defined]
    random.shuffle(answers)  # type: ignore[attr-defined]
    assert chosen(questions, dict(reversed(lengths.items())), answers) == found


def test_questions_and_seeds_choose_for_themselves() -> None:
    lengths = dict.fromkeys("abcdefghij", 4)
    asked = [question(f"q{at}") for at in range(30)]
    together = chosen(asked, lengths, [])
    assert {scene for scene, _ in together.values()} == set("bcdefghij")
    assert all(chosen([one], lengths, [])[one.id] == together[one.id] for one in asked[:5])
    assert chosen(asked, lengths, [], seed=43) != together


@pytest.fixture(scope="module")
def standard(scenes: Scenes) -> Benchmark:
    return probe4d.build("lidar-hallu", scenes, per_family=60)


def test_other_simulated_scenes(scenes: Scenes, standard: Benchmark) -> None:
    plan = evidence_named("other-scene:birds-eye")
    shown = exhibits(standard.questions, plan, scenes, elsewhere=partial(answers_elsewhere, standard))
    hold(shown, standard, scenes)
    backwards = exhibits(standard.questions[::-1], plan, scenes, elsewhere=partial(answers_elsewhere, standard))
    assert backwards.of == shown.of


@pytest.mark.real_data
def test_other_scenes_of_nuscenes(real_data: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch) -> None:
    mini = open_scenes(real_data("nuscenes_mini"))
    benchmark = probe4d.build("lidar-hallu", mini, per_family=60, split="all")
    monkeypatch.setattr(Sources, "missing", lambda self, pictures: {})  # one key frame of it has its files here
    plan = evidence_named("other-scene")
    shown = exhibits(benchmark.questions, plan, mini, elsewhere=partial(answers_elsewhere, benchmark))
    hold(shown, benchmark, mini)


def hold(shown: Exhibits, benchmark: Benchmark, scenes: Scenes) -> None:
    """Every question shows its own frames of a scene at least as long, where its own answer is not right."""
    lengths = dict(scenes.scenes.select("scene", "keyframes").iter_rows())
    right: dict[tuple[str, str], set[str]] = {}
    for of, scene, answer in answers_elsewhere(benchmark, benchmark.questions, scenes).iter_rows():
        right.setdefault((of, scene), set()).add(answer)
    assert len(shown.of) > 0.8 * benchmark.table.height
    for one in benchmark.questions:
        if one.id not in shown.of:
            continue
        exhibit = shown.of[one.id]
        assert exhibit.shown_scene is not None
        assert exhibit.shown_scene != one.scene
        assert lengths[exhibit.shown_scene] >= lengths[one.scene]
        assert {picture.scene for picture in exhibit.pictures} == {exhibit.shown_scene}
        assert [picture.frame for picture in exhibit.pictures] == [picture.label for picture in exhibit.pictures]
        there = right.get((one.id, exhibit.shown_scene), set())
        assert one.answer not in there
        assert exhibit.shown_answer == (min(there) if len(there) == 1 else None)
    left_out = {line.question: line.reason for line in shown.left_out}
    assert left_out.keys() | shown.of.keys() == {one.id for one in benchmark.questions}
    assert all("has another right answer" in reason for reason in left_out.values())
    answered = [exhibit.shown_answer for exhibit in shown.of.values()]
    assert None in answered
    assert {"Yes", "No", "A", "B", "C", "D"} <= set(answered)


def test_a_benchmark_without_a_rule_is_held_to_its_own_questions() -> None:
    """Imported records: found by token, worded alike, with options of their own in an order of their own."""
    lengths = {"a": 4, "b": 4, "c": 4, "d": 4}
    stem = "In frame 000, which object class is closest?"

    def told(identity: str, scene: str, options: tuple[str, ...], answer: str, wording: str = stem) -> Question:
        facts = {"scene_token": f"token-{scene}"}
        return question(identity, scene=f"release-{scene}", stem=wording, options=options, answer=answer, facts=facts)

    asked = told("q", "a", ("car", "bus", "truck"), "B")
    held = [
        asked,
        told("same answer", "b", ("bus", "car", "barrier"), "A"),
        told("another answer", "c", ("barrier", "truck", "bus"), "B"),
        told("another wording", "d", ("car", "bus", "truck"), "B", "In frame 001, which object class is closest?"),
        question("kept back", scene="d", stem=None, options=("car", "bus"), answer="B"),
    ]
    benchmark = benchmark_of(held)
    scenes = scenes_of(lengths)
    answers = answers_elsewhere(benchmark, [asked], scenes)
    assert sorted(answers.iter_rows()) == [("q", "a", "B"), ("q", "b", "B"), ("q", "c", "C")]
    sources = set()
    for seed in range(12):
        found = other_scenes([asked], {"q": "a"}, known_scenes(scenes, None).lengths, answers, seed=seed)["q"]
        assert found in {("c", "C"), ("d", None)}
        sources.add(found[0])
    assert sources == {"c", "d"}


def test_the_same_wording_of_another_form_of_answer() -> None:
    held = [question("q", scene="a", answer="Yes"), question("r", scene="b", answer="No"), question("s", scene="b")]
    answers = answers_elsewhere(benchmark_of(held), held[:1], scenes_of({"a": 2, "b": 2}))
    assert sorted(answers.iter_rows()) == [("q", "a", "Yes"), ("q", "b", "No"), ("q", "b", "Yes")]


def test_scenes_in_another_order_give_the_same(scenes: Scenes, standard: Benchmark) -> None:
    plan = evidence_named("other-scene:birds-eye")
    shuffled = replace(
        scenes,
        scenes=scenes.scenes.reverse(),
        boxes=scenes.boxes.sample(fraction=1, shuffle=True, seed=3),
    )
    elsewhere = partial(answers_elsewhere, standard)
    assert exhibits(standard.questions, plan, shuffled, elsewhere=elsewhere) == exhibits(
        standard.questions, plan, scenes, elsewhere=elsewhere
    )
