from __future__ import annotations

import csv
import random
import tracemalloc
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from probe4d.benchmarks.lidar_hallu.distractors import DISTRACTORS, Interval, wrong_intervals


def made_events(
    n: int, *, span: Callable[[random.Random], int], keyframes: int = 40, scenes: int = 60, seed: int = 0
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Events of random spans at random places."""
    chance = random.Random(seed)
    rows = []
    for i in range(n):
        length = span(chance)
        start = chance.randrange(keyframes - length)
        rows.append((f"event {i}", f"scene {i % scenes}", start, start + length))
    events = pl.DataFrame(rows, schema=["key", "scene", "start", "end"], orient="row")
    return events, pl.DataFrame({"scene": [f"scene {i}" for i in range(scenes)], "keyframes": [keyframes] * scenes})


def options(events: pl.DataFrame, wrong: dict[str, list[Interval]]) -> list[tuple[str, Interval, list[Interval]]]:
    rows = events.select("key", "scene", "start", "end").iter_rows()
    return [(scene, Interval(start, end), wrong[key]) for key, scene, start, end in rows if key in wrong]


@settings(max_examples=25)
@given(st.integers(0, 10_000), st.integers(20, 41), st.sampled_from(sorted(DISTRACTORS)))
def test_wrong_intervals_are_wrong(seed: int, keyframes: int, mode: str) -> None:
    events, scenes = made_events(
        30, span=lambda chance: min(chance.randint(5, 19), keyframes - 4), keyframes=keyframes, seed=seed
    )
    wrong, without = wrong_intervals(events, scenes, mode=mode, seed=seed)
    assert len(wrong) + without == 30
    for _, truth, others in options(events, wrong):
        assert len({truth, *others}) == 4
        for other in others:
            assert 0 <= other.start < other.end <= keyframes - 1
            assert len(set(range(other.start, other.end + 1)) & set(range(truth.start, truth.end + 1))) <= 0.2 * (
                other.end - other.start + 1
            )


def test_matched_spans_are_those_of_the_references() -> None:
    events, scenes = made_events(600, span=lambda chance: chance.choice([5, 6, 8, 12]))
    wrong, without = wrong_intervals(events, scenes, mode="matched", seed=1)
    assert without == 0
    truths = Counter(truth.span for _, truth, _ in options(events, wrong))
    others = Counter(other.span for _, _, others in options(events, wrong) for other in others)
    assert set(others) == set(truths)
    for span, n in truths.items():
        assert others[span] / 3 == pytest.approx(n, rel=0.2)


def test_published_spans_are_five_to_nineteen() -> None:
    events, scenes = made_events(300, span=lambda chance: 4)
    wrong, _ = wrong_intervals(events, scenes, mode="published", seed=1)
    spans = Counter(other.span for _, _, others in options(events, wrong) for other in others)
    assert sorted(spans) == list(range(5, 20))


def left_out_accuracy(chosen: list[tuple[str, Interval, list[Interval]]]) -> float:
    """Accuracy of answering by span, counted in the other scenes (candidate-content control)."""
    right: dict[str, Counter[int]] = {}
    wrong: dict[str, Counter[int]] = {}
    for scene, truth, others in chosen:
        right.setdefault(scene, Counter())[truth.span] += 1
        wrong.setdefault(scene, Counter()).update(other.span for other in others)
    rights, wrongs = sum(right.values(), Counter()), sum(wrong.values(), Counter())

    def score(scene: str, span: int) -> float:
        return (rights[span] - right[scene][span] + 1) / (wrongs[span] - wrong[scene][span] + 1)

    hits = 0.0
    for scene, truth, others in chosen:
        best = max(score(scene, interval.span) for interval in (truth, *others))
        tied = sum(score(scene, interval.span) == best for interval in (truth, *others))
        hits += (score(scene, truth.span) == best) / tied
    return hits / len(chosen)


def least_overlap_accuracy(chosen: list[tuple[str, Interval, list[Interval]]]) -> float:
    """Accuracy of choosing the interval that shares fewest key frames with the other three."""
    hits = 0.0
    for _, truth, others in chosen:
        four = [truth, *others]
        totals = [sum(one.shared(other) for other in four) - one.shared(one) for one in four]
        hits += (totals[0] == min(totals)) / totals.count(min(totals))
    return hits / len(chosen)


def accuracy_by(value: Callable[[Interval], int], chosen: list[tuple[str, Interval, list[Interval]]]) -> float:
    """Accuracy of choosing the interval of the largest value."""
    hits = 0.0
    for _, truth, others in chosen:
        values = [value(interval) for interval in (truth, *others)]
        hits += (values[0] == max(values)) / values.count(max(values))
    return hits / len(chosen)


def ending_late(n: int, *, late: float, seed: int) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Short events, a part of which end with their scene of 40 key frames."""
    events, scenes = made_events(n, span=SPANS["short"], seed=seed)
    at_end = pl.int_range(pl.len()) < late * n
    start = pl.when(at_end).then(39 - pl.col("end") + pl.col("start")).otherwise("start")
    return events.with_columns(start=start, end=start + pl.col("end") - pl.col("start")), scenes


SPANS: dict[str, Callable[[random.Random], int]] = {
    "short": lambda chance: min(19, 5 + int(chance.expovariate(0.3))),
    "uniform": lambda chance: chance.randint(5, 19),
}


# Among long intervals overlap tells something, since all four cannot lie apart from one another.
@pytest.mark.parametrize(("name", "most_by_overlap"), [("short", 0.33), ("uniform", 0.5)])
def test_span_and_overlap_give_little_away(name: str, most_by_overlap: float) -> None:
    spans, overlaps = [], []
    for seed in range(4):
        events, scenes = made_events(500, span=SPANS[name], seed=seed)
        chosen = options(events, wrong_intervals(events, scenes, mode="matched", seed=seed)[0])
        spans.append(left_out_accuracy(chosen))
        overlaps.append(least_overlap_accuracy(chosen))
    assert sum(spans) / 4 == pytest.approx(0.25, abs=0.05)
    assert sum(overlaps) / 4 < most_by_overlap


@pytest.mark.parametrize("late", [0.0, 0.2, 0.5])
def test_neither_the_order_in_time_nor_the_ends_of_scenes_point_at_the_truth(late: float) -> None:
    events, scenes = ending_late(600, late=late, seed=3)
    wrong, _ = wrong_intervals(events, scenes, mode="matched", seed=3)
    chosen = options(events, wrong)
    assert len(chosen) >= 600 * (1 - late) * 0.85
    hints: list[Callable[[Interval], int]] = [
        lambda interval: interval.start,
        lambda interval: -interval.start,
        lambda interval: interval.end,
        lambda interval: -interval.end,
        lambda interval: interval.end == 39,
        lambda interval: interval.start == 0,
    ]
    assert max(accuracy_by(hint, chosen) for hint in hints) < 0.33


def test_events_that_can_only_start_last_are_thinned_by_their_own_hash() -> None:
    events, scenes = ending_late(600, late=0.5, seed=3)
    wrong, without = wrong_intervals(events, scenes, mode="matched", seed=3)
    bound = [truth for _, truth, _ in options(events, wrong) if truth.end > 34]
    assert 0.2 < len(bound) / len(wrong) < 0.28
    assert without == 600 - len(wrong)


def test_the_published_rule_does_give_spans_away() -> None:
    events, scenes = made_events(500, span=SPANS["short"])
    chosen = options(events, wrong_intervals(events, scenes, mode="published", seed=0)[0])
    assert left_out_accuracy(chosen) > 0.4


def test_long_scenes_take_bounded_memory() -> None:
    events, scenes = made_events(300, span=lambda chance: chance.randint(0, 60), keyframes=200)
    tracemalloc.start()
    wrong, without = wrong_intervals(events, scenes, mode="matched", seed=1)
    _, peak_bytes = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak_bytes < 200e6
    assert len(wrong) + without == 300
    assert len({truth.span for _, truth, _ in options(events, wrong)}) > 48  # more than one law has
    for _, truth, others in options(events, wrong):
        assert len({truth, *others}) == 4
        assert all(other.apart_from(truth) and 0 <= other.start <= other.end < 200 for other in others)


@pytest.mark.parametrize("mode", sorted(DISTRACTORS))
def test_row_order_does_not_matter(mode: str) -> None:
    events, scenes = made_events(120, span=SPANS["short"])
    shuffled = events.sample(fraction=1, shuffle=True, seed=5)
    assert wrong_intervals(events, scenes, mode=mode, seed=3) == wrong_intervals(shuffled, scenes, mode=mode, seed=3)


def test_no_events_need_no_intervals() -> None:
    events, scenes = made_events(0, span=SPANS["short"])
    events = events.cast({"key": pl.String, "scene": pl.String, "start": pl.Int32, "end": pl.Int32})
    for mode in DISTRACTORS:
        assert wrong_intervals(events, scenes, mode=mode, seed=3) == ({}, 0)


def test_an_event_that_fills_its_scene_has_none_and_is_counted() -> None:
    events, scenes = made_events(3, span=lambda chance: 18, keyframes=20)
    for mode in DISTRACTORS:
        assert wrong_intervals(events, scenes, mode=mode, seed=3) == ({}, 3)


@pytest.mark.real_data
def test_the_released_references_keep_their_events_and_lose_their_length_prior(
    real_data: Callable[[str], Path],
) -> None:
    release = real_data("lidar_hallu_release")
    with open(release / "temporal_grounding_intervals.csv", newline="", encoding="utf-8") as file:
        rows = [(row["index"], row["scene_id"], row[row["correct_option"]].split("-")) for row in csv.DictReader(file)]
    events = pl.DataFrame(
        [(key, scene, int(start), int(end)) for key, scene, (start, end) in rows],
        schema=["key", "scene", "start", "end"],
        orient="row",
    )
    scenes = pl.read_csv(release / "scenes.csv", schema_overrides={"scene_id": pl.String}).rename({"scene_id": "scene"})
    accuracy = {}
    for mode in DISTRACTORS:
        wrong, without = wrong_intervals(events, scenes, mode=mode, seed=42)
        assert without <= 0.05 * events.height
        accuracy[mode] = left_out_accuracy(options(events, wrong))
    assert accuracy["published"] > 0.6  # the paper's control scores 0.693
    assert accuracy["matched"] == pytest.approx(0.25, abs=0.05)
