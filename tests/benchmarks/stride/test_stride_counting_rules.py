"""SC-4, SU-6, TM-1, TM-4: how many there are, and how many are seen no longer."""

from __future__ import annotations

import pytest
from street_scenes import answer, signals_in, text

from placed_streets import QUERY, Place, Thing, still


def around(count: int, range_m: float = 12.0, category: str = "vehicle.car") -> list[Thing]:
    return [Thing(f"{number:02}", still(range_m, 0), category=category) for number in range(count)]


@pytest.mark.parametrize(
    ("count", "expected"),
    [(0, "fewer than 10"), (9, "fewer than 10"), (10, "10 to 19"), (20, "20 to 39"), (40, "40 or more")],
)
def test_traffic_is_counted_in_bins(count: int, expected: str) -> None:
    assert text("SC-4", signals_in(around(count, 30), cameras=False)) == expected


@pytest.mark.parametrize(
    ("count", "expected"), [(4, "fewer than 5"), (5, "5 to 9"), (9, "5 to 9"), (10, "10 to 19"), (20, "20 or more")]
)
def test_objects_around_are_counted_in_bins(count: int, expected: str) -> None:
    assert text("SU-6", signals_in(around(count, category="movable_object.barrier"), cameras=False)) == expected


def test_traffic_is_of_road_users() -> None:
    signals = signals_in([*around(12, category="movable_object.trafficcone")], cameras=False)
    row = answer("SC-4", signals)
    assert row is not None
    assert (row["answer"], row["facts"]["count"]) == ("fewer than 10", 0)


@pytest.mark.parametrize(
    ("range_m", "expected", "margin", "too_close"),
    [
        (19, "5 to 9", 1, False),
        (19.75, "5 to 9", 0.25, True),
        (20, "5 to 9", 0, True),
        (20.25, "fewer than 5", 0.25, True),
        (21, "fewer than 5", 1, False),
    ],
)
def test_the_margin_of_a_count_is_that_of_the_range(
    range_m: float, expected: str, margin: float, too_close: bool
) -> None:
    row = answer("SU-6", signals_in([*around(4), Thing("fifth", still(range_m, 0))], cameras=False))
    assert row is not None
    assert (row["answer"], row["too_close"], row["margin_unit"]) == (expected, too_close, "metres")
    assert row["margin"] == pytest.approx(margin)


def test_a_bin_that_no_object_can_leave_has_no_margin() -> None:
    row = answer("SU-6", signals_in([], cameras=False))
    assert row is not None
    assert (row["answer"], row["margin"], row["too_close"]) == ("fewer than 5", None, False)


def vanishing(*frames: int, x: float = 20.0) -> list[Place | None]:
    """Has a box only at these key frames."""
    return [(x, 0.0, 0.0) if frame in frames else None for frame in range(10)]


@pytest.mark.parametrize(
    ("things", "expected"),
    [
        ([], "none"),
        ([Thing("a", vanishing(0))], "one"),
        ([Thing("a", vanishing(3)), Thing("b", vanishing(0, 1, 2))], "two"),
        ([Thing(name, vanishing(2)) for name in "abcd"], "three or more"),
        ([Thing("a", vanishing(0, 4))], "none"),  # is there again
        ([Thing("a", vanishing(5, 6))], "none"),  # comes later
        ([Thing("a", vanishing(2, x=30))], "one"),
        ([Thing("a", vanishing(2, x=30.25))], "none"),
        ([Thing("a", vanishing(2), visibility=1)], "none"),  # was not seen
        ([Thing("a", vanishing(2), visibility=2)], "one"),
    ],
)
def test_tracks_are_gone_that_were_seen_near(things: list[Thing], expected: str) -> None:
    row = answer("TM-1", signals_in([*things, Thing("z", still(10, 3))], cameras=False))
    assert row is not None
    assert row["answer"] == expected
    assert len(row["facts"]["tracks"]) == len(row["facts"]["found"]) == row["facts"]["count"]


@pytest.mark.parametrize(
    ("levels", "x", "expected"),
    [
        ((4, 4, 4, 4, 1), 20, "one"),
        ((3, 1, 1, 1, 1), 20, "one"),
        ((2, 2, 2, 2, 1), 20, "none"),
        ((4, 4, 4, 4, 2), 20, "none"),
        ((1, 1, 1, 1, 1), 20, "none"),
        ((4, 4, 4, 4, 1), 30.25, "none"),
    ],
)
def test_tracks_are_occluded_that_were_well_visible_near(levels: tuple[int, ...], x: float, expected: str) -> None:
    thing = Thing("a", still(x, 0), visibility=[*levels, 4, 4, 4, 4, 4])
    assert text("TM-4", signals_in([thing], cameras=False)) == expected


def test_the_four_earlier_frames_count_and_no_others() -> None:
    signals = signals_in([Thing("a", vanishing(0)), Thing("z", still(10, 3))], cameras=False)
    assert text("TM-1", signals, frame=QUERY) == "one"
    assert text("TM-1", signals, frame=QUERY + 1) == "none"


def test_nothing_is_said_of_what_was_seen_where_visibility_is_unknown() -> None:
    levels = [4, 4, None, 4, 4, 4, 4, 4, 4, 4]
    near, far = (Thing("a", still(x, 0), visibility=levels) for x in (20, 35))
    for template in ("TM-1", "TM-4"):
        signals = signals_in([near], cameras=False)
        assert [text(template, signals, frame=frame) for frame in (4, 6, 7)] == [None, None, "none"]
        assert text(template, signals_in([far], cameras=False)) == "none"
