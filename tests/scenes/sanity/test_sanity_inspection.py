"""The inspection as a whole: on real and simulated data, and what it leaves out and says so."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from small_dataset import VERSION, small_tables, write_dataset

from probe4d.errors import InputError
from probe4d.scenes.sanity import Inspection, Severity, inspect


def _ids(report: Inspection) -> set[str]:
    return {finding.rule.id for finding in report.findings}


@pytest.mark.real_data
def test_nuscenes_mini_has_no_errors(real_data: Callable[[str], Path]) -> None:
    report = inspect(real_data("nuscenes_mini"))
    assert report.count(Severity.ERROR) == 0
    assert report.unchecked == ()
    counts = {finding.rule.name: finding.count for finding in report.findings}
    assert counts["visibility-missing"] == 18_532
    assert counts["file-missing"] == 4_848 - 7  # the files of one key frame are there, but for its radars
    assert counts["track-count-wrong"] == 2  # six of the 18,538 published boxes are not in this copy
    assert report.summary.scenes == 10
    assert report.summary.keyframes == 404
    assert report.summary.tracks == 911
    assert report.summary.boxes == 18_532
    assert report.summary.splits == {"mini_train": 8, "mini_val": 2}
    assert report.summary.boxes_by_class is not None
    assert report.summary.boxes_by_class["car"] == 7_619
    assert report.reference_channel == "LIDAR_TOP"


@pytest.mark.real_data
def test_another_vehicle_has_only_an_unknown_category(real_data: Callable[[str], Path]) -> None:
    report = inspect(real_data("kitti_0001_nuscenes_format"))
    assert [(finding.rule.name, finding.first) for finding in report.findings] == [
        ("category-unknown", ("vehicle.train",))
    ]
    assert report.reference_channel == "LIDAR_ROOF"
    assert report.summary.splits == {None: 1}
    assert report.summary.boxes_of_no_class == 22


def test_simulated_scenes_have_no_errors(simulated: Path) -> None:
    report = inspect(simulated)
    assert [finding.rule.id for finding in report.findings if finding.rule.severity is Severity.ERROR] == []
    assert report.unchecked == ()


def test_an_excluded_rule_is_not_asked(tmp_path: Path) -> None:
    tables = small_tables()
    tables["visibility"][0]["level"] = "clear"
    write_dataset(tables, tmp_path)
    assert _ids(inspect(tmp_path)) == {"ANN002"}
    for name in ("ANN002", "visibility-level-unknown"):
        report = inspect(tmp_path, exclude=[name])
        assert report.findings == ()
        assert report.excluded == ("ANN002",)
    with pytest.raises(InputError, match="no sanity rule 'ANN2'"):
        inspect(tmp_path, exclude=["ANN2"])


def test_rules_that_lack_their_tables_are_listed(tmp_path: Path) -> None:
    write_dataset(small_tables(), tmp_path)
    (tmp_path / VERSION / "sample.json").unlink()
    report = inspect(tmp_path)
    assert _ids(report) == {"TAB001"}
    unchecked = {unchecked.rule.id: unchecked.reason for unchecked in report.unchecked}
    assert unchecked["CHN001"] == "sample is missing or unreadable"
    assert report.summary.keyframes is None
    assert report.summary.scenes == 2


def test_a_malformed_row_keeps_rules_about_what_is_absent_from_being_asked(tmp_path: Path) -> None:
    tables = small_tables()
    del tables["sample"][1]["scene_token"]
    write_dataset(tables, tmp_path)
    report = inspect(tmp_path)
    assert _ids(report) == {"TAB004"}
    assert report.findings[0].first[0].startswith("sample row 2 (sample-a1): ")
    assert "CNT001" in {unchecked.rule.id for unchecked in report.unchecked}


def test_an_error_in_one_scene_does_not_hide_one_in_another(tmp_path: Path) -> None:
    tables = small_tables()
    by_token = {row["token"]: row for row in tables["sample"]}
    by_token["sample-a1"]["next"] = "nowhere"
    by_token["sample-b2"]["prev"] = ""
    write_dataset(tables, tmp_path)
    assert _ids(inspect(tmp_path)) == {"REF006", "CHN001"}


def test_the_reference_channel_can_be_named(tmp_path: Path) -> None:
    tables = small_tables()
    write_dataset(tables, tmp_path)
    assert inspect(tmp_path, reference_channel="LIDAR_TOP").findings == ()
    report = inspect(tmp_path, reference_channel="LIDAR_SIDE")
    assert [(finding.rule.id, finding.first) for finding in report.findings] == [("SEN002", ("LIDAR_SIDE",))]


def test_cameras_alone_have_a_camera_for_reference(tmp_path: Path) -> None:
    tables = small_tables()
    lost = {row["token"] for row in tables["sample_data"] if "LIDAR_TOP" in row["token"]}
    tables["sample_data"] = [row for row in tables["sample_data"] if row["token"] not in lost]
    for name in ("sensor", "calibrated_sensor"):
        tables[name] = [row for row in tables[name] if "LIDAR_TOP" not in row["token"]]
    write_dataset(tables, tmp_path)
    report = inspect(tmp_path)
    assert report.reference_channel == "CAM_FRONT"
    assert not report.count(Severity.ERROR)
    assert _ids(inspect(tmp_path, reference_channel="LIDAR_TOP")) >= {"SEN002"}
    tables["sensor"][0]["channel"] = "ELSEWHERE"
    tables["sensor"].append({"token": "sensor-spare", "channel": "SOMEWHERE", "modality": "camera"})
    write_dataset(tables, tmp_path / "unclear")
    assert _ids(inspect(tmp_path / "unclear")) >= {"SEN009"}


def test_findings_do_not_depend_on_the_order_of_rows(tmp_path: Path) -> None:
    tables = small_tables()
    for box in tables["sample_annotation"][2:12]:
        box |= {"num_lidar_pts": 0, "size": [0, 1, 1]}
    write_dataset(tables, tmp_path / "a")
    write_dataset({name: rows[::-1] for name, rows in tables.items()}, tmp_path / "b")
    findings = [inspect(tmp_path / name).findings for name in ("a", "b")]
    assert findings[0] == findings[1]
    assert [finding.count for finding in findings[0]] == [10, 10]


def test_progress_is_told_of_every_table(tmp_path: Path) -> None:
    write_dataset(small_tables(), tmp_path)
    told: list[str] = []
    inspect(tmp_path, done=told.append)
    assert sorted(told) == sorted(small_tables())


def test_a_dataset_without_annotations_is_sound(tmp_path: Path) -> None:
    tables = small_tables()
    tables["instance"].clear()
    tables["sample_annotation"].clear()
    write_dataset(tables, tmp_path)
    report = inspect(tmp_path)
    assert report.findings == ()
    assert report.summary.boxes == 0
