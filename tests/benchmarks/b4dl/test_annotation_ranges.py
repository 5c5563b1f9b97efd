"""Ranges that shrink or grow, and through whom."""

from __future__ import annotations

import pytest
from annotation_making import DRIVES, annotated, events, said

from placed_streets import Place, Thing, moving, still


def test_a_parked_car_that_the_ego_vehicle_drives_towards_comes_nearer_and_does_not_approach() -> None:
    table = annotated([Thing("it", still(45, 1), attributes=["vehicle.parked"])], DRIVES)
    assert said(table) == [
        "A parked car ahead comes nearer as the ego vehicle drives towards it from frame 000 to frame 009.",
        "A parked car ahead stays where it is from frame 000 to frame 009.",
    ]


def test_a_car_that_drives_towards_the_standing_ego_vehicle_approaches_it() -> None:
    table = annotated([Thing("it", moving(24, 1, (-5, 0), 180.0))])
    assert said(table) == ["A car ahead approaches the standing ego vehicle from frame 000 to frame 009."]


def test_of_two_that_drive_towards_each_other_both_are_said_to() -> None:
    table = annotated([Thing("it", moving(27, 12, (-3, -1), 180.0))], DRIVES[:6])
    assert "approaches the ego vehicle, which drives towards it, from frame 000 to frame 005." in said(table)[0]


def test_a_slower_car_ahead_is_caught_up_with() -> None:
    table = annotated([Thing("it", moving(40, 0, (4, 0)))], DRIVES)
    assert said(table) == [
        "A car ahead comes nearer as the ego vehicle catches up with it from frame 000 to frame 009."
    ]


def test_who_walks_along_far_to_the_side_is_not_caught_up_with() -> None:
    phrases = said(annotated([Thing("it", moving(31, -16, (1.5, 0)))], DRIVES))
    assert [phrase for phrase in phrases if "comes nearer as the ego vehicle drives on" in phrase]
    assert not [phrase for phrase in phrases if "catches up" in phrase]


def test_a_slower_car_behind_falls_back() -> None:
    (phrase,) = said(annotated([Thing("it", moving(2, 0.5, (5, 0)))], DRIVES))
    assert phrase == "A car behind falls back as the ego vehicle drives away from it from frame 000 to frame 009."


def test_a_faster_car_ahead_moves_away() -> None:
    table = annotated([Thing("it", moving(44, 0, (11, 0)))], DRIVES)
    assert events(table) == [("recedes", 0, 9)]
    (phrase,) = said(table)
    assert "moves away from the ego vehicle, which drives towards it, from" in phrase


def test_what_stands_behind_is_left_behind() -> None:
    phrase, _ = said(annotated([Thing("it", still(-5, 0))], DRIVES))
    words = "A stationary car behind is left behind as the ego vehicle drives away from it from frame 000 to frame 009."
    assert phrase == words


def test_the_numbers_say_whose_motion_it_is() -> None:
    ego: list[Place] = DRIVES
    (row,) = annotated([Thing("it", moving(40, 0, (4, 0)))], ego).to_dicts()[-1:]
    assert row["range_start_m"] == pytest.approx(32)
    assert row["range_end_m"] == pytest.approx(14)
    assert row["nearer_by_object_m"] == pytest.approx(-18)
    assert row["nearer_by_ego_m"] == pytest.approx(36)
    assert row["speed_start_mps"] == pytest.approx(4)
    assert row["lidar_points"] == 7
    assert (row["start_box"], row["end_box"]) == ("street 0 it", "street 9 it")
