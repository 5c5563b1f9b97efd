"""Waymo's perception data as a dataset folder: boxes, tracks, points and images, as the records have them."""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from points_in_boxes import count_in_boxes

from perception_making import (
    COLUMNS,
    EXTRINSIC,
    INCLINATIONS,
    OBJECTS,
    START_US,
    Scanned,
    label,
    label_of,
    laser,
    laser_calibration,
    packed_matrix,
    perception_frame,
    range_image,
    scanned,
    vehicle_pose,
)
from probe4d.errors import InputError
from probe4d.evidence.pictures import Picture, PictureOptions
from probe4d.evidence.rendering import Renderer
from probe4d.scenes.geometry import SE3
from probe4d.scenes.nuscenes_writing.conversion import Converted
from probe4d.scenes.opening import open_scenes
from probe4d.scenes.points import in_ego_frame, read_scan
from probe4d.scenes.sanity import Severity, inspect
from probe4d.scenes.tables import Scenes
from probe4d.scenes.waymo.conversion import LIDAR, VERSION, convert_indexed
from probe4d.scenes.waymo.index import index_frames
from probe4d.scenes.waymo_format.cameras import CHANNELS
from waymo_making import IDENTITY, broken, end_to_end, field, planar, record, small_jpeg, write_shard

FRAMES = (0, 5)
"""Numbers of the frames that have range images; they become key frames."""
SECONDS = (0.0, 0.5)
STATS = field(2, "Night") + field(3, "location_sf") + field(4, "rain")


def matrix_of(time_s: float) -> tuple[float, ...]:
    position, turn = vehicle_pose(time_s)
    matrix = np.eye(4)
    matrix[:3, :3], matrix[:3, 3] = turn.as_matrix(), position
    return tuple(matrix.ravel().tolist())


@pytest.fixture(scope="module")
def turns() -> list[Scanned]:
    return [scanned(time_s) for time_s in SECONDS]


def second_of(turn: Scanned) -> np.ndarray:
    """Second returns: every thirtieth pixel has one a metre behind the first."""
    second = np.zeros_like(turn.image)
    second[::5, ::6] = turn.image[::5, ::6] + np.array([1.0, 0, 0, 0]) * (turn.image[::5, ::6, :1] > 0)
    return second


@pytest.fixture(scope="module")
def converted(turns: list[Scanned], tmp_path_factory: pytest.TempPathFactory) -> Converted:
    """A segment at ten frames a second, its records shuffled over two shards, one of them damaged."""
    records = []
    for number in range(8):
        parts: dict[str, Any] = {"pose": matrix_of(number / 10), "stats": STATS}
        if number in FRAMES:
            turn = turns[FRAMES.index(number)]
            parts["lasers"] = [
                laser(range_image(turn.image), name=2),
                laser(range_image(turn.image, turn.poses), range_image(second_of(turn))),
            ]
            parts["labels"] = [label_of(one, number / 10, turn.hits[one.track]) for one in reversed(OBJECTS)]
            parts["calibrations"] = [laser_calibration(name=2, extrinsic=IDENTITY), laser_calibration()]
        records.append(record(perception_frame("segment-1", number, **parts)))
    records[3] = broken(records[3])
    folder = tmp_path_factory.mktemp("shards")
    shuffled = [records[at] for at in np.random.default_rng(2).permutation(len(records))]
    write_shard(folder, "segment-1", *shuffled[:4])
    write_shard(folder, "segment-2", *shuffled[4:])
    return convert_indexed(index_frames(folder), folder / "data")


@pytest.fixture(scope="module")
def opened(converted: Converted) -> Scenes:
    return open_scenes(converted.root)


def test_a_segment_is_a_scene_with_its_place_and_weather(converted: Converted, opened: Scenes) -> None:
    assert (opened.version, opened.reference_channel, opened.dropped) == (VERSION, LIDAR, {})
    scene = opened.scenes.row(0, named=True)
    assert (scene["scene"], scene["location"], scene["description"]) == ("segment-1", "location_sf", "Night, rain")
    assert opened.keyframes["timestamp_us"].to_list() == [START_US + 100_000 * number for number in FRAMES]
    assert [opened.keyframes[f"pose_{axis}"].to_list() for axis in "xyz"] == [
        [vehicle_pose(time_s)[0][at] for time_s in SECONDS] for at in range(3)
    ]
    assert converted.left_out["reason"].to_list() == ["the checksum of a record's data is wrong"]
    errors = [finding for finding in inspect(converted.root).findings if finding.rule.severity is Severity.ERROR]
    assert errors == []


def test_images_are_copied_with_their_own_times(converted: Converted, opened: Scenes) -> None:
    cameras = opened.sensors.filter(modality="camera")
    assert cameras.height == 5 * len(FRAMES)
    for row in cameras.iter_rows(named=True):
        camera = next(key for key, channel in CHANNELS.items() if channel == row["channel"])
        number = FRAMES[row["frame"]]
        assert (converted.root / row["file"]).read_bytes() == small_jpeg(10 * number + camera)
        assert row["timestamp_us"] == START_US + 100_000 * number + 50_000 + 1_000 * (camera - 1)


def test_labels_are_tracks_with_categories(opened: Scenes) -> None:
    boxes = opened.boxes
    assert boxes.height == len(OBJECTS) * len(FRAMES)
    assert boxes["track"].n_unique() == len(OBJECTS)
    labels = {"vehicle": None, "human.pedestrian": "pedestrian", "vehicle.bicycle": "bicycle"}
    labels["static_object.sign"] = None
    assert dict(boxes.select("category", "label").unique().iter_rows()) == labels
    assert set(boxes.filter(category="vehicle.bicycle")["attributes"].to_list()[0]) == {"cycle.with_rider"}
    assert boxes.filter(pl.col("category") != "vehicle.bicycle")["attributes"].list.len().sum() == 0
    for one in OBJECTS:
        # Labels stand upright in the vehicle frame, and the vehicle sways by a degree.
        size = [side + one.margin_m for side in one.size_m]
        own = boxes.filter(pl.col("length").is_between(size[0] - 1e-9, size[0] + 1e-9))
        assert own.height == len(FRAMES)
        np.testing.assert_allclose(own.select("x", "y", "z"), [one.centre_m] * len(FRAMES), atol=1e-9)
        np.testing.assert_allclose(own.select("width", "height"), [size[1:]] * len(FRAMES), atol=1e-12)
        yaws = 2 * np.arctan2(own["qz"], own["qw"])
        np.testing.assert_allclose(np.cos(yaws - one.yaw), 1.0, atol=1e-3)
    assert boxes["velocity_x"].is_not_null().all()


def scans_of(converted: Converted, scenes: Scenes) -> list[tuple[np.ndarray, np.ndarray]]:
    """Global coordinates, intensity and ring of the points of each key frame."""
    scans = []
    for row in scenes.sensors.filter(channel=LIDAR).iter_rows(named=True):
        scan = read_scan(converted.root / row["file"])
        mount = SE3.from_quaternion([row[f"sensor_q{a}"] for a in "wxyz"], [row[f"sensor_{a}"] for a in "xyz"])
        pose = SE3.from_quaternion([row[f"pose_q{a}"] for a in "wxyz"], [row[f"pose_{a}"] for a in "xyz"])
        scans.append((pose.apply(in_ego_frame(scan.points, mount)), scan.points[:, 3:]))
        np.testing.assert_allclose([row[f"sensor_{axis}"] for axis in "xyz"], np.reshape(EXTRINSIC, (4, 4))[:3, 3])
    return scans


def test_points_lie_where_rays_meet_the_world(converted: Converted, opened: Scenes, turns: list[Scanned]) -> None:
    """An independent ray caster made the range images, from a vehicle that drives, turns and sways meanwhile."""
    for (points, values), turn in zip(scans_of(converted, opened), turns, strict=True):
        rows, columns = np.nonzero(turn.image[..., 0])
        assert len(rows) > 1000
        first, second = points[: len(rows)], points[len(rows) :]
        np.testing.assert_allclose(first, turn.points[rows, columns], atol=2e-3)  # poses of pixels are float32
        np.testing.assert_array_equal(values[: len(rows), 0], np.float32(0.25 + rows))
        np.testing.assert_array_equal(values[: len(rows), 1], len(INCLINATIONS) - 1 - rows)
        behind = np.nonzero(second_of(turn)[..., 0])
        assert len(second) == len(behind[0])
        np.testing.assert_allclose(np.linalg.norm(second - turn.points[behind], axis=1), 1.0, atol=2e-3)


def test_points_in_boxes_are_as_many_as_recorded(converted: Converted, opened: Scenes, turns: list[Scanned]) -> None:
    for frame, (points, _) in enumerate(scans_of(converted, opened)):
        boxes = opened.boxes.filter(frame=frame)
        first = points[: int((turns[frame].image[..., 0] > 0).sum())]
        found = count_in_boxes(first, boxes)
        assert found.tolist() == boxes["lidar_points"].to_list()
        assert min(found) >= 3


def test_the_birds_eye_view_draws_them(opened: Scenes) -> None:
    with Renderer(opened, PictureOptions(max_side_px=256)) as renderer:
        assert renderer.render(Picture("birds-eye", "segment-1", 0, 0)).media_type == "image/png"


@pytest.mark.peer
def test_nuscenes_devkit_finds_as_many_points_in_boxes(
    peers: Callable[..., None], turns: list[Scanned], tmp_path: Path
) -> None:
    """Without second returns, since those recorded here were counted of first ones."""
    frames = [
        perception_frame(
            "a",
            number,
            pose=matrix_of(number / 10),
            lasers=[laser(range_image(turn.image, turn.poses))],
            calibrations=[laser_calibration()],
            labels=[label_of(one, number / 10, turn.hits[one.track]) for one in OBJECTS],
        )
        for number, turn in zip(FRAMES, turns, strict=True)
    ]
    converted = one_frame(tmp_path, *frames)
    peers("load_dataset.py", converted.root, VERSION, tmp_path / "counts.json")
    judged = json.loads((tmp_path / "counts.json").read_text())
    assert (judged["scenes"], judged["frames"], judged["boxes"], judged["images"]) == (1, 2, 2 * len(OBJECTS), 10)
    assert judged["wrong_counts"] == []
    assert judged["fastest"] < 0.1


# One frame at a time


def one_frame(tmp_path: Path, *frames: bytes) -> Converted:
    write_shard(tmp_path / "shards", "one", *map(record, frames))
    return convert_indexed(index_frames(tmp_path / "shards"), tmp_path / "data")


def test_range_images_without_poses_of_pixels_are_of_the_frame_itself(tmp_path: Path, turns: list[Scanned]) -> None:
    """And inclinations that are not listed are spread evenly."""
    image = np.zeros((4, COLUMNS, 4))
    image[1, 7, 0] = image[3, 200, 0] = 20.0
    frame = perception_frame(
        "a", 0, pose=planar(5, 6, 0.7), lasers=[laser(range_image(image))], calibrations=[laser_calibration(())]
    )
    converted = one_frame(tmp_path, frame)
    ((points, values),) = scans_of(converted, open_scenes(converted.root))
    lowest, highest = INCLINATIONS[0], INCLINATIONS[-1]
    for point, row, column in zip(points, (1, 3), (7, 200), strict=True):
        bearing = 0.7 + np.pi - 2 * np.pi * (column + 0.5) / COLUMNS
        inclination = highest - (row + 0.5) / 4 * (highest - lowest)
        cosine, sine = np.cos(0.7), np.sin(0.7)
        mount = np.array([5.0 + 1.4 * cosine - 0.1 * sine, 6.0 + 1.4 * sine + 0.1 * cosine, 2.2])
        level = np.cos(inclination)
        ray = np.array([level * np.cos(bearing), level * np.sin(bearing), np.sin(inclination)])
        np.testing.assert_allclose(point, mount + 20 * ray, atol=1e-5)
    assert values[:, 1].tolist() == [2.0, 0.0]


FLAT = np.full((len(INCLINATIONS), 4, 4), 5.0)
POSES = np.zeros((len(INCLINATIONS), 4, 6))


def with_laser(first: bytes, second: bytes | None = None, calibration: bytes | None = None) -> dict[str, Any]:
    return {
        "lasers": [laser(first, second)],
        "calibrations": [laser_calibration() if calibration is None else calibration],
    }


@pytest.mark.parametrize(
    ("parts", "reason"),
    [
        ({"pose": None}, "has no pose"),
        ({"labels": [label("")]}, "has a laser label without an id"),
        ({"labels": [label(b"\xff")]}, "has a laser label whose id is no text"),
        ({"labels": [label("x"), label("x")]}, "has two laser labels of the object 'x'"),
        ({"labels": [label(kind=5)]}, "has the type 5, which is none of 0 to 4"),
        ({"labels": [label(box=(1, 2, 3, 0.0, 4, 5, 6))]}, "has no box that can be used of the object 'a'"),
        ({"labels": [label(box=(1, 2, 3, 4, 5, 6))]}, "has no box that can be used of the object 'a'"),
        ({"labels": [label(box=(float("nan"), 2, 3, 4, 5, 6, 7))]}, "has no box that can be used"),
        ({}, "has no range image of the roof LiDAR, and the first frame of the data has"),
        (with_laser(field(2, b"no zlib")), "has a range image that cannot be unpacked (Error"),
        (with_laser(field(2, packed_matrix(FLAT)[:-6])), "has a range image that cannot be unpacked"),
        (with_laser(field(2, zlib.compress(b"\x0a\x7f"))), "has a range image that cannot be unpacked"),
        (with_laser(range_image(FLAT[:, :, :3])), "has a range image of shape (14, 4, 3) with 168 values"),
        (with_laser(range_image(FLAT[:, :, 0])), "has a range image of shape (14, 4) with 56 values"),
        (with_laser(range_image(FLAT, POSES[:, :2])), "has range images and poses of different sizes"),
        (with_laser(range_image(FLAT), range_image(FLAT[:4])), "has range images and poses of different sizes"),
        (with_laser(range_image(FLAT[:5])), "has 14 inclinations for the 5 rows of its range image"),
        (with_laser(range_image(FLAT), calibration=laser_calibration(name=3)), "and no extrinsics"),
        (with_laser(range_image(FLAT), calibration=laser_calibration(extrinsic=())), "and no extrinsics"),
    ],
)
def test_a_frame_that_cannot_be_used_is_left_out(tmp_path: Path, parts: dict[str, Any], reason: str) -> None:
    sound = with_laser(range_image(FLAT)) | {"pose": IDENTITY}
    frames = [perception_frame("a", 0, **sound), perception_frame("a", 5, **{"pose": IDENTITY} | parts)]
    converted = one_frame(tmp_path, *frames)
    ((shard, offset, frame, said),) = converted.left_out.rows()
    assert (shard, offset, frame) == ("one.tfrecord", len(record(frames[0])), "a-1")
    assert reason in said
    assert open_scenes(converted.root).keyframes.height == 1


def test_unpacking_stops_at_what_no_range_image_needs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("probe4d.scenes.waymo.range_images._MOST_BYTES", 500)
    frames = [perception_frame("a", n, pose=IDENTITY, **with_laser(range_image(FLAT))) for n in (0, 5)]
    with pytest.raises(InputError, match=r"no frame can be converted: a-0 has a range image that cannot be unpacked"):
        one_frame(tmp_path, *frames)


def test_counts_that_are_not_recorded_are_null(tmp_path: Path) -> None:
    frame = perception_frame("a", 0, pose=IDENTITY, labels=[label(points=None), label("b", points=0)])
    scenes = open_scenes(one_frame(tmp_path, frame).root)
    assert dict(scenes.boxes.select("ego_x", "lidar_points").iter_rows()).keys() == {10.0}
    assert sorted(scenes.boxes["lidar_points"].to_list(), key=str) == [0, None]
    assert scenes.reference_channel == "FRONT"


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (field(9, 9), "a record holds no frame of Waymo's perception data"),
        (field(1, field(1, "a")), "a record holds no frame of Waymo's perception data"),
        (field(1, field(1, b"\xff")) + field(2, 5), "a frame's name is no text"),
        (perception_frame("a", 0, pose=IDENTITY), "a frame is there a second time"),
    ],
)
def test_what_is_no_frame_is_listed(tmp_path: Path, data: bytes, reason: str) -> None:
    converted = one_frame(tmp_path, perception_frame("a", 0, pose=IDENTITY), data)
    assert converted.left_out.select("frame", "reason").rows() == [(None, reason)]


def test_end_to_end_data_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"end-to-end data, not of its perception data\. .*probe4d convert wod-e2e"):
        one_frame(tmp_path, end_to_end("a-1"))
