"""Scans cut into wedges: where their axes lie, that they share a scan out, and files that cannot be cut."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from picture_making import LIDAR_HEIGHT_M, SCENE, YAWS_DEG, write_dataset, write_scan
from probe4d.errors import InputError
from probe4d.evidence.point_clouds import PointClouds
from probe4d.scenes.geometry import SE3
from probe4d.scenes.opening import open_scenes
from probe4d.scenes.points import read_scan
from probe4d.scenes.tables import Scenes

FRONT_ONLY = {"CAM_FRONT": 0.0}
INTRINSICS = [200.0, 0.0, 160.0, 0.0, 200.0, 90.0, 0.0, 0.0, 1.0]


def with_columns(scenes: Scenes, **columns: object) -> Scenes:
    """Scenes whose sensor readings have other values in some columns."""
    values = {name: value if isinstance(value, pl.Expr) else pl.lit(value) for name, value in columns.items()}
    return replace(scenes, sensors=scenes.sensors.with_columns(**values))


def around(bearings_deg: np.ndarray, distance_m: float = 20.0, height_m: float = LIDAR_HEIGHT_M) -> np.ndarray:
    """Points of the ego frame."""
    bearings = np.radians(bearings_deg)
    return np.stack([distance_m * np.cos(bearings), distance_m * np.sin(bearings), np.full(len(bearings), height_m)], 1)


@pytest.fixture
def surround(tmp_path: Path) -> Scenes:
    """Six cameras that stand where the LiDAR does."""
    return write_dataset(tmp_path, frames=2)


def scan_of(scenes: Scenes, frame: int = 0) -> Path:
    return scenes.root / f"samples/LIDAR_TOP/{frame}.pcd.bin"


class TestWedges:
    def test_stand_in_the_order_of_the_grid(self, surround: Scenes) -> None:
        clouds = PointClouds(surround)
        assert clouds.channels == tuple(YAWS_DEG)
        assert [wedge.channel for wedge in clouds.of(SCENE, 0)] == list(YAWS_DEG)
        assert clouds.frames(SCENE) == 2

    @pytest.mark.parametrize("cameras", [YAWS_DEG, FRONT_ONLY, {}])
    def test_what_lies_on_an_axis_lies_straight_ahead(self, tmp_path: Path, cameras: dict[str, float]) -> None:
        scenes = write_dataset(tmp_path, frames=1, yaws_deg=cameras)
        write_scan(scan_of(scenes), around(np.array([*YAWS_DEG.values()]), height_m=LIDAR_HEIGHT_M + 1))
        for wedge in PointClouds(scenes).of(SCENE, 0):
            assert np.allclose(wedge.points, [[20, 0, 1, 0]], atol=1e-5)

    def test_left_is_left_and_up_is_up(self, surround: Scenes) -> None:
        write_scan(scan_of(surround), around(np.array([10.0]), height_m=LIDAR_HEIGHT_M - 1.5))
        front = PointClouds(surround).of(SCENE, 0)[1]
        expected = [20 * np.cos(np.radians(10)), 20 * np.sin(np.radians(10)), -1.5, 0]
        assert np.allclose(front.points, [expected], atol=1e-5)

    def test_the_origin_is_the_camera_at_the_time_of_its_image(self, tmp_path: Path) -> None:
        scenes = with_columns(
            write_dataset(tmp_path, frames=1), pose_x=pl.when(pl.col("channel") == "CAM_FRONT").then(1.25).otherwise(0)
        )
        write_scan(scan_of(scenes), around(np.array([0.0])))
        assert np.allclose(PointClouds(scenes).of(SCENE, 0)[1].points, [[18.75, 0, 0, 0]], atol=1e-5)

    @given(bearings=st.lists(st.floats(-180, 180), min_size=1, max_size=60))
    @settings(max_examples=25)
    def test_every_point_is_in_the_one_wedge_with_the_nearest_axis(
        self, bearings: list[float], tmp_path_factory: pytest.TempPathFactory
    ) -> None:
        scenes = write_dataset(tmp_path_factory.mktemp("share"), frames=1)
        write_scan(scan_of(scenes), around(np.array(bearings)))
        axes = np.array([*YAWS_DEG.values()])
        apart = np.abs((np.array(bearings)[:, np.newaxis] - axes + 180) % 360 - 180)
        clear = np.diff(np.sort(apart, axis=1)[:, :2], axis=1)[:, 0] > 1e-3  # on no border
        found = PointClouds(scenes).of(SCENE, 0)
        assert sum(len(wedge.points) for wedge in found) == len(bearings)
        for number, wedge in enumerate(found):
            assert len(wedge.points) >= (clear & (apart.argmin(axis=1) == number)).sum()

    def test_cameras_that_leave_a_gap_are_not_taken(self, tmp_path: Path) -> None:
        four = {"A": 0.0, "B": 90.0, "C": 180.0, "D": -90.0}
        assert PointClouds(write_dataset(tmp_path / "four", yaws_deg=four)).channels == ("B", "A", "D", "C")
        five_ahead = {"A": 0.0, "B": 45.0, "C": 90.0, "D": -45.0, "E": -90.0}
        clouds = PointClouds(write_dataset(tmp_path / "five", yaws_deg=five_ahead))
        assert clouds.channels == tuple(YAWS_DEG)

    def test_a_camera_that_a_scene_lacks_is_not_taken(self, surround: Scenes) -> None:
        second = surround.sensors.filter(pl.col("modality") == "lidar").with_columns(scene=pl.lit("scene-2"))
        scenes = pl.concat([surround.scenes, surround.scenes.with_columns(scene=pl.lit("scene-2"))])
        both = replace(surround, scenes=scenes, sensors=pl.concat([surround.sensors, second]))
        points = PointClouds(both).of("scene-2", 0)
        assert sum(len(wedge.points) for wedge in points) == 3

    def test_intensity_goes_from_0_to_1(self, surround: Scenes) -> None:
        values = np.array([[0, 20, 0, 0, 1], [0, 21, 0, 255, 2]], dtype="<f4")
        scan_of(surround).write_bytes(values.tobytes())
        points = PointClouds(surround).of(SCENE, 0)[1].points
        assert points[:, 3].tolist() == [0, 1]
        assert points.dtype == np.float32


class TestOneWedge:
    def test_is_the_centre_square_of_the_camera_to_the_back_right(self, tmp_path: Path) -> None:
        scenes = with_columns(write_dataset(tmp_path, frames=1), intrinsics=INTRINSICS)
        rng = np.random.default_rng(3)
        points = rng.uniform(-40, 40, (4000, 3))
        write_scan(scan_of(scenes), points)
        (wedge,) = PointClouds(scenes, "one-wedge").of(SCENE, 0)
        assert wedge.channel == "CAM_BACK_RIGHT"
        turn = SE3.from_quaternion([np.cos(np.radians(55)), 0, 0, np.sin(np.radians(55))], [0, 0, 0])  # by 110 degrees
        inside = []
        for x, y, z in turn.apply(points - [0, 0, LIDAR_HEIGHT_M]):
            across, down = 160 - 200 * y / x, 90 - 200 * z / x
            if x > 0.5 and 70 < across < 250 and 0 <= down <= 180:
                inside.append((x, y, z, 0))
        assert len(inside) > 100
        assert np.allclose(wedge.points, inside, atol=1e-4)

    def test_of_other_cameras_for_training(self, tmp_path: Path) -> None:
        scenes = with_columns(write_dataset(tmp_path, frames=1), intrinsics=INTRINSICS)
        write_scan(scan_of(scenes), around(np.array([55.0, 0.0, 27.5])))
        cut = PointClouds(scenes, "one-wedge", squares_of=("CAM_FRONT", "CAM_FRONT_LEFT", "CAM_BACK")).of(SCENE, 0)
        assert [(wedge.channel, len(wedge.points)) for wedge in cut] == [
            ("CAM_FRONT", 1),
            ("CAM_FRONT_LEFT", 1),
            ("CAM_BACK", 0),
        ]

    def test_may_be_empty(self, tmp_path: Path) -> None:
        scenes = with_columns(write_dataset(tmp_path, frames=1), intrinsics=INTRINSICS)
        write_scan(scan_of(scenes), around(np.array([0.0])))
        (wedge,) = PointClouds(scenes, "one-wedge").of(SCENE, 0)
        assert wedge.points.shape == (0, 4)

    def test_needs_the_camera(self, tmp_path: Path) -> None:
        scenes = write_dataset(tmp_path, yaws_deg=FRONT_ONLY)
        with pytest.raises(InputError, match=r"no camera CAM_BACK_RIGHT.*Take the coverage wedges"):
            PointClouds(scenes, "one-wedge")

    @pytest.mark.parametrize(
        "lacking", [{"intrinsics": None}, {"intrinsics": INTRINSICS, "width": None}], ids=["intrinsics", "size"]
    )
    def test_needs_intrinsics_and_size(self, tmp_path: Path, lacking: dict[str, object]) -> None:
        scenes = with_columns(write_dataset(tmp_path), **lacking)
        with pytest.raises(InputError, match="no intrinsics or image size"):
            PointClouds(scenes, "one-wedge").of(SCENE, 0)


class TestBadInput:
    @pytest.mark.parametrize(
        ("content", "fault"),
        [
            (b"", "holds no points"),
            (b"\0" * 19, "has 19 bytes"),
            (np.full((3, 5), np.nan, dtype="<f4").tobytes(), "holds no points that can be used"),
            (np.array([[1, 2, 3, np.inf, 0]], dtype="<f4").tobytes(), "holds no points that can be used"),
            (np.array([[1, 3e38, 3, 0, 0]], dtype="<f4").tobytes(), "holds no points that can be used"),
        ],
        ids=["empty", "cut off", "not a number", "infinite intensity", "too far"],
    )
    def test_a_scan_that_cannot_be_used_names_the_file(self, surround: Scenes, content: bytes, fault: str) -> None:
        scan_of(surround).write_bytes(content)
        with pytest.raises(InputError, match=rf"0\.pcd\.bin: {fault}"):
            PointClouds(surround).of(SCENE, 0)

    def test_points_that_are_not_finite_are_left_out_and_counted(self, surround: Scenes) -> None:
        values = np.zeros((6, 5), dtype="<f4")
        values[:, 1] = 20
        values[1, 0], values[2, 2], values[3, 3], values[4, 1] = np.nan, np.inf, np.nan, 2e6
        scan_of(surround).write_bytes(values.tobytes())
        clouds = PointClouds(surround)
        assert sum(len(wedge.points) for wedge in clouds.of(SCENE, 0)) == 2
        assert clouds.left_out(SCENE) == 4
        clouds.of(SCENE, 0)
        assert clouds.left_out(SCENE) == 4  # of the same scan

    def test_what_is_missing_is_known_before_it_is_read(self, surround: Scenes) -> None:
        scan_of(surround, 1).unlink()
        clouds = PointClouds(surround)
        assert list(clouds.missing([SCENE])) == [(SCENE, 1)]
        assert "1.pcd.bin: is not there" in clouds.missing([SCENE])[SCENE, 1]
        with pytest.raises(InputError, match=r"1\.pcd\.bin: cannot be read"):
            clouds.of(SCENE, 1)

    @pytest.mark.parametrize("channel", ["LIDAR_TOP", "CAM_BACK"])
    def test_a_reading_that_a_key_frame_lacks(self, surround: Scenes, channel: str) -> None:
        sensors = surround.sensors.filter(~((pl.col("frame") == 1) & (pl.col("channel") == channel)))
        clouds = PointClouds(replace(surround, sensors=sensors))
        assert list(clouds.missing([SCENE])) == [(SCENE, 1)]
        assert channel in clouds.missing([SCENE])[SCENE, 1]
        with pytest.raises(InputError, match=f"key frame 1: has no reading of {channel}"):
            clouds.of(SCENE, 1)

    def test_a_path_that_leads_out(self, surround: Scenes) -> None:
        outside = surround.sensors.with_columns(file=pl.lit("../secret.pcd.bin"))
        with pytest.raises(InputError, match="leads out of the dataset folder"):
            PointClouds(replace(surround, sensors=outside)).of(SCENE, 0)


def test_simulated_scenes_are_covered_all_round(scenes: Scenes) -> None:
    clouds = PointClouds(scenes)
    file = scenes.sensors.filter((pl.col("scene") == scenes.names[0]) & (pl.col("frame") == 3))["file"][0]
    wedges = clouds.of(scenes.names[0], 3)
    assert sum(len(wedge.points) for wedge in wedges) == len(read_scan(scenes.root / file).points)
    assert all(len(wedge.points) and (wedge.points[:, 0] > 0).all() for wedge in wedges)


@pytest.mark.real_data
def test_real_scans_are_shared_out(real_data: Callable[[str], Path]) -> None:
    nuscenes, kitti = (open_scenes(real_data(name)) for name in ("nuscenes_mini", "kitti_0001_nuscenes_format"))
    for scenes, scene, missing in ((nuscenes, "scene-0061", 38), (kitti, "scene-kitti-0001", 0)):
        clouds = PointClouds(scenes)
        first = (pl.col("scene") == scene) & (pl.col("frame") == 0) & (pl.col("channel") == scenes.reference_channel)
        scan = read_scan(scenes.root / scenes.sensors.filter(first)["file"][0])
        wedges = clouds.of(scene, 0)
        assert sum(len(wedge.points) for wedge in wedges) == len(scan.points)
        assert clouds.channels == tuple(YAWS_DEG)
        assert len(clouds.missing([scene])) == missing
        assert all(wedge.points[:, 3].min() >= 0 and wedge.points[:, 3].max() <= 1 for wedge in wedges)
    (seen,) = PointClouds(nuscenes, "one-wedge").of("scene-0061", 0)
    whole = PointClouds(nuscenes).of("scene-0061", 0)[-1]
    assert 0 < len(seen.points) < len(whole.points)
    assert (seen.points[:, 0] > 0.5).all()
