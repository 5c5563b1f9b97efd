"""SP-1 to SP-6, TM-2: places, distances and directions, beside their lines."""

from __future__ import annotations

import math

import polars as pl
import pytest
from street_scenes import answer, answers, signals_in, text

from placed_streets import QUERY, Place, Thing, driving, moving, still
from probe4d.benchmarks.stride.templates import TEMPLATES


def ways(x: float, y: float, direction_deg: float, speed_mps: float) -> list[Place | None]:
    direction = math.radians(direction_deg)
    return moving(x, y, (speed_mps * math.cos(direction), speed_mps * math.sin(direction)))


@pytest.mark.parametrize(
    ("direction_deg", "expected"),
    [
        (0, "in the same direction"),
        (44.9, "in the same direction"),
        (-44.9, "in the same direction"),
        (45.1, "across, from right to left"),
        (90, "across, from right to left"),
        (134.9, "across, from right to left"),
        (135.1, "in the opposite direction"),
        (180, "in the opposite direction"),
        (-135.1, "in the opposite direction"),
        (-134.9, "across, from left to right"),
        (-45.1, "across, from left to right"),
    ],
)
def test_the_direction_of_motion_goes_by_the_angle_to_the_heading(direction_deg: float, expected: str) -> None:
    row = answer("SP-1", signals_in([Thing("a", ways(15, 0, direction_deg, 4))]), track="a")
    assert row is not None
    assert row["answer"] == expected
    off_line = min(abs(abs(direction_deg) - line) for line in (45, 135))
    assert row["too_close"] == (off_line < 3)
    assert row["facts"]["direction_deg"] == pytest.approx(direction_deg)


@pytest.mark.parametrize(
    ("speed_mps", "moves", "too_close"),
    [(0.0, False, False), (0.49, False, True), (0.5, True, True), (0.71, True, False)],
)
def test_what_is_slow_stands_still(speed_mps: float, moves: bool, too_close: bool) -> None:
    row = answer("SP-1", signals_in([Thing("a", moving(15, 0, (speed_mps, 0)))]), track="a")
    assert row is not None
    assert row["answer"] == ("in the same direction" if moves else "it stands still")
    assert row["too_close"] is too_close
    assert (row["facts"]["direction_deg"] is None) == (not moves)


def test_the_direction_of_motion_is_over_ground() -> None:
    signals = signals_in([Thing("a", still(40, 3)), Thing("b", moving(40, -3, (5, 0)))], driving([10] * 9))
    assert text("SP-1", signals, track="a") == "it stands still"
    assert text("SP-1", signals, track="b") == "in the same direction"


@pytest.mark.parametrize(
    ("bearing_deg", "expected"),
    [
        (0, "front"),
        (22.4, "front"),
        (22.6, "front-left"),
        (90, "left"),
        (135, "rear-left"),
        (179, "rear"),
        (-179, "rear"),
        (-90, "right"),
        (-112.6, "rear-right"),
        (-45, "front-right"),
    ],
)
def test_the_relative_position_is_the_sector_of_the_bearing(bearing_deg: float, expected: str) -> None:
    bearing = math.radians(bearing_deg)
    row = answer("SP-2", signals_in([Thing("a", still(15 * math.cos(bearing), 15 * math.sin(bearing)))]), track="a")
    assert row is not None
    assert row["answer"] == expected == row["facts"]["sector"]
    assert row["margin_unit"] == "degrees"
    borders = (22.5, 67.5, 112.5, 157.5)
    assert row["margin"] == pytest.approx(min(abs(abs(bearing_deg) - border) for border in borders))
    assert row["too_close"] == (bearing_deg in (22.4, 22.6, -112.6))


@pytest.mark.parametrize(
    ("distance_m", "expected", "too_close"),
    [
        (9.99, "less than 10 m", True),
        (10, "10 to 20 m", True),
        (9.4, "less than 10 m", False),
        (19.99, "10 to 20 m", True),
        (25, "20 to 30 m", False),
        (44.4, "30 to 45 m", False),
        (45, "more than 45 m", True),
        (50, "more than 45 m", False),
    ],
)
def test_the_distance_is_that_of_the_centre(distance_m: float, expected: str, too_close: bool) -> None:
    row = answer("SP-3", signals_in([Thing("a", still(distance_m, 0))]), track="a")
    assert row is not None
    assert (row["answer"], row["too_close"]) == (expected, too_close)
    assert row["facts"]["range_m"] == pytest.approx(distance_m)


def test_the_previous_position_is_that_of_then() -> None:
    # The ego vehicle drives 16 m past it.
    signals = signals_in([Thing("a", still(10, 1))], driving([8] * 9))
    row = answer("TM-2", signals, track="a")
    assert row is not None
    assert row["answer"] == "front"
    assert (row["facts"]["x_m"], row["facts"]["y_m"]) == pytest.approx((10, 1))
    assert text("SP-2", signals, track="a") == "rear"


@pytest.mark.parametrize(
    ("level", "expected"),
    [(1, "less than 40 %"), (2, "40 to 60 %"), (3, "60 to 80 %"), (4, "more than 80 %"), (None, None)],
)
def test_the_occlusion_state_is_what_the_dataset_says(level: int | None, expected: str | None) -> None:
    signals = signals_in([Thing("a", still(10, 0), visibility=level)])
    row = answer("SP-5", signals, track="a")
    assert (None if row is None else row["answer"]) == expected
    assert row is None or (row["margin"], row["margin_unit"], row["too_close"]) == (None, None, False)


def test_only_the_rule_about_occlusion_asks_about_what_is_occluded() -> None:
    signals = signals_in([Thing("a", moving(10, 0, (1, 0)), visibility=1)])
    asked = {id for id, template in TEMPLATES.items() if template.has_target and template.format == "choice"}
    assert {id for id in asked if answer(id, signals, track="a") is not None} == {"SP-5"}


@pytest.mark.parametrize(
    ("bottom_m", "expected", "too_close"),
    [
        (-0.75, "below the plane", False),
        (-0.51, "below the plane", True),
        (-0.5, "on the plane", True),
        (0.25, "on the plane", False),
        (0.5, "on the plane", True),
        (0.51, "above the plane", True),
    ],
)
def test_contact_goes_by_the_lower_side(bottom_m: float, expected: str, too_close: bool) -> None:
    row = answer("SP-6", signals_in([Thing("a", still(10, 0), (4, 2, 1), bottom_m=bottom_m)]), track="a")
    assert row is not None
    assert (row["answer"], row["too_close"]) == (expected, too_close)


@pytest.mark.parametrize(
    ("category", "asked"),
    [
        ("movable_object.trafficcone", False),
        ("static_object.bicycle_rack", False),
        ("movable_object.pushable_pullable", True),
        ("animal", True),
        ("vehicle.emergency.police", True),
    ],
)
def test_how_something_moves_is_asked_of_what_can(category: str, asked: bool) -> None:
    signals = signals_in([Thing("a", still(10, 0), category=category)])
    for template in ("SP-1", "TM-3", "TE-1"):
        assert (answer(template, signals, track="a") is not None) is asked
    assert text("SU-1", signals, track="a") == "it blocks the way straight ahead"


def test_answers_are_given_at_every_key_frame_with_a_history() -> None:
    given = answers("SP-3", signals_in([Thing("a", still(15, 0))]))
    assert given["frame"].to_list() == list(range(QUERY, 10))
    assert given["track"].unique().to_list() == ["a"]
    assert given.filter(pl.col("options").is_not_null()).is_empty()
