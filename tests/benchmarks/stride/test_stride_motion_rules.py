"""TM-3, TE-1 of objects, and TM-5, TRJ-1, TRJ-2, TE-4 of the ego vehicle: motion over windows of key frames."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pytest
from street_scenes import answer, signals_in, text

from placed_streets import QUERY, Place, Thing, driving, moving, still


def paced(
    steps: Sequence[tuple[float, float]], *, first: int, start: tuple[float, float] = (20, 5)
) -> list[Place | None]:
    """Stands until key frame `first`, then goes half a second at each speed and in each direction (degrees)."""
    (x, y), places = start, [(*start, 0.0)] * (first + 1)
    for speed, direction in steps:
        x, y = x + speed / 2 * math.cos(math.radians(direction)), y + speed / 2 * math.sin(math.radians(direction))
        places.append((x, y, direction))
    return [*places, *[places[-1]] * (10 - len(places))]


def straight(*speeds: float) -> list[tuple[float, float]]:
    return [(speed, 0.0) for speed in speeds]


def bent(turn_deg: float, speeds: Sequence[float] = (4, 4, 4, 4)) -> list[tuple[float, float]]:
    return [(speed, 0.0 if step < 2 else turn_deg) for step, speed in enumerate(speeds)]


PATTERNS = [
    (straight(0, 0, 0, 0), "stood still", "stands still", False),
    (straight(0.49, 0.49, 0.49, 0.49), "stood still", "stands still", True),
    (straight(0.5, 0.5, 0.5, 0.5), "moved straight on at a steady speed", "moves straight on at a steady speed", True),
    (straight(4, 4, 4, 4), "moved straight on at a steady speed", "moves straight on at a steady speed", False),
    (straight(4, 4, 5, 5), "moved straight on at a steady speed", "moves straight on at a steady speed", True),
    (straight(4, 4, 5.1, 5.1), "sped up", "speeds up", True),
    (straight(4, 4, 5.3, 5.3), "sped up", "speeds up", False),
    (straight(5.3, 5.3, 4, 4), "slowed down", "slows down", False),
    (straight(6, 4, 6, 4), "moved straight on at a steady speed", "moves straight on at a steady speed", False),
    (bent(14.9), "moved straight on at a steady speed", "moves straight on at a steady speed", True),
    (bent(15.1), "turned left", "turns left", True),
    (bent(19), "turned left", "turns left", False),
    (bent(-19), "turned right", "turns right", False),
    (bent(60, (4, 4, 8, 8)), "turned left", "turns left", False),  # a turn counts before a change of speed
    (bent(90, (0.4, 0.4, 3, 3)), "sped up", "speeds up", False),  # what hardly moves has no heading
]


@pytest.mark.parametrize(("steps", "past", "future", "too_close"), PATTERNS)
def test_objects_move_in_patterns(steps: list[tuple[float, float]], past: str, future: str, too_close: bool) -> None:
    signals = signals_in([Thing("a", paced(steps, first=0)), Thing("b", paced(steps, first=QUERY))])
    before, after = answer("TM-3", signals, track="a"), answer("TE-1", signals, track="b")
    assert before is not None
    assert after is not None
    assert (before["answer"], before["too_close"]) == (past, too_close)
    assert (after["answer"], after["too_close"]) == (future, too_close)
    assert before["facts"]["speeds_mps"] == pytest.approx([speed for speed, _ in steps])


def test_a_change_of_heading_that_is_not_measured_is_null() -> None:
    signals = signals_in([Thing("a", paced(bent(90, (0.4, 0.4, 3, 3)), first=0)), Thing("b", paced(bent(19), first=0))])
    slow, turned = (answer("TM-3", signals, track=track) for track in "ab")
    assert slow is not None
    assert turned is not None
    assert slow["facts"]["heading_change_deg"] is None
    assert turned["facts"]["heading_change_deg"] == pytest.approx(19)


def test_a_track_that_vanishes_has_no_future() -> None:
    places = still(20, 0)
    places[7] = None
    signals = signals_in([Thing("a", places)])
    assert text("TM-3", signals, track="a") == "stood still"
    assert text("TE-1", signals, track="a") is None


def turning(turn_deg: float, *, speed: float = 8.0, first: int = 0, over: int = 4) -> list[Place]:
    """Drives at a speed, turning evenly over some steps."""
    places: list[Place] = [(0.0, 0.0, 0.0)]
    for step in range(9):
        x, y, heading = places[-1]
        heading += turn_deg / over if first <= step < first + over else 0.0
        places.append(
            (x + speed / 2 * math.cos(math.radians(heading)), y + speed / 2 * math.sin(math.radians(heading)), heading)
        )
    return places


@pytest.mark.parametrize(
    ("turn_deg", "expected", "too_close"),
    [
        (0, "moved straight on at a steady speed", False),
        (9, "moved straight on at a steady speed", True),
        (11, "turned left", True),
        (14, "turned left", False),
        (-14, "turned right", False),
    ],
)
def test_the_ego_vehicle_turns_by_its_heading(turn_deg: float, expected: str, too_close: bool) -> None:
    row = answer("TM-5", signals_in([], turning(turn_deg)))
    assert row is not None
    assert (row["answer"], row["too_close"]) == (expected, too_close)
    assert row["facts"]["heading_change_deg"] == pytest.approx(turn_deg)


@pytest.mark.parametrize(
    ("speeds", "expected", "too_close"),
    [
        ((0, 0, 0, 0, 0), "stands still", False),
        ((8, 8, 8, 8, 8), "moves straight on at a steady speed", False),
        ((3, 3, 5, 5, 5), "speeds up", False),
        ((8, 8, 8, 6, 6), "slows down", False),
        ((8, 6, 4, 2, 0), "comes to a stop", False),
        ((8, 6, 4, 2, 0.49), "comes to a stop", True),
        ((8, 6, 4, 2, 0.51), "slows down", True),
        ((0.9, 0, 0, 0, 0), "comes to a stop", False),
        ((0.3, 0.2, 0, 0, 0), "stands still", False),
        ((0, 0, 1, 3, 5), "speeds up", False),
    ],
)
def test_the_future_manoeuvre_comes_to_a_stop_first(speeds: tuple[float, ...], expected: str, too_close: bool) -> None:
    row = answer("TRJ-1", signals_in([], driving([8, 8, 8, 8, *speeds])))
    assert row is not None
    assert (row["answer"], row["too_close"]) == (expected, too_close)


def test_the_future_manoeuvre_turns() -> None:
    assert text("TRJ-1", signals_in([], turning(40, first=QUERY, over=5))) == "turns left"
    assert text("TRJ-1", signals_in([], turning(-40, first=QUERY, over=5))) == "turns right"


@pytest.mark.parametrize(
    ("end", "expected", "too_close"),
    [
        ((0, 0), "near where it is now", False),
        ((1.9, 0), "near where it is now", True),
        ((2, 0), "straight ahead", True),
        ((2.6, 0), "straight ahead", False),
        ((20, 0.9), "straight ahead", False),
        ((20, 1.5), "straight ahead", True),
        ((20, 1.6), "ahead to the left", True),
        ((20, 2.1), "ahead to the left", False),
        ((20, -2.1), "ahead to the right", False),
        ((-6, 0), None, None),
    ],
)
def test_the_future_position_is_that_of_the_last_step(
    end: tuple[float, float], expected: str | None, too_close: bool | None
) -> None:
    way: list[Place] = [(5.0, 5.0, 0.0)] * 9 + [(5.0 + end[0], 5.0 + end[1], 0.0)]
    row = answer("TRJ-2", signals_in([], way))
    assert (None if row is None else row["answer"]) == expected
    assert row is None or row["too_close"] is too_close


@pytest.mark.parametrize(
    ("speeds", "expected"),
    [
        ((8, 6, 4, 2, 0), "it stops"),
        ((8, 8, 8, 6, 6), "it slows down"),
        ((8, 8, 8, 8, 8), "it keeps its course and speed"),
        ((8, 8, 10, 10, 10), None),
    ],
)
def test_the_ego_vehicle_responds_to_what_is_in_its_way(speeds: tuple[float, ...], expected: str | None) -> None:
    ego = driving([8, 8, 8, 8, *speeds])
    things = [Thing("ahead", still(40, 0)), Thing("far", moving(16, 30, (8, 0)))]
    signals = signals_in(things, ego)
    assert text("TE-4", signals, track="ahead") == expected
    assert text("TE-4", signals, track="far") is None


def test_the_ego_vehicle_responds_by_steering_and_not_by_standing() -> None:
    things = [Thing("ahead", still(40, 0))]
    assert text("TE-4", signals_in(things, turning(40, first=QUERY, over=5)), track="ahead") == "it steers to the left"
    assert text("TE-4", signals_in([Thing("ahead", still(20, 0))]), track="ahead") is None


@pytest.mark.parametrize("frames", [0, 1, 4, 5, 9])
def test_short_scenes_have_no_answer_that_needs_more(frames: int) -> None:
    signals = signals_in([Thing("a", still(20, 0))], driving([4] * 9)[:frames])
    for template, needed in (("TM-5", 5), ("TRJ-6", 5), ("TRJ-1", 10), ("TRJ-5", 10)):
        assert (text(template, signals) is not None) == (frames >= needed)
    assert (text("TM-3", signals, track="a") is not None) == (frames >= 5)
    assert (text("TE-1", signals, track="a") is not None) == (frames >= 9)
