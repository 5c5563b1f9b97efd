"""Every phrase about simulated scenes is held against the simulator's motion; the world may be turned and mirrored."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import replace

import polars as pl
import pytest
from annotation_making import DRIVES, annotated, arc
from annotation_truth import Moves, Truth, faults
from hypothesis import given, settings
from hypothesis import strategies as st

from placed_streets import Place, Thing, mirrored_way, moving, still, turned_way
from probe4d.benchmarks.b4dl.annotations import ANNOTATIONS_SCHEMA, EVENTS, annotations_of
from probe4d.benchmarks.b4dl.sequences import drawn_sequences
from probe4d.scenes.nuscenes_writing.rows import token
from probe4d.scenes.simulator.world import make_world
from probe4d.scenes.tables import Scenes

SEED = 7
"""Of the fixture `simulated`."""


NUMBERS_OF_SCENES = (0, 2, 3, 5)
"""A bend, stop-and-go traffic, a wait at a pedestrian crossing, a left turn."""


OTHER = {
    "approaches": "recedes",
    "comes-nearer": "approaches",
    "recedes": "approaches",
    "is-left-behind": "comes-nearer",
    "overtakes": "is-passed",
    "is-passed": "overtakes",
    "crosses-left": "crosses-right",
    "stops": "starts",
    "starts": "stops",
    "turns-left": "turns-right",
    "turns-right": "turns-left",
    "accelerates": "brakes",
    "brakes": "accelerates",
}
"""Events that an annotation would be wrong to name."""


@pytest.fixture(scope="module")
def moves(scenes: Scenes) -> dict[str, Moves]:
    """The simulator's own motion behind some scenes; the first layout of each showed all of its classes."""
    made = {scenes.names[number]: make_world(SEED, number, 0) for number in NUMBERS_OF_SCENES}
    for name, world in made.items():
        poses = scenes.keyframes.filter(scene=name).select("pose_x", "pose_y").rows()
        assert [pytest.approx(world.ego_pose(float(time))[:2], abs=1e-3) for time in world.times] == poses
    return {name: Moves(world) for name, world in made.items()}


def test_every_phrase_about_simulated_scenes_is_true(scenes: Scenes, moves: dict[str, Moves]) -> None:
    some = scenes.select(list(moves))
    table = annotations_of(drawn_sequences(some, seed=0), some)
    agents = {
        token("instance", SEED, name, agent): agent for name, one in moves.items() for agent in range(len(one.agents))
    }
    times = dict(zip(some.keyframes.select("scene", "frame").rows(), some.keyframes["timestamp_us"], strict=True))
    wrong, unnoticed = [], []
    for row in table.iter_rows(named=True):
        name = row["scene"]
        start, end = ((times[name, row[at]] - times[name, 0]) * 1e-6 for at in ("start_frame", "end_frame"))
        truth = Truth(moves[name], agents[row["track"]] if row["track"] else 0, start, end)
        wrong += [(row["phrase"], row["sequence"], fault) for fault in faults(row, truth)]
        if row["event"] in OTHER and not faults(row | {"event": OTHER[row["event"]]}, truth):
            unnoticed.append((row["phrase"], row["sequence"]))
    assert not wrong, "\n".join(map(str, wrong))
    assert not unnoticed, "what would be false is not seen to be"
    assert table.height > 400


def test_simulated_scenes_have_nearly_all_events(scenes: Scenes) -> None:
    table = pl.concat(annotations_of(drawn_sequences(scenes, seed=seed), scenes) for seed in (0, 1))
    assert set(EVENTS) - set(table["event"]) <= {"reverses", "crosses-right"}


EGO = arc(24, 10, 7.0)


def with_ego(xs: Sequence[float], y: float, heading_deg: float = 0.0) -> list[Place | None]:
    """A way given in the ego frames of its key frames."""
    places: list[Place | None] = []
    for x, (ego_x, ego_y, ego_heading) in zip(xs, EGO, strict=True):
        cos, sin = math.cos(math.radians(ego_heading)), math.sin(math.radians(ego_heading))
        places.append((ego_x + cos * x - sin * y, ego_y + sin * x + cos * y, ego_heading + heading_deg))
    return places


PERSON = {"size": (0.6, 0.6, 1.8), "category": "human.pedestrian.adult"}
THINGS = [
    Thing("ahead", moving(31, 0.4, (6.3, 0.2)), attributes=["vehicle.moving"]),
    Thing("oncoming", with_ego([41.3 - 8.1 * frame for frame in range(10)], 4.1, 180.0)),
    Thing("crossing", moving(33, 6.3, (0.3, -2.1), -84.0), **PERSON),
    Thing("parked", still(24, -3.6, 4.0), (4.6, 1.9, 1.7), attributes=["vehicle.parked"]),
    Thing("faster", with_ego([-9.2 + 2.3 * frame for frame in range(10)], -3.7)),
    Thing("gone", [*still(18, -8)[:4], *[None] * 6], (1.8, 0.7, 1.6), "vehicle.bicycle"),
    Thing(
        "turning",
        [(x + 21.3, y + 9.1, heading) for x, y, heading in arc(-73, 10, 5.0)],
        (9.0, 2.5, 3.0),
        "vehicle.truck",
    ),
    Thing("stops", [(x, -6.2, 0.0) for x in (8, 11, 14, 16.5, 18, 18.1, 18.1, 18.1, 18.1, 18.1)]),
]
NUMBERS = [name for name, dtype in ANNOTATIONS_SCHEMA.items() if dtype == pl.Float64()]
TURNS_SIGN = ("ego_y_start_m", "ego_y_end_m", "turn_deg")


def elsewhere(place: Callable[[Sequence[Place]], list[Place]]) -> pl.DataFrame:
    """What is said of the street with every place of it moved."""

    def moved(thing: Thing) -> Thing:
        there = iter(place([where for where in thing.places if where is not None]))
        return replace(thing, places=[None if where is None else next(there) for where in thing.places])

    return annotated([moved(thing) for thing in THINGS], place(EGO))


HERE = annotated(THINGS, EGO)


def assert_same(there: pl.DataFrame, expected: pl.DataFrame) -> None:
    words = [name for name in ANNOTATIONS_SCHEMA if name not in NUMBERS]
    order = ["track", "start_frame", "end_frame", "event"]
    there, expected = there.sort(order, nulls_last=True), expected.sort(order, nulls_last=True)
    assert there.select(words).rows() == expected.select(words).rows()
    for name in NUMBERS:
        assert there[name].to_list() == pytest.approx(expected[name].to_list(), abs=1e-6), name


@settings(max_examples=10)
@given(st.tuples(st.floats(-900, 900), st.floats(-900, 900), st.floats(-180, 180)))
def test_nothing_changes_when_the_whole_world_is_turned_and_moved(shift: Place) -> None:
    assert_same(elsewhere(lambda way: turned_way(way, shift)), HERE)


@settings(max_examples=6)
@given(st.tuples(st.floats(-900, 900), st.floats(-900, 900), st.floats(-180, 180)))
def test_left_and_right_are_swapped_when_the_world_is_mirrored(shift: Place) -> None:
    assert {"turns-right", "crosses-right", "overtakes", "is-passed", "passes"} <= set(HERE["event"])
    other = {"left": "right", "right": "left"}
    # `left behind` knows no side.
    sides = re.compile(r"\b(left|right)\b(?! behind as)")

    def swapped(text: str) -> str:
        return sides.sub(lambda side: other[side[0]], text)

    mirrored = HERE.with_columns(
        pl.col("event").map_elements(lambda event: event if event == "is-left-behind" else swapped(event), pl.String),
        pl.col("phrase").map_elements(swapped, pl.String),
        *(-pl.col(name) for name in TURNS_SIGN),
    )
    assert_same(elsewhere(lambda way: turned_way(mirrored_way(way), shift)), mirrored)


def test_the_street_of_the_properties_has_what_they_are_about() -> None:
    assert HERE["event"].n_unique() >= 9
    assert annotated([], DRIVES)["track"].null_count() == 1
