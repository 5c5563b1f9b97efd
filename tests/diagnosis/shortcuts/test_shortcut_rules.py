"""Rules are put as a reader would put them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import polars as pl
import pytest
from diagnosis_making import benchmark_of, driving_benchmark, question, random_answerer

from probe4d.benchmarks.benchmark import Benchmark
from probe4d.benchmarks.question import LETTERS, Question
from probe4d.diagnosis.sheets.labels import code_labels, make_label_sheet
from probe4d.diagnosis.shortcuts.attribution import shortcuts_table

DRIVING = driving_benchmark(21, scenes=20, per_family=800)


def rule(benchmark: Benchmark, answer: Callable[[Question], str], feature: str, family: str) -> str:
    sheet = make_label_sheet(benchmark)
    labels = code_labels(pl.Series([answer(asked) for asked in benchmark.questions], dtype=pl.String), sheet.questions)
    found = shortcuts_table(sheet.answered(["m"], [labels]), ["m"])
    return str(found.filter(family=family, feature=feature)["rule"].item())


@pytest.mark.parametrize(
    ("yes", "said"),
    [
        (range(20), "answers Yes when the first frame asked about is before 20, else No"),
        (range(30, 40), "answers Yes when the first frame asked about is 30 or later, else No"),
        (range(9, 15), "answers Yes when the first frame asked about is from 9 to 14, else No"),
        ([*range(3), 10], "answers Yes when the first frame asked about is before 3 or 10, else No"),
    ],
)
def test_frames_are_told_as_ranges_of_numbers(yes: list[int], said: str) -> None:
    answer: Callable[[Question], str] = lambda asked: "Yes" if asked.frames[0] in yes else "No"  # noqa: E731
    assert rule(DRIVING, answer, "frame", "existence") == said


def test_many_ranges_are_not_all_told() -> None:
    told = rule(DRIVING, lambda asked: "Yes" if asked.frames[0] % 4 == 0 else "No", "frame", "existence")
    assert told.startswith("answers Yes when the first frame asked about is in one of 10 ranges such as ")
    assert told.count(",") <= 4


def test_two_features_together_are_kept_apart_by_brackets() -> None:
    wanted = [("barrier", "left"), ("car", "front")]
    told = rule(
        DRIVING,
        lambda asked: "Yes" if (*asked.entities, asked.relation) in wanted else "No",
        "class and relation",
        "position",
    )
    assert told == "answers Yes when the class and proposed sector is (barrier, left) or (car, front), else No"


def test_relations_that_are_no_sectors_are_predicates() -> None:
    moves = [
        question(n, "Yes", scene=f"s{n % 5}", family="motion", relation=("closer", "farther")[n % 2]) for n in range(40)
    ]
    told = rule(benchmark_of(moves), lambda asked: "Yes" if asked.relation == "closer" else "No", "relation", "motion")
    assert told == "answers Yes when the predicate is closer, else No"


def temporal() -> Benchmark:
    rng = np.random.default_rng(3)
    asked = []
    for n in range(400):
        spans = sorted(rng.choice(np.arange(2, 12), size=4, replace=False).tolist(), key=lambda _: rng.random())
        texts = tuple(f"from frame 001 to frame {1 + span:03d}" for span in spans)
        asked.append(
            question(
                n, "A", scene=f"s{n % 8}", family="temporal", options=texts, features=tuple(str(span) for span in spans)
            )
        )
    return benchmark_of(asked)


def by_length(score: Callable[[int], float]) -> Callable[[Question], str]:
    return lambda asked: LETTERS[int(np.argmax([score(int(text)) for text in asked.features]))]


@pytest.mark.parametrize(
    ("score", "said"),
    [
        (lambda span: span, "prefers long intervals"),
        (lambda span: -span, "prefers short intervals"),
        (lambda span: -abs(span - 6), "prefers intervals that span 6, then "),
    ],
)
def test_a_taste_for_lengths_is_told_in_lengths(score: Callable[[int], float], said: str) -> None:
    assert rule(temporal(), by_length(score), "option", "temporal").startswith(said)


def test_numbers_that_are_no_lengths_stay_texts() -> None:
    asked = [
        question(n, "A", scene=f"s{n % 5}", family="counting", options=("1", "2", "10"), features=("1", "2", "10"))
        for n in range(20)
    ]
    assert rule(benchmark_of(asked), random_answerer(1), "option", "counting").startswith(
        "prefers the option that says"
    )


LENGTHS = ("bus", "truck", "trailer", "motorcycle")


@pytest.mark.parametrize(
    ("place", "said"),
    [(-1, "picks the longest option text"), (0, "picks the shortest option text")],
)
def test_a_taste_for_long_or_short_options_is_told_as_such(place: int, said: str) -> None:
    rng = np.random.default_rng(3)
    asked = [
        question(n, "A", scene=f"s{n % 7}", family="nearest", options=tuple(map(str, rng.permutation(LENGTHS))))
        for n in range(70)
    ]
    answer: Callable[[Question], str] = lambda one: LETTERS[one.options.index(sorted(one.options, key=len)[place])]  # noqa: E731
    assert rule(benchmark_of(asked), answer, "option length", "nearest") == said


def test_a_taste_for_neither_is_told_by_rank() -> None:
    rng = np.random.default_rng(4)
    asked = [
        question(n, "A", scene=f"s{n % 7}", family="nearest", options=tuple(map(str, rng.permutation(LENGTHS))))
        for n in range(70)
    ]
    told = rule(benchmark_of(asked), lambda one: LETTERS[one.options.index("trailer")], "option length", "nearest")
    assert told.startswith("prefers option texts by length, 1 the longest: 2, then ")


def test_options_of_one_length_have_no_such_feature() -> None:
    asked = [question(n, "A", scene=f"s{n % 7}", options=("car", "bus", "van")) for n in range(30)]
    sheet = make_label_sheet(benchmark_of(asked))
    labels = code_labels(pl.Series(["A"] * 30), sheet.questions)
    assert "option length" not in shortcuts_table(sheet.answered(["m"], [labels]), ["m"])["feature"]
