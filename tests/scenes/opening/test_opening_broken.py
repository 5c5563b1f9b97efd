"""Opening a broken dataset: what is left out and counted, and what ends in one sentence."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from tables_on_disk import FRAMES, Tables, small_tables, write_tables

from probe4d.errors import InputError
from probe4d.scenes.opening import open_scenes


def test_empty_tables(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"scene\.json: has no scenes"):
        open_scenes(write_tables(small_tables(scenes=0), tmp_path / "scenes"))
    with pytest.raises(InputError, match=r"sensor\.json: lists no LiDAR"):
        open_scenes(write_tables(small_tables() | {"sensor": []}, tmp_path / "sensors"))


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
