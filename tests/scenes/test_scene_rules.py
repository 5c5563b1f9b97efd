"""Classes, official splits, velocities, scans and projections, apart from any dataset."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from points_in_boxes import count_in_boxes

from probe4d.errors import InputError
from probe4d.scenes.classes import CLASSES, label_of_category
from probe4d.scenes.geometry import SE3
from probe4d.scenes.opening import open_scenes
from probe4d.scenes.points import in_ego_frame, read_scan
from probe4d.scenes.projection import Cameras, box_corners, project, project_boxes, sensor_SE3_global
from probe4d.scenes.splits import OFFICIAL_SPLITS, official_split
from probe4d.scenes.velocity import box_velocities


@pytest.mark.parametrize(
    ("category", "label"),
    [
        ("vehicle.car", "car"),
        ("vehicle.truck", "truck"),
        ("vehicle.bus.bendy", "bus"),
        ("vehicle.bus.rigid", "bus"),
        ("vehicle.construction", "construction vehicle"),
        ("vehicle.trailer", "trailer"),
        ("vehicle.bicycle", "bicycle"),
        ("vehicle.motorcycle", "motorcycle"),
        ("human.pedestrian.police_officer", "pedestrian"),
        ("human.pedestrian", "pedestrian"),
        ("movable_object.barrier", "barrier"),
        ("movable_object.trafficcone", "traffic cone"),
        ("movable_object.barrier.tall", None),
        ("movable_object.debris", None),
        ("vehicle.emergency.police", None),
        ("vehicle.carriage", None),
        ("static_object.bicycle_rack", None),
        ("animal", None),
        ("vehicle", None),
        ("", None),
    ],
)
def test_labels(category: str, label: str | None) -> None:
    assert label_of_category(category) == label
    assert label is None or label in CLASSES


def test_official_splits() -> None:
    sizes = {split: len(names) for split, names in OFFICIAL_SPLITS.items()}
    assert sizes == {"train": 700, "val": 150, "test": 150, "mini_train": 8, "mini_val": 2}
    assert len(OFFICIAL_SPLITS["train"] | OFFICIAL_SPLITS["val"] | OFFICIAL_SPLITS["test"]) == 1000
    assert official_split("scene-0103", "v1.0-mini") == "mini_val"
    assert official_split("scene-0103", "v1.0-trainval") == "val"
    assert official_split("scene-0061", "v1.0-trainval") == "train"
    assert official_split("scene-0077", "v1.0-test") == "test"
    assert official_split("scene-0077", "v1.0-trainval") is None
    assert official_split("scene-0103", "v1.0-sim") is None
    assert official_split("scene-kitti-0001", "v1.0-mini") is None


@pytest.mark.peer
def test_official_splits_are_those_of_the_devkit(peers: Callable[..., None], tmp_path: Path) -> None:
    peers("dump_splits.py", tmp_path / "splits.parquet")
    theirs = pl.read_parquet(tmp_path / "splits.parquet")
    for split, names in OFFICIAL_SPLITS.items():
        assert set(theirs.filter(split=split)["scene"]) == names


def test_velocity_rule() -> None:
    positions = np.array([[0.0, 0, 0], [1, 0, 0], [3, 0, 0], [9, 0, 0], [0, 0, 0]])
    times_us = np.array([0, 500_000, 1_500_000, 3_500_000, 0])
    previous, following = np.array([-1, 0, 1, 2, -1]), np.array([1, 2, 3, -1, -1])
    velocities = box_velocities(positions, times_us, previous, following)
    # 1 m in 0.5 s; 3 m in 1.5 s; 8 m in 3 s, allowed between two neighbours; 6 m in 2 s, too long for one; alone.
    np.testing.assert_allclose(velocities[:, 0], [2, 2, 8 / 3, np.nan, np.nan])
    assert np.isnan(velocities[3:]).all()


def test_velocity_is_undefined_over_a_gap_of_more_than_three_seconds() -> None:
    positions, times_us = np.zeros((3, 3)), np.array([0, 1_500_000, 3_100_000])
    velocities = box_velocities(positions, times_us, np.array([-1, 0, 1]), np.array([1, 2, -1]))
    assert np.isnan(velocities[:, 0]).tolist() == [False, True, True]


@pytest.mark.real_data
@pytest.mark.parametrize("name", ["kitti_0001_nuscenes_format"])
def test_points_in_boxes_are_the_annotated_counts(real_data: Callable[[str], Path], name: str) -> None:
    scenes = open_scenes(real_data(name))
    lidar = scenes.sensors.filter(modality="lidar")
    global_SE3_lidar = sensor_SE3_global(lidar).inverse()
    for frame in (0, 7, 21):
        scan = read_scan(scenes.root / lidar["file"][frame])
        assert scan.not_finite == 0
        points = global_SE3_lidar.at(np.array(frame)).apply(scan.points[:, :3])
        boxes = scenes.boxes.filter(frame=frame)
        assert count_in_boxes(points, boxes).tolist() == boxes["lidar_points"].to_list()


def test_scan_files(tmp_path: Path) -> None:
    path = tmp_path / "scan.pcd.bin"
    points = np.array([[1, 2, 3, 40, 5], [np.nan, 0, 0, 0, 0], [0, np.inf, 0, 0, 0]], dtype="<f4")
    path.write_bytes(points.tobytes())
    scan = read_scan(path)
    assert scan.points.tolist() == [[1, 2, 3, 40, 5]]
    assert scan.not_finite == 2
    path.write_bytes(points.tobytes()[:-3])
    with pytest.raises(InputError, match=r"scan\.pcd\.bin: has 57 bytes, which is no multiple of 20"):
        read_scan(path)
    path.write_bytes(b"")
    assert read_scan(path).points.shape == (0, 5)
    with pytest.raises(InputError, match="cannot be read"):
        read_scan(tmp_path / "absent.pcd.bin")


def test_points_in_ego_frame() -> None:
    ego_SE3_sensor = SE3.from_quaternion([np.sqrt(0.5), 0, 0, -np.sqrt(0.5)], [1, 0, 2])
    in_ego = in_ego_frame(np.array([[0, 1, 0, 9, 9]], dtype=np.float32), ego_SE3_sensor)
    np.testing.assert_allclose(in_ego, [[2, 0, 2]], atol=1e-7)


def test_pinhole_projection() -> None:
    intrinsics = [[800.0, 0, 400], [0, 600, 300], [0, 0, 1]]
    pixels, depth_m = project([[0, 0, 5], [1, 2, 4], [0, 0, -1]], intrinsics)
    np.testing.assert_allclose(pixels[:2], [[400, 300], [600, 600]])
    assert depth_m.tolist() == [5, 4, -1]


def box(**changes: object) -> pl.DataFrame:
    row = {"scene": "s", "frame": 0, "x": 1.0, "y": 2.0, "z": 3.0, "length": 4.0, "width": 2.0, "height": 1.0}
    return pl.DataFrame([row | {"qw": 1.0, "qx": 0.0, "qy": 0.0, "qz": 0.0} | changes])


def test_corners_of_a_box() -> None:
    corners = box_corners(box())[0]
    assert corners[:4, 0].tolist() == [3] * 4  # the front
    assert corners.min(axis=0).tolist() == [-1, 1, 2.5]
    assert corners.max(axis=0).tolist() == [3, 3, 3.5]


def test_each_box_is_projected_into_its_own_camera() -> None:
    axes = ("x", "y", "z", "qw", "qx", "qy", "qz")
    at_origin = dict(zip((f"pose_{axis}" for axis in axes), (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0), strict=True))
    looking_ahead = dict(zip((f"sensor_{axis}" for axis in axes), (0.0, 0.0, 0.0, 0.5, -0.5, 0.5, -0.5), strict=True))
    camera = at_origin | looking_ahead | {"intrinsics": [800.0, 0, 400, 0, 800, 300, 0, 0, 1]}
    sensors = pl.DataFrame([camera | {"pose_x": 2.0}, camera])
    ahead = box(x=10.0, y=0.0, z=0.0)
    pixels, depth_m = project_boxes(pl.concat([ahead, ahead]), Cameras.of(sensors).at(np.array([1, 0])))
    np.testing.assert_allclose(depth_m, [[12] * 4 + [8] * 4, [10] * 4 + [6] * 4])
    np.testing.assert_allclose(pixels.mean(axis=1), [[400, 300]] * 2)
    with pytest.raises(ValueError, match="no intrinsics"):
        Cameras.of(sensors.with_columns(intrinsics=None))
