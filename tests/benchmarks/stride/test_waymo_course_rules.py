"""Rules of ego states, ratings and clusters at their lines."""

from __future__ import annotations

import json
from collections.abc import Callable

import polars as pl
import pytest
from waymo_signals import QUERY, Frame, answers, drive, text

from probe4d.benchmarks.stride.rules.ego_future import future_ego_position
from probe4d.benchmarks.stride.waymo import courses
from probe4d.benchmarks.stride.waymo.clusters import RELEASED_CLUSTERS, offered_clusters, scene_class
from probe4d.benchmarks.stride.waymo.trajectories import future_positions, rated_trajectories

Way = Callable[[float], tuple[float, float]]


def driven(way: Way) -> Frame:
    return Frame(future={step / 4: way(step / 4) for step in range(1, 21)})


def rated(*scored: tuple[float | None, Way], first_s: float = 0.25) -> Frame:
    """Ratings whose first position is of a time."""
    times = [first_s + step / 4 for step in range(int((5.0 - first_s) * 4) + 1)]
    return Frame(rated=[(score, *zip(*map(way, times), strict=True)) for score, way in scored])


def straight(speed_mps: float) -> Way:
    return lambda time_s: (speed_mps * time_s, 0.0)


def aside(end_m: float) -> Way:
    return lambda time_s: (6.0 * time_s, end_m * time_s / 5)


def slowing(change_mps: float) -> Way:
    """At 6 m/s for two seconds, then slower by a change."""
    return lambda time_s: (6.0 * time_s - change_mps * max(time_s - 2, 0.0), 0.0)


def stopping(last_mps: float) -> Way:
    return lambda time_s: (6.0 * min(time_s, 3.0) + last_mps * max(time_s - 3.0, 0.0), 0.0)


@pytest.mark.parametrize(
    ("way", "answer"),
    [
        (straight(6.0), "go straight on without slowing down"),
        (straight(0.0), "stop, or stay where it is"),
        (stopping(0.25), "stop, or stay where it is"),
        (stopping(0.4), "too close"),
        (stopping(0.75), "go straight on and slow down"),
        (aside(2.4), "go straight on without slowing down"),
        (aside(2.6), "too close"),
        (aside(3.6), "move to the left"),
        (aside(-3.6), "move to the right"),
        (slowing(0.7), "go straight on without slowing down"),
        (slowing(0.9), "too close"),
        (slowing(1.3), "go straight on and slow down"),
    ],
)
def test_the_driven_action(way: Way, answer: str) -> None:
    signals = drive(frames={QUERY: driven(way)}, speed_mps=6.0)
    assert text(courses.preferred_action, signals) == answer


def test_the_best_rated_action_counts_before_the_driven_one() -> None:
    told = rated((9.0, aside(4.0)), (7.0, straight(6.0)))
    both = Frame(future=driven(straight(6.0)).future, rated=told.rated)
    (row,) = answers(courses.preferred_action, drive(frames={QUERY: both}, speed_mps=6.0))
    assert (row["answer"], row["facts"]["by"]) == ("move to the left", "best rated")
    for rest in (rated((7.0, aside(4.0)), (6.5, straight(6.0))), rated((9.0, aside(4.0)))):  # no lead; only one
        found = answers(courses.preferred_action, drive(frames={QUERY: Frame(both.future, rest.rated)}, speed_mps=6.0))
        assert [row["answer"] for row in found] == (["move to the left"] if len(rest.rated) == 1 else [])


@pytest.mark.parametrize("first_s", [0.0, 0.25])
def test_rated_positions_are_half_a_second_apart_whenever_they_begin(first_s: float) -> None:
    (one,) = rated_trajectories(drive(frames={QUERY: rated((9.0, straight(6.0)), first_s=first_s)}, speed_mps=6.0))
    assert one.positions_m == [[pytest.approx(3.0 * step), 0.0] for step in range(1, 11)]
    assert one.is_from_now == (first_s == 0.0)


@pytest.mark.parametrize(
    ("speed_mps", "ways", "count"),
    [
        (1.9, [straight(1.9)], 0),  # too slow to tell
        (2.0, [straight(2.0)], 1),
        (6.0, [straight(3.0)], 0),  # between the two
        (6.0, [straight(3.0), straight(6.0)], 2),  # another one of the key frame tells
        (6.0, [straight(0.0), straight(6.0)], 0),  # they disagree
    ],
)
def test_when_a_first_position_is_must_be_told(speed_mps: float, ways: list[Way], count: int) -> None:
    frames = {QUERY: rated(*((5.0, way) for way in ways))}
    assert len(rated_trajectories(drive(frames=frames, speed_mps=speed_mps))) == count


def test_unscored_and_short_ones_are_none() -> None:
    short = Frame(rated=[(5.0, [1.5 * step for step in range(1, 15)], [0.0] * 14)])  # 3.5 s, seven positions
    for frame in (rated((None, straight(6.0))), short):
        assert rated_trajectories(drive(frames={QUERY: frame}, speed_mps=6.0)) == []


class TestBestRated:
    def test_the_highest_of_three(self) -> None:
        frame = rated((3.0, straight(3.0)), (8.0, straight(6.0)), (5.0, aside(4.0)))
        (row,) = answers(courses.best_rated, drive(frames={QUERY: frame}, speed_mps=6.0))
        assert json.loads(row["answer"]) == [[3.0 * step, 0.0] for step in range(1, 11)]
        assert len(row["options"]) == 3
        assert row["answer"] in row["options"]
        assert [one["score"] for one in row["facts"]["candidates"]] == [8.0, 5.0, 3.0]
        assert (row["margin"], row["margin_unit"], row["too_close"]) == (3.0, "points", False)
        assert row["facts"]["first_position"] == "0.25 s later"

    @pytest.mark.parametrize(("second", "answer"), [(7.0, True), (7.1, False), (8.0, None)])
    def test_it_has_to_lead(self, second: float, answer: bool | None) -> None:
        frame = rated((3.0, straight(3.0)), (8.0, straight(6.0)), (second, aside(4.0)))
        found = answers(courses.best_rated, drive(frames={QUERY: frame}, speed_mps=6.0))
        assert [not row["too_close"] for row in found] == ([] if answer is None else [answer])

    def test_two_or_alike_ones_are_not_asked(self) -> None:
        two = rated((3.0, straight(3.0)), (8.0, straight(6.0)))
        alike = rated((3.0, straight(3.0)), (8.0, straight(6.0)), (5.0, straight(6.001)))
        for frame in (two, alike):
            assert answers(courses.best_rated, drive(frames={QUERY: frame}, speed_mps=6.0)) == []


@pytest.mark.parametrize(
    ("score", "answer"),
    [
        (0.0, "an unsafe or unlawful way to drive"),
        (3.0, "an unsafe or unlawful way to drive"),
        (3.4, "too close"),
        (4.0, "worse than a careful driver would do"),
        (6.0, "acceptable"),
        (7.0, "acceptable"),
        (7.6, "too close"),
        (8.0, "good driving"),
        (10.0, "good driving"),
    ],
)
def test_consequence_by_score(score: float, answer: str) -> None:
    signals = drive(frames={QUERY: rated((score, straight(6.0)))}, speed_mps=6.0)
    assert text(courses.consequence_by_rating, signals) == answer
    (row,) = answers(courses.consequence_by_rating, signals)
    assert json.loads(row["trajectory"])[1] == [6.0, 0.0]


def test_waypoints_are_the_ego_states_and_need_no_later_key_frame() -> None:
    last = 11
    frames = {last: driven(aside(1.0)), QUERY: Frame(future={0.5: (3.0, 0.0), 1.0: (6.0, 0.0)})}
    signals = drive(frames=frames, speed_mps=6.0)
    (row,) = answers(courses.future_waypoints, signals, frame=last)
    assert json.loads(row["answer"]) == [[3.0 * step, round(0.1 * step, 2)] for step in range(1, 11)]
    assert row["facts"]["waypoints_m"][9] == [30.0, 1.0]
    assert (row["facts"]["spacing_s"], row["facts"]["direction"]) == (0.5, "future")
    assert answers(courses.future_waypoints, signals) == []  # two of ten
    (short,) = answers(courses.future_waypoints, drive(frames=frames, speed_mps=6.0, positions=2))
    assert json.loads(short["answer"]) == [[3.0, 0.0], [6.0, 0.0]]


def test_poses_say_the_same_as_ego_states() -> None:
    signals = drive(frames={QUERY: driven(straight(6.0))}, speed_mps=6.0)
    (row,) = answers(future_ego_position, signals)
    (states,) = future_positions(signals, 5)["positions_m"].to_list()
    assert (row["facts"]["end_x_m"], row["facts"]["end_y_m"]) == pytest.approx(states[-1])


@pytest.mark.parametrize(
    ("steps_m", "answer"),
    [
        ([3.0] * 5, "moves straight on at a steady speed"),
        ([3.0, 3.0, 2.0, 0.5, 0.0], "slows down"),  # to a stop
        ([0.0] * 5, "stands still"),
        ([3.0, 3.0, 3.0, 2.6, 2.5], "moves straight on at a steady speed"),  # by 0.9 m/s: too close
    ],
)
def test_coming_to_a_stop_is_slowing_down(steps_m: list[float], answer: str) -> None:
    signals = drive(steps_m=[3.0] * QUERY + steps_m)
    (row,) = answers(courses.future_manoeuvre, signals)
    assert row["answer"] == answer
    assert row["too_close"] == (sum(steps_m) == 14.1)


@pytest.mark.parametrize(
    ("cluster", "tags"),
    [
        ("foreign object debris", ["foreign-object"]),
        ("Special-Vehicles", ["special-vehicle"]),
        ("Spotlight", []),
        (None, []),
    ],
)
def test_what_a_cluster_says_of_the_situation(cluster: str | None, tags: list[str]) -> None:
    told = drive(frames={QUERY: Frame(cluster=cluster)}).told
    assert told is not None
    assert told.rows() == [("drive", QUERY, tag) for tag in tags]


class TestSceneClass:
    def test_seven_others_are_drawn(self) -> None:
        clusters = offered_clusters(pl.Series(["Cut-ins"]))
        frames = {frame: Frame(cluster="Cut-ins") for frame in range(12)}
        found = scene_class(drive(frames=frames, clusters=clusters)).rows(named=True)
        assert len(found) == 8
        for row in found:
            assert row["answer"] == "Cut-ins"
            assert len({*row["options"]}) == 8
            assert "Cut-ins" in row["options"]
        assert len({tuple(row["options"]) for row in found}) > 1

    def test_names_of_one_kind_are_one(self) -> None:
        offered = offered_clusters(pl.Series(["cut in", None, "Others", "Roadworks", "cut in", "Intersection"]))
        assert offered[:3] == ("Intersection", "Roadworks", "cut in")
        assert {*offered[3:]} == {*RELEASED_CLUSTERS} - {"Cut-ins", "Intersections"}

    @pytest.mark.parametrize("cluster", [None, "Others"])
    def test_what_is_no_kind_is_not_asked(self, cluster: str | None) -> None:
        frames = {QUERY: Frame(cluster=cluster)}
        clusters = offered_clusters(pl.Series([cluster], dtype=pl.String))
        assert text(scene_class, drive(frames=frames, clusters=clusters)) is None
