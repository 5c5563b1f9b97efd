"""One fault a sanity rule: how to break the small dataset so that this rule, and no other, speaks."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from small_dataset import INTERVAL_US, VERSION, Tables

from probe4d.scenes.sanity.rows import REFERENCES, TABLES

InTables = Callable[[Tables], object]
OnDisk = Callable[[Path], object]

IN_TABLES: dict[str, InTables] = {}
"""Faults made in the tables before they are written, by rule id."""

ON_DISK: dict[str, OnDisk] = {}
"""Faults made in the folder afterwards, by rule id."""


def in_tables(id: str) -> Callable[[InTables], InTables]:
    def decorate(fault: InTables) -> InTables:
        IN_TABLES[id] = fault
        return fault

    return decorate


def on_disk(id: str) -> Callable[[OnDisk], OnDisk]:
    def decorate(fault: OnDisk) -> OnDisk:
        ON_DISK[id] = fault
        return fault

    return decorate


def row(tables: Tables, token: str) -> dict[str, Any]:
    return next(row for rows in tables.values() for row in rows if row["token"] == token)


def set_field(token: str, field: str, value: object, tables: Tables) -> None:
    row(tables, token)[field] = value


def set_entry(token: str, field: str, place: int, value: object, tables: Tables) -> None:
    row(tables, token)[field][place] = value


def link(tables: Tables, *tokens: str) -> None:
    """Chain rows in this order, open at both ends."""
    ends = ["", *tokens, ""]
    for token, prev, after in zip(tokens, ends, ends[2:], strict=False):
        row(tables, token).update(prev=prev, next=after)


# Tables and rows

ON_DISK["TAB001"] = lambda root: (root / VERSION / "ego_pose.json").unlink()
ON_DISK["TAB002"] = lambda root: (root / VERSION / "log.json").unlink()


@on_disk("TAB003")
def _truncated(root: Path) -> None:
    path = root / VERSION / "sample_annotation.json"
    path.write_bytes(path.read_bytes()[:-300])


IN_TABLES["TAB004"] = partial(set_field, "sample-a1", "timestamp", "noon")


@in_tables("TAB005")
def _no_scenes(tables: Tables) -> None:
    for name in ("scene", "sample", "sample_data", "ego_pose", "calibrated_sensor", "instance", "sample_annotation"):
        tables[name].clear()


def _repeat(table: str, tables: Tables) -> None:
    tables[table].append(dict(tables[table][0]))


for _number, _table in enumerate(TABLES, start=1):
    IN_TABLES[f"DUP{_number:03}"] = partial(_repeat, _table)


def _dangle(table: str, column: str, tables: Tables) -> None:
    value = tables[table][1 if len(tables[table]) > 1 else 0][column]
    tables[table][1 if len(tables[table]) > 1 else 0][column] = (
        [*value, "nowhere"] if isinstance(value, list) else "nowhere"
    )


for _number, _reference in enumerate(REFERENCES, start=1):
    IN_TABLES[f"REF{_number:03}"] = partial(_dangle, _reference.table, _reference.column)

# Scenes


@in_tables("SCN001")
def _scene_without_keyframes(tables: Tables) -> None:
    empty = {
        "token": "scene-c",
        "name": "street c",
        "nbr_samples": 0,
        "first_sample_token": "",
        "last_sample_token": "",
    }
    tables["scene"].append({**tables["scene"][0], **empty})


IN_TABLES["SCN002"] = partial(set_field, "scene-b", "name", "street a")


@in_tables("SCN003")
def _scenes_overlap(tables: Tables) -> None:
    for table in ("sample", "sample_data", "ego_pose"):
        for entry in tables[table]:
            if "-b" in entry["token"]:
                entry["timestamp"] -= 60_000_000 - INTERVAL_US


ON_DISK["SCN004"] = lambda root: (root / VERSION).rename(root / "v1.0-mini")

# Chains and counts


@in_tables("CHN001")
def _keyframe_one_sided(tables: Tables) -> None:
    row(tables, "sample-a2")["prev"] = ""


@in_tables("CHN002")
def _keyframe_crosses(tables: Tables) -> None:
    row(tables, "sample-a3")["next"] = "sample-b0"
    row(tables, "sample-b0")["prev"] = "sample-a3"


def _close(first: str, last: str, tables: Tables) -> None:
    row(tables, last)["next"] = first
    row(tables, first)["prev"] = last


def _cut(before: str, after: str, tables: Tables) -> None:
    row(tables, before)["next"] = ""
    row(tables, after)["prev"] = ""


IN_TABLES["CHN003"] = partial(_close, "sample-a0", "sample-a3")
IN_TABLES["CHN004"] = partial(_cut, "sample-a1", "sample-a2")
IN_TABLES["CHN005"] = partial(set_field, "scene-a", "first_sample_token", "sample-a1")
IN_TABLES["CHN006"] = partial(set_field, "scene-a", "last_sample_token", "sample-a2")
IN_TABLES["CHN011"] = partial(set_field, "box-a-car-1", "next", "box-a-car-3")
IN_TABLES["CHN012"] = partial(_close, "box-a-dog-0", "box-a-car-3")
IN_TABLES["CHN013"] = partial(_close, "box-a-car-0", "box-a-car-3")
IN_TABLES["CHN014"] = partial(_cut, "box-a-car-1", "box-a-car-2")
IN_TABLES["CHN015"] = partial(set_field, "instance-a-car", "first_annotation_token", "box-a-dog-0")
IN_TABLES["CHN016"] = partial(set_field, "instance-a-car", "last_annotation_token", "")
IN_TABLES["CHN021"] = partial(set_field, "reading-a-LIDAR_TOP-1", "prev", "")
IN_TABLES["CHN022"] = partial(_close, "reading-b-LIDAR_TOP-0", "reading-a-LIDAR_TOP-3")
IN_TABLES["CHN023"] = partial(_close, "reading-a-LIDAR_TOP-0", "reading-a-LIDAR_TOP-3")
IN_TABLES["CHN024"] = partial(_cut, "reading-a-CAM_FRONT-1", "reading-a-CAM_FRONT-2")
IN_TABLES["CNT001"] = partial(set_field, "scene-a", "nbr_samples", 5)
IN_TABLES["CNT002"] = partial(set_field, "instance-a-car", "nbr_annotations", 3)


@in_tables("CNT003")
def _track_without_boxes(tables: Tables) -> None:
    empty = {"token": "instance-c", "nbr_annotations": 0, "first_annotation_token": "", "last_annotation_token": ""}
    tables["instance"].append({**tables["instance"][0], **empty})


# Times


@in_tables("TIM001")
def _keyframes_unordered(tables: Tables) -> None:
    link(tables, "sample-a0", "sample-a2", "sample-a1", "sample-a3")


def _shift(frame: str, by_us: int, tables: Tables) -> None:
    """Move a key frame, its readings and their poses in time."""
    row(tables, f"sample-{frame}")["timestamp"] += by_us
    for reading in tables["sample_data"]:
        if reading["sample_token"] == f"sample-{frame}" and reading["is_key_frame"]:
            reading["timestamp"] += by_us
            row(tables, reading["ego_pose_token"])["timestamp"] += by_us


IN_TABLES["TIM002"] = partial(_shift, "a2", -INTERVAL_US)
IN_TABLES["TIM003"] = partial(_shift, "a3", 600_000)


@in_tables("TIM004")
def _reading_far(tables: Tables) -> None:
    row(tables, "reading-a-CAM_FRONT-1")["timestamp"] += 150_000
    row(tables, "pose-reading-a-CAM_FRONT-1")["timestamp"] += 150_000


@in_tables("TIM005")
def _pose_time_differs(tables: Tables) -> None:
    row(tables, "pose-reading-a-CAM_FRONT-1")["timestamp"] += 20_000


@in_tables("TIM006")
def _readings_unordered(tables: Tables) -> None:
    link(tables, *(f"reading-a-CAM_FRONT-{k}" for k in (0, 2, 1, 3)))


@in_tables("TIM007")
def _milliseconds(tables: Tables) -> None:
    for table in ("sample", "sample_data", "ego_pose"):
        for entry in tables[table]:
            entry["timestamp"] //= 1000


# Numbers

for _base, _token in enumerate(("pose-reading-a-CAM_FRONT-1", "calibration-a-LIDAR_TOP", "box-a-car-1")):
    IN_TABLES[f"VAL{10 * _base + 1:03}"] = partial(set_entry, _token, "translation", 0, float("nan"))
    IN_TABLES[f"VAL{10 * _base + 2:03}"] = partial(set_field, _token, "rotation", [0, 0, 0, 0])
    IN_TABLES[f"VAL{10 * _base + 3:03}"] = partial(set_field, _token, "rotation", [0.5, 0, 0, 0.5])

IN_TABLES["EGO001"] = partial(set_entry, "pose-reading-a-LIDAR_TOP-3", "translation", 1, 100.0)


@in_tables("BOX001")
def _flat_box(tables: Tables) -> None:
    row(tables, "box-a-car-1")["size"][2] = 0.0


def _track_size(tables: Tables, size: list[float]) -> None:
    for k in range(4):
        row(tables, f"box-a-car-{k}")["size"] = size


IN_TABLES["BOX002"] = partial(_track_size, size=[1900.0, 4500.0, 1700.0])


@in_tables("BOX003")
def _far_track(tables: Tables) -> None:
    for k in range(4):
        row(tables, f"box-a-car-{k}")["translation"][0] += 1000.0


IN_TABLES["BOX004"] = partial(set_field, "box-a-car-1", "num_lidar_pts", -1)

# Tracks


@in_tables("TRK001")
def _track_gap(tables: Tables) -> None:
    tables["sample_annotation"].remove(row(tables, "box-a-car-1"))
    link(tables, "box-a-car-0", "box-a-car-2", "box-a-car-3")
    row(tables, "instance-a-car")["nbr_annotations"] = 3


@in_tables("TRK002")
def _track_twice(tables: Tables) -> None:
    tables["sample_annotation"].append({**row(tables, "box-a-car-3"), "token": "box-a-car-4", "prev": "box-a-car-3"})
    row(tables, "box-a-car-3")["next"] = "box-a-car-4"
    row(tables, "instance-a-car").update(nbr_annotations=5, last_annotation_token="box-a-car-4")


@in_tables("TRK003")
def _track_in_two_scenes(tables: Tables) -> None:
    for k in range(4):
        row(tables, f"box-b-car-{k}")["instance_token"] = "instance-a-car"
    tables["instance"].remove(row(tables, "instance-b-car"))
    _close("box-b-car-0", "box-a-car-3", tables)
    row(tables, "instance-a-car").update(nbr_annotations=8, last_annotation_token="box-b-car-3")


@in_tables("TRK004")
def _track_unordered(tables: Tables) -> None:
    link(tables, *(f"box-a-car-{k}" for k in (0, 2, 1, 3)))


IN_TABLES["TRK005"] = partial(set_entry, "box-a-car-3", "translation", 1, 60.0)
IN_TABLES["TRK006"] = partial(set_field, "box-a-car-3", "size", [4.5, 1.9, 1.7])


@in_tables("TRK007")
def _annotated_twice(tables: Tables) -> None:
    row(tables, "instance-a-dog")["category_token"] = "category-0"


# Annotations

IN_TABLES["ANN001"] = partial(set_field, "box-a-car-1", "visibility_token", "")
IN_TABLES["ANN002"] = partial(set_field, "4", "level", "clear")
IN_TABLES["ANN003"] = partial(set_field, "category-1", "name", "vehicle.train")
IN_TABLES["ANN004"] = partial(set_field, "attribute-0", "name", "vehicle.flying")
IN_TABLES["ANN005"] = partial(set_field, "box-a-car-1", "num_lidar_pts", 0)


@in_tables("ANN006")
def _points_not_counted(tables: Tables) -> None:
    del row(tables, "box-a-car-1")["num_lidar_pts"]


@in_tables("ANN007")
def _keyframe_without_boxes(tables: Tables) -> None:
    for track in ("car", "dog"):
        tables["sample_annotation"].remove(row(tables, f"box-a-{track}-3"))
        row(tables, f"box-a-{track}-2")["next"] = ""
        row(tables, f"instance-a-{track}").update(nbr_annotations=3, last_annotation_token=f"box-a-{track}-2")


# Sensors and cameras

IN_TABLES["SEN001"] = partial(set_field, "calibration-a-LIDAR_TOP", "translation", [940.0, 0.0, 1840.0])


@in_tables("SEN002")
def _no_lidar(tables: Tables) -> None:
    row(tables, "sensor-LIDAR_TOP")["modality"] = "radar"


def _remove_reading(channel: str, tables: Tables) -> None:
    tables["sample_data"].remove(row(tables, f"reading-a-{channel}-3"))
    row(tables, f"reading-a-{channel}-2")["next"] = ""


IN_TABLES["SEN003"] = partial(_remove_reading, "LIDAR_TOP")
IN_TABLES["SEN004"] = partial(_remove_reading, "CAM_FRONT")


@in_tables("SEN005")
def _reading_twice(tables: Tables) -> None:
    row(tables, "reading-a-LIDAR_TOP-0.5")["is_key_frame"] = True
    for token in ("reading-a-LIDAR_TOP-0.5", "pose-reading-a-LIDAR_TOP-0.5"):
        row(tables, token)["timestamp"] = row(tables, "sample-a1")["timestamp"] - 50_000


IN_TABLES["SEN006"] = partial(set_field, "sensor-CAM_FRONT", "modality", "sonar")


@in_tables("SEN007")
def _channel_twice(tables: Tables) -> None:
    tables["sensor"].append({"token": "sensor-spare", "channel": "CAM_FRONT", "modality": "camera"})


@in_tables("SEN008")
def _calibration_changes(tables: Tables) -> None:
    tables["calibrated_sensor"].append({**row(tables, "calibration-a-CAM_FRONT"), "token": "calibration-again"})
    row(tables, "reading-a-CAM_FRONT-2")["calibrated_sensor_token"] = "calibration-again"


@in_tables("SEN009")
def _several_lidars(tables: Tables) -> None:
    row(tables, "sensor-LIDAR_TOP")["channel"] = "LIDAR_LEFT"
    tables["sensor"].append({"token": "sensor-spare", "channel": "LIDAR_RIGHT", "modality": "lidar"})


IN_TABLES["CAM001"] = partial(set_field, "calibration-a-CAM_FRONT", "camera_intrinsic", [])
IN_TABLES["CAM002"] = partial(set_field, "calibration-a-CAM_FRONT", "camera_intrinsic", [[1000.0, 0.0], [0.0, 1000.0]])
IN_TABLES["CAM003"] = partial(
    set_field, "calibration-a-CAM_FRONT", "camera_intrinsic", [[-1000.0, 0, 800], [0, 1000, 450], [0, 0, 1]]
)
IN_TABLES["CAM004"] = partial(set_field, "reading-a-CAM_FRONT-1", "height", 0)
IN_TABLES["CAM005"] = partial(
    set_field, "calibration-a-CAM_FRONT", "camera_intrinsic", [[1000, 0, 2800], [0, 1000, 450], [0, 0, 1]]
)

# Files


def _files(root: Path, pattern: str) -> list[Path]:
    return sorted(root.glob(pattern))


ON_DISK["FIL001"] = lambda root: _files(root, "samples/CAM_FRONT/*")[0].unlink()
ON_DISK["FIL002"] = lambda root: _files(root, "sweeps/LIDAR_TOP/*")[0].unlink()


@on_disk("FIL003")
def _wrong_case(root: Path) -> None:
    path = _files(root, "samples/CAM_FRONT/*.jpg")[0]
    path.rename(path.with_suffix(".JPG"))


IN_TABLES["FIL004"] = partial(set_field, "reading-a-CAM_FRONT-1", "filename", "../escaped.jpg")
ON_DISK["FIL005"] = lambda root: _files(root, "samples/LIDAR_TOP/*")[0].write_bytes(b"")
ON_DISK["FIL006"] = lambda root: _files(root, "samples/LIDAR_TOP/*")[0].write_bytes(bytes(39))


@in_tables("FIL007")
def _file_used_twice(tables: Tables) -> None:
    row(tables, "reading-a-CAM_FRONT-1")["filename"] = row(tables, "reading-a-CAM_FRONT-2")["filename"]


ON_DISK["FIL008"] = lambda root: (root / "maps" / "map.png").unlink()
