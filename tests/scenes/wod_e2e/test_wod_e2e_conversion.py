"""WOD-E2E as a dataset folder: what the records say, byte for byte and pose for pose."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from PIL import Image
from wod_e2e_making import BROKEN, SEQUENCES, START_US, beside, data_of, past_of, pose_of

from probe4d.errors import InputError
from probe4d.evidence.pictures import Picture, PictureOptions
from probe4d.evidence.point_clouds import PointClouds
from probe4d.evidence.rendering import Renderer
from probe4d.scenes.geometry import rotation_of_quaternion
from probe4d.scenes.nuscenes_writing.conversion import Converted
from probe4d.scenes.opening import open_scenes
from probe4d.scenes.sanity import Severity, inspect
from probe4d.scenes.tables import Scenes
from probe4d.scenes.waymo_format.cameras import CHANNELS
from probe4d.scenes.wod_e2e.conversion import VERSION, convert_indexed
from probe4d.scenes.wod_e2e.driving import DRIVING_SCHEMA, STATES_SCHEMA
from probe4d.scenes.wod_e2e.index import index_frames
from waymo_making import (
    broken,
    camera_extrinsic,
    end_to_end,
    moved_frame,
    real_frame,
    record,
    small_jpeg,
    values_of,
    write_shard,
)


def numbers_of(table: pl.DataFrame) -> dict[str, list[int]]:
    return dict(table.group_by("scene", maintain_order=True).agg("number").iter_rows())


def test_sequences_are_scenes_of_two_key_frames_a_second(converted: Converted, opened: Scenes) -> None:
    driving = beside(converted, "driving")
    assert opened.names == sorted(SEQUENCES)
    assert (opened.version, opened.reference_channel, opened.dropped) == (VERSION, "FRONT", {})
    assert opened.licence.startswith("Waymo Dataset License Agreement")
    # The rated frame is one of those of its sequence; that with the wrong checksum leaves its step empty.
    assert numbers_of(driving) == {"../4f": [0], "0a1b": [0, 5, 10, 20], "2c3d-e": [1, 6]}
    both = driving.join(opened.keyframes, on=["scene", "frame"])
    assert both["timestamp_us"].to_list() == [START_US + 100_000 * number for number in both["number"]]
    assert opened.boxes.is_empty()


def test_images_are_copied_as_they_are(converted: Converted, opened: Scenes) -> None:
    sensors = opened.sensors.join(
        beside(converted, "driving").select("scene", "frame", "number"), on=["scene", "frame"]
    )
    number_of = {channel: number for number, channel in CHANNELS.items()}
    assert sensors.height == 8 * opened.keyframes.height
    for channel, file, number in sensors.select("channel", "file", "number").iter_rows():
        assert (converted.root / file).read_bytes() == small_jpeg(10 * number + number_of[channel])
        assert (converted.root / file).parent == converted.root / "samples" / channel
    assert sensors["file"].n_unique() == sensors.height


def test_times_poses_and_calibrations_are_exact(converted: Converted, opened: Scenes) -> None:
    driving = beside(converted, "driving")
    assert set(driving["time_source"]) == set(driving["pose_source"]) == {"recorded"}
    for row in opened.sensors.iter_rows(named=True):
        number = driving.filter(scene=row["scene"], frame=row["frame"])["number"][0]
        camera = next(key for key, channel in CHANNELS.items() if channel == row["channel"])
        assert row["timestamp_us"] == START_US + 100_000 * number + 1_000 * (camera - 1)
        assert [row[f"pose_{axis}"] for axis in "xyz"] == [pose_of(number)[at] for at in (3, 7, 11)]
        turned = rotation_of_quaternion([row[f"pose_q{axis}"] for axis in "wxyz"])
        np.testing.assert_allclose(turned, np.reshape(pose_of(number), (4, 4))[:3, :3], atol=1e-15)
        extrinsic = np.reshape(camera_extrinsic(camera), (4, 4))
        right, down, forward = rotation_of_quaternion([row[f"sensor_q{axis}"] for axis in "wxyz"]).T
        np.testing.assert_allclose([forward, -right, -down], extrinsic[:3, :3].T, atol=1e-15)
        assert [row[f"sensor_{axis}"] for axis in "xyz"] == extrinsic[:3, 3].tolist()
        assert row["intrinsics"] == [1000.0, 0.0, 960.0, 0.0, 1000.0, 640.0, 0.0, 0.0, 1.0]
        assert (row["width"], row["height"]) == (1920, 1280)
    front = opened.sensors.filter(channel="FRONT").select(opened.keyframes.columns[3:])
    assert front.equals(opened.keyframes.select(front.columns))
    calibrations = json.loads((converted.root / VERSION / "calibrated_sensor.json").read_text())
    assert len(calibrations) == 8 * len(SEQUENCES)
    assert all(row["camera_distortion"] == [0.0] * 5 for row in calibrations)


def test_states_intents_clusters_and_ratings_lie_beside_the_tables(converted: Converted) -> None:
    driving, told = beside(converted, "driving"), beside(converted, "ego_states")
    assert dict(driving.schema) == DRIVING_SCHEMA
    assert dict(told.schema) == STATES_SCHEMA
    assert driving["intent"].to_list() == [
        [None, "go straight", "go left", "go right"][number % 4] for number in driving["number"]
    ]
    assert driving["cluster"].to_list() == [None] + ["Intersections"] * 4 + [None, "Cut-ins"]
    rated = driving.filter(scene="2c3d-e", number=6)["rated"].to_list()[0]
    assert rated == [
        {"score": 7.0, "time_s": [0.25, 0.5], "x_m": [1.0, 2.0], "y_m": [0.5, 1.0]},
        {"score": 2.5, "time_s": [0.25, 0.5], "x_m": [0.5, 0.5], "y_m": [0.0, 0.0]},
    ]
    assert driving["rated"].list.len().sum() == 2
    own = told.filter(scene="0a1b", frame=3)  # which is Waymo's frame 20
    past, future = own.filter(kind="past"), own.filter(kind="future")
    assert past["time_s"].to_list() == [n / 4 for n in range(-15, 1)]
    assert [past["x_m"].to_list(), past["y_m"].to_list()] == past_of(20)
    assert future["time_s"].to_list() == future["x_m"].to_list() == [n / 4 for n in range(1, 21)]
    assert own["velocity_x_mps"].null_count() == own.height


def test_what_cannot_be_read_is_listed_with_its_place(converted: Converted, shards: Path) -> None:
    (row,) = converted.left_out.iter_rows(named=True)
    assert row["reason"] == "the checksum of a record's data is wrong"
    content = (shards / row["shard"]).read_bytes()
    whole = broken(record(data_of(*BROKEN)))
    assert content[row["offset"] : row["offset"] + len(whole)] == whole
    with open(converted.root / "left_out.csv") as file:
        assert [line["offset"] for line in csv.DictReader(file)] == [str(row["offset"])]


def test_the_rules_find_no_error_in_it(converted: Converted) -> None:
    report = inspect(converted.root)
    assert report.reference_channel == "FRONT"
    assert {(finding.rule.name, finding.count) for finding in report.findings} == {("keyframe-interval-odd", 1)}
    assert report.count(Severity.ERROR) == 0


def test_cameras_are_drawn_and_points_are_refused(converted: Converted, opened: Scenes) -> None:
    with Renderer(opened, PictureOptions(max_side_px=640)) as renderer:
        grid = renderer.render(Picture("cameras", "0a1b", 1, 0))
        assert max(Image.open(io.BytesIO(grid.content)).size) <= 640
        with pytest.raises(InputError, match="has no LiDAR, and its points were to be read"):
            renderer.render(Picture("birds-eye", "0a1b", 1, 0))
    with pytest.raises(InputError, match="has no LiDAR"):
        PointClouds(opened)


@pytest.mark.real_data
def test_a_real_frame_is_copied_and_drawn(real_data: Callable[[str], Path], tmp_path: Path) -> None:
    raw = real_frame(real_data("waymo") / "perception_one_frame.tfrecord")
    frames = [
        record(end_to_end(f"a-{number}", START_US + 100_000 * number, frame=moved_frame(raw, pose_of(number), None)))
        for number in (0, 5)
    ]
    write_shard(tmp_path / "shards", "one", *frames)
    converted = convert_indexed(index_frames(tmp_path / "shards"), tmp_path / "data")
    scenes = open_scenes(converted.root)
    jpegs = [values_of(image, 2)[0] for image in values_of(raw, 4)]
    files = scenes.sensors.filter(frame=1)["file"]
    assert {(converted.root / file).read_bytes() for file in files} == set(jpegs)
    assert len(files) == len(jpegs) == 5
    with Renderer(scenes, PictureOptions(max_side_px=640)) as renderer:
        assert renderer.render(Picture("cameras", "a", 1, 0)).media_type == "image/jpeg"
