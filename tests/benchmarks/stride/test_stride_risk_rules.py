"""SU-3, SC-5, TE-2 and TE-5: constant velocities, and what happens first."""

from __future__ import annotations

import pytest
from street_scenes import answer, signals_in, text

from placed_streets import QUERY, Place, Thing, driving, moving, still

SIDE_M = 1.87
"""From the middle of the ego vehicle to that of a car whose sides touch: half of both widths."""


def passing(gap_m: float, speed_mps: float = -6) -> Thing:
    """A car that comes towards the standing ego vehicle, and goes by with that gap."""
    return Thing("a", moving(20, SIDE_M + gap_m, (speed_mps, 0)))


@pytest.mark.parametrize(
    ("gap_m", "expected", "too_close"),
    [
        (-1.87, "high", False),
        (0.5, "high", False),
        (0.9, "high", True),
        (1, "moderate", True),
        (1.25, "moderate", False),
        (3, "low", True),
        (3.25, "low", False),
        (7.5, "low", False),
        (8.25, "none", False),
    ],
)
def test_the_risk_is_how_near_outlines_come(gap_m: float, expected: str, too_close: bool) -> None:
    row = answer("SU-3", signals_in([passing(gap_m)]), track="a")
    assert row is not None
    assert (row["answer"], row["too_close"]) == (expected, too_close)
    assert row["facts"]["nearest_gap_m"] == pytest.approx(max(gap_m, 0), abs=1e-6)


@pytest.mark.parametrize(
    ("x", "velocity", "expected"),
    [
        (10, (5, 0), "none"),  # goes away
        (10, (0, 0), "none"),  # stands, as the ego vehicle does
        (-5, (0, 0), "none"),  # stands right behind it
        (20, (-0.1, 0), "none"),  # comes nearer by 0.4 m only
        (25.5, (-3, 0), "none"),  # is not there in time: 8.3 m are left
        (24, (-3, 0), "low"),
    ],
)
def test_what_does_not_come_nearer_is_no_risk(x: float, velocity: tuple[float, float], expected: str) -> None:
    assert text("SU-3", signals_in([Thing("a", moving(x, 0, velocity))]), track="a") == expected


def test_a_car_that_follows_is_no_risk() -> None:
    things = [Thing("a", moving(20 - 8, 0, (10, 0))), Thing("b", still(20 + 15, 0))]
    signals = signals_in(things, driving([10] * 9))
    assert text("SU-3", signals, track="a") == "none"
    assert text("SU-3", signals, track="b") == "high"


def test_the_risk_of_a_scene_is_that_of_the_object_that_comes_nearest() -> None:
    near, nearer = (Thing(name, moving(20, SIDE_M + gap, (-6, 0))) for name, gap in (("near", 5), ("nearer", 2)))
    row = answer("SC-5", signals_in([near, nearer, Thing("beside", still(0, 2.5))]))
    assert row is not None
    assert (row["answer"], row["facts"]["decided_by"]) == ("moderate", "nearer")
    assert text("SC-5", signals_in([Thing("beside", still(0, 2.5))])) == "none"
    assert text("SC-5", signals_in([])) == "none"


def test_objects_without_a_velocity_are_no_part_of_a_scenes_risk() -> None:
    appears: list[Place | None] = [None] * QUERY + moving(20, 0, (-6, 0))[QUERY:]
    signals = signals_in([Thing("a", appears)])
    assert text("SC-5", signals) == "none"
    assert text("SC-5", signals, frame=QUERY + 1) == "high"


@pytest.mark.parametrize(
    ("speed_mps", "expected", "too_close"),
    [
        (-20, "less than 2 s", False),
        (-10, "2 to 4 s", True),
        (-7, "2 to 4 s", False),
        (-5, "4 to 8 s", True),
        (-4, "4 to 8 s", False),
        (-2.5, "more than 8 s", True),
        (-1, "more than 8 s", False),
        (-0.5, "more than 8 s", True),
        (-0.4, "they do not approach each other", True),
        (-0.25, "they do not approach each other", False),
        (3, "they do not approach each other", False),
    ],
)
def test_the_time_to_collision_is_range_by_closing_speed(speed_mps: float, expected: str, too_close: bool) -> None:
    row = answer("TE-2", signals_in([Thing("a", moving(20, 0, (speed_mps, 0)))]), track="a")
    assert row is not None
    assert (row["answer"], row["too_close"]) == (expected, too_close)
    if speed_mps <= -0.5:
        assert row["facts"]["time_to_collision_s"] == pytest.approx(-20 / speed_mps)


CROSSES, SLOWS, MOVES_IN, PASSES = (
    "a road user crosses the way of the ego vehicle",
    "a road user ahead slows down or stops",
    "a road user moves into the way of the ego vehicle",
    "the ego vehicle passes a standing road user",
)


def slowing(x: float, y: float) -> list[Place | None]:
    """At 8 m/s until the query frame, and at 6 m/s from then on."""
    return [*moving(x, y, (8, 0))[: QUERY + 1], *moving(x, y, (6, 0))[QUERY + 1 :]]


def drifting(x: float) -> list[Place | None]:
    """Along at 8 m/s, and to the right into the way from the query frame on."""
    return [(x + (frame - QUERY) * 4, 4 - max(frame - QUERY, 0) * 0.5, 0.0) for frame in range(10)]


@pytest.mark.parametrize(
    ("thing", "expected", "step"),
    [
        (Thing("a", moving(15, 8, (0, -4), -90), (1, 1, 1.7), "human.pedestrian.adult"), CROSSES, 3),
        (Thing("a", moving(15, 8, (0, -4), -90), (1, 1, 1), "movable_object.barrier"), None, None),
        (Thing("a", moving(40, 8, (0, -4), -90), (1, 1, 1.7), "human.pedestrian.adult"), None, None),
        (Thing("a", slowing(15, 0)), SLOWS, 1),
        (Thing("a", slowing(15, 6)), None, None),
        (Thing("a", drifting(10)), MOVES_IN, 3),
        (Thing("a", still(10, 3.5)), None, None),
    ],
)
def test_the_first_event_is_found_before_a_standing_ego_vehicle(
    thing: Thing, expected: str | None, step: int | None
) -> None:
    row = answer("TE-5", signals_in([thing]))
    assert row is not None
    assert row["answer"] == (expected or "none of these")
    assert row["facts"]["step"] == step


def test_the_ego_vehicle_passes_what_stands_beside_its_way() -> None:
    ego = driving([8] * 9)
    row = answer("TE-5", signals_in([Thing("a", still(16 + 7, -3.5))], ego))
    assert row is not None
    assert (row["answer"], row["facts"]["step"], row["facts"]["decided_by"]) == (PASSES, 2, "a")
    assert text("TE-5", signals_in([Thing("a", still(16 + 7, -12))], ego)) == "none of these"
    assert text("TE-5", signals_in([Thing("a", moving(16 + 7, -3.5, (3, 0)))], ego)) == "none of these"


def test_of_events_the_first_counts_and_of_two_at_once_the_one_that_is_named_first() -> None:
    walks = Thing("a", moving(15, 8, (0, -4), -90), (1, 1, 1.7), "human.pedestrian.adult")
    assert text("TE-5", signals_in([walks, Thing("b", slowing(15, 0))])) == SLOWS
    assert text("TE-5", signals_in([walks, Thing("b", drifting(10))])) == CROSSES
