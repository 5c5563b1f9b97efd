"""Whether anything of a kind is near, wide or tall, with what the filters left out and what no image shows."""

from __future__ import annotations

import math
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from spatial_making import in_view, objects

from probe4d.benchmarks.spatial_qa.surroundings import (
    PEDESTRIAN,
    near_ego,
    near_objects,
    oversized_vehicles,
)

VIEW = {"scene": "scene-1", "frame": 0, "channel": "CAM_FRONT"}
CAR = in_view("car")
WALKER = {"kind": "pedestrian", "category": "human.pedestrian.adult", "label": "pedestrian"}
CONE = {"kind": None, "category": "movable_object.trafficcone", "label": "traffic cone"}
ANSWER = ("holds", "margin", "witness")


def views(*given: dict[str, Any]) -> pl.DataFrame:
    return pl.DataFrame([VIEW | each for each in given or ({},)], schema_overrides={"frame": pl.Int32})


def of_key_frame(table: pl.DataFrame) -> pl.DataFrame:
    return table.drop("channel").unique("token", maintain_order=True)


def near_the_car(passing: list[dict[str, Any]], left_out: list[dict[str, Any]]) -> tuple[Any, ...]:
    found = near_objects(objects(CAR, *passing), objects(CAR, *passing, *left_out))
    return found.filter(pl.col("track") == "car").select(ANSWER).row(0)


@pytest.mark.parametrize(
    ("passing", "left_out", "answer"),
    [
        ([in_view("w", ego_x=14.0, **WALKER)], [], (True, 1.0, "box-w")),
        ([in_view("v", ego_x=14.0)], [], (True, 1.0, "box-v")),
        ([in_view("v", ego_x=15.0)], [], (True, 0.0, "box-v")),  # within 5 m is at most 5 m
        ([in_view("v", ego_x=15.1)], [], (False, 0.1, "box-v")),
        ([in_view("v", ego_x=10.0, ego_z=6.0)], [], (False, 0.2, "box-v")),  # in space, not on the ground
        ([in_view("c", ego_x=11.0, **CONE)], [], (False, None, None)),  # neither a pedestrian nor a vehicle
        ([], [], (False, None, None)),  # the object itself does not count
        ([], [in_view("v", ego_x=14.0)], (None, None, None)),  # shows in the image, but too small or hidden
        ([], [in_view("v", ego_x=20.0)], (False, 5.0, "box-v")),
        ([in_view("w", ego_x=16.0)], [in_view("v", ego_x=17.0)], (False, 1.0, "box-w")),
        ([in_view("w", ego_x=13.0)], [in_view("v", ego_x=11.0)], (True, 2.0, "box-w")),
        ([in_view("w", ego_x=14.0), in_view("v", ego_x=6.0)], [], (True, 1.0, "box-v")),  # a tie: smaller token
        ([], [in_view("v", ego_x=11.0, channel="CAM_BACK")], (False, None, None)),  # in another image
        ([in_view("v", ego_x=11.0, frame=1)], [], (False, None, None)),  # at another key frame
        ([in_view("v")], [], (True, 5.0, "box-v")),  # with the same centre
    ],
)
def test_objects_within_5_m_of_an_object(
    passing: list[dict[str, Any]], left_out: list[dict[str, Any]], answer: tuple[bool | None, float | None, str | None]
) -> None:
    holds, margin, witness = near_the_car(passing, left_out)
    assert (holds, witness) == (answer[0], answer[2])
    assert margin == (None if answer[1] is None else pytest.approx(answer[1]))


def test_every_object_is_asked_about_in_its_own_row() -> None:
    table = objects(in_view("a"), in_view("b", ego_x=13.0), in_view("c", ego_x=17.0), in_view("d", ego_x=40.0, **CONE))
    found = near_objects(table, table)
    assert found.drop(ANSWER).equals(table)
    assert found.select(ANSWER).rows() == [
        (True, 2.0, "box-b"),
        (True, 2.0, "box-a"),
        (True, 1.0, "box-b"),
        (False, 18.0, "box-c"),
    ]


@given(st.lists(st.tuples(st.floats(-9, 9), st.floats(-9, 9), st.booleans(), st.booleans()), max_size=6))
def test_near_objects_are_those_that_a_search_finds(placed: list[tuple[float, float, bool, bool]]) -> None:
    rows = [
        in_view(str(number), ego_x=10.0 + x, ego_y=y, **(WALKER if walks else {}))
        for number, (x, y, walks, _) in enumerate(placed)
    ]
    passing = [row for row, (*_, passes) in zip(rows, placed, strict=True) if passes]
    holds, margin, witness = near_the_car(passing, [row for row in rows if row not in passing])
    distances = {row["token"]: math.dist((10.0, 0.0), (row["ego_x"], row["ego_y"])) for row in rows}
    near = {token for token, metres in distances.items() if round(metres, 6) <= 5}
    among_passing = near & {row["token"] for row in passing}
    assert holds == (True if among_passing else None if near else False)
    if holds is not None and rows:
        assert margin == pytest.approx(abs(5 - distances[witness]), abs=1e-6)
        assert distances[witness] <= min(distances[row["token"]] for row in (passing if holds else rows)) + 1e-6


@pytest.mark.parametrize(
    ("passing", "elsewhere", "kinds", "answer"),
    [
        ([in_view("v", ego_x=6.0, ego_z=8.0)], [], None, (True, 0.0, "box-v")),
        ([in_view("v", ego_x=6.0, ego_z=8.1)], [], None, (False, 0.080179, "box-v")),
        ([in_view("v", ego_x=6.0, ego_z=0.0)], [], PEDESTRIAN, (False, None, None)),
        ([in_view("w", ego_x=-6.0, ego_z=0.0, **WALKER)], [], PEDESTRIAN, (True, 4.0, "box-w")),
        ([in_view("c", ego_x=6.0, ego_z=0.0, **CONE)], [], None, (False, None, None)),
        # Behind the vehicle, where this image does not show it: neither Yes nor No would be fair.
        ([in_view("v", ego_x=15.0, ego_z=0.0)], [in_view("w", ego_x=-6.0, ego_z=0.0)], None, (None, None, None)),
        ([in_view("v", ego_x=15.0, ego_z=0.0)], [in_view("w", ego_x=-12.0, ego_z=0.0)], None, (False, 2.0, "box-w")),
        ([in_view("v", ego_x=7.0, ego_z=0.0)], [in_view("w", ego_x=-6.0, ego_z=0.0)], None, (True, 3.0, "box-v")),
        ([], [], None, (False, None, None)),
    ],
)
def test_objects_within_10_m_of_the_ego_vehicle(
    passing: list[dict[str, Any]],
    elsewhere: list[dict[str, Any]],
    kinds: str | None,
    answer: tuple[bool | None, float | None, str | None],
) -> None:
    other_view = [row | {"channel": "CAM_BACK"} for row in elsewhere]
    every = objects(CAR, *passing, *other_view).filter(pl.col("track") != "car")
    front = every.filter(pl.col("channel") == "CAM_FRONT")
    found = near_ego(views(), front, of_key_frame(every), **({"kinds": (kinds,)} if kinds else {}))
    holds, margin, witness = found.select(ANSWER).row(0)
    assert (holds, witness) == (answer[0], answer[2])
    assert margin == (None if answer[1] is None else pytest.approx(answer[1]))


def test_each_view_of_a_key_frame_is_judged_by_its_own_objects() -> None:
    ahead, behind = in_view("a", ego_x=6.0, ego_z=0.0), in_view("b", ego_x=-30.0, ego_z=0.0, channel="CAM_BACK")
    table = objects(ahead, behind, in_view("c", ego_x=50.0, ego_z=0.0, frame=1))
    asked = views({"channel": "CAM_BACK"}, {}, {"frame": 1}, {"frame": 1, "channel": "CAM_BACK"})
    found = near_ego(asked, table, of_key_frame(table))
    assert found.select(asked.columns).equals(asked)
    assert found["holds"].to_list() == [None, True, False, False]
    assert found["witness"].to_list() == [None, "box-a", "box-c", "box-c"]


@pytest.mark.parametrize("size", ["width", "height"])
@pytest.mark.parametrize(
    ("passing", "left_out", "answer"),
    [
        (2.5, None, (True, 0.5, "box-v")),
        (2.0, None, (False, 0.0, "box-v")),  # greater than 2 m, not 2 m
        (1.7, None, (False, 0.3, "box-v")),
        (1.7, 2.5, (None, None, None)),
        (1.7, 2.0, (False, 0.0, "box-u")),
        (2.5, 2.9, (True, 0.5, "box-v")),
        (None, 2.5, (None, None, None)),
        (None, None, (False, None, None)),
    ],
)
def test_wide_and_tall_vehicles(
    size: str, passing: float | None, left_out: float | None, answer: tuple[bool | None, float | None, str | None]
) -> None:
    tall_pedestrian = in_view("w", **{size: 2.4}, **WALKER)
    of_view = [tall_pedestrian] + ([] if passing is None else [in_view("v", **{size: passing})])
    shown = of_view + ([] if left_out is None else [in_view("u", **{size: left_out})])
    found = oversized_vehicles(views(), objects(*of_view), objects(*shown), size=size)
    holds, margin, witness = found.select(ANSWER).row(0)
    assert (holds, witness) == (answer[0], answer[2])
    assert margin == (None if answer[1] is None else pytest.approx(answer[1]))
