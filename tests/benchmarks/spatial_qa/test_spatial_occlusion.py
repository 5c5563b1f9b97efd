"""Occlusion while driving forward, on placed boxes and against a search step by step, segment by segment."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from spatial_making import in_view, objects

from probe4d.benchmarks.spatial_qa.occlusion import LONGEST_DRIVE_M, STEP_M, occlusion
from probe4d.benchmarks.spatial_qa.rules import pairs_of

EYE = (1.7, 0.0, 1.5)
VAN = {"ego_x": 20.0, "ego_y": 4.0, "ego_z": 1.25, "length": 6.0, "width": 2.0, "height": 2.5}
CHILD = {"ego_x": 30.0, "ego_y": 6.5, "ego_z": 0.6, "length": 0.5, "width": 0.5, "height": 1.2, "kind": "pedestrian"}

YAWS = st.floats(-math.pi, math.pi)
SCREENS = st.fixed_dictionaries(
    {
        "ego_x": st.floats(-10, 40),
        "ego_y": st.floats(-6, 6),
        "ego_z": st.floats(0.5, 2),
        "ego_yaw": YAWS,
        "length": st.floats(1, 12),
        "width": st.floats(1, 4),
        "height": st.floats(1, 4),
    }
)
ALIGNED = st.fixed_dictionaries(
    {
        **dict.fromkeys(("ego_x", "ego_y", "ego_z"), st.integers(-8, 16).map(float)),
        **dict.fromkeys(("length", "width", "height"), st.integers(1, 6).map(float)),
        "ego_yaw": st.sampled_from([0.0, math.pi / 2]),
    }
)
"""Boxes whose faces often lie in one plane, or in one with the line of sight."""
BEHIND = st.tuples(st.floats(0.5, 3), st.floats(-3, 3), st.floats(0.3, 1.5))
"""A place beyond a screen: how many times as far, metres to its side, height."""
SMALL = st.fixed_dictionaries({"ego_yaw": YAWS, **dict.fromkeys(("length", "width", "height"), st.floats(0.3, 3))})


def paired(screen: dict[str, Any], target: dict[str, Any], eye: tuple[float, float, float] = EYE) -> pl.DataFrame:
    pairs = pairs_of(objects(in_view("a", **screen), in_view("b", **target))).filter(pl.col("track_1") == "a")
    return pairs.with_columns(eye_x=eye[0], eye_y=eye[1], eye_z=eye[2])


def hidden_after(screen: dict[str, Any], target: dict[str, Any], **given: Any) -> float | None:
    holds, metres = occlusion(paired(screen, target, **given)).select("holds", "hidden_after_m").row(0)
    assert holds == (metres is not None)
    return metres


def beyond(screen: dict[str, Any], place: tuple[float, float, float], box: dict[str, Any]) -> dict[str, Any]:
    times, aside, height = place
    x, y = screen["ego_x"] * times, screen["ego_y"] * times + aside
    return {"ego_x": x, "ego_y": y, "ego_z": height, **box}


def corners(box: dict[str, Any]) -> np.ndarray:
    yaw = box.get("ego_yaw", 0.0)
    signs = np.array(list(itertools.product((-0.5, 0.5), repeat=3)))
    sized = signs * [box["length"], box["width"], box["height"]]
    turn = np.array([[math.cos(yaw), -math.sin(yaw), 0], [math.sin(yaw), math.cos(yaw), 0], [0, 0, 1]])
    return sized @ turn.T + [box["ego_x"], box["ego_y"], box["ego_z"]]


def searched(screen: dict[str, Any], target: dict[str, Any], *, grown_by_m: float) -> float | None:
    """The first step at which every segment from the camera to a corner meets the screen, by the slab test."""
    yaw, place = screen["ego_yaw"], np.array([screen["ego_x"], screen["ego_y"], screen["ego_z"]])
    into = np.array([[math.cos(yaw), math.sin(yaw), 0], [-math.sin(yaw), math.cos(yaw), 0], [0, 0, 1]])
    half = np.array([screen["length"], screen["width"], screen["height"]]) / 2 + grown_by_m
    for step in range(1, round(LONGEST_DRIVE_M / STEP_M) + 1):
        driven = step * STEP_M
        if EYE[0] + driven >= corners(screen)[:, 0].min():
            return None
        start = into @ (np.add(EYE, (driven, 0, 0)) - place)
        along = (corners(target) - place) @ into.T - start
        with np.errstate(divide="ignore", invalid="ignore"):
            faces = np.sort(np.stack([(-half - start) / along, (half - start) / along]), axis=0)
        enters, leaves = faces[0].max(axis=-1).clip(0), faces[1].min(axis=-1).clip(None, 1)
        if (enters <= leaves).all():
            return driven
    return None


@given(SCREENS | ALIGNED, BEHIND, SMALL | ALIGNED)
def test_the_closed_form_finds_what_a_search_finds(
    screen: dict[str, Any], place: tuple[float, float, float], box: dict[str, Any]
) -> None:
    target = beyond(screen, place, box)
    metres = hidden_after(screen, target)
    # Of a corner that is just grazed either may be said: a wider screen hides it no later, a narrower one no sooner.
    bounds = [searched(screen, target, grown_by_m=by) for by in (1e-6, -1e-6)]
    earliest, found, latest = (math.inf if each is None else each for each in (bounds[0], metres, bounds[1]))
    assert earliest <= found <= latest


def test_a_child_beside_the_road_comes_to_be_hidden_by_a_parked_van() -> None:
    metres = hidden_after(VAN, CHILD)
    assert metres is not None
    assert 0 < metres < VAN["ego_x"] - VAN["length"] / 2 - EYE[0]
    assert metres % STEP_M == 0
    assert metres == searched({"ego_yaw": 0.0, **VAN}, CHILD, grown_by_m=0.0)


@pytest.mark.parametrize(
    ("screen", "target"),
    [
        (CHILD, VAN),  # what is small and farther hides nothing
        (VAN | {"ego_z": 0.4, "height": 0.8}, CHILD),  # a low one is looked over
        (VAN, CHILD | {"ego_z": 2.0, "height": 4.0}),  # a tall one looks over the van
        (VAN, CHILD | {"ego_y": -6.5}),  # on the other side
        (VAN | {"ego_x": -20.0}, CHILD | {"ego_x": -30.0}),  # behind the camera, which drives away
        (VAN | {"ego_x": 1.0}, CHILD),  # beside the camera: it is past where the van begins
        (VAN | {"ego_x": 80.0}, CHILD | {"ego_x": 30.0}),  # behind the child
    ],
)
def test_what_never_lies_between_hides_nothing(screen: dict[str, Any], target: dict[str, Any]) -> None:
    assert hidden_after(screen, target) is None


def test_what_is_hidden_straight_ahead_stays_hidden_and_counts_from_the_first_step() -> None:
    truck = VAN | {"ego_y": 0.0, "height": 3.5, "ego_z": 1.75}
    assert hidden_after(truck, CHILD | {"ego_y": 0.0}) == STEP_M


def test_a_taller_object_is_hidden_by_a_lower_one_only_from_near_and_only_from_below_its_top() -> None:
    wall = {"ego_x": 15.0, "ego_y": 0.0, "ego_z": 1.0, "length": 0.5, "width": 8.0, "height": 2.0}
    bus = {"ego_x": 25.0, "ego_y": 0.0, "ego_z": 1.5, "length": 8.0, "width": 2.5, "height": 3.0}
    metres = hidden_after(wall, bus)
    assert metres is not None
    assert metres > STEP_M
    assert hidden_after(wall | {"ego_z": 0.7, "height": 1.4}, bus) is None  # its top is below the camera


def test_of_overlapping_boxes_what_is_inside_counts_as_hidden() -> None:
    hedge = VAN | {"height": 4.0, "width": 8.0, "ego_y": 0.0}
    assert hidden_after(hedge, CHILD | {"ego_x": 20.0, "ego_y": 0.0}) == STEP_M
    assert hidden_after(CHILD | {"ego_x": 20.0, "ego_y": 0.0}, hedge) is None
    assert hidden_after(VAN, VAN | {"ego_x": 19.5}) is None  # its front stands out


def test_the_drive_ends_after_60_m() -> None:
    wall = {"ego_x": 100.0, "ego_y": 6.0, "ego_z": 1.5, "length": 0.5, "width": 1.0, "height": 3.0}
    far = {"ego_x": 110.0, "ego_z": 1.5, "length": 0.1, "width": 0.1, "height": 0.5}
    metres = hidden_after(wall, far | {"ego_y": 8.0})
    assert metres is not None
    assert 50 < metres < 60
    assert hidden_after(wall, far | {"ego_y": 8.6}) is None
    assert hidden_after(wall, far | {"ego_y": 8.6}, eye=(31.7, 0.0, 1.5)) is not None


def test_the_drive_ends_where_the_screen_begins() -> None:
    beside = CHILD | {"ego_x": 19.0, "ego_y": 7.5}
    short = VAN | {"length": 2.0, "width": 1.0}  # hides the child only from where the camera is beside the van
    assert hidden_after(short, beside) is None
    turned = short | {"length": 12.0, "ego_yaw": -math.pi / 4}
    assert hidden_after(turned, beside) is not None


@given(SCREENS, BEHIND, SMALL, st.floats(0, 3), st.floats(1e-3, 1))
def test_a_higher_screen_and_a_smaller_target_are_hidden_no_later(
    screen: dict[str, Any], place: tuple[float, float, float], box: dict[str, Any], added: float, share: float
) -> None:
    target = beyond(screen, place, box)
    higher = screen | {"height": screen["height"] + added, "ego_z": screen["ego_z"] + added / 2}
    smaller = target | {name: share * target[name] for name in ("length", "width", "height")}
    metres = hidden_after(screen, target)
    assume(metres is not None and metres == searched(screen, target, grown_by_m=-1e-6))
    for changed in (hidden_after(higher, target), hidden_after(screen, smaller)):
        assert changed is not None
        assert changed <= metres


@given(SCREENS, BEHIND, SMALL)
def test_left_and_right_are_alike(
    screen: dict[str, Any], place: tuple[float, float, float], box: dict[str, Any]
) -> None:
    target = beyond(screen, place, box)
    assume(searched(screen, target, grown_by_m=-1e-6) == searched(screen, target, grown_by_m=1e-6))
    mirrored = [each | {"ego_y": -each["ego_y"], "ego_yaw": -each["ego_yaw"]} for each in (screen, target)]
    assert hidden_after(*mirrored) == hidden_after(screen, target)


def test_many_pairs_are_judged_as_each_by_itself_and_none_as_none() -> None:
    generator = np.random.default_rng(1)
    rows = []
    for _ in range(40):
        x, y, times = generator.uniform(5, 30), generator.uniform(-5, 5), generator.uniform(-6, 6)
        rows.append(paired(VAN | {"ego_x": x, "ego_y": y}, CHILD | {"ego_x": 1.5 * x, "ego_y": times * y}))
    together = occlusion(pl.concat(rows))
    assert together.equals(pl.concat([occlusion(row) for row in rows]))
    assert 0 < together["holds"].sum() < 40
    assert occlusion(rows[0].clear()).height == 0
