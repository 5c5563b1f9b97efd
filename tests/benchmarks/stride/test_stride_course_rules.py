"""TRJ-3 to TRJ-6: courses of the ego vehicle and its positions."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import polars as pl
import pytest
from street_scenes import answer, answers, signals_in, text

from placed_streets import QUERY, Thing, driving, moving, still, street, turned_way
from probe4d.benchmarks.stride.courses import DRIVEN, courses_of
from probe4d.benchmarks.stride.signals import Signals, signals_of
from probe4d.benchmarks.stride.thresholds import COURSE_M, NEAR_MISS_M

STEADY = driving([8] * 9)
AT_QUERY = 16.0
"""Where the ego vehicle of `STEADY` is at the query frame; its front is 3.2 m ahead of that."""


def courses(signals: Signals, frame: int = QUERY) -> dict[str, dict[str, object]]:
    rows = courses_of(signals).filter(pl.col("frame") == frame).to_dicts()
    return {row["course"]: row for row in rows}


def test_courses_are_made_of_the_driven_one() -> None:
    made = courses(signals_in([], STEADY))
    ends = {name: row["positions_m"][-1] for name, row in made.items()}  # type: ignore[index]
    assert ends == {
        "driven": [20, 0],
        "slower": [10, 0],
        "faster": [30, 0],
        "swerving to the left": [20, 3],
        "swerving to the right": [20, -3],
        "constant velocity": [20, 0],
        "braking": [8, 0],  # half of the 16 m that it would go in 2 s
    }
    assert made["driven"]["ade_m"] == 0
    assert made["faster"]["ade_m"] == pytest.approx(sum((2, 4, 6, 8, 10)) / 5)


def test_a_car_that_hardly_moves_cannot_swerve_nor_one_that_stands_brake() -> None:
    assert "swerving to the left" not in courses(signals_in([], driving([2.3] * 9)))
    assert "swerving to the left" in courses(signals_in([], driving([2.5] * 9)))
    assert "braking" not in courses(signals_in([]))


def test_the_constant_velocity_is_that_of_the_query_frame() -> None:
    made = courses(signals_in([], driving([8, 8, 8, 6, 4, 2, 0, 0, 0])))
    assert made["constant velocity"]["positions_m"] == [[3, 0], [6, 0], [9, 0], [12, 0], [15, 0]]
    assert made["braking"]["positions_m"][-1] == [3, 0]  # type: ignore[index]  # at most to the end of the driven way


@pytest.mark.parametrize(
    ("x", "y", "clearance_m"),
    [
        (27, 0, 1.8),  # its rear is at 25, the front of the ego vehicle at 23.2 in the end
        (29, 0, 3.8),
        (40, 0, None),
        (10, 2.87, 1.0),  # passes its side
        (10, -1.37, -0.5),  # touches it by half a metre
    ],
)
def test_the_clearance_is_the_least_gap_on_the_way(x: float, y: float, clearance_m: float | None) -> None:
    signals = signals_in([Thing("a", still(AT_QUERY + x, y))], STEADY)
    driven = courses(signals)[DRIVEN]
    assert driven["clearance_m"] == (None if clearance_m is None else pytest.approx(clearance_m))
    assert driven["nearest_track"] == (None if clearance_m is None else "a")


def test_objects_move_as_they_really_did() -> None:
    follows = Thing("a", moving(AT_QUERY + 9, 0, (8, 0)))
    made = courses(signals_in([follows], STEADY))
    assert made["driven"]["clearance_m"] == pytest.approx(3.8)
    assert made["faster"]["clearance_m"] < 0  # type: ignore[operator]
    assert made["slower"]["clearance_m"] == pytest.approx(4.3)  # at the first quarter of a step


def test_what_lies_between_two_positions_is_hit() -> None:
    post = Thing("a", still(AT_QUERY + 9, 0), (0.5, 0.5, 1))
    made = courses(signals_in([post], driving([8] * 4 + [20] * 5)))
    assert made["driven"]["clearance_m"] < 0  # type: ignore[operator]


def test_the_best_course_is_the_driven_one_among_three_that_end_elsewhere() -> None:
    row = answer("TRJ-3", signals_in([], STEADY))
    assert row is not None
    assert row["answer"] == "[[4.0, 0.0], [8.0, 0.0], [12.0, 0.0], [16.0, 0.0], [20.0, 0.0]]"
    candidates = row["facts"]["candidates"]
    assert [candidate["trajectory"] for candidate in candidates] == row["options"]
    assert len(set(row["options"])) == 4
    assert [candidate["course"] == DRIVEN for candidate in candidates] == [True, False, False, False]
    assert all(candidate["end_distance_m"] >= COURSE_M for candidate in candidates[1:])
    assert (row["margin"], row["too_close"]) == (None, False)


def test_there_is_no_best_course_without_three_others() -> None:
    assert text("TRJ-3", signals_in([])) is None
    assert text("TRJ-3", signals_in([], driving([1] * 9))) is None


def test_nothing_is_said_where_the_driven_course_touches_a_box() -> None:
    signals = signals_in([Thing("a", still(AT_QUERY + 10, 0))], STEADY)
    assert text("TRJ-3", signals) is None
    assert text("TRJ-4", signals) is None


def test_draws_go_by_the_seed_and_not_by_the_order_of_rows() -> None:
    signals = signals_in([Thing("a", still(30, 4, frames=30))], driving([8.3, 8.1] * 15))
    shuffled = replace(signals, objects=signals.objects.reverse())
    assert answers("TRJ-3", shuffled).equals(answers("TRJ-3", signals))
    other = replace(signals, seed=signals.seed + 1)
    assert not answers("TRJ-3", other)["options"].equals(answers("TRJ-3", signals)["options"])
    assert answers("TRJ-3", other)["answer"].equals(answers("TRJ-3", signals)["answer"])


HIT, NEAR, ELSEWHERE, THERE = (
    "it would hit another object",
    "it would pass an object by less than 1 m",
    "it would keep clear, and end more than 2 m from where it really went",
    "it would keep clear, and end within 2 m of where it really went",
)


def test_consequences_follow_from_the_measures() -> None:
    things = [
        Thing("a", moving(AT_QUERY + 12, 0.2, (8, 0), frames=30)),
        Thing("b", still(60, 3.4, frames=30)),
        Thing("c", still(85, -5.1, frames=30)),
    ]
    given = answers("TRJ-4", signals_in(things, driving([8.3, 8.1] * 15)))
    assert given["frame"].is_unique().all()
    assert set(given["answer"]) == {HIT, NEAR, ELSEWHERE, THERE}
    for row in given.to_dicts():
        facts = json.loads(row["facts"])
        clearance = facts["clearance_m"]
        if clearance is not None and clearance <= 0:
            expected = HIT
        elif clearance is not None and clearance < NEAR_MISS_M:
            expected = NEAR
        else:
            expected = ELSEWHERE if facts["end_distance_m"] > COURSE_M else THERE
        assert row["answer"] == expected
        assert facts["course"] != DRIVEN
        assert len(json.loads(row["trajectory"])) == 5


def test_a_rare_consequence_is_asked_for_where_there_is_one() -> None:
    # Only a swerve to the left comes near the wall, in every frame; and no other course hits anything.
    wall = Thing("wall", still(70, 4.6, frames=30), (140, 2, 2))
    given = answers("TRJ-4", signals_in([wall], driving([8] * 29)))
    assert 3 <= given.filter(pl.col("answer") == HIT).height <= given.height - 3


@pytest.mark.parametrize("shift", [(0.0, 0.0, 0.0), (300.0, -40.0, 130.0)])
def test_positions_are_in_the_frame_of_the_query_frame(shift: tuple[float, float, float]) -> None:
    signals = signals_in([], turned_way(driving([8, 8, 8, 6, 4, 4, 4, 2, 2]), shift))
    future, past = answer("TRJ-5", signals), answer("TRJ-6", signals)
    assert future is not None
    assert past is not None
    assert json.loads(future["answer"]) == [[2, 0], [4, 0], [6, 0], [7, 0], [8, 0]]
    assert json.loads(past["answer"]) == [[-15, 0], [-11, 0], [-7, 0], [-3, 0]]
    assert "-0.0]" not in future["answer"] + past["answer"]
    assert future["facts"]["speed_mps"] == pytest.approx(6)
    assert (future["facts"]["direction"], past["facts"]["direction"]) == ("future", "past")
    assert future["facts"]["waypoints_m"] == [[pytest.approx(x), pytest.approx(0)] for x in (2, 4, 6, 7, 8)]


def test_positions_lie_on_the_slope_that_the_ego_vehicle_drives_on() -> None:
    # Uphill by 10 degrees at 8 m/s: 4 m a step along the slope, less of it on the map.
    slope, half = math.radians(10), math.radians(-5)  # nose up is a negative turn about the axis to the left
    scenes = street([], driving([8] * 9))
    way = pl.col("pose_x")
    uphill = scenes.keyframes.with_columns(
        pose_x=way * math.cos(slope), pose_z=way * math.sin(slope), pose_qw=math.cos(half), pose_qy=math.sin(half)
    )
    signals = signals_of(replace(scenes, keyframes=uphill))
    row = answer("TRJ-5", signals)
    assert row is not None
    assert json.loads(row["answer"]) == [[4, 0], [8, 0], [12, 0], [16, 0], [20, 0]]
    assert row["facts"]["speed_mps"] == pytest.approx(8 * math.cos(slope))
