"""From boxes to objects: what is kept, where it is, and how it moves, against places that the boxes were made from."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from camera_scenes import SKEWED_US, camera_scenes, detections, standing
from probe4d.errors import InputError
from probe4d.scenes.estimated.estimating import EstimatedObjects, estimate_objects
from probe4d.scenes.estimated.filters import DetectionFilters
from probe4d.scenes.estimated.motion import LANE_WIDTH_M, lane_bins
from probe4d.scenes.estimated.overlap import covered_shares, intersection_over_union
from probe4d.scenes.estimated.schema import ESTIMATED_OBJECTS_SCHEMA
from probe4d.scenes.tables import Scenes


@pytest.fixture(scope="module")
def scenes(tmp_path_factory: pytest.TempPathFactory) -> Scenes:
    return camera_scenes(tmp_path_factory.mktemp("scenes"), {"a": 6, "b": 2})


def estimated(scenes: Scenes, *rows: dict[str, object], **filters: float) -> EstimatedObjects:
    return estimate_objects(scenes, detections(*rows), filters=DetectionFilters(**filters))


class TestPlaces:
    def test_an_object_is_where_it_stands(self, scenes: Scenes) -> None:
        (row,) = estimated(scenes, standing(30, 6)).objects.to_dicts()
        assert (row["x_m"], row["y_m"]) == pytest.approx((30, 6))
        assert row["distance_m"] == pytest.approx(np.hypot(30, 6))
        assert (row["sector"], row["lane_bin"], row["label"]) == ("front", "farther", "car")

    def test_what_meets_no_ground_has_no_place(self, scenes: Scenes) -> None:
        above = {"left_px": 100.0, "top_px": 100.0, "right_px": 200.0, "bottom_px": 640.0}
        (row,) = estimated(scenes, above).objects.to_dicts()
        assert [row[name] for name in ("x_m", "y_m", "distance_m", "sector", "lane_bin")] == [None] * 5
        assert row["occlusion"] == 0

    @pytest.mark.parametrize(
        ("y_m", "lane"),
        [
            (0.0, "ego lane"),
            (LANE_WIDTH_M / 2, "ego lane"),
            (-LANE_WIDTH_M / 2, "ego lane"),
            (LANE_WIDTH_M / 2 + 1e-9, "left lane"),
            (-LANE_WIDTH_M / 2 - 1e-9, "right lane"),
            (1.5 * LANE_WIDTH_M, "left lane"),
            (-1.5 * LANE_WIDTH_M, "right lane"),
            (1.5 * LANE_WIDTH_M + 1e-9, "farther"),
            (-1.5 * LANE_WIDTH_M - 1e-9, "farther"),
            (None, None),
        ],
    )
    def test_lanes_end_at_their_borders(self, y_m: float | None, lane: str | None) -> None:
        assert pl.DataFrame({"y": [y_m]}, schema={"y": pl.Float64}).select(lane_bins(pl.col("y"))).item() == lane

    def test_a_box_at_the_border_is_cut_off(self, scenes: Scenes) -> None:
        at_border = {"left_px": 0.0, "top_px": 700.0, "right_px": 300.0, "bottom_px": 900.0}
        found = estimated(scenes, at_border, standing(30, 0)).objects.sort("left_px")
        assert found["is_cut_off"].to_list() == [True, False]


class TestFilters:
    def test_every_drop_is_counted_by_its_first_reason(self, scenes: Scenes) -> None:
        found = estimated(
            scenes,
            standing(20, 0),
            standing(20, 0.1) | {"confidence": 0.8},
            standing(20, 8) | {"confidence": 0.49, "mask_quality": 0.1},
            standing(20, -8) | {"mask_quality": 0.79},
            standing(20, -4) | {"mask_quality": 0.8},
            standing(25, 4) | {"area_px": 399.0},
            standing(190, 0, width_m=1),
        )
        assert found.record.dropped == {
            "confidence below 0.5": 1,
            "mask quality below 0.8": 1,
            "area below 400 pixels": 2,
            "overlaps a surer box by 0.7 or more": 1,
        }
        assert (found.record.detections, found.record.objects) == (7, 2)
        assert found.objects.height + sum(found.record.dropped.values()) == 7

    def test_at_most_ten_and_those_that_matter(self, scenes: Scenes) -> None:
        far = [standing(60, y) for y in range(-20, 20, 4)]  # ten cars, one of them ahead
        pedestrian = standing(60, 22, width_m=0.8) | {"category": "pedestrian"}
        found = estimated(scenes, *far, standing(15, 0), pedestrian)
        assert found.record.dropped == {"beyond the 10 objects that matter most in their image": 2}
        kept = found.objects
        assert kept.height == 10
        assert {"pedestrian", "car"} == set(kept["label"])
        assert kept["x_m"].min() == pytest.approx(15)
        assert -20 not in [round(y) for y in kept["y_m"]]
        assert estimated(scenes, *far, most_objects=3).objects.height == 3

    def test_duplicates_do_not_take_places(self, scenes: Scenes) -> None:
        twins = [standing(40 + n / 10, 3 * n - 13.5) for n in range(10)]
        doubled = [row | {"category": "van", "confidence": 0.8} for row in twins]
        assert estimated(scenes, *twins, *doubled).objects.height == 10

    def test_the_surest_of_duplicates_stays_whatever_the_order(self, scenes: Scenes) -> None:
        rows = [
            standing(20, 0) | {"category": c, "confidence": p} for c, p in (("van", 0.7), ("truck", 0.8), ("car", 0.6))
        ]
        for order in ((0, 1, 2), (2, 1, 0), (1, 2, 0)):
            assert estimated(scenes, *(rows[n] for n in order)).objects["category"].to_list() == ["truck"]

    def test_other_cameras_are_counted(self, scenes: Scenes, tmp_path: Path) -> None:
        both = pl.concat([scenes.sensors, camera_scenes(tmp_path, {"a": 1}, channel="CAM_BACK").sensors])
        rows = [standing(20, 0), standing(20, 0) | {"channel": "CAM_BACK"}]
        found = estimated(replace(scenes, sensors=both), *rows)
        assert found.record.dropped == {"in the image of another camera": 1}
        assert found.objects["channel"].to_list() == ["CAM_FRONT"]
        with pytest.raises(InputError, match="which key frame 0 of a does not have"):
            estimated(scenes, standing(20, 0) | {"channel": "CAM_BACK"})

    @pytest.mark.parametrize(
        ("wrong", "said"),
        [
            ({"min_confidence": 1.5}, "least confidence must be within 0 and 1, not 1.5"),
            ({"min_mask_quality": float("nan")}, "least mask quality must be within 0 and 1, not nan"),
            ({"min_area_px": -1}, "least area must be 0 pixels or more, not -1"),
            ({"min_area_px": float("nan")}, "least area"),
            ({"most_objects": 0}, "at least one object an image must be kept, not 0"),
        ],
    )
    def test_values_that_there_are_not_are_refused(self, wrong: dict[str, float], said: str) -> None:
        with pytest.raises(InputError, match=said):
            DetectionFilters(**wrong)


class TestTracks:
    def test_one_frame_may_be_missing_and_no_more(self, scenes: Scenes) -> None:
        rows = [standing(20, 0) | {"frame": frame} for frame in (0, 2, 5)]
        tracks = estimated(scenes, *rows).objects["track"].to_list()
        assert tracks == ["a-CAM_FRONT-0", "a-CAM_FRONT-0", "a-CAM_FRONT-1"]

    def test_scenes_are_apart(self, scenes: Scenes) -> None:
        tracks = estimated(scenes, standing(20, 0), standing(20, 0) | {"scene": "b"}).objects["track"].to_list()
        assert tracks == ["a-CAM_FRONT-0", "b-CAM_FRONT-0"]

    def test_two_that_meet_are_assigned_together(self, scenes: Scenes) -> None:
        """The nearest pair alone would leave the other without one: the sum decides."""
        first = [{"left_px": 500.0, "right_px": 600.0}, {"left_px": 571.0, "right_px": 671.0}]
        second = [{"left_px": 538.0, "right_px": 638.0}, {"left_px": 609.0, "right_px": 709.0}]
        tall = {"top_px": 700.0, "bottom_px": 800.0}
        found = estimated(scenes, *(row | tall for row in first), *(row | tall | {"frame": 1} for row in second))
        by_left = found.objects.sort("frame", "left_px")["track"].to_list()
        assert by_left[:2] == by_left[2:]

    def test_parked_cars_are_not_taken_for_their_neighbours(self, tmp_path: Path) -> None:
        """Half a second later, each shows exactly where the one before it did."""
        passing = camera_scenes(tmp_path, {"a": 3}, speed_mps=12.0)
        rows = [
            standing(x - 6 * frame, 4) | {"frame": frame}
            for frame in range(3)
            for x in range(24, 60, 6)
            if x - 6 * frame >= 12
        ]
        found = estimated(passing, *rows).objects
        parked = found.with_columns(parked=(pl.col("x_m") + 6 * pl.col("frame")).round(6))
        assert parked.select("track", "parked").unique().height == 6
        assert parked["track"].n_unique() == 6
        np.testing.assert_allclose(found.drop_nulls("range_rate_mps")["relative_velocity_x_mps"], -12, atol=1e-6)

    def test_what_drives_is_looked_for_where_it_drives(self, scenes: Scenes) -> None:
        """The third box lies nearer to where the first car was than to where the second one is."""
        crossing = [standing(20, y) | {"frame": frame} for frame, y in enumerate((-6, -4.6, -3.2))]
        found = estimated(scenes, *crossing, standing(20, -1.8) | {"frame": 2}).objects
        assert found.filter(pl.col("y_m").round(6) == -3.2)["track"].to_list() == ["a-CAM_FRONT-0"]
        assert found.filter(pl.col("y_m").round(6) == -1.8)["track"].to_list() == ["a-CAM_FRONT-1"]

    def test_a_class_that_may_be_mistaken_goes_on_and_another_does_not(self, scenes: Scenes) -> None:
        def track_of(category: str) -> str:
            later = standing(20, 0) | {"frame": 1, "category": category}
            return estimated(scenes, standing(20, 0), later).objects.sort("frame")["track"][1]

        assert track_of("truck") == track_of("vehicle.car") == "a-CAM_FRONT-0"
        assert track_of("pedestrian") == track_of("traffic cone") == "a-CAM_FRONT-1"

    def test_of_two_alike_the_class_decides(self, scenes: Scenes) -> None:
        box, other = standing(20, 0), standing(20, 0.4)
        first = [box, other | {"category": "truck"}]
        second = [box | {"frame": 1, "category": "truck"}, other | {"frame": 1, "category": "car"}]
        found = estimated(scenes, *first, *second).objects.sort("category", "frame")
        assert found["track"].to_list() == [found["track"][0]] * 2 + [found["track"][2]] * 2


class TestMotion:
    def test_a_car_that_comes_nearer(self, scenes: Scenes) -> None:
        rows = [standing(x, 3) | {"frame": frame} for frame, x in enumerate((30, 25, 20))]
        found = estimated(scenes, *rows).objects
        assert found["track"].n_unique() == 1
        distances = np.hypot([30, 25, 20], 3)
        rates = np.diff(distances) / 0.5
        assert found.select("^velocity_._mps$").equals(
            found.select(velocity_x_mps="relative_velocity_x_mps", velocity_y_mps="relative_velocity_y_mps")
        )
        moved = found.select("range_rate_mps", "^relative_velocity_._mps$", "time_to_collision_s")
        assert moved.row(0) == (None,) * 4
        np.testing.assert_allclose(
            moved[1:], np.stack([rates, [-10, -10], [0, 0], -distances[1:] / rates], axis=1), atol=1e-9
        )

    @settings(max_examples=20)
    @given(turn=st.floats(-0.3, 0.3), speed=st.tuples(st.floats(-6, 6), st.floats(-2, 2)))
    def test_velocity_over_the_ground_knows_how_the_ego_vehicle_turns(
        self, scenes: Scenes, turn: float, speed: tuple[float, float]
    ) -> None:
        """A car and an ego vehicle that move and turn half a second long; velocities along the axes after the turn."""
        turned = scenes.sensors.with_columns(
            pose_x=4.0 * pl.col("frame"),
            pose_qw=(turn / 2 * pl.col("frame")).cos(),
            pose_qz=(turn / 2 * pl.col("frame")).sin(),
        )
        cosine, sine = np.cos(turn), np.sin(turn)
        after = np.array([[cosine, sine], [-sine, cosine]])
        there = after @ (np.array([30.0, 1.0]) + np.array(speed) / 2 - np.array([4.0, 0.0]))
        found = estimated(
            replace(scenes, sensors=turned), standing(30, 1, width_m=4), standing(*there, width_m=4) | {"frame": 1}
        ).objects
        assert found["track"].n_unique() == 1
        np.testing.assert_allclose(found.select("^velocity_._mps$").row(1), after @ speed, atol=1e-6)
        np.testing.assert_allclose(found.select("^relative_velocity_._mps$").row(1), (there - [30, 1]) / 0.5, atol=1e-6)

    def test_the_time_over_a_gap_is_that_of_the_images(self, tmp_path: Path) -> None:
        skewed = camera_scenes(tmp_path, {"a": 3}, period_us=400_000)
        late = skewed.sensors.with_columns(
            pl.col("timestamp_us") + pl.when(pl.col("frame") == 2).then(200_000).otherwise(0)
        )
        found = estimated(replace(skewed, sensors=late), standing(30, 0), standing(25, 0) | {"frame": 2}).objects
        assert found["range_rate_mps"][1] == pytest.approx(-5.0)  # 5 m in 2 x 0.4 s and 0.2 s
        assert late["timestamp_us"][0] == 1_000_000 + SKEWED_US

    def test_what_stands_or_leaves_does_not_collide(self, scenes: Scenes) -> None:
        leaving = [standing(x, -4) | {"frame": frame} for frame, x in enumerate((20, 22))]
        slowly = [standing(x, 4) | {"frame": frame} for frame, x in enumerate((20, 19.8))]
        found = estimated(scenes, *leaving, *slowly).objects
        assert found["time_to_collision_s"].to_list() == [None] * 4
        assert found["range_rate_mps"].null_count() == 2


class TestOverlap:
    def test_the_share_that_nearer_boxes_cover(self, scenes: Scenes) -> None:
        behind = {"left_px": 100.0, "top_px": 600.0, "right_px": 300.0, "bottom_px": 800.0}
        before = [
            {"left_px": 100.0, "top_px": 700.0, "right_px": 200.0, "bottom_px": 900.0},
            {"left_px": 150.0, "top_px": 750.0, "right_px": 250.0, "bottom_px": 950.0, "category": "bus"},
        ]
        found = estimated(scenes, behind, *before).objects.sort("bottom_px")
        # a quarter, and of the second box a strip 50 wide, and a corner 50 x 50 that the first does not cover
        assert found["occlusion"].to_list() == pytest.approx([(10_000 + 2_500) / 40_000, 50 * 150 / 20_000, 0])

    def test_none_of_two_that_end_alike_hides_the_other(self) -> None:
        boxes = np.array([[0.0, 0, 10, 10], [5, 0, 15, 10]])
        assert covered_shares(boxes).tolist() == [0, 0]

    @given(
        st.lists(
            st.tuples(st.integers(0, 30), st.integers(0, 30), st.integers(1, 20), st.integers(1, 20)),
            min_size=1,
            max_size=8,
        )
    )
    def test_shares_are_those_of_pixels_counted_one_by_one(self, rows: list[tuple[int, int, int, int]]) -> None:
        boxes = np.array([(x, y, x + w, y + h) for x, y, w, h in rows], dtype=float)
        grids = np.zeros((len(boxes), 60, 60), dtype=bool)
        for grid, (x, y, w, h) in zip(grids, rows, strict=True):
            grid[y : y + h, x : x + w] = True
        nearer = [grids[boxes[:, 3] > bottom].any(axis=0) for bottom in boxes[:, 3]]
        shares = [(grid & over).sum() / grid.sum() for grid, over in zip(grids, nearer, strict=True)]
        np.testing.assert_allclose(covered_shares(boxes), shares, atol=1e-12)
        overlaps = [[(a & b).sum() / (a | b).sum() for b in grids] for a in grids]
        np.testing.assert_allclose(intersection_over_union(boxes, boxes), overlaps, atol=1e-12)


@settings(max_examples=10)
@given(st.randoms(use_true_random=False))
def test_nothing_depends_on_the_order_of_the_rows(scenes: Scenes, random) -> None:
    rows = [
        standing(10 + 3 * n + frame, (-1) ** n * n) | {"frame": frame, "category": "car" if n % 3 else "pedestrian"}
        for frame in range(4)
        for n in range(12)
    ]
    given_order = estimated(scenes, *rows)
    random.shuffle(rows)
    shuffled = estimated(scenes, *rows)
    assert shuffled.objects.equals(given_order.objects)
    assert shuffled.record == given_order.record


def test_without_any_object_there_is_an_empty_table(scenes: Scenes) -> None:
    found = estimated(scenes, standing(20, 0) | {"confidence": 0.1})
    assert found.objects.is_empty()
    assert dict(found.objects.schema) == ESTIMATED_OBJECTS_SCHEMA
    assert estimated(scenes).objects.is_empty()


def test_a_camera_without_calibration_is_refused(tmp_path: Path) -> None:
    bare = camera_scenes(tmp_path, {"a": 1})
    unknown = bare.sensors.with_columns(intrinsics=pl.lit(None, pl.List(pl.Float64())))
    with pytest.raises(InputError, match="CAM_FRONT has no intrinsics of a pinhole camera"):
        estimated(replace(bare, sensors=unknown), standing(20, 0))


def test_a_dataset_without_a_camera_ahead_asks_for_one(tmp_path: Path) -> None:
    behind = camera_scenes(tmp_path, {"a": 1}, channel="CAM_BACK")
    with pytest.raises(InputError, match=r"has no camera CAM_FRONT or FRONT\. Name one of CAM_BACK"):
        estimate_objects(behind, detections())
    assert estimate_objects(behind, detections(), channel="CAM_BACK").objects.is_empty()
    with pytest.raises(InputError, match="has no camera LEFT"):
        estimate_objects(behind, detections(), channel="LEFT")


def test_waymos_name_of_the_camera_ahead_is_found(tmp_path: Path) -> None:
    waymo = camera_scenes(tmp_path, {"a": 1}, channel="FRONT")
    found = estimate_objects(waymo, detections(standing(20, 0) | {"channel": "FRONT"}))
    assert (found.record.channel, found.objects["track"].to_list()) == ("FRONT", ["a-FRONT-0"])
