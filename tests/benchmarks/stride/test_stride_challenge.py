"""Scores, tags, conditions and manoeuvres of clips."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from probe4d.benchmarks.stride.challenge import COMPONENTS, TARGET_COMPONENTS, challenge_of
from probe4d.benchmarks.stride.conditions import conditions_of
from probe4d.benchmarks.stride.manoeuvres import manoeuvres_of
from probe4d.benchmarks.stride.signals import LABELS_SCHEMA, TARGETS_SCHEMA, Signals
from probe4d.benchmarks.stride.tags import TAGS, tags_of
from probe4d.benchmarks.stride.thresholds import TRAFFIC_BOUNDS
from probe4d.benchmarks.tracked_motion import EGO_SCHEMA, OBJECTS_SCHEMA
from probe4d.scenes.tables import SCENES_SCHEMA

MANY = TRAFFIC_BOUNDS[-1]
CLIP = {"scene": ["a"], "frame": [6]}
CLEAR = pl.DataFrame({**CLIP, "night": [False], "rain": [False], "intersection": [False]}).cast({"frame": pl.Int32})


def thing(**fields: Any) -> dict[str, Any]:
    """A car at frame 6 of scene a, far away and at rest."""
    usual = {
        "scene": "a",
        "frame": 6,
        "track": "t",
        "category": "vehicle.car",
        "label": "car",
        "ego_x_m": 40.0,
        "ego_y_m": 20.0,
        "yaw_rad": 0.0,
        "length_m": 4.0,
        "width_m": 2.0,
        "velocity_x_mps": 0.0,
        "velocity_y_mps": 0.0,
        "visibility": 4,
    }
    row = usual | fields
    return row | {"range_m": math.hypot(row["ego_x_m"], row["ego_y_m"])}


def signals(*things: dict[str, Any], ego_mps: float = 0.0) -> Signals:
    """Signals of these objects; those at frame 6 are targets."""

    def table(rows: list[dict[str, Any]], schema: dict[str, pl.DataType]) -> pl.DataFrame:
        return pl.DataFrame([{name: row.get(name) for name in schema} for row in rows], schema=schema)

    ego = [
        {"scene": "a", "frame": frame, "yaw_rad": 0.0, "velocity_x_mps": ego_mps, "velocity_y_mps": 0.0}
        for frame in range(7)
    ]
    return Signals(
        ego=table(ego, EGO_SCHEMA),
        objects=table(list(things), OBJECTS_SCHEMA),
        targets=table([row for row in things if row["frame"] == 6], TARGETS_SCHEMA),
        labels=pl.DataFrame(schema=LABELS_SCHEMA),
    )


def clip_score(*things: dict[str, Any], conditions: pl.DataFrame = CLEAR, ego_mps: float = 0.0) -> float:
    score: float = challenge_of(signals(*things, ego_mps=ego_mps), conditions).clips["challenge"].item()
    return score


def of(name: str) -> float:
    return COMPONENTS[name].weight


def test_a_clip_without_anything_near_scores_its_density_only() -> None:
    assert clip_score(thing()) == pytest.approx(of("density") / MANY, abs=1e-6)
    assert clip_score(thing(ego_x_m=60.0)) == 0


@pytest.mark.parametrize(
    ("changed", "ego_mps", "gap"),
    [
        ({"ego_x_m": 20.0, "ego_y_m": 0.0}, 5.0, 0.0),  # reached in four seconds
        ({"ego_x_m": 20.0, "ego_y_m": 0.0}, 0.0, 18.0),
        ({"ego_x_m": 0.0, "ego_y_m": 3.5}, 0.0, 1.5),
        ({"ego_x_m": 20.0, "ego_y_m": 4.5, "velocity_x_mps": -10.0}, 0.0, 2.5),
        ({"ego_x_m": 50.0, "ego_y_m": 0.0}, 5.0, 28.0),  # not within the time
        ({"ego_x_m": 20.0, "ego_y_m": 0.0, "velocity_x_mps": None, "velocity_y_mps": None}, 0.0, 18.0),
    ],
)
def test_interaction_is_the_least_gap_at_constant_velocities(
    changed: dict[str, Any], ego_mps: float, gap: float
) -> None:
    closeness = max(0.0, 1 - gap / 3)
    expected = of("density") / MANY + of("interaction") * closeness
    assert clip_score(thing(**changed), ego_mps=ego_mps) == pytest.approx(expected, abs=1e-6)


def test_people_near_hidden_objects_and_weather_count() -> None:
    person = thing(category="human.pedestrian.adult", label="pedestrian", ego_x_m=12.0, ego_y_m=12.0)
    expected = of("density") / MANY + of("vulnerable") / 4
    assert clip_score(person) == pytest.approx(expected, abs=1e-6)
    hidden = person | {"visibility": 2}
    assert clip_score(hidden) == pytest.approx(expected + of("occlusion") / 5, abs=1e-6)
    unknown = person | {"visibility": None}
    assert clip_score(unknown) == pytest.approx(expected, abs=1e-6)
    rain = CLEAR.with_columns(rain=pl.lit(value=True))
    assert clip_score(person, conditions=rain) == pytest.approx(expected + of("weather"), abs=1e-6)


@pytest.mark.parametrize(
    ("before", "now", "is_unusual"),
    [
        ({"velocity_x_mps": 8.0}, {"velocity_x_mps": 6.0}, True),  # brakes
        ({"velocity_x_mps": 8.0}, {"velocity_x_mps": 7.5}, False),
        ({"velocity_x_mps": 8.0, "yaw_rad": 0.0}, {"velocity_x_mps": 8.0, "yaw_rad": 0.4}, True),  # turns
        ({"velocity_x_mps": 0.0, "yaw_rad": 0.0}, {"velocity_x_mps": 0.0, "yaw_rad": 0.4}, False),  # stands
        ({"velocity_x_mps": 8.0, "yaw_rad": 0.0}, {"velocity_x_mps": 8.0, "yaw_rad": math.pi}, False),  # turned about
        ({"velocity_x_mps": 8.0}, {"velocity_x_mps": 8.0}, False),
    ],
)
def test_who_brakes_or_turns_moves_unusually(before: dict[str, Any], now: dict[str, Any], is_unusual: bool) -> None:
    place = {"ego_x_m": -15.0, "ego_y_m": 20.0}
    made = signals(thing(frame=4, **place, **before), thing(**place, **now))
    scores = challenge_of(made, CLEAR)
    expected = (TARGET_COMPONENTS["target_unusual_motion"].weight + of("unusual_motion") / 3) * is_unusual
    assert scores.targets["challenge"].item() == pytest.approx(of("density") / MANY + expected, abs=1e-6)


def test_weights_sum_to_what_a_reader_can_judge_a_score_by() -> None:
    assert sum(component.weight for component in COMPONENTS.values()) == 10
    assert all(component.reason and component.measure for component in (COMPONENTS | TARGET_COMPONENTS).values())


def test_the_page_for_users_has_the_tags_and_weights_of_the_code() -> None:
    page = (Path(__file__).parents[3] / "docs" / "stride.md").read_text()
    for of_what, components in (("clip", COMPONENTS), ("target", TARGET_COMPONENTS)):
        for name, (weight, measure, reason) in components.items():
            signal = name.removeprefix("target_").replace("_", " ")
            assert f"| {of_what} | {signal} | {weight:g} | {measure} | {reason} |\n" in page
    assert all(f"| `{tag}` | {meaning} |\n" in page for tag, meaning in TAGS.items())


@pytest.mark.parametrize(
    ("changed", "tag"),
    [
        ({"category": "human.pedestrian.child", "label": "pedestrian"}, "pedestrian"),
        ({"category": "vehicle.bicycle", "label": "bicycle", "velocity_x_mps": 3.0}, "cyclist"),
        ({"category": "movable_object.trafficcone", "label": "traffic cone"}, "construction"),
        ({"category": "human.pedestrian.construction_worker", "label": None}, "construction"),
        ({"category": "vehicle.bus.bendy", "label": "bus"}, "special-vehicle"),
        ({"category": "vehicle.emergency.police", "label": None}, "special-vehicle"),
        ({"category": "movable_object.debris", "label": None}, "foreign-object"),
        ({"ego_x_m": 10.0, "ego_y_m": 3.0, "velocity_y_mps": 4.0}, "crossing"),
    ],
)
def test_an_object_near_gives_its_tag(changed: dict[str, Any], tag: str) -> None:
    near = signals(thing(**changed)).objects
    assert tags_of(CLEAR, near)["tags"].to_list() == [[tag]]
    far = near.with_columns(range_m=pl.lit(50.5))
    assert tags_of(CLEAR, far)["tags"].to_list() == [[]]


@pytest.mark.parametrize(
    "changed",
    [
        {},
        {"category": "vehicle.bicycle", "label": "bicycle"},  # parked
        {"ego_x_m": 10.0, "ego_y_m": 8.0, "velocity_y_mps": 4.0},  # across, but not on the way
        {"ego_x_m": -10.0, "ego_y_m": 3.0, "velocity_y_mps": 4.0},  # behind
        {"ego_x_m": 10.0, "ego_y_m": 3.0, "velocity_x_mps": 4.0},  # along
    ],
)
def test_what_is_ordinary_gives_no_tag(changed: dict[str, Any]) -> None:
    assert tags_of(CLEAR, signals(thing(**changed)).objects)["tags"].to_list() == [[]]


def test_many_road_users_are_dense_traffic_and_conditions_are_tags() -> None:
    many = signals(*(thing(track=str(place)) for place in range(MANY))).objects
    dark = CLEAR.with_columns(pl.lit(value=True).alias(name) for name in ("night", "rain", "intersection"))
    assert tags_of(dark, many)["tags"].to_list() == [["intersection", "dense-traffic", "bad-weather", "night"]]
    assert {*TAGS} >= {"intersection", "dense-traffic", "bad-weather", "night"}


@pytest.mark.parametrize(
    ("description", "expected"),
    [
        ("Night, peds cross crosswalk", {"night"}),
        ("Rain, wait at intersection", {"rain", "intersection"}),
        ("Night, after rain, many peds", {"night"}),
        ("Train station, tonight", set()),
        (None, set()),
    ],
)
def test_conditions_are_read_from_the_words_of_a_scene(description: str | None, expected: set[str]) -> None:
    found = conditions_of(pl.DataFrame(CLIP).cast({"frame": pl.Int32}), _scenes(description), None)
    assert {name for name in ("night", "rain", "intersection") if found[name].item()} == expected


def test_labels_count_before_words_and_those_of_a_key_frame_first() -> None:
    rows = [
        {"scene": "a", "frame": None, "track": None, "name": "weather", "value": "rain"},
        {"scene": "a", "frame": 6, "track": None, "name": "weather", "value": "clear"},
        {"scene": "a", "frame": None, "track": None, "name": "time_of_day", "value": "night"},
        {"scene": "a", "frame": None, "track": "t", "name": "lane", "value": "no lane"},
    ]
    clips = pl.DataFrame({"scene": ["a", "a"], "frame": [6, 7]}).cast({"frame": pl.Int32})
    found = conditions_of(clips, _scenes("Rain, intersection"), pl.DataFrame(rows, schema=LABELS_SCHEMA))
    assert found.select("night", "rain", "intersection").rows() == [(True, False, True), (True, True, True)]


@pytest.mark.parametrize(
    ("speeds", "turn_deg", "manoeuvre", "change"),
    [
        ([5.0] * 5, 0.0, "straight on", "steady"),
        ([5.0] * 5, 10.5, "left", "steady"),
        ([5.0] * 5, -10.5, "right", "steady"),
        ([5.0] * 5, 9.5, "straight on", "steady"),
        ([2.0, 3.0, 4.0, 5.0, 6.0], 0.0, "straight on", "speeds up"),
        ([6.0, 5.0, 4.0, 3.0, 2.0], 30.0, "left", "slows down"),
        ([3.0, 2.0, 1.0, 0.5, 0.1], 0.0, "straight on", "stops"),
        ([0.1] * 5, 0.0, "still", "steady"),
    ],
)
def test_manoeuvre_and_change_of_speed_are_told_apart(
    speeds: list[float], turn_deg: float, manoeuvre: str, change: str
) -> None:
    start = math.radians(179)  # so that turns pass through 180 degrees
    yaw = [start + math.radians(turn_deg) * place / 5 for place in range(6)]
    ego = pl.DataFrame(
        {
            "scene": ["a"] * 6 + ["b"],
            "frame": [*range(6), 0],
            "speed_mps": [None, *speeds, None],
            "yaw_rad": [math.atan2(math.sin(one), math.cos(one)) for one in yaw] + [0.0],
        }
    )
    assert manoeuvres_of(ego).rows() == [("a", 0, manoeuvre, change)]


def _scenes(description: str | None) -> pl.DataFrame:
    row = dict.fromkeys(SCENES_SCHEMA) | {"scene": "a", "description": description}
    return pl.DataFrame([row], schema=SCENES_SCHEMA)
