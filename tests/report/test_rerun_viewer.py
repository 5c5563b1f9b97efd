"""What the rerun viewer is given, read back from a recording."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
import rerun
from rerun.chunk import RrdReader

from picture_making import POINTS_M, SCENE
from placed_boxes import placed
from probe4d.errors import InputError, RunError
from probe4d.report.viewer import open_in_rerun, write_rerun
from probe4d.scenes.geometry import SE3
from probe4d.scenes.opening import open_scenes
from probe4d.scenes.points import read_scan
from probe4d.scenes.projection import project, sensor_SE3_global
from video_making import PERIOD_US, STEP_M, filmed

EGO = "/world/ego_vehicle"


def logged(path: Path) -> dict[tuple[str, str], dict[int, Any]]:
    """Values by entity and component, then by key frame; of what is logged once, by -1."""
    found: dict[tuple[str, str], dict[int, Any]] = {}
    for chunk in RrdReader(path).stream():
        columns = chunk.to_record_batch().to_pydict()
        frames = columns.pop("frame", [-1])
        for name, values in columns.items():
            by_frame = found.setdefault((chunk.entity_path, name), {})
            by_frame |= {frame: value for frame, value in zip(frames, values, strict=True) if value is not None}
    return found


def transform(found: dict[tuple[str, str], dict[int, Any]], entity: str, frame: int) -> SE3:
    """Transform of an entity to that above it, its quaternion read as x-y-z-w."""
    (quaternion,), (translation,) = (
        found[entity, f"Transform3D:{name}"][frame] for name in ("quaternion", "translation")
    )
    return SE3.from_quaternion(np.roll(quaternion, 1), translation)


@pytest.fixture(scope="module")
def recorded(real_data: Callable[[str], Path], tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The KITTI sequence as scenes and as what was logged of it."""
    scenes = open_scenes(real_data("kitti_0001_nuscenes_format"))
    path = tmp_path_factory.mktemp("recorded") / "scene.rrd"
    recorded = write_rerun(scenes, "scene-kitti-0001", path, frames=(2, 3))
    assert recorded == (2, ())
    return scenes, logged(path)


@pytest.mark.real_data
def test_boxes_are_those_of_the_scene(recorded: Any) -> None:
    scenes, found = recorded
    for frame in (2, 3):
        boxes = scenes.boxes.filter(pl.col("frame") == frame)
        values = {name: found["/world/tracks", f"Boxes3D:{name}"][frame] for name in ("centers", "half_sizes")}
        assert np.array(values["centers"]) == pytest.approx(boxes.select("x", "y", "z").to_numpy(), abs=1e-3)
        sizes = boxes.select("length", "width", "height").to_numpy()
        assert 2 * np.array(values["half_sizes"]) == pytest.approx(sizes, abs=1e-5)
        x_y_z_w = np.array(found["/world/tracks", "Boxes3D:quaternions"][frame])
        assert np.roll(x_y_z_w, 1, axis=-1) == pytest.approx(boxes.select("qw", "qx", "qy", "qz").to_numpy(), abs=1e-6)
        labels = found["/world/tracks", "Boxes3D:labels"][frame]
        assert labels == [f"{row['label'] or 'train'} {row['track'][:6]}" for row in boxes.iter_rows(named=True)]
    assert set(found["/world/tracks", "Boxes3D:centers"]) == {2, 3}


@pytest.mark.real_data
def test_points_lie_where_the_lidar_saw_them(recorded: Any) -> None:
    scenes, found = recorded
    entity = f"{EGO}/LIDAR_ROOF"
    shown = (pl.col("channel") == "LIDAR_ROOF") & pl.col("frame").is_between(2, 3)
    for row in scenes.sensors.filter(shown).iter_rows(named=True):
        frame = row["frame"]
        scan = read_scan(scenes.root / row["file"]).points
        points = np.array(found[entity, "Points3D:positions"][frame])
        assert len(points) == len(scan) == len(found[entity, "Points3D:colors"][frame])
        assert points == pytest.approx(scan[:, :3], abs=1e-5)
        reading = scenes.sensors.filter(token=row["token"])
        world_SE3_lidar = transform(found, EGO, frame).compose(transform(found, entity, frame))
        expected = sensor_SE3_global(reading).at(np.array(0)).inverse().apply(scan[:100, :3])
        assert world_SE3_lidar.apply(scan[:100, :3]) == pytest.approx(expected, abs=1e-3)


@pytest.mark.real_data
def test_cameras_see_what_the_scene_says_they_see(recorded: Any) -> None:
    scenes, found = recorded
    entity = f"{EGO}/CAM_FRONT"
    for frame in (2, 3):
        reading = scenes.sensors.filter(pl.col("channel") == "CAM_FRONT", pl.col("frame") == frame)
        world_SE3_camera = transform(found, EGO, frame).compose(transform(found, entity, frame))
        assert world_SE3_camera.inverse().rotation == pytest.approx(sensor_SE3_global(reading).rotation[0], abs=1e-5)
        ahead = world_SE3_camera.apply([0.5, 0.2, 20.0])
        (matrix,) = found[entity, "Pinhole:image_from_camera"][frame]
        by_columns = np.reshape(matrix, (3, 3)).T
        intrinsics = np.reshape(reading["intrinsics"][0].to_list(), (3, 3))
        assert by_columns == pytest.approx(intrinsics, rel=1e-5)
        pixel = project(sensor_SE3_global(reading).at(np.array(0)).apply(ahead), intrinsics).pixels
        assert pixel == pytest.approx(project([0.5, 0.2, 20.0], by_columns).pixels, abs=0.05)
        (blob,) = found[entity, "EncodedImage:blob"][frame]
        assert bytes(blob) == (scenes.root / reading["file"][0]).read_bytes()
        assert found[entity, "EncodedImage:media_type"][frame] == ["image/png"]


def test_time_runs_as_in_the_scene(tmp_path: Path) -> None:
    scenes = filmed(tmp_path / "data", drives=True)
    later = pl.when(pl.col("modality") == "camera").then(1_020_000).otherwise(1_000_000) + pl.col("frame") * PERIOD_US
    scenes = replace(scenes, sensors=scenes.sensors.with_columns(timestamp_us=later.cast(pl.Int64)))
    write_rerun(scenes, SCENE, tmp_path / "scene.rrd")
    found = logged(tmp_path / "scene.rrd")
    for entity, first_us in (("", 1_000_000), ("/LIDAR_TOP", 1_000_000), ("/CAM_FRONT", 1_020_000)):
        times = found[EGO + entity, "timestamp"]
        assert {frame: int(time.timestamp() * 1e6 + 0.5) for frame, time in times.items()} == {
            frame: first_us + frame * PERIOD_US for frame in range(4)
        }
    assert [transform(found, EGO, frame).translation[0] for frame in range(4)] == [STEP_M * n for n in range(4)]
    for frame in range(4):
        # The cameras' poses stay at the origin, so that in the ego frame they fall behind.
        assert transform(found, f"{EGO}/CAM_FRONT", frame).translation[0] == pytest.approx(-STEP_M * frame)
        points = transform(found, f"{EGO}/LIDAR_TOP", frame).apply(
            found[f"{EGO}/LIDAR_TOP", "Points3D:positions"][frame]
        )
        assert points == pytest.approx(POINTS_M, abs=1e-4)


def test_what_cannot_be_read_is_told_and_nothing_is_shown_in_its_place(tmp_path: Path) -> None:
    scenes = filmed(tmp_path / "data", [placed("a", 10.0, 0.0, frame=frame) for frame in (0, 2)])
    (tmp_path / "data/samples/LIDAR_TOP/1.pcd.bin").unlink()
    (tmp_path / "data/samples/CAM_BACK/2.jpg").write_bytes(b"no image")
    recorded = write_rerun(scenes, SCENE, tmp_path / "scene.rrd")
    assert [(blank.frame, blank.channel) for blank in recorded.blanks] == [(1, "LIDAR_TOP"), (2, "CAM_BACK")]
    found = logged(tmp_path / "scene.rrd")
    assert set(found[f"{EGO}/LIDAR_TOP", "Points3D:positions"]) == {0, 2, 3}
    assert set(found[f"{EGO}/LIDAR_TOP", "Clear:is_recursive"]) == {1}
    assert found[f"{EGO}/CAM_BACK", "EncodedImage:media_type"] == {frame: ["image/jpeg"] for frame in (0, 1, 3)}
    assert [len(found["/world/tracks", "Boxes3D:centers"][frame]) for frame in range(4)] == [1, 0, 1, 0]


def test_scenes_without_images_or_without_a_lidar_are_shown(tmp_path: Path, simulated: Path) -> None:
    scenes = open_scenes(simulated)
    assert write_rerun(scenes, "sim-0001", tmp_path / "no-cameras.rrd", frames=(0, 1)) == (2, ())
    entities = {entity for entity, _ in logged(tmp_path / "no-cameras.rrd")}
    assert {entity for entity in entities if "CAM" in entity} == set()
    cameras_alone = replace(filmed(tmp_path / "data"), reference_channel="CAM_FRONT")
    assert write_rerun(cameras_alone, SCENE, tmp_path / "no-lidar.rrd", cameras=["CAM_BACK"]) == (4, ())
    entities = {entity for entity, _ in logged(tmp_path / "no-lidar.rrd")}
    assert {entity for entity in entities if entity.startswith(f"{EGO}/")} == {f"{EGO}/CAM_BACK"}


def test_what_cannot_be_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scenes = filmed(tmp_path / "data")
    before = sorted(tmp_path.iterdir())
    for message, name, options in (
        ("ends in .rrd", "scene.mp4", {}),
        ("has key frames 0 to 3, not 3 to 4", "scene.rrd", {"frames": (3, 4)}),
        ("has no camera CAM_TOP", "scene.rrd", {"cameras": ["CAM_TOP"]}),
    ):
        with pytest.raises(InputError, match=message):
            write_rerun(scenes, SCENE, tmp_path / name, **options)  # type: ignore[arg-type]  # of each its own
    monkeypatch.setitem(sys.modules, "rerun", None)
    with pytest.raises(InputError, match=r"the rerun viewer needs packages .*pip install 'probe4d\[view\]'"):
        write_rerun(scenes, SCENE, tmp_path / "scene.rrd")
    assert sorted(tmp_path.iterdir()) == before


def test_the_viewer_is_given_the_same_as_a_recording(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scenes = filmed(tmp_path / "data")
    opened: list[object] = []

    def saved(stream: rerun.RecordingStream, *, default_blueprint: object) -> None:
        opened.append(default_blueprint)
        stream.save(tmp_path / "opened.rrd")

    monkeypatch.setattr(rerun.RecordingStream, "spawn", saved)
    monkeypatch.setenv("DISPLAY", ":0")
    assert open_in_rerun(scenes, SCENE, frames=(1, 2)) == (2, ())
    assert len(opened) == 1
    write_rerun(scenes, SCENE, tmp_path / "written.rrd", frames=(1, 2))
    opened_values, written_values = (logged(tmp_path / name) for name in ("opened.rrd", "written.rrd"))
    own = {"log_time", "rerun.controls.RowId"}
    keys = {key for key in opened_values if key[0].startswith("/world") and key[1] not in own}
    assert keys
    assert all(opened_values[key] == written_values[key] for key in keys)


def test_a_viewer_that_cannot_be_reached_is_a_failed_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scenes = filmed(tmp_path / "data")
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "WAYLAND_SOCKET"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(RunError, match="needs a screen, and there is none here"):
        open_in_rerun(scenes, SCENE)
    monkeypatch.setenv("DISPLAY", ":0")

    def not_there(stream: rerun.RecordingStream, **_: object) -> None:
        raise RuntimeError("Failed to find Rerun Viewer executable in PATH.\nA long explanation.")

    monkeypatch.setattr(rerun.RecordingStream, "spawn", not_there)
    with pytest.raises(RunError, match=r"cannot be reached \(Failed to find Rerun Viewer executable in PATH\.\)"):
        open_in_rerun(scenes, SCENE)
