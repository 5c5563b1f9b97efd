from __future__ import annotations

import math

import polars as pl
import pytest
from street_scenes import signals_in

from placed_streets import QUERY, SCENE, Thing, driving, moving, still, street
from probe4d.benchmarks.stride.signals import LABELS_SCHEMA, TARGETS_SCHEMA, Signals, signals_of
from probe4d.benchmarks.stride.thresholds import MOST_RANGE_M
from probe4d.benchmarks.tracked_motion import EGO_SCHEMA, OBJECTS_SCHEMA
from probe4d.scenes.tables import Scenes


def targets(signals: Signals, frame: int = QUERY) -> list[str]:
    return signals.targets.filter(pl.col("frame") == frame)["track"].to_list()


def velocity(signals: Signals, track: str, frame: int) -> tuple[float | None, float | None]:
    row = signals.objects.filter((pl.col("track") == track) & (pl.col("frame") == frame))
    return row["velocity_x_mps"].item(), row["velocity_y_mps"].item()


def test_tables_have_the_columns_that_they_say() -> None:
    signals = signals_in([Thing("a", still(10, 0))])
    assert signals.ego.schema == EGO_SCHEMA
    assert signals.objects.schema == OBJECTS_SCHEMA
    assert signals.targets.schema == TARGETS_SCHEMA
    assert signals.labels.schema == LABELS_SCHEMA


def test_speeds_are_from_the_key_frame_before_by_its_real_time() -> None:
    signals = signals_in([], driving([4, 8, 0]), spacing_us=400_000)
    assert signals.ego["speed_mps"].to_list() == pytest.approx([None, 5, 10, 0])


def test_velocities_are_over_ground_in_the_axes_of_the_ego_vehicle() -> None:
    turned = [(x, y, 90.0) for x, y, _ in driving([6] * 9)]  # slides to its right, along the global x
    signals = signals_in([Thing("a", moving(0, 20, (0, 3)))], turned)
    assert velocity(signals, "a", 5) == pytest.approx((3, 0))
    ego = signals.ego.row(5, named=True)
    assert (ego["velocity_x_mps"], ego["velocity_y_mps"], ego["speed_mps"]) == pytest.approx((0, -6, 6))


def test_a_track_has_no_velocity_where_it_begins_or_was_away() -> None:
    places = moving(10, 5, (2, 0))
    places[5] = None
    signals = signals_in([Thing("a", places)])
    assert velocity(signals, "a", 0) == (None, None)
    assert velocity(signals, "a", 4) == pytest.approx((2, 0))
    assert velocity(signals, "a", 6) == (None, None)


@pytest.mark.parametrize(
    ("category", "words"),
    [
        ("vehicle.car", "car"),
        ("human.pedestrian.adult", "pedestrian"),
        ("movable_object.trafficcone", "traffic cone"),
        ("animal", "animal"),
        ("static_object.bicycle_rack", "bicycle rack"),
        ("vehicle.emergency.police", "police vehicle"),
    ],
)
def test_objects_have_words(category: str, words: str) -> None:
    assert signals_in([Thing("a", still(10, 0), category=category)]).objects["words"].unique().to_list() == [words]


def test_a_target_has_its_whole_history() -> None:
    late, gone = still(10, 0), still(10, 5)
    late[0], gone[2] = None, None
    signals = signals_in([Thing("a", still(10, -5)), Thing("gone", gone), Thing("late", late)])
    assert targets(signals, 4) == ["a"]
    assert targets(signals, 5) == ["a", "late"]
    assert targets(signals, 7) == ["a", "gone", "late"]
    assert targets(signals, 3) == []


def test_a_target_is_near_and_has_returns() -> None:
    signals = signals_in(
        [
            Thing("at", still(MOST_RANGE_M, 0), (12, 3, 3)),
            Thing("beyond", still(MOST_RANGE_M + 0.01, 0), (12, 3, 3)),
            Thing("empty", still(20, 0), lidar_points=0),
            Thing("unknown", still(20, 5), lidar_points=None),
        ]
    )
    assert targets(signals) == ["at", "unknown"]


def test_a_target_is_high_enough_in_an_image() -> None:
    # Its near face, 9.5 m ahead, shows 800 px / 9.5 a metre.
    low, high = (Thing("a", still(10, 0), (1, 1, pixels / 800 * 9.5)) for pixels in (23.5, 24.5))
    low, high = (Thing(thing.track, thing.places, thing.size, bottom_m=1.5) for thing in (low, high))
    assert targets(signals_in([low])) == []
    assert targets(signals_in([high])) == ["a"]


def test_a_target_is_drawn_where_it_shows_largest() -> None:
    signals = signals_in([Thing("a", still(8, 9)), Thing("b", still(-12, 0))])
    row = signals.targets.filter((pl.col("track") == "a") & (pl.col("frame") == QUERY)).row(0, named=True)
    assert row["channel"] == "CAM_FRONT_LEFT"
    assert 0 <= row["left"] < row["right"] <= 1
    assert 0 <= row["top"] < row["bottom"] <= 1
    assert signals.targets.filter(pl.col("track") == "b")["channel"].unique().to_list() == ["CAM_BACK"]


def test_occluded_objects_are_targets_for_the_one_rule_that_asks_about_it() -> None:
    assert targets(signals_in([Thing("a", still(10, 0), visibility=1)])) == ["a"]


def test_of_two_boxes_of_a_track_at_a_key_frame_the_nearer_counts() -> None:
    scenes = street([Thing("a", still(20, 0))])
    double = scenes.boxes.with_columns(pl.col("token") + "'", x=pl.lit(12.0), ego_x=pl.lit(12.0))
    both = Scenes(**{**scenes.__dict__, "boxes": pl.concat([scenes.boxes, double]).sort("scene", "frame", "track")})
    assert signals_of(both).objects["ego_x_m"].unique().to_list() == [12.0]


def test_without_cameras_there_are_no_targets(scenes: Scenes) -> None:
    signals = signals_of(scenes)
    assert signals.targets.is_empty()
    assert not signals.objects.is_empty()


def test_the_bottom_of_a_box_is_measured_from_the_plane_of_the_wheels() -> None:
    signals = signals_in([Thing("a", still(10, 0), (4, 2, 3), bottom_m=0.25)])
    assert signals.objects["bottom_m"].to_list() == pytest.approx([0.25] * 10)


def test_labels_are_those_of_the_scenes() -> None:
    labels = pl.DataFrame(
        [
            {"scene": name, "frame": None, "track": None, "name": "weather", "value": "rain"}
            for name in (SCENE, "other")
        ],
        schema=LABELS_SCHEMA,
    )
    assert signals_of(street(), labels).labels["scene"].to_list() == [SCENE]


def test_headings_are_in_the_ego_frame() -> None:
    signals = signals_in([Thing("a", still(0, 20, 120))], [(0.0, 0.0, 90.0)] * 6)
    assert signals.objects["yaw_rad"][0] == pytest.approx(math.radians(30))
    assert signals.ego["yaw_rad"][0] == pytest.approx(math.radians(90))
