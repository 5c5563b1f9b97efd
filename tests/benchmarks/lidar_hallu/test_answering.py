from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import msgspec
import polars as pl
import pytest
from hallu_scenes import Box, made_scenes

import probe4d
from probe4d.benchmarks.benchmark import Benchmark
from probe4d.benchmarks.lidar_hallu.answering import SAME_EVENT, answers_in
from probe4d.benchmarks.lidar_hallu.audit.answers import Unanswerable, derive_answer
from probe4d.benchmarks.lidar_hallu.audit.events import derive_event
from probe4d.benchmarks.lidar_hallu.audit.measuring import MeasuredScene, measure_scene
from probe4d.benchmarks.lidar_hallu.audit.tables import read_key_frames
from probe4d.benchmarks.lidar_hallu.reading import read_interval, read_stem
from probe4d.benchmarks.question import LETTERS, Question
from probe4d.benchmarks.suite import ANSWERS_SCHEMA
from probe4d.scenes.opening import open_scenes
from probe4d.scenes.tables import Scenes

Right = dict[tuple[str, str], set[str]]
"""Answers that are right, by question and scene."""


def right_in(questions: Sequence[Question], scenes: Scenes) -> Right:
    found: Right = {}
    for question, scene, answer in answers_in(questions, scenes).iter_rows():
        found.setdefault((question, scene), set()).add(answer)
    return found


def question(template: str, stem: str | None, *options: str, answer: str = "A", points: int = 1) -> Question:
    family, _, kind = template.partition("-")
    return Question(
        id="q",
        suite="lidar-hallu",
        family=family,
        template=template,
        format="yes-no" if kind == "yes-no" else "choice",
        scene="elsewhere",
        keyframes=12,
        question=stem,
        options=options,
        answer=answer,
        rule="made",
        facts={"min_lidar_points": points},
        order=0,
    )


def answers_of(asked: Question, boxes: Sequence[Box], keyframes: int = 12) -> set[str]:
    return right_in([asked], made_scenes(boxes, keyframes=keyframes)).get(("q", "scene-a"), set())


@pytest.fixture(scope="module")
def standard(scenes: Scenes) -> Benchmark:
    return probe4d.build("lidar-hallu", scenes, per_family=120)


@pytest.mark.parametrize(
    "parameters",
    [{}, {"annotated_sector": "-100:100"}, {"min_lidar_points": 12}],
    ids=["all around", "a part annotated", "many returns"],
)
def test_in_its_own_scene_a_question_has_its_own_answer_alone(scenes: Scenes, parameters: dict[str, object]) -> None:
    questions = probe4d.build("lidar-hallu", scenes, per_family=60, **parameters).questions
    right = right_in(questions, scenes)
    assert len({question.template for question in questions}) == 7
    for asked in questions:
        assert right[asked.id, asked.scene] == {asked.answer}


def test_elsewhere_the_answers_are_those_that_the_audit_derives(scenes: Scenes, standard: Benchmark) -> None:
    elsewhere(standard.questions, scenes)


@pytest.mark.real_data
def test_elsewhere_the_answers_in_nuscenes_are_those_that_the_audit_derives(
    real_data: Callable[[str], Path],
) -> None:
    mini = open_scenes(real_data("nuscenes_mini"))
    elsewhere(probe4d.build("lidar-hallu", mini, per_family=40, split="all").questions, mini)


def elsewhere(questions: Sequence[Question], scenes: Scenes) -> None:
    """Compare answers in all scenes with the audit's, which come from the raw tables by another path."""
    tables = scenes.root / scenes.version
    frames = read_key_frames(tables, channel=scenes.reference_channel, scenes=set(scenes.names))
    measured = {name: measure_scene(of, min_lidar_points=1, annotated_deg=None) for name, of in frames.items()}
    right = right_in(questions, scenes)
    seen = set()
    for asked in questions:
        for scene in scenes.scenes.filter(pl.col("keyframes") >= asked.keyframes)["scene"]:
            found = right.get((asked.id, scene), set())
            expected = audited(asked, scene, measured)
            if expected is not None:
                assert found == expected, (asked.question, scene)
                seen.add((asked.template, len(expected)))
            else:  # several options are there
                assert len(found) > 1
    templates = {question.template for question in questions}
    assert {template for template, many in seen if many == 1} == templates
    assert {template for template, many in seen if many == 0} == templates - {"existence-yes-no"}


def audited(asked: Question, scene: str, measured: Mapping[str, MeasuredScene]) -> set[str] | None:
    """What the audit finds right in a scene; null where several options are."""
    if asked.family == "distance":  # the audit wants every option to be there
        return {LETTERS[at] for at, option in enumerate(asked.options) if option == closest(measured[scene], asked)}
    moved = msgspec.structs.replace(asked, scene=scene, facts={}, entities=())
    told = read_stem(asked.template, asked.question or "")
    assert told is not None
    try:
        if asked.family == "temporal":
            derived = derive_event(moved, told, measured[scene])
        else:
            derived = derive_answer(moved, told, measured[scene])
    except Unanswerable as error:
        several = re.match(r"of the options (\d+) are there", str(error))
        return None if several and int(several[1]) > 1 else set()
    if asked.family == "temporal":
        return named_by_options(asked, derived.facts["interval"])
    return {derived.answer} & {"Yes", "No", *LETTERS[: len(asked.options)]}


def closest(scene: MeasuredScene, asked: Question) -> str | None:
    sights = [sight for seen in scene.annotated[asked.frames[0]].values() for sight in seen]
    return min(sights, key=lambda sight: sight.distance_m).label if sights else None


def named_by_options(asked: Question, interval: Sequence[int]) -> set[str]:
    event = set(range(interval[0], interval[1] + 1))
    letters = set()
    for letter, option in zip(LETTERS, asked.options, strict=False):
        start, end = read_interval(option)
        offered = set(range(start, end + 1))
        if len(event & offered) / len(event | offered) >= SAME_EVENT:
            letters.add(letter)
    return letters


def test_where_two_options_are_there_both_are_right() -> None:
    asked = question(
        "existence-choice",
        "Which of the following object classes is visible in frame 003?",
        "bus",
        "car",
        "truck",
        "barrier",
    )
    boxes: list[Box] = [("scene-a", 3, "car", "c", 5, 0, 9), ("scene-a", 3, "barrier", "b", 5, 5, 9)]
    assert answers_of(asked, boxes) == {"B", "D"}
    assert answers_of(asked, [("scene-a", 4, "car", "c", 5, 0, 9)]) == set()


@pytest.mark.parametrize(("returns", "answers"), [(4, {"No"}), (5, {"Yes"}), (None, {"Yes"})])
def test_what_counts_has_the_returns_that_the_question_asks_for(returns: int | None, answers: set[str]) -> None:
    asked = question("existence-yes-no", "Does car exist in frame 003?", points=5)
    assert answers_of(asked, [("scene-a", 3, "car", "c", 5, 0, returns)]) == answers


def test_nothing_is_right_beyond_the_end_of_a_scene() -> None:
    asked = question("existence-yes-no", "Does car exist in frame 011?")
    assert answers_of(asked, [], keyframes=12) == {"No"}
    assert answers_of(asked, [], keyframes=11) == set()


def test_an_annotated_range_confines_the_answer() -> None:
    confined = (
        "Consider only objects whose center has a bearing between -45 and 45 degrees (counter-clockwise as seen from "
        "the ego vehicle; straight ahead is 0, left is 90, right is -90). In frame 003, which object class is closest "
        "to the ego vehicle?"
    )
    boxes: list[Box] = [("scene-a", 3, "car", "c", -5, 0, 9), ("scene-a", 3, "bus", "b", 9, 0, 9)]
    assert answers_of(question("distance-choice", confined, "car", "bus"), boxes) == {"B"}


@pytest.mark.parametrize(
    ("frames", "answers"),
    [
        (range(4, 12), {"A"}),  # the very interval
        (range(4, 16), {"A"}),  # shares 8 of 12
        (range(4, 20), {"A"}),  # half of it
        (range(4, 21), set()),  # less
        ([*range(4, 10), *range(12, 20)], set()),  # twice
        (range(0), set()),  # never
    ],
)
def test_an_option_names_the_event_that_it_shares_half_with(frames: Sequence[int], answers: set[str]) -> None:
    asked = question(
        "temporal-choice",
        "During which frames is there a bus around the ego vehicle?",
        "from frame 004 to frame 011",
        "from frame 022 to frame 027",
        "from frame 99999999999999999999 to frame 99999999999999999999",
    )
    assert answers_of(asked, [("scene-a", frame, "bus", "b", 8, 0, 9) for frame in frames], 30) == answers


@pytest.mark.parametrize(
    ("template", "stem"),
    [
        ("existence-yes-no", None),  # kept back by a release
        ("existence-yes-no", "Is there a car?"),
        ("temporal-choice", "When does the pedestrian wave?"),  # told by B4DL, measured by nobody
        (
            "existence-yes-no",
            "Consider only objects whose center has a bearing between e- and 1.2.3 degrees (as seen from the ego "
            "vehicle). Does car exist in frame 003?",
        ),
        ("left-right-yes-no", "Does car exist in frame 003?"),
        ("motion-yes-no", "During frames 000-004, does the nearest car become closer to the ego vehicle?"),
    ],
)
def test_other_wordings_have_no_answer(template: str, stem: str | None) -> None:
    boxes: list[Box] = [("scene-a", frame, "car", "c", 30 - frame, 0, 9) for frame in range(12)]
    assert answers_of(question(template, stem, *(["from frame 000 to frame 011"] * (stem is None))), boxes) == set()


def test_no_question_has_no_answers(scenes: Scenes) -> None:
    assert answers_in([], scenes).schema == pl.Schema(ANSWERS_SCHEMA)


def test_answers_do_not_depend_on_the_order_of_rows(scenes: Scenes, standard: Benchmark) -> None:
    shuffled = replace(
        scenes,
        keyframes=scenes.keyframes.sample(fraction=1, shuffle=True, seed=1),
        boxes=scenes.boxes.sample(fraction=1, shuffle=True, seed=2),
    )
    assert right_in(standard.questions[::-1], shuffled) == right_in(standard.questions, scenes)
