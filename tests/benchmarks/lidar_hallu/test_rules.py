from __future__ import annotations

import math

import polars as pl
import pytest
from hallu_scenes import made_scenes
from hypothesis import given
from hypothesis import strategies as st

from probe4d.benchmarks.annotated_sector import AnnotatedSector
from probe4d.benchmarks.lidar_hallu.rules import (
    INTERVAL_FRAMES,
    class_presence,
    measured_objects,
    motion_pairs,
    nearest_objects,
    predicate_answers,
)
from probe4d.benchmarks.lidar_hallu.templates import MOTION_VERBS
from probe4d.errors import InputError
from probe4d.scenes.geometry import SECTOR_BOUNDS_DEG, SECTORS, sector_index

BEARINGS = st.floats(-180, 180)
HALVES = st.integers(-360, 360).map(lambda half: half / 2)
METRES = st.floats(-60, 60)


def sector(bearing_deg: float) -> str:
    return SECTORS[int(sector_index(bearing_deg))]


@given(BEARINGS)
def test_a_sector_is_the_one_whose_bounds_hold_the_bearing(bearing: float) -> None:
    named = sector(bearing)
    low, high = SECTOR_BOUNDS_DEG[named]
    assert low <= bearing < high if low < high else bearing >= low or bearing < high


@pytest.mark.parametrize("index", range(8))
def test_the_lower_border_belongs_to_a_sector_and_the_upper_to_the_next(index: int) -> None:
    low, high = SECTOR_BOUNDS_DEG[SECTORS[index]]
    assert sector(low) == SECTORS[index]
    assert sector(math.nextafter(low, -math.inf)) == SECTORS[index - 1]
    assert sector(high) == SECTORS[(index + 1) % 8]


def test_opposite_ends_of_the_circle_are_back() -> None:
    assert sector(180.0) == sector(-180.0) == "back"


def test_left_is_positive_y() -> None:
    scenes = made_scenes([("scene-a", 0, "car", "t", 0.0, 3.0, 5)])
    nearest = nearest_objects(measured_objects(scenes).annotated)
    assert nearest.select("sector", "bearing_deg", "distance_m", "margin").row(0) == ("left", 90.0, 3.0, 22.5)


@given(METRES, METRES)
def test_the_margin_of_a_position_is_the_angle_to_the_nearest_border(x: float, y: float) -> None:
    scenes = made_scenes([("scene-a", 0, "car", "t", x, y, 5)])
    row = nearest_objects(measured_objects(scenes).annotated).row(0, named=True)
    borders = [abs((row["bearing_deg"] - low + 180) % 360 - 180) for low, _ in SECTOR_BOUNDS_DEG.values()]
    assert row["margin"] == pytest.approx(min(borders), abs=1e-9)


def test_boxes_without_returns_and_of_other_categories_do_not_count_and_are_counted() -> None:
    scenes = made_scenes(
        [
            ("scene-a", 0, "car", "empty", 1.0, 0.0, 0),
            ("scene-a", 0, "car", "seen", 5.0, 0.0, 1),
            ("scene-a", 0, "truck", "unknown", 6.0, 0.0, None),
            ("scene-a", 0, None, "animal", 2.0, 0.0, 9),
        ]
    )
    objects = measured_objects(scenes)
    assert objects.everywhere["track"].to_list() == ["seen", "unknown"]
    assert objects.exclusions == {
        "boxes of other categories": 1,
        "boxes with fewer than 1 LiDAR returns": 1,
    }
    assert measured_objects(scenes, min_lidar_points=2).everywhere["track"].to_list() == ["unknown"]


def test_ties_in_distance_go_to_the_smaller_track_and_then_to_the_first_class() -> None:
    scenes = made_scenes(
        [
            ("scene-a", 0, "bus", "a", 0.0, 5.0, 3),
            ("scene-a", 0, "car", "z", 5.0, 0.0, 3),
            ("scene-a", 0, "car", "b", -5.0, 0.0, 3),
        ]
    )
    nearest = nearest_objects(measured_objects(scenes).annotated)
    assert nearest.select("label", "track").rows() == [("car", "b"), ("bus", "a")]


def test_presence_lists_every_key_frame_even_an_empty_one() -> None:
    scenes = made_scenes([("scene-a", 1, "bus", "a", 0.0, 5.0, 3)], keyframes=2)
    presence = class_presence(scenes.keyframes, nearest_objects(measured_objects(scenes).annotated))
    assert presence["present"].to_list() == [[], ["bus"]]
    assert presence["absent"].list.len().to_list() == [10, 9]


def test_motion_follows_the_same_track_to_the_eighth_key_frame() -> None:
    end = INTERVAL_FRAMES
    scenes = made_scenes(
        [
            ("scene-a", 0, "car", "followed", 5.0, 0.0, 3),
            ("scene-a", 0, "bus", "lost", 5.0, 0.0, 3),
            ("scene-a", 0, "truck", "empty", 5.0, 0.0, 3),
            ("scene-a", end, "car", "followed", 9.0, 1.5, 3),
            ("scene-a", end, "car", "other", 1.0, 0.0, 3),
            ("scene-a", end, "truck", "empty", 5.0, 0.0, 0),
        ],
        keyframes=end + 1,
    )
    objects = measured_objects(scenes)
    pairs = motion_pairs(nearest_objects(objects.annotated), objects.everywhere)
    assert pairs.select("frame", "frame_end", "track").rows() == [(0, end, "followed")]
    assert pairs["distance_delta_m"].item() == pytest.approx(math.hypot(9.0, 1.5) - 5.0)
    assert pairs["lateral_delta_m"].item() == 1.5


def holds(distance_m: float, lateral_m: float) -> dict[str, tuple[bool, bool, float]]:
    pairs = pl.DataFrame({"distance_delta_m": [distance_m], "lateral_delta_m": [lateral_m]})
    rows = predicate_answers(pairs).select("predicate", "holds", "below_threshold", "margin").rows()
    return {predicate: (held, below, margin) for predicate, held, below, margin in rows}


@pytest.mark.parametrize(
    ("distance", "lateral", "expected"),
    [
        (-2.0, 0.0, {"closer"}),
        (-1.999, 0.0, set()),
        (2.0, 0.0, {"farther"}),
        (0.0, 1.0, {"left"}),
        (0.0, -1.0, {"right"}),
        (0.0, 0.999, set()),
        (0.999, 0.499, {"similar"}),
        (1.0, 0.0, set()),
        (0.0, 0.5, set()),
        (-3.0, 2.0, {"closer", "left"}),
        (5.0, -4.0, {"farther", "right"}),
    ],
)
def test_predicates_hold_from_their_thresholds_on(distance: float, lateral: float, expected: set[str]) -> None:
    assert {name for name, (held, _, _) in holds(distance, lateral).items() if held} == expected


@given(st.floats(-10, 10), st.floats(-10, 10))
def test_predicates_are_consistent(distance: float, lateral: float) -> None:
    answers = holds(distance, lateral)
    held = {name for name, (yes, _, _) in answers.items() if yes}
    assert tuple(answers) == tuple(MOTION_VERBS)
    assert not {"closer", "farther"} <= held
    assert not {"left", "right"} <= held
    assert "similar" not in held or held == {"similar"}
    below = {name for name, (_, small, _) in answers.items() if small}
    assert not below & held
    assert ("closer" in below) == (-2 < distance < 0)
    assert ("right" in below) == (-1 < lateral < 0)


@given(st.floats(-10, 10), st.floats(-10, 10), st.floats(0, 2 * math.pi))
def test_no_answer_flips_within_its_margin(distance: float, lateral: float, angle: float) -> None:
    for name, (held, _, margin) in holds(distance, lateral).items():
        step = 0.999 * margin
        moved = holds(distance + step * math.cos(angle), lateral + step * math.sin(angle))
        assert moved[name][0] == held or margin < 1e-9


@given(HALVES, HALVES, HALVES)
def test_an_annotated_sector_runs_counter_clockwise(start: float, end: float, bearing: float) -> None:
    if start == end:
        return
    annotated = AnnotatedSector.checked(start, end)
    inside = pl.DataFrame({"b": [bearing]}).select(annotated.contains(pl.col("b"))).item()
    past_start = (bearing - annotated.start_deg) % 360
    on_border = min(abs(math.remainder(bearing - border, 360)) for border in annotated) < 2e-6
    assert inside == (on_border or past_start < annotated.width_deg)
    borders = [abs(math.remainder(bearing - low, 360)) for low, _ in SECTOR_BOUNDS_DEG.values()]
    if inside and not on_border and min(borders) > 1e-9:
        assert sector(bearing) in annotated.sectors()


@pytest.mark.parametrize(
    ("text", "bearing", "inside"),
    [
        ("90:180", -180.0, True),
        ("90:180", 180.0, True),
        ("90:180", 89.9999999, True),
        ("90:180", -179.9999999, True),
        ("90:180", -179.9, False),
        ("-180:-90", 180.0, True),
        ("180:-90", 180.0, True),
        ("180:-90", 179.9, False),
        ("90:-180", -180.0, True),
        ("90:-180", 0.0, False),
        ("135:-135", -180.0, True),
        ("135:-135", 134.9, False),
        ("0:-10", -5.0, False),
        ("-180:180", 0.0, True),
        ("180:-180", 0.0, True),
        ("-45:45", 45.0000001, True),
        ("-45:45", -45.001, False),
    ],
)
def test_the_ends_of_an_annotated_sector_are_inside_and_minus_180_is_180(
    text: str, bearing: float, inside: bool
) -> None:
    contains = AnnotatedSector.parse(text).contains(pl.col("bearing"))
    assert pl.DataFrame({"bearing": [bearing]}).select(contains).item() == inside


def test_an_annotated_sector_is_what_questions_say_of_it() -> None:
    assert AnnotatedSector.checked(20.12345678, 150) == (20.1235, 150.0)
    assert AnnotatedSector.parse("180:-180") == (-180.0, 180.0)


def test_of_a_track_annotated_twice_at_a_key_frame_the_nearest_box_counts() -> None:
    scenes = made_scenes(
        [
            ("scene-a", frame, label, "t", x, 0.0, points)
            for frame in (0, INTERVAL_FRAMES)
            for label, x, points in (("car", 9.0, 3), ("car", 5.0, 3), ("car", 2.0, 0), ("bus", 7.0, 3))
        ]
    )
    objects = measured_objects(scenes)
    assert objects.everywhere.select("label", "x").rows() == [("car", 5.0), ("bus", 7.0)] * 2
    assert objects.exclusions == {
        "boxes with fewer than 1 LiDAR returns": 2,
        "boxes of a track that has a nearer box of its class at the key frame": 2,
    }
    assert motion_pairs(nearest_objects(objects.annotated), objects.everywhere).height == 2


@pytest.mark.parametrize(
    ("text", "sectors"),
    [
        ("-45:45", ("front", "front-left", "front-right")),
        ("-22.5:22.5", ("front",)),
        ("135:-135", ("back-left", "back", "back-right")),
        ("-180:180", SECTORS),
        ("0:-10", SECTORS),
    ],
)
def test_an_annotated_sector_names_the_sectors_it_meets(text: str, sectors: tuple[str, ...]) -> None:
    assert AnnotatedSector.parse(text).sectors() == sectors


@pytest.mark.parametrize("text", ["", "45", "a:b", "-45:45:60", "45:45", "-190:0", "0:nan", "inf:0"])
def test_a_bad_annotated_sector_is_named(text: str) -> None:
    with pytest.raises(InputError, match="FROM:TO"):
        AnnotatedSector.parse(text)


def test_only_the_annotated_sector_is_judged_but_tracks_are_followed_out_of_it() -> None:
    scenes = made_scenes(
        [
            ("scene-a", 0, "car", "behind", -3.0, 0.0, 3),
            ("scene-a", 0, "car", "ahead", 9.0, 0.0, 3),
            ("scene-a", 8, "car", "ahead", -5.0, 0.0, 3),
        ]
    )
    objects = measured_objects(scenes, annotated_sector=AnnotatedSector(-45, 45))
    nearest = nearest_objects(objects.annotated)
    assert nearest["track"].to_list() == ["ahead"]
    assert motion_pairs(nearest, objects.everywhere)["x_end"].to_list() == [-5.0]
    assert objects.exclusions == {"boxes outside the annotated sector": 2}
