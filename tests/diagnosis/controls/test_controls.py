"""The controls answer from text alone, fitted without the scene they are scored on."""

from __future__ import annotations

import numpy as np
from diagnosis_making import benchmark_of, driving_benchmark, question

from probe4d.benchmarks.question import LETTERS, Question
from probe4d.diagnosis.controls.answerers import content_answers, fixed_control
from probe4d.diagnosis.sheets.labels import label_of, make_label_sheet


def answers_from_words(questions: list[Question]) -> list[str | None]:
    sheet = make_label_sheet(benchmark_of(questions))
    return [label_of(code, asked.format) for code, asked in zip(content_answers(sheet).labels, questions, strict=True)]


def test_the_fixed_control_says_a_and_no() -> None:
    questions = [question(0, "Yes"), question(1, "B", options=("car", "bus"), family="distance")]
    sheet = make_label_sheet(benchmark_of(questions))
    assert [label_of(code, q.format) for code, q in zip(fixed_control(sheet), questions, strict=True)] == ["No", "A"]


def test_yes_no_is_the_majority_of_the_same_context_in_other_scenes() -> None:
    questions = [
        question(0, "No", scene="s0", context="car"),
        question(1, "Yes", scene="s1", context="car"),
        question(2, "Yes", scene="s2", context="car"),
        question(3, "Yes", scene="s2", context="bus"),
        question(4, "No", scene="s3", context="van"),
    ]
    # s0 sees Yes, Yes; s1 sees No, Yes: a tie is No; s2 likewise; bus and van occur in no other scene: No.
    assert answers_from_words(questions) == ["Yes", "No", "No", "No", "No"]


def test_contexts_and_families_are_kept_apart() -> None:
    questions = [
        question(0, "Yes", scene="s0", context="car"),
        question(1, "Yes", scene="s1", context="car", family="motion"),
        question(2, "No", scene="s2", context="bus"),
    ]
    assert answers_from_words(questions) == ["No", "No", "No"]


def test_choice_takes_the_most_often_right_option_and_the_earliest_on_a_tie() -> None:
    options = [("car", "bus"), ("bus", "car"), ("van", "bus")]
    questions = [
        question(number, letter, scene=f"s{number}", options=offered)
        for number, (offered, letter) in enumerate(zip(options, "ABA", strict=True))
    ]
    # s0: elsewhere car 1 of 1, bus 0 of 2: car. s1 likewise: car. s2: bus (0+1)/(2+1), van unseen 1/1: van.
    assert answers_from_words(questions) == ["A", "B", "A"]
    unseen = [question(0, "B", scene="s0", options=("a", "b")), question(1, "A", scene="s1", options=("c", "d"))]
    assert answers_from_words(unseen) == ["A", "A"]


def test_equals_a_count_by_hand_over_a_whole_benchmark() -> None:
    benchmark = driving_benchmark(21, scenes=12, per_family=80)
    expected = []
    for asked in benchmark.questions:
        others = [
            q
            for q in benchmark.questions
            if (q.family, q.format) == (asked.family, asked.format)
            and q.scene != asked.scene
            and q.context == asked.context
        ]
        if asked.format == "yes-no":
            yes = sum(other.answer == "Yes" for other in others)
            expected.append("Yes" if 2 * yes > len(others) else "No")
            continue
        scores = []
        for value in asked.features:
            chosen = sum(o.features[LETTERS.index(o.answer)] == value for o in others)
            offered = sum(o.features.count(value) for o in others)
            scores.append((chosen + 1) / (offered - chosen + 1))
        expected.append(LETTERS[int(np.argmax(scores))])
    assert answers_from_words(benchmark.questions) == expected
