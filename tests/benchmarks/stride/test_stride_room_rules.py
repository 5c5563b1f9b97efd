"""SU-1, SU-2, SU-4, SU-5: what objects leave of the way and of the strips beside it."""

from __future__ import annotations

from dataclasses import replace

import polars as pl
import pytest
from street_scenes import answer, signals_in, text

from placed_streets import QUERY, Place, Thing, driving, moving, still

BLOCKS = "it blocks the way straight ahead"
LEFT = "it limits the room on the left side"
RIGHT = "it limits the room on the right side"
NONE = "it does not constrain the ego vehicle"


@pytest.mark.parametrize(
    ("x", "y", "expected", "too_close"),
    [
        (10, 0, BLOCKS, False),
        (10, 2.25, BLOCKS, False),
        (10, 2.5, BLOCKS, True),  # its side on the border of the way
        (10, 2.625, LEFT, True),
        (10, 2.75, LEFT, False),
        (10, -2.75, RIGHT, False),
        (10, 5.75, LEFT, False),
        (10, 6, LEFT, True),
        (10, 6.25, NONE, False),
        (32, 0, BLOCKS, True),  # its rear at the end of the way
        (32.25, 0, NONE, False),
        (22, 4, LEFT, True),  # its rear at the end of the strip
        (22.25, 4, NONE, False),
        (-7, 4, LEFT, True),
        (-7.25, 4, NONE, False),
        (-4, 0, NONE, False),  # right behind the ego vehicle
    ],
)
def test_a_target_constrains_by_what_its_footprint_reaches_into(
    x: float, y: float, expected: str, too_close: bool
) -> None:
    row = answer("SU-1", signals_in([Thing("a", still(x, y))]), track="a")
    assert row is not None
    assert (row["answer"], row["too_close"], row["margin_unit"]) == (expected, too_close, "metres")


def test_a_target_across_both_strips_behind_has_no_answer() -> None:
    assert answer("SU-1", signals_in([Thing("a", still(-3, 0, 90), (8, 2, 1.6))]), track="a") is None


def test_a_turned_footprint_reaches_by_its_corners() -> None:
    straight, turned = Thing("a", still(10, 3), (4, 1, 1.6)), Thing("b", still(16, 3, 90), (4, 1, 1.6))
    signals = signals_in([straight, turned])
    assert text("SU-1", signals, track="a") == LEFT
    assert text("SU-1", signals, track="b") == BLOCKS


AHEAD, ON_LEFT, ON_RIGHT = (Thing(name, still(8, y), (2, 1, 1)) for name, y in (("m", 0), ("l", 3), ("r", -3)))


@pytest.mark.parametrize(
    ("things", "free", "only"),
    [
        ([], "straight ahead, left and right", None),
        ([ON_RIGHT], "straight ahead and left", None),
        ([ON_LEFT], "straight ahead and right", None),
        ([AHEAD], "left and right", None),
        ([ON_LEFT, ON_RIGHT], "only straight ahead", "going straight on"),
        ([AHEAD, ON_RIGHT], "only left", "moving to the left"),
        ([AHEAD, ON_LEFT], "only right", "moving to the right"),
        ([AHEAD, ON_LEFT, ON_RIGHT], "none of them", "none but braking"),
    ],
)
def test_regions_are_free_where_no_footprint_reaches(things: list[Thing], free: str, only: str | None) -> None:
    signals = signals_in([*things, Thing("far", still(40, 20))])
    assert text("SU-2", signals) == free
    assert text("SU-5", signals) == only


@pytest.mark.parametrize(
    ("x", "free", "too_close"), [(20.9, False, True), (21, False, True), (21.1, True, True), (21.3, True, False)]
)
def test_the_way_is_free_to_where_a_footprint_begins(x: float, free: bool, too_close: bool) -> None:
    row = answer("SU-2", signals_in([Thing("a", still(x, 0), (2, 1, 1))]))
    assert row is not None
    assert row["answer"] == ("straight ahead, left and right" if free else "left and right")
    assert row["too_close"] is too_close
    assert row["facts"]["ahead_separation_m"] == pytest.approx(x - 21)


def test_objects_of_unknown_size_leave_no_answer_but_where_others_decide() -> None:
    def without_size(things: list[Thing]) -> str | None:
        signals = signals_in([*things, Thing("unknown", still(30, 0))])
        unknown = pl.col("track") == "unknown"
        size = pl.when(~unknown).then("length_m").alias("length_m")
        return text("SU-2", replace(signals, objects=signals.objects.with_columns(size)))

    assert without_size([]) is None
    assert without_size([AHEAD, ON_LEFT]) is None
    assert without_size([AHEAD, ON_LEFT, ON_RIGHT]) == "none of them"


@pytest.mark.parametrize(
    ("speed_mps", "clear", "too_close"),
    [(0, True, False), (4, True, False), (4.9, True, True), (5, False, True), (6.5, False, False), (-5, True, False)],
)
def test_a_side_is_clear_where_nothing_comes_up_in_time(speed_mps: float, clear: bool, too_close: bool) -> None:
    # Its front is 10 m behind the line, so that 5 m/s take 2 s.
    row = answer("SU-4", signals_in([Thing("a", moving(-22, 3.25, (speed_mps, 0)))]))
    assert row is not None
    assert row["answer"] == ("on both sides" if clear else "only on the right")
    assert row["too_close"] is too_close
    assert row["facts"]["left_arrival_s"] == (pytest.approx(10 / speed_mps) if speed_mps > 0 else None)


def test_what_comes_up_is_measured_against_the_ego_vehicle() -> None:
    at_query = 4 * 10 / 2
    assert (
        text("SU-4", signals_in([Thing("a", moving(at_query - 22, 3.25, (12, 0)))], driving([10] * 9)))
        == "on both sides"
    )
    assert (
        text("SU-4", signals_in([Thing("a", moving(at_query - 22, 3.25, (17, 0)))], driving([10] * 9)))
        == "only on the right"
    )


@pytest.mark.parametrize(
    ("x", "y", "expected"),
    [
        (16.9, 3.25, "only on the right"),
        (17.3, 3.25, "on both sides"),
        (-11.9, -3.25, "only on the left"),
        (-12.3, -3.25, "on both sides"),
        (0, 6.3, "on both sides"),
        (0, 0, "on both sides"),  # in the way, not beside it
    ],
)
def test_a_side_is_taken_by_what_stands_in_it(x: float, y: float, expected: str) -> None:
    assert text("SU-4", signals_in([Thing("a", still(x, y))])) == expected


def test_there_is_no_answer_where_it_is_not_known_what_comes_up() -> None:
    appears: list[Place | None] = [None] * QUERY + still(-22, 3.25)
    new = Thing("new", appears)
    assert text("SU-4", signals_in([new])) is None
    assert text("SU-4", signals_in([new]), frame=QUERY + 1) == "on both sides"
    assert text("SU-4", signals_in([new, Thing("a", still(0, 3.25))])) == "only on the right"
