"""Opening a dataset: what the tables hold, whatever the input looks like, the first time and again."""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest
from tables_on_disk import FRAMES, Tables, small_tables, write_tables

from probe4d.errors import InputError
from probe4d.scenes.nuscenes import cached
from probe4d.scenes.opening import open_scenes
from probe4d.scenes.tables import BOXES_SCHEMA, KEYFRAMES_SCHEMA, SCENES_SCHEMA, SENSORS_SCHEMA, Scenes

TABLE_NAMES = ("scenes", "keyframes", "boxes", "sensors")


def assert_same(first: Scenes, second: Scenes) -> None:
    for name in TABLE_NAMES:
        assert getattr(first, name).equals(getattr(second, name)), name
    assert first.dropped == second.dropped


def test_columns_are_those_of_the_schemas_and_sorted(tables: Tables, tmp_path: Path) -> None:
    scenes = open_scenes(write_tables(tables, tmp_path))
    for name, schema in zip(TABLE_NAMES, (SCENES_SCHEMA, KEYFRAMES_SCHEMA, BOXES_SCHEMA, SENSORS_SCHEMA), strict=True):
        assert dict(getattr(scenes, name).schema) == schema
    assert scenes.version == "v1.0-test-data"
    assert scenes.reference_channel == "LIDAR_TOP"
    assert scenes.names == ["scene-s0", "scene-s1"]
    assert scenes.keyframes["frame"].to_list() == [*range(FRAMES), *range(FRAMES)]
    assert scenes.boxes.equals(scenes.boxes.sort("scene", "frame", "track"))
    assert scenes.sensors.equals(scenes.sensors.sort("scene", "frame", "channel"))
    assert scenes.sensors.height == 2 * FRAMES * 2  # no sweeps
    assert scenes.dropped == {}


def test_sizes_are_length_width_height_and_boxes_are_seen_from_the_ego_vehicle(tables: Tables, tmp_path: Path) -> None:
    box = open_scenes(write_tables(tables, tmp_path)).boxes.row(2 * 2, named=True)  # frame 2, track a
    assert (box["length"], box["width"], box["height"]) == (4.5, 2.0, 1.5)
    assert (box["x"], box["ego_x"], box["ego_y"], box["ego_yaw"]) == (12.0, 10.0, 2.0, 0.0)
    assert box["velocity_x"] == pytest.approx(2.0)
    assert (box["label"], box["visibility"], box["lidar_points"]) == ("car", 4, 7)
    assert box["attributes"] == ["vehicle.moving"]


def test_what_is_missing_is_null(tables: Tables, tmp_path: Path) -> None:
    tables["category"].append({"token": "tram", "name": "vehicle.train", "description": ""})
    tables["instance"][0]["category_token"] = "tram"
    row = tables["sample_annotation"][0]
    row.update(visibility_token="", attribute_tokens=[], next="")
    del row["num_lidar_pts"]
    box = open_scenes(write_tables(tables, tmp_path)).boxes.row(
        by_predicate=pl.col("token") == row["token"], named=True
    )
    assert box["category"] == "vehicle.train"
    assert [box[name] for name in ("label", "visibility", "lidar_points", "velocity_x")] == [None] * 4
    assert box["attributes"] == []


def test_every_sensor_keeps_its_own_pose(tables: Tables, tmp_path: Path) -> None:
    camera_pose = next(row for row in tables["ego_pose"] if "CAM_FRONT" in row["token"])
    camera_pose["translation"] = [0.25, 0.0, 0.0]
    scenes = open_scenes(write_tables(tables, tmp_path))
    first = scenes.sensors.filter(scene="scene-s0", frame=0)
    assert dict(first.select("channel", "pose_x").iter_rows()) == {"CAM_FRONT": 0.25, "LIDAR_TOP": 0.0}
    assert scenes.keyframes["pose_x"][0] == 0.0


@pytest.mark.parametrize(
    "options", [{}, {"indent": 2}, {"separators": (",", ":")}], ids=["plain", "indented", "compact"]
)
def test_layout_of_the_json_does_not_matter(tables: Tables, tmp_path: Path, options: dict[str, object]) -> None:
    expected = open_scenes(write_tables(tables, tmp_path / "a"))
    assert_same(open_scenes(write_tables(tables, tmp_path / "b", **options)), expected)


def test_order_of_rows_does_not_matter(tables: Tables, tmp_path: Path) -> None:
    expected = open_scenes(write_tables(tables, tmp_path / "a"))
    for rows in tables.values():
        random.Random(5).shuffle(rows)
    assert_same(open_scenes(write_tables(tables, tmp_path / "b")), expected)


@pytest.mark.real_data
def test_order_of_rows_does_not_matter_on_real_data(real_data: Callable[[str], Path], tmp_path: Path) -> None:
    source = real_data("nuscenes_mini")
    tables = {path.stem: json.loads(path.read_text()) for path in (source / "v1.0-mini").glob("*.json")}
    for rows in tables.values():
        random.Random(1).shuffle(rows)
    scenes = open_scenes(source)
    assert_same(open_scenes(write_tables(tables, tmp_path, "v1.0-mini")), scenes)
    assert scenes.scenes["split"].value_counts(sort=True).rows() == [("mini_train", 8), ("mini_val", 2)]
    assert (scenes.keyframes.height, scenes.boxes.height, scenes.sensors.height) == (404, 18_532, 4_848)
    assert scenes.boxes["visibility"].null_count() == scenes.boxes.height


@pytest.mark.real_data
def test_another_vehicle(real_data: Callable[[str], Path]) -> None:
    scenes = open_scenes(real_data("kitti_0001_nuscenes_format"))
    assert (scenes.version, scenes.reference_channel, scenes.boxes.height) == ("v1.0-kitti", "LIDAR_ROOF", 118)
    assert scenes.scenes["split"].to_list() == [None]
    assert scenes.boxes["visibility"].value_counts().sort("visibility").rows() == [(1, 20), (2, 24), (4, 74)]
    assert scenes.boxes.filter(pl.col("label").is_null())["category"].unique().to_list() == ["vehicle.train"]


def test_order_of_key_frames_is_that_of_the_chain(tables: Tables, tmp_path: Path) -> None:
    tables["sample"][1]["timestamp"], tables["sample"][2]["timestamp"] = 5, 4
    scenes = open_scenes(write_tables(tables, tmp_path))
    assert scenes.keyframes["token"].to_list()[:FRAMES] == [f"s0-{frame}" for frame in range(FRAMES)]


def test_reference_lidar_is_the_only_one_or_the_one_named(tmp_path: Path) -> None:
    one = open_scenes(write_tables(small_tables(("LIDAR_ROOF",)), tmp_path / "one"))
    assert one.reference_channel == "LIDAR_ROOF"
    several = write_tables(small_tables(("LIDAR_LEFT", "LIDAR_RIGHT")), tmp_path / "several")
    with pytest.raises(InputError, match=r"sensor\.json: .*LIDAR_LEFT, LIDAR_RIGHT.*--reference-channel"):
        open_scenes(several)
    assert open_scenes(several, reference_channel="LIDAR_RIGHT").reference_channel == "LIDAR_RIGHT"
    with pytest.raises(InputError, match="no LiDAR named 'LIDAR_TOP'"):
        open_scenes(several, reference_channel="LIDAR_TOP")


def test_folders_of_other_datasets(tables: Tables, tmp_path: Path) -> None:
    for name in ("attribute", "log", "visibility"):
        del tables[name]
    tables["object_ann"] = []
    for row in tables["sample_data"]:
        row.update(info_filename=None, is_valid=True, nested={"boxes": [{"a": [1]}, {"a": []}]})
    scenes = open_scenes(write_tables(tables, tmp_path, "annotation"))
    assert scenes.version == "annotation"
    assert scenes.scenes["log"].to_list() == [None, None]
    assert scenes.boxes["visibility"].null_count() == scenes.boxes.height


def test_the_folder_of_tables_itself_will_do(tables: Tables, tmp_path: Path) -> None:
    scenes = open_scenes(write_tables(tables, tmp_path) / "v1.0-test-data")
    assert (scenes.root, scenes.version) == (tmp_path, "v1.0-test-data")


def cameras_alone(*channels: str, beside: str = "camera") -> Tables:
    """Small tables whose sensors are cameras, the first of them possibly of another modality."""
    tables = small_tables(channels)
    for sensor in tables["sensor"]:
        sensor["modality"] = "camera"
    tables["sensor"][0]["modality"] = beside
    return tables


def test_without_lidar_the_front_camera_gives_key_frames_their_time_and_pose(tmp_path: Path) -> None:
    root = write_tables(cameras_alone("A_REAR", "FRONT", "SIDE"), tmp_path / "front")
    scenes = open_scenes(root)
    front = scenes.sensors.filter(pl.col("channel") == "FRONT")
    assert scenes.reference_channel == "FRONT"
    same = ["scene", "frame", "timestamp_us", "pose_token", "pose_x", "pose_qw"]
    assert scenes.keyframes.select(same).equals(front.select(same))
    assert open_scenes(root, reference_channel="SIDE").reference_channel == "SIDE"
    assert open_scenes(write_tables(cameras_alone("ONE"), tmp_path / "one")).reference_channel == "ONE"
    with pytest.raises(InputError, match=r"lists no camera named 'LIDAR_TOP' \(it has A_REAR, FRONT, SIDE\)"):
        open_scenes(root, reference_channel="LIDAR_TOP")
    several = write_tables(cameras_alone("A", "B"), tmp_path / "several")
    with pytest.raises(InputError, match=r"cameras \(A, B\) and none is CAM_FRONT or FRONT.*--reference-channel"):
        open_scenes(several)


def test_beside_a_radar_a_missing_lidar_is_a_fault(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"lists no LiDAR, from which .* and not cameras alone"):
        open_scenes(write_tables(cameras_alone("FRONT", "CAM_FRONT", beside="radar"), tmp_path))


def test_reopening_reads_no_table_and_gives_the_same(
    tables: Tables, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tables["sample_annotation"][0]["sample_token"] = "nowhere"
    root = write_tables(tables, tmp_path)
    first = open_scenes(root)
    monkeypatch.setattr(cached, "read_scenes", lambda *_: pytest.fail("the tables were read again"))
    again = open_scenes(root)
    assert_same(again, first)
    for fact in ("root", "version", "adapter", "reference_channel", "fingerprint", "licence"):
        assert getattr(again, fact) == getattr(first, fact)
    with pytest.raises(pytest.fail.Exception, match="read again"):
        open_scenes(root, reference_channel="LIDAR_TOP")


def test_changed_table_is_read_again(tables: Tables, tmp_path: Path) -> None:
    root = write_tables(tables, tmp_path)
    first = open_scenes(root)
    tables["sample_annotation"][0]["num_lidar_pts"] = 8  # the file's size stays
    second = open_scenes(write_tables(tables, tmp_path))
    assert second.boxes["lidar_points"].sum() == first.boxes["lidar_points"].sum() + 1
    assert second.fingerprint != first.fingerprint


def test_fingerprint_is_that_of_the_contents(tables: Tables, tmp_path: Path) -> None:
    first = open_scenes(write_tables(tables, tmp_path / "a"))
    assert open_scenes(write_tables(tables, tmp_path / "b")).fingerprint == first.fingerprint
    assert open_scenes(write_tables(tables, tmp_path / "c", indent=1)).fingerprint == first.fingerprint
    shuffled = {name: rows[::-1] for name, rows in tables.items()}
    assert open_scenes(write_tables(shuffled, tmp_path / "e")).fingerprint == first.fingerprint
    tables["log"][0]["location"] = "elsewhere"
    assert open_scenes(write_tables(tables, tmp_path / "d")).fingerprint != first.fingerprint


def test_unwritable_cache_only_costs_time(
    tables: Tables, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    expected = open_scenes(write_tables(tables, tmp_path / "data"))
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("PROBE4D_CACHE", str(tmp_path / "file" / "cache"))
    assert_same(open_scenes(tmp_path / "data"), expected)
    assert "could not be written" in caplog.text


def test_read_only_dataset_stays_untouched(tables: Tables, tmp_path: Path) -> None:
    root = write_tables(tables, tmp_path / "data")
    before = sorted(root.rglob("*"))
    for path in (*before, root):
        path.chmod(0o555 if path.is_dir() else 0o444)
    try:
        open_scenes(root)
        open_scenes(root)
        assert sorted(root.rglob("*")) == before
    finally:
        for path in (root, *before):
            path.chmod(0o755)
        shutil.rmtree(root)
