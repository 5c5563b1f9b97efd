"""What a simulated dataset must offer to those who build questions from it."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from probe4d.scenes.classes import CLASSES
from probe4d.scenes.simulator.plan import absent_classes
from probe4d.scenes.simulator.population import EGO_CENTRE_AHEAD_M, EGO_SIZE
from probe4d.scenes.simulator.tables import visibility_level
from probe4d.scenes.tables import Scenes


def boxes_seen(scenes: Scenes) -> pl.DataFrame:
    """Boxes of the ten classes that have a return, with their distance."""
    seen = scenes.boxes.filter(pl.col("label").is_not_null() & (pl.col("lidar_points") > 0))
    return seen.with_columns(distance=(pl.col("ego_x") ** 2 + pl.col("ego_y") ** 2).sqrt())


def nearest(scenes: Scenes) -> pl.DataFrame:
    order = boxes_seen(scenes).sort("distance", "track")
    return order.group_by("scene", "frame", "label", maintain_order=True).first()


def test_all_classes_occur_and_each_scene_lacks_some(opened: Scenes) -> None:
    boxes = boxes_seen(opened)
    assert set(boxes["label"]) == set(CLASSES)
    lacking = len(CLASSES) - boxes.group_by("scene").agg(pl.col("label").n_unique())["label"]
    assert lacking.is_between(3, 6).all()


@settings(max_examples=200)
@given(st.integers(0, 2**63 - 1), st.integers(0, 3_000))
def test_three_scenes_of_a_block_show_all_classes(seed: int, block: int) -> None:
    absent = [absent_classes(seed, 3 * block + place) for place in range(3)]
    assert all(3 <= len(classes) <= 6 for classes in absent)
    assert not set.intersection(*absent)


def test_scenes_have_39_to_41_key_frames_at_2_hz(opened: Scenes) -> None:
    assert opened.scenes["keyframes"].is_between(39, 41).all()
    steps = opened.keyframes.select(pl.col("timestamp_us").diff().over("scene").drop_nulls() / 1e6)
    assert steps.to_series().is_between(0.44, 0.56).all()


def test_ego_stops_turns_and_cruises(opened: Scenes) -> None:
    poses = opened.keyframes.with_columns(
        yaw=2 * pl.arctan2("pose_qz", "pose_qw"),
        step=(pl.col("pose_x").diff() ** 2 + pl.col("pose_y").diff() ** 2).sqrt().over("scene"),
    )
    turned = poses.group_by("scene").agg(pl.col("yaw").first() - pl.col("yaw").last()).get_column("yaw").to_numpy()
    turned = np.abs(np.angle(np.exp(1j * turned)))
    assert (np.abs(turned - np.pi / 2) < 0.1).any()
    assert (turned < 0.1).any()
    assert poses["step"].min() < 0.05
    assert 3 < poses["step"].max() < 7


def test_every_motion_predicate_and_every_sector_occurs_often(opened: Scenes) -> None:
    first = nearest(opened)
    later = boxes_seen(opened).select("scene", "track", pl.col("frame") - 8, later="distance", later_y="ego_y")
    motion = first.join(later, on=["scene", "track", "frame"])
    closer, left = motion["later"] - motion["distance"], motion["later_y"] - motion["ego_y"]
    counts = {
        "closer": (closer <= -2).sum(),
        "farther": (closer >= 2).sum(),
        "left": (left >= 1).sum(),
        "right": (left <= -1).sum(),
        "similar": ((closer.abs() < 1) & (left.abs() < 0.5)).sum(),
    }
    assert min(counts.values()) >= 20, counts
    sectors = first.select(((pl.arctan2("ego_y", "ego_x").degrees() + 382.5) // 45 % 8).alias("sector"))
    assert sectors["sector"].value_counts()["count"].to_list() == pytest.approx([180] * 8, abs=120)


def test_distance_questions_have_classes_to_choose_from(opened: Scenes) -> None:
    classes = nearest(opened).group_by("scene", "frame").len()["len"]
    assert (classes >= 4).sum() > 0.8 * opened.keyframes.height
    closest = nearest(opened).sort("distance").group_by("scene", "frame", maintain_order=True).first()
    assert closest["label"].n_unique() >= 7


def test_nobody_is_inside_the_ego_vehicle(opened: Scenes) -> None:
    x = opened.boxes["ego_x"] - EGO_CENTRE_AHEAD_M
    reach = opened.boxes["width"] / 2
    inside = (x.abs() < EGO_SIZE[0] / 2 + reach * 0.9) & (opened.boxes["ego_y"].abs() < EGO_SIZE[1] / 2 + reach * 0.9)
    aligned = opened.boxes["ego_yaw"].sin().abs() < 0.2
    assert not (inside & aligned).any()


def test_boxes_of_one_frame_do_not_overlap(opened: Scenes) -> None:
    for _, frame in opened.boxes.filter(pl.col("frame") % 8 == 0).group_by("scene", "frame"):
        centres = frame.select("x", "y").to_numpy()
        inscribed = frame.select(pl.min_horizontal("length", "width")).to_series().to_numpy() / 2
        apart = np.hypot(*(centres[:, None] - centres[None]).transpose(2, 0, 1))
        np.fill_diagonal(apart, np.inf)
        assert (apart >= inscribed[:, None] + inscribed[None]).all()


def test_speeds_are_plausible_and_agree_with_attributes(opened: Scenes) -> None:
    moving = opened.boxes.with_columns(speed=(pl.col("velocity_x") ** 2 + pl.col("velocity_y") ** 2).sqrt())
    assert moving["speed"].max() < 20
    walking = moving.filter(pl.col("category").str.starts_with("human."))
    assert walking["speed"].max() < 2.0
    by_attribute = moving.explode("attributes").group_by("attributes").agg(pl.col("speed").median(), pl.len())
    medians = dict(by_attribute.select("attributes", "speed").iter_rows())
    assert medians["vehicle.parked"] == pytest.approx(0, abs=1e-9)
    assert medians["vehicle.stopped"] < 0.1
    assert medians["vehicle.moving"] > 3
    assert medians["pedestrian.moving"] > 0.7
    assert {"cycle.with_rider", "cycle.without_rider", "pedestrian.standing"} <= set(medians)


def test_some_boxes_are_hidden_and_visibility_knows(opened: Scenes) -> None:
    boxes = opened.boxes
    unseen = boxes["lidar_points"] == 0
    assert 0.02 < unseen.mean() < 0.3
    assert boxes.filter(unseen)["visibility"].mean() < 1.5
    assert set(boxes["visibility"]) == {1, 2, 3, 4}


def test_tracks_enter_leave_and_outlast_occlusion(opened: Scenes) -> None:
    tracks = opened.boxes.sort("frame").group_by("scene", "track", maintain_order=True)
    spans = tracks.agg(
        first=pl.col("frame").min(),
        last=pl.col("frame").max(),
        rows=pl.len(),
        hidden=(pl.col("lidar_points") == 0).slice(1, pl.len() - 2).any(),
        seen=(pl.col("lidar_points") > 0).any(),
    )
    assert (spans["rows"] == spans["last"] - spans["first"] + 1).all()
    assert spans["seen"].all()
    assert spans["hidden"].sum() >= 10
    assert (spans["first"] > 0).sum() > 50
    assert (spans["last"] < 38).sum() > 50


@pytest.mark.parametrize(
    ("hit", "alone", "level"), [(0, 0, 1), (0, 9, 1), (39, 100, 1), (40, 100, 2), (60, 100, 3), (80, 100, 4), (7, 7, 4)]
)
def test_visibility_levels(hit: int, alone: int, level: int) -> None:
    assert visibility_level(hit, alone) == level
