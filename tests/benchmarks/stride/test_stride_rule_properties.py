"""What holds for all rules: the world may be turned, mirrored and split, and answers are options of their templates."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from street_scenes import signals_in

from placed_streets import Place, Thing, driving, mirrored_way, moving, still, turned_way
from probe4d.benchmarks.stride.courses import courses_of
from probe4d.benchmarks.stride.rules import ANSWERED_SCHEMA, RULES
from probe4d.benchmarks.stride.signals import Signals, signals_of
from probe4d.benchmarks.stride.templates import TEMPLATES
from probe4d.benchmarks.stride.thresholds import HISTORY_FRAMES, LEAST_MARGIN
from probe4d.scenes.opening import open_scenes

EGO = [
    (x, y + 0.013 * frame * frame, 0.7 * frame)
    for frame, (x, y, _) in enumerate(driving([7.13, 7.41, 7.27, 6.93, 6.33, 5.71, 5.17, 4.21, 3.87]))
]
THINGS = [
    Thing("ahead", moving(31, 0.4, (6.3, 0.2))),
    Thing("oncoming", moving(52, 4.1, (-7.7, 0), 180.0)),
    Thing("crossing", moving(33, 9.3, (0.3, -2.9), -84.0), (0.7, 0.6, 1.75), "human.pedestrian.adult"),
    Thing("parked", still(24, -3.6, 4.0), (4.6, 1.9, 1.7)),
    Thing("truck", still(9, 4.4, -3.0), (9.7, 2.6, 3.4), "vehicle.truck", visibility=[4, 4, 4, 3, 1, 1, 2, 3, 4, 4]),
    Thing("cone", still(29, 2.4), (0.4, 0.4, 0.8), "movable_object.trafficcone"),
    Thing("behind", moving(-13, -3.3, (12.4, 0))),
    Thing("gone", [*still(18, -8)[:4], *[None] * 6], (1.8, 0.7, 1.6), "vehicle.bicycle"),
    Thing("kerb", still(20, 6.8), (2.0, 0.8, 1.5), "vehicle.motorcycle", bottom_m=0.9),
]
WORLD = signals_in(THINGS, EGO)
ON_TEXT = ("TRJ-3", "TRJ-4")
"""Draws go by names that know left from right, and printed positions by rounding; their courses are compared."""


def elsewhere(place: Callable[[Sequence[Place]], list[Place]]) -> Signals:
    """The world, each place of it moved."""

    def moved(thing: Thing) -> Thing:
        there = place([where for where in thing.places if where is not None])
        left = iter(there)
        return replace(thing, places=[None if where is None else next(left) for where in thing.places])

    return signals_in([moved(thing) for thing in THINGS], place(EGO))


def given_by(template: str, signals: Signals) -> pl.DataFrame:
    return RULES[template](signals).with_columns(pl.col("margin").round(6) + 0.0)


@settings(max_examples=4)
@given(st.tuples(st.floats(-900, 900), st.floats(-900, 900), st.floats(-180, 180)))
def test_answers_do_not_change_when_the_whole_world_is_turned_and_moved(shift: Place) -> None:
    there = elsewhere(lambda way: turned_way(way, shift))
    for template in RULES:
        here, moved = (given_by(template, signals).drop("facts") for signals in (WORLD, there))
        assert moved.drop("margin").equals(here.drop("margin")), template
        assert moved["margin"].to_list() == pytest.approx(here["margin"].to_list(), abs=1e-5)


def swapped(text: str, options: Sequence[str]) -> str:
    """The option that says the same with left and right swapped."""
    other = re.sub("left|right", lambda side: {"left": "right", "right": "left"}[side[0]], text)
    same_words = [option for option in options if sorted(option.split()) == sorted(other.split())]
    return other if other in options else (same_words or [other])[0]


def test_answers_are_mirrored_when_left_and_right_are_swapped() -> None:
    there = elsewhere(mirrored_way)
    for template in RULES:
        here, mirrored = given_by(template, WORLD), given_by(template, there)
        assert mirrored.height == here.height
        if template in ON_TEXT:
            continue
        if TEMPLATES[template].format == "waypoints":
            expected = [[[x, -y] for x, y in json.loads(answer)] for answer in here["answer"]]
            assert [json.loads(answer) for answer in mirrored["answer"]] == expected
            continue
        options = TEMPLATES[template].options
        assert mirrored["answer"].to_list() == [swapped(answer, options) for answer in here["answer"]], template
        assert mirrored["margin"].to_list() == pytest.approx(here["margin"].to_list(), abs=1e-5), template


def test_courses_are_mirrored_too() -> None:
    def measured(signals: Signals, *, swap: bool) -> dict[tuple[int, str], object]:
        rows = courses_of(signals).to_dicts()
        name = (lambda course: swapped(course, ())) if swap else str
        return {(row["frame"], name(row["course"])): pytest.approx(row["clearance_m"], abs=1e-6) for row in rows}

    here, mirrored = measured(WORLD, swap=False), measured(elsewhere(mirrored_way), swap=True)
    assert {key: value.expected for key, value in here.items()} == mirrored


def test_the_world_of_these_tests_has_answers_of_every_rule_that_needs_no_labels() -> None:
    labelled = {id for id in RULES if {"weather", "time_of_day", "road_type", "lane"} & set(TEMPLATES[id].needs)}
    assert {id for id in RULES if given_by(id, WORLD).is_empty()} == labelled


def check_well_formed(template: str, answered: pl.DataFrame, signals: Signals) -> None:
    """Answers are options, at key frames with a history and a future, and their margins have units."""
    assert answered.schema == ANSWERED_SCHEMA
    assert answered.select("scene", "frame", "track").is_unique().all()
    about = TEMPLATES[template]
    assert answered["track"].is_not_null().all() if about.has_target else answered["track"].is_null().all()
    ends = signals.ego.group_by("scene").agg(last=pl.col("frame").max())
    frames = answered.join(ends, on="scene")
    assert frames.filter(pl.col("frame") < HISTORY_FRAMES).is_empty()
    assert frames.filter(pl.col("frame") + about.future_frames > pl.col("last")).is_empty()
    if about.options:
        assert set(answered["answer"]) <= set(about.options)
    elif about.format == "choice":
        assert answered.filter(pl.col("options").list.contains(pl.col("answer"))).height == answered.height
        assert set(answered["options"].list.len()) <= {about.option_count}
    assert answered["margin"].is_null().equals(answered["margin_unit"].is_null())
    assert answered.filter(~(pl.col("margin") >= 0)).is_empty()
    assert set(answered["margin_unit"].drop_nulls()) <= set(LEAST_MARGIN)
    for facts in answered["facts"].head(50):
        assert isinstance(json.loads(facts), dict)
        assert not re.search(r"-0\.0(?!\d)", facts)


@pytest.fixture(scope="module")
def mini(real_data: Callable[[str], Path]) -> Signals:
    """Two real scenes."""
    opened = open_scenes(real_data("nuscenes_mini"))
    return signals_of(opened.select(opened.names[:2]))


@pytest.mark.real_data
@pytest.mark.parametrize("template", RULES)
def test_real_scenes_are_answered_by_options(mini: Signals, template: str) -> None:
    answered = given_by(template, mini)
    check_well_formed(template, answered, mini)
    needs = set(TEMPLATES[template].needs)
    known = {"boxes", "future"}  # this copy of the dataset has lost its visibility
    assert answered.is_empty() == bool(needs - known)


@pytest.mark.parametrize("template", RULES)
def test_invented_scenes_are_answered_by_options(template: str) -> None:
    check_well_formed(template, given_by(template, WORLD), WORLD)


@pytest.mark.real_data
def test_scenes_are_answered_alone_as_with_others(mini: Signals) -> None:
    first, second = (
        Signals(
            **{
                name: getattr(mini, name).filter(pl.col("scene") == scene)
                for name in ("ego", "objects", "targets", "labels")
            }
        )
        for scene in mini.ego["scene"].unique().sort()
    )
    for template in RULES:
        together = pl.concat([given_by(template, signals) for signals in (first, second)])
        assert together.equals(given_by(template, mini)), template


@pytest.mark.parametrize("template", RULES)
def test_scenes_without_anything_have_no_answer_and_no_error(template: str) -> None:
    nothing = signals_in([], [])
    assert given_by(template, nothing).is_empty()
