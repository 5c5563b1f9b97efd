"""Golden texts: the wording of the released format, letter for letter, and Probe4D's own."""

from __future__ import annotations

from typing import Any

import pytest

from probe4d.benchmarks.annotated_sector import AnnotatedSector
from probe4d.benchmarks.lidar_hallu.templates import (
    MOTION_VERBS,
    PROMPTS,
    distance_stem,
    existence_stem,
    interval_text,
    motion_stem,
    position_stem,
    within,
)
from probe4d.benchmarks.question import Question
from probe4d.errors import InputError

YES_NO = '\nOnly answer with "No" or "Yes".'
CHOICE = "\nPlease select the correct answer and only return the choice letter (i.e., A, B, C, D) of your answer."
WARNING = " Do not favor any option based on its position; evaluate all options equally before selecting your answer."


def asked(family: str, stem: str | None, options: tuple[str, ...] = (), **fields: Any) -> Question:
    kind = "choice" if options else "yes-no"
    return Question(
        id="0123456789abcdef",
        suite="lidar-hallu",
        family=family,
        template=f"{family}-{kind}",
        format=kind,
        scene="s",
        keyframes=40,
        question=stem,
        options=options,
        answer="A" if options else "Yes",
        rule="r",
        order=0,
        **fields,
    )


@pytest.mark.parametrize(
    ("stem", "text"),
    [
        (existence_stem(3, "traffic cone"), "Does traffic cone exist in frame 003?"),
        (existence_stem(40, None), "Which of the following object classes is visible in frame 040?"),
        (
            position_stem(3, "car", "back-left"),
            "In frame 003, is the nearest car at the back-left position relative to the ego vehicle?",
        ),
        (
            position_stem(3, "car", None),
            "In frame 003, at which position is the nearest car relative to the ego vehicle?",
        ),
        (distance_stem(12), "In frame 012, which object class is closest to the ego vehicle?"),
        (interval_text(0, 8), "from frame 000 to frame 008"),
    ],
)
def test_stems(stem: str, text: str) -> None:
    assert stem == text


def test_motion_stems() -> None:
    assert [motion_stem(3, 11, "bus", predicate) for predicate in MOTION_VERBS] == [
        "During frames 003-011, does the nearest bus become closer to the ego vehicle?",
        "During frames 003-011, does the nearest bus move farther away from the ego vehicle?",
        "During frames 003-011, does the nearest bus shift left relative to the ego vehicle?",
        "During frames 003-011, does the nearest bus shift right relative to the ego vehicle?",
        "During frames 003-011, does the nearest bus maintain a similar relative position?",
    ]


OPTIONS = ("bus", "car", "truck", "trailer")
LINES = "\nA. bus\nB. car\nC. truck\nD. trailer"


def test_default_prompts() -> None:
    assert PROMPTS["default"](asked("existence", existence_stem(3, "car"))) == f"Does car exist in frame 003?{YES_NO}"
    stem = distance_stem(3)
    assert PROMPTS["default"](asked("distance", stem, OPTIONS)) == stem + LINES + CHOICE


def test_the_anti_position_sentence_ends_choice_prompts_alone() -> None:
    stem = distance_stem(3)
    assert PROMPTS["anti-position"](asked("distance", stem, OPTIONS)) == stem + LINES + CHOICE + WARNING
    yes_no = asked("existence", existence_stem(3, "car"))
    assert PROMPTS["anti-position"](yes_no) == PROMPTS["default"](yes_no)


def test_the_ego_prompt_puts_the_motion_text_first() -> None:
    question = asked("existence", existence_stem(3, "car"), facts={"ego_motion": {"text": "At the …"}})
    assert PROMPTS["ego"](question) == f"At the …\nDoes car exist in frame 003?{YES_NO}"


@pytest.mark.parametrize(
    ("question", "note"),
    [
        (
            asked("existence", "E?", facts={"min_lidar_points": 5}),
            "An object counts if its annotated box holds at least 5 LiDAR returns.",
        ),
        (
            asked("position", "P?", relation="back"),
            "Bearings are those of the object's center from the ego origin in the ego frame (x forward, y left), "
            "counter-clockwise from straight ahead: back from 157.5 through 180 to -157.5 degrees.",
        ),
        (
            asked("position", "P?", ("left", "front", "back", "right")),
            "Bearings are those of the object's center from the ego origin in the ego frame (x forward, y left), "
            "counter-clockwise from straight ahead: left from 67.5 to 112.5 degrees, front from -22.5 to 22.5 degrees, "
            "back from 157.5 through 180 to -157.5 degrees, right from -112.5 to -67.5 degrees.",
        ),
        (
            asked("distance", "D?", OPTIONS),
            "The distance of a class is that of its nearest object: from the ego origin to the object's center in the "
            "ground plane.",
        ),
        (asked("temporal", "T?", OPTIONS, facts={"event": {"definition": "So and so."}}), "So and so."),
    ],
)
def test_explicit_thresholds(question: Question, note: str) -> None:
    lines = PROMPTS["explicit-threshold"](question).split("\n")
    assert lines[0] == f"{question.question} {note}"
    assert lines[1:] == PROMPTS["default"](question).split("\n")[1:]


@pytest.mark.parametrize(
    ("predicate", "words"),
    [
        ("closer", "the distance falls by at least 2 m"),
        ("farther", "the distance grows by at least 2 m"),
        ("left", "y grows by at least 1 m"),
        ("right", "y falls by at least 1 m"),
        ("similar", "the distance changes by less than 1 m and y by less than 0.5 m"),
    ],
)
def test_explicit_motion_thresholds(predicate: str, words: str) -> None:
    assert PROMPTS["explicit-threshold"](asked("motion", "M?", relation=predicate)) == (
        f"M? Answer Yes only if {words} from the first of these frames to the last; distance and y are those of the "
        f"object's center in the ego frame of each frame (x forward, y left, ground plane).{YES_NO}"
    )


def test_events_from_a_file_have_no_threshold_to_state() -> None:
    question = asked("temporal", "When?", OPTIONS, facts={"event": {"kind": "b4dl"}})
    assert PROMPTS["explicit-threshold"](question) == PROMPTS["default"](question)


def test_a_partly_annotated_question_names_its_range() -> None:
    assert within(None, "Q?") == "Q?"
    assert within(AnnotatedSector(-45, 45), "Q?") == (
        "Consider only objects whose center has a bearing between -45 and 45 degrees (counter-clockwise as seen from "
        "the ego vehicle; straight ahead is 0, left is 90, right is -90). Q?"
    )


def test_a_fixed_prompt_is_kept() -> None:
    assert PROMPTS["default"](asked("existence", "E?", prompt="<video>\nE?")) == "<video>\nE?"


@pytest.mark.parametrize("setting", list(PROMPTS))
def test_a_withheld_text_is_named(setting: str) -> None:
    question = asked("temporal", None, OPTIONS, facts={"ego_motion": {"text": "x"}})
    with pytest.raises(InputError, match="0123456789abcdef"):
        PROMPTS[setting](question)


def test_a_missing_ego_motion_text_is_named() -> None:
    with pytest.raises(InputError, match="ego-motion"):
        PROMPTS["ego"](asked("existence", "E?"))


@pytest.mark.parametrize("damaged", [3, "At the …", [], {}, {"text": 3}, {"text": None}])
def test_a_damaged_ego_motion_text_is_named(damaged: object) -> None:
    with pytest.raises(InputError, match="0123456789abcdef: the question holds no ego-motion text"):
        PROMPTS["ego"](asked("existence", "E?", facts={"ego_motion": damaged}))


@pytest.mark.parametrize(
    "question",
    [
        asked("motion", "M?", relation="sideways"),
        asked("motion", "M?"),
        asked("position", "P?", relation="above"),
        asked("position", "P?", ("front", "left", "above", "back")),
    ],
)
def test_what_no_rule_has_a_threshold_for_is_named(question: Question) -> None:
    with pytest.raises(
        InputError, match=r"0123456789abcdef: the question asks about '.*', for which no rule has a threshold"
    ):
        PROMPTS["explicit-threshold"](question)


@pytest.mark.parametrize("event", [None, "when", [1]])
def test_a_damaged_event_has_no_threshold_to_state(event: object) -> None:
    question = asked("temporal", "When?", OPTIONS, facts={"event": event})
    assert PROMPTS["explicit-threshold"](question) == PROMPTS["default"](question)
