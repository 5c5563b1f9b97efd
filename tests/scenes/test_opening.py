"""Opening a dataset: what the tables hold, whatever the input looks like, and what is said of broken input."""

from __future__ import annotations

import json
import random
import re
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


@pytest.fixture
def tables() -> Tables:
    return small_tables()


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


def test_empty_tables(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"scene\.json: has no scenes"):
        open_scenes(write_tables(small_tables(scenes=0), tmp_path / "scenes"))
    with pytest.raises(InputError, match=r"sensor\.json: lists no LiDAR"):
        open_scenes(write_tables(small_tables() | {"sensor": []}, tmp_path / "sensors"))


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
    with pytest.raises(
        InputError, match=r"cameras \(A, B\) and none is CAM_FRONT or FRONT.*--reference-channel"
    ):
        open_scenes(several)


def test_beside_a_radar_a_missing_lidar_is_a_fault(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"lists no LiDAR, from which .* and not cameras alone"):
        open_scenes(write_tables(cameras_alone("FRONT", "CAM_FRONT", beside="radar"), tmp_path))


def test_byte_order_mark_and_nan(tables: Tables, tmp_path: Path) -> None:
    tables["sample_annotation"][3]["translation"][0] = float("nan")
    tables["sample_annotation"][5]["rotation"] = [0, 0, 0, 0]
    tables["sample_annotation"][6]["size"] = [0, 1, 1]
    root = write_tables(tables, tmp_path)
    scene_file = root / "v1.0-test-data" / "scene.json"
    scene_file.write_bytes(b"\xef\xbb\xbf" + scene_file.read_bytes())
    scenes = open_scenes(root)
    assert scenes.boxes.height == 2 * 2 * FRAMES - 3
    assert scenes.dropped == {
        "boxes whose centre, size or rotation is not finite": 1,
        "boxes whose rotation is a zero quaternion": 1,
        "boxes whose size is not positive": 1,
        "links of a box that lead nowhere, to another track or the wrong way in time": 3,
    }


def test_bad_links_of_boxes_count_as_none(tables: Tables, tmp_path: Path) -> None:
    annotations = {row["token"]: row for row in tables["sample_annotation"]}
    annotations["s0-a-1"]["next"] = "s0-b-2"  # another track
    annotations["s0-a-2"]["next"] = "s0-a-1"  # back in time
    annotations["s0-b-1"]["next"] = "nowhere"
    annotations["s1-a-1"]["next"] = "s1-a-4"  # sound, though not to the next key frame: 1.5 s and more
    scenes = open_scenes(write_tables(tables, tmp_path))
    assert scenes.dropped == {"links of a box that lead nowhere, to another track or the wrong way in time": 3}
    velocity = dict(scenes.boxes.select("token", "velocity_x").iter_rows())
    assert velocity["s0-a-1"] == pytest.approx(2.0)  # from its previous box
    assert velocity["s1-a-1"] == pytest.approx(2.0)


def test_rows_of_unknown_things_are_counted(tables: Tables, tmp_path: Path) -> None:
    tables["sample_annotation"][0]["sample_token"] = "nowhere"
    tables["sample_annotation"][9]["instance_token"] = "nobody"
    cameras = [row for row in tables["sample_data"] if "CAM_FRONT" in row["token"] and row["is_key_frame"]]
    cameras[0]["sample_token"] = "nowhere"
    cameras[1]["ego_pose_token"] = "nowhere"
    cameras[2]["calibrated_sensor_token"] = "nowhere"
    dropped = open_scenes(write_tables(tables, tmp_path)).dropped
    assert dropped["boxes of an unknown key frame"] == 1
    assert dropped["boxes of an unknown track"] == 1
    assert dropped["sensor readings of an unknown key frame"] == 1
    assert dropped["sensor readings without a usable ego pose"] == 1
    assert dropped["sensor readings without a usable calibration"] == 1


def broken_samples(field: str, value: str) -> Callable[[Tables], None]:
    def change(tables: Tables) -> None:
        tables["sample"][2][field] = value

    return change


def doubled(name: str) -> Callable[[Tables], None]:
    def change(tables: Tables) -> None:
        tables[name].append(dict(tables[name][0]))

    return change


def wrong(name: str, row: int, field: str, value: object) -> Callable[[Tables], None]:
    def change(tables: Tables) -> None:
        tables[name][row][field] = value

    return change


KEYED = (
    *("calibrated_sensor", "category", "ego_pose", "instance"),
    *("sample", "sample_annotation", "sample_data", "sensor"),
)
BROKEN = [
    (broken_samples("next", "s0-1"), r"sample\.json: .*scene-s0 is broken: next of sample s0-4|leads back to sample"),
    (broken_samples("next", "nowhere"), r"sample\.json: .*next of sample s0-2 leads to sample nowhere, which does not"),
    (broken_samples("next", "s1-1"), r"next of sample s0-2 leads to sample s1-1, which belongs to another scene"),
    (broken_samples("next", ""), r"ends after 3 of 5 samples, at next of sample s0-2"),
    (wrong("scene", 0, "first_sample_token", "nowhere"), r"first_sample_token \(scene s0\) leads to sample nowhere"),
    (wrong("scene", 0, "name", "scene-s1"), r"scene\.json: two scenes have the name 'scene-s1'"),
    *((doubled(name), rf"{name}\.json, .*token .* unique") for name in KEYED),
    (wrong("sample_annotation", 3, "translation", [1, 2]), r"row 4 \(token s0-a-3\): .*'translation'"),
    (wrong("sample_annotation", 3, "size", [1, "2", 3]), r"annotation\.json, row 4 \(token s0-a-3\): .*'size\[1\]'"),
    (wrong("sample", 1, "timestamp", None), r"sample\.json, row 2 \(token s0-1\): .*'timestamp'.*`int`"),
    (wrong("sample", 1, "token", 5), r"sample\.json, row 2: .*'token'"),
    (wrong("calibrated_sensor", 1, "camera_intrinsic", [[1, 0], [0, 1]]), r"token calibration-CAM_FRONT: .*3 x 3"),
    (wrong("calibrated_sensor", 0, "rotation", [0, 0, 0, 0]), r"key frame 0 of scene-s0 has no usable .*LIDAR_TOP"),
    (lambda tables: tables["ego_pose"].pop(0), r"sample_data\.json, sample s0-0: key frame 0 of scene-s0 .*\(1 of 10"),
    (lambda tables: tables["ego_pose"][0].update(rotation=[0, 0, 0, 0]), r"key frame 0 of scene-s0 has no usable"),
    (wrong("ego_pose", 0, "rotation", [1, 0, 0]), r"ego_pose\.json, token s0-0-LIDAR_TOP-\d+: .* length 4"),
    (wrong("ego_pose", 4, "translation", [1, "0", 0]), r"ego_pose\.json, token s0-1-LIDAR_TOP-\d+: .*`float"),
    (lambda tables: tables.pop("instance"), r"instance\.json: is missing"),
]  # fmt: skip


@pytest.mark.parametrize(("change", "message"), BROKEN)
def test_broken_tables_end_in_one_sentence(
    tables: Tables, tmp_path: Path, change: Callable[[Tables], object], message: str
) -> None:
    change(tables)
    with pytest.raises(InputError, match=message):
        open_scenes(write_tables(tables, tmp_path))


@pytest.mark.parametrize("share", [0.1, 0.5, 0.99])
def test_truncated_table_names_file_and_byte(tables: Tables, tmp_path: Path, share: float) -> None:
    root = write_tables(tables, tmp_path)
    path = root / "v1.0-test-data" / "sample_annotation.json"
    kept = int(path.stat().st_size * share)
    path.write_bytes(path.read_bytes()[:kept])
    with pytest.raises(InputError, match=rf"{re.escape(str(path))}: ends at byte {kept} .*cut off"):
        open_scenes(root)


def test_wrong_folders(tables: Tables, tmp_path: Path) -> None:
    root = write_tables(tables, tmp_path / "data")
    with pytest.raises(InputError, match="does not exist"):
        open_scenes(tmp_path / "absent")
    with pytest.raises(InputError, match="is a file"):
        open_scenes(root / "v1.0-test-data" / "scene.json")
    with pytest.raises(InputError, match=r"no folder in it has scene\.json"):
        open_scenes(tmp_path)
    with pytest.raises(InputError, match=r"no version 'v1\.0-mini' \(found: v1\.0-test-data\)"):
        open_scenes(root, version="v1.0-mini")
    write_tables(tables, root, "v2")
    with pytest.raises(InputError, match=r"several versions: v1\.0-test-data, v2\. Name one of them with --version"):
        open_scenes(root)
    assert open_scenes(root, version="v2").version == "v2"


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


@pytest.mark.parametrize(
    ("table", "field", "value"),
    [
        ("sample_annotation", "num_lidar_pts", 10**12),
        ("sample_annotation", "num_radar_pts", 2**70),
        ("sample_data", "width", 2**31),
        ("sample_data", "timestamp", 2**64),
        ("sample", "timestamp", -(2**64)),
    ],
)
def test_numbers_beyond_their_column_are_named(
    tables: Tables, tmp_path: Path, table: str, field: str, value: int
) -> None:
    tables[table][0][field] = value
    with pytest.raises(InputError, match=rf"{table}\.json, row 1 .*{field}"):
        open_scenes(write_tables(tables, tmp_path))
