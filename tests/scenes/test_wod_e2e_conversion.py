"""WOD-E2E as a dataset folder: what the records say, byte for byte and pose for pose, whole or not at all."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from PIL import Image

from probe4d.errors import InputError
from probe4d.evidence.pictures import Picture, PictureOptions
from probe4d.evidence.point_clouds import PointClouds
from probe4d.evidence.rendering import Renderer
from probe4d.scenes.geometry import rotation_of_quaternion
from probe4d.scenes.nuscenes_writing import conversion as writing
from probe4d.scenes.nuscenes_writing.conversion import Converted
from probe4d.scenes.opening import open_scenes
from probe4d.scenes.sanity import Severity, inspect
from probe4d.scenes.tables import Scenes
from probe4d.scenes.waymo_format.cameras import CHANNELS
from probe4d.scenes.wod_e2e.clusters import read_clusters
from probe4d.scenes.wod_e2e.conversion import VERSION, convert_indexed, convert_wod_e2e
from probe4d.scenes.wod_e2e.driving import DRIVING_SCHEMA, STATES_SCHEMA
from probe4d.scenes.wod_e2e.index import index_frames
from probe4d.scenes.wod_e2e.timing import ORIGIN_US
from waymo_making import (
    IDENTITY,
    broken,
    camera_extrinsic,
    end_to_end,
    field,
    moved_frame,
    planar,
    real_frame,
    record,
    small_frame,
    small_jpeg,
    states,
    surround_frame,
    values_of,
    write_shard,
)

START_US = 1_700_000_000_000_000
SEQUENCES = {"0a1b": 22, "2c3d-e": 7, "../4f": 3}
"""Names of sequences, one with a hyphen and one that would lead out of a folder, and how many frames they have."""
BROKEN = ("0a1b", 15)
RATED = ("2c3d-e", 6)


def pose_of(number: int) -> tuple[float, ...]:
    return planar(1000.0 + 0.8 * number, -2000.0 + 0.01 * number**2, 0.03 * number, 12.0)


def past_of(number: int) -> list[list[float]]:
    return [[number + n / 4 for n in range(-15, 1)], [n / 8 for n in range(-15, 1)]]


def data_of(sequence: str, number: int) -> bytes:
    time_us = START_US + 100_000 * number
    rated = [states([1.0, 2.0], [0.5, 1.0], score=7.0), states([0.5, 0.5], [0.0, 0.0], score=2.5)]
    return end_to_end(
        f"{sequence}-{number:03d}",
        time_us,
        frame=surround_frame(number, pose_of(number), time_us / 1e6),
        past=states(*past_of(number)),
        future=states([n / 4 for n in range(1, 21)], [0.0] * 20),
        intent=number % 4,
        rated=rated if (sequence, number) == RATED else [states(score=-1.0)],
    )


@pytest.fixture(scope="module")
def shards(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Frames of three sequences shuffled over two shards, one of them with a wrong checksum."""
    names = [(sequence, number) for sequence, count in SEQUENCES.items() for number in range(count)]
    records = [broken(record(data_of(*name))) if name == BROKEN else record(data_of(*name)) for name in names]
    shuffled = [records[at] for at in np.random.default_rng(1).permutation(len(records))]
    folder = tmp_path_factory.mktemp("shards")
    write_shard(folder, "val-00000-of-00002", *shuffled[:12])
    write_shard(folder, "val-00001-of-00002", *shuffled[12:])
    (folder / "clusters.json").write_text(json.dumps({"0a1b": "Intersections", "2c3d-e-006": "Cut-ins"}))
    return folder


def converted_into(out: Path, shards: Path, **options: Any) -> Converted:
    return convert_indexed(index_frames(shards), out, clusters=read_clusters(shards / "clusters.json"), **options)


@pytest.fixture(scope="module")
def converted(shards: Path, tmp_path_factory: pytest.TempPathFactory) -> Converted:
    return converted_into(tmp_path_factory.mktemp("converted") / "data", shards)


@pytest.fixture(scope="module")
def opened(converted: Converted) -> Scenes:
    return open_scenes(converted.root)


def beside(converted: Converted, name: str) -> pl.DataFrame:
    return pl.read_parquet(converted.root / VERSION / f"{name}.parquet")


def contents(root: Path) -> dict[str, bytes]:
    return {str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*") if path.is_file()}


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


# Times and poses that the records leave out


def unsaid(sequence: str, number: int, time_us: int | None = 0, **parts: Any) -> bytes:
    """A record as the released ones are: times are zero and poses the identity."""
    frame = parts.pop("frame", surround_frame(number, IDENTITY, 0.0))
    return record(end_to_end(f"{sequence}-{number:03d}", time_us, frame=frame, **parts))


def along(speed_mps: float, turn_radps: float, times_s: np.ndarray) -> list[list[float]]:
    """Where a vehicle on a circle will be, in the frame that it has at time 0."""
    turned = turn_radps * times_s
    if not turn_radps:
        return [(speed_mps * times_s).tolist(), (0 * times_s).tolist()]
    radius_m = speed_mps / turn_radps
    return [(radius_m * np.sin(turned)).tolist(), (radius_m * (1 - np.cos(turned))).tolist()]


PAST_S, FUTURE_S = np.arange(-15, 1) / 4, np.arange(1, 21) / 4


@pytest.mark.parametrize(("speed_mps", "turn_radps"), [(8.0, 0.0), (8.0, 0.3), (5.0, -0.4), (0.2, 0.03), (0.0, 0.0)])
@pytest.mark.parametrize("told", ["past", "future"])
def test_poses_that_no_record_has_follow_from_ego_states(
    speed_mps: float, turn_radps: float, told: str, tmp_path: Path
) -> None:
    states_of = {"past": PAST_S, "future": FUTURE_S}[told]
    path = {told: states(*along(speed_mps, turn_radps, states_of))}
    write_shard(tmp_path / "shards", "one", *(unsaid("a", number, **path) for number in (0, 5, 10, 25)))
    converted = convert_indexed(index_frames(tmp_path / "shards"), tmp_path / "data")
    keyframes = open_scenes(converted.root).keyframes
    assert beside(converted, "driving")["pose_source"].unique().to_list() == ["ego states"]
    assert beside(converted, "driving")["time_source"].unique().to_list() == ["frame number"]
    assert keyframes["timestamp_us"].to_list() == [ORIGIN_US + 100_000 * number for number in (0, 5, 10, 25)]
    times_s = np.array([0.0, 0.5, 1.0, 2.5])
    x, y = along(speed_mps, turn_radps, times_s)
    is_slow = speed_mps < 1  # then the heading is kept, and centimetres are lost
    np.testing.assert_allclose(keyframes["pose_x"], x, atol=0.03 if is_slow else 1e-4)
    np.testing.assert_allclose(keyframes["pose_y"], y, atol=0.03 if is_slow else 1e-4)
    yaws = 2 * np.arctan2(keyframes["pose_qz"], keyframes["pose_qw"])
    np.testing.assert_allclose(yaws, 0 * times_s if is_slow else turn_radps * times_s, atol=1e-4)
    assert set(keyframes["pose_z"]) == {0.0}


def test_a_frame_of_which_nothing_says_where_it_was_is_left_out(tmp_path: Path) -> None:
    past = states(*along(8.0, 0.0, PAST_S))
    frames = [unsaid("a", 0), unsaid("a", 5), unsaid("a", 10, past=past), unsaid("a", 60, past=past)]
    write_shard(tmp_path / "shards", "one", *frames)
    converted = convert_indexed(index_frames(tmp_path / "shards"), tmp_path / "data")
    assert beside(converted, "driving")["number"].to_list() == [0, 10]
    assert open_scenes(converted.root).keyframes["pose_x"].to_list() == pytest.approx([0.0, 8.0])
    reason = "has no pose, and neither its past nor the future of the frame before says where it was"
    assert converted.left_out.select("frame", "reason").rows() == [("a-5", reason), ("a-60", reason)]


def test_recorded_poses_may_begin_at_the_origin(tmp_path: Path) -> None:
    frames = {0: IDENTITY, 5: planar(4.0, 0.0, 0.0)}
    records = [unsaid("a", number, frame=surround_frame(number, pose, 0.0)) for number, pose in frames.items()]
    write_shard(tmp_path / "shards", "one", *records)
    converted = convert_indexed(index_frames(tmp_path / "shards"), tmp_path / "data")
    assert beside(converted, "driving")["pose_source"].to_list() == ["recorded"] * 2
    assert open_scenes(converted.root).keyframes["pose_x"].to_list() == [0.0, 4.0]


@pytest.mark.parametrize(
    ("parts", "reason"),
    [
        ({"intent": 4}, "has the intent 4, which is none of 0 to 3"),
        ({"frame": surround_frame(5, IDENTITY, 0.0, (2, 3))}, "has no image of the camera FRONT, whose time and pose"),
        ({"frame": field(4, b"\x12\x7fshort")}, "is no frame of WOD-E2E"),
        ({"time_us": None}, "has no time, and others of its sequence have"),
    ],
)
def test_a_frame_that_cannot_be_used_is_left_out(tmp_path: Path, parts: dict[str, Any], reason: str) -> None:
    others = [record(data_of("a", number)) for number in (0, 10)]
    faulty = unsaid("a", 5, **{"time_us": START_US + 500_000} | parts)
    write_shard(tmp_path / "shards", "one", others[0], faulty, others[1])
    converted = convert_indexed(index_frames(tmp_path / "shards"), tmp_path / "data")
    (row,) = converted.left_out.iter_rows()
    assert row[:3] == ("one.tfrecord", len(others[0]), "a-5")
    assert row[3].startswith(reason)


def test_a_sequence_whose_times_cannot_be_is_left_out(tmp_path: Path) -> None:
    frames = [record(data_of("a", 0)), record(data_of("b", 0)), unsaid("b", 1, START_US + 10**10)]
    write_shard(tmp_path / "shards", "one", *frames)
    converted = convert_indexed(index_frames(tmp_path / "shards"), tmp_path / "data")
    assert open_scenes(converted.root).names == ["a"]
    assert converted.left_out["frame"].to_list() == ["b-0", "b-1"]
    said = "is of a sequence that cannot be used: the first and the last frame are 10,000 s apart"
    assert all(reason.startswith(said) for reason in converted.left_out["reason"])


def test_a_camera_keeps_no_time_that_is_not_of_its_frame(tmp_path: Path) -> None:
    """As in records made of one frame's images, which keep the time that they had."""
    images = surround_frame(0, pose_of(0), 1_550_000_000.0)
    frames = [record(end_to_end(f"a-{number}", START_US + 100_000 * number, frame=images)) for number in (0, 5)]
    write_shard(tmp_path / "shards", "one", *frames)
    scenes = open_scenes(convert_indexed(index_frames(tmp_path / "shards"), tmp_path / "data").root)
    assert scenes.keyframes["timestamp_us"].to_list() == [START_US, START_US + 500_000]
    assert set(scenes.sensors["timestamp_us"]) == {START_US, START_US + 500_000}


def test_where_no_frame_can_be_used_nothing_is_made(tmp_path: Path) -> None:
    write_shard(tmp_path / "shards", "one", unsaid("a", 0, frame=small_frame()))
    with pytest.raises(InputError, match=r"converted: a-0 has no image of the camera FRONT.*\(1 place in all"):
        convert_indexed(index_frames(tmp_path / "shards"), tmp_path / "data")
    assert not (tmp_path / "data" / VERSION).exists()


# Whole or not at all


def test_a_broken_off_conversion_goes_on_where_it_stopped(
    shards: Path, converted: Converted, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    record_scene, done = writing._record_scene, []

    def fail_at_the_second(scene: tuple[str, Any], **options: Any) -> None:
        if done:
            raise KeyboardInterrupt
        done.append(scene[0])
        record_scene(scene, **options)

    out = tmp_path / "data"
    with monkeypatch.context() as patch:
        patch.setattr(writing, "_record_scene", fail_at_the_second)
        with pytest.raises(KeyboardInterrupt):
            converted_into(out, shards)
    with pytest.raises(InputError, match="holds no dataset in the nuScenes schema"):
        open_scenes(out)
    found: list[tuple[int, int]] = []
    again: list[str] = []
    converted_into(out, shards, found=lambda *counts: found.append(counts), done=again.append)
    assert found == [(3, 1)]
    assert {*again, *done} == set(SEQUENCES)
    assert not {*again} & {*done}
    assert contents(out) == contents(converted.root)


def test_a_kill_while_tables_are_written_leaves_none(
    shards: Path, converted: Converted, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "data"
    with monkeypatch.context() as patch:
        patch.setattr(writing, "sensor_rows", lambda _: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            converted_into(out, shards)
    assert not (out / VERSION).exists()
    again: list[str] = []
    converted_into(out, shards, done=again.append)
    assert again == []
    assert contents(out) == contents(converted.root)


def test_a_complete_one_stays_as_it_is(shards: Path, converted: Converted, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writing, "_record_scene", None)
    (converted.root / "records").mkdir()  # as a kill after the last step leaves it
    found: list[tuple[int, int]] = []
    again = converted_into(converted.root, shards, found=lambda *counts: found.append(counts))
    assert again.was_there
    assert not (converted.root / "records").exists()
    assert again.left_out.equals(converted.left_out)
    assert found == [(3, 3)]


def test_processes_change_no_byte(shards: Path, converted: Converted, tmp_path: Path) -> None:
    converted_into(tmp_path / "data", shards, workers=2)
    assert contents(tmp_path / "data") == contents(converted.root)


def test_one_call_does_it_all(shards: Path, converted: Converted, tmp_path: Path) -> None:
    done = convert_wod_e2e(shards, tmp_path / "data", clusters=shards / "clusters.json")
    assert done.left_out.equals(converted.left_out)
    assert contents(tmp_path / "data") == contents(converted.root)


def test_another_conversion_and_other_contents_are_refused(shards: Path, converted: Converted, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="holds a conversion that was asked otherwise: other clusters"):
        convert_indexed(index_frames(shards), converted.root)
    write_shard(tmp_path / "shards", "one", record(data_of("0a1b", 0)))
    with pytest.raises(InputError, match="other shards"):
        convert_indexed(index_frames(tmp_path / "shards"), converted.root)
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "thesis.tex").touch()
    with pytest.raises(InputError, match="is no folder of this conversion and is not empty"):
        convert_indexed(index_frames(shards), tmp_path / "full")


def test_clusters_of_other_sequences_are_refused(shards: Path, tmp_path: Path) -> None:
    (tmp_path / "clusters.json").write_text('{"another": "Cut-ins"}')
    with pytest.raises(InputError, match=r"of which a scenario cluster is given\. Name the table that was released"):
        convert_indexed(index_frames(shards), tmp_path / "data", clusters=read_clusters(tmp_path / "clusters.json"))
    assert not (tmp_path / "data").exists()
