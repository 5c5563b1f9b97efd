from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

from probe4d.scenes.sanity.reading import BadRow, read_table
from probe4d.scenes.sanity.rows import EgoPose, Sensor

GOOD = {"token": "a", "channel": "LIDAR_TOP", "modality": "lidar"}


def test_rows_of_the_wrong_shape_are_set_aside_by_themselves(tmp_path: Path) -> None:
    path = tmp_path / "sensor.json"
    path.write_text(json.dumps([GOOD, {"token": "b", "channel": 7, "modality": "lidar"}, 3, {**GOOD, "token": "c"}]))
    table = read_table(path, Sensor)
    assert table.frame is not None
    assert table.frame["token"].to_list() == ["a", "c"]
    assert [(row.number, row.token) for row in table.bad] == [(2, "b"), (3, None)]
    assert "channel" in table.bad[0].why


def test_a_row_number_counts_on_over_blocks(tmp_path: Path) -> None:
    path = tmp_path / "sensor.json"
    path.write_text(json.dumps([{**GOOD, "token": f"{k:060000}"} for k in range(200)] + [None]))
    assert read_table(path, Sensor).bad == [BadRow(201, None, "Expected `object`, got `null`")]


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "null"])
def test_what_is_no_number_is_read_as_such(number: str, tmp_path: Path) -> None:
    path = tmp_path / "ego_pose.json"
    path.write_text(f'[{{"token": "a", "timestamp": 1, "translation": [{number}, 0, 1], "rotation": [1, 0, 0, 0]}}]')
    table = read_table(path, EgoPose)
    assert table.frame is not None
    assert not math.isfinite(table.frame["x"][0])
    assert table.frame["z"][0] == 1


@pytest.mark.parametrize(
    "text",
    ["", "[", "{}", "null", "[]]", "[1,", '[{"token": "a"', "[" * 100_000, '[{"a": "\ud800"}]', "[1e999]", "\x00"],
)
def test_what_is_no_table_is_a_fault_and_no_traceback(text: str, tmp_path: Path) -> None:
    path = tmp_path / "sensor.json"
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    table = read_table(path, Sensor)
    assert table.frame is None or table.bad
    assert table.bad or table.fault.startswith(f"{path}: ")


def test_a_folder_in_place_of_a_table_is_a_fault(tmp_path: Path) -> None:
    assert read_table(tmp_path, Sensor).fault


def test_an_empty_table_has_its_columns(tmp_path: Path) -> None:
    (tmp_path / "ego_pose.json").write_text("[]")
    frame = read_table(tmp_path / "ego_pose.json", EgoPose).frame
    assert frame is not None
    assert frame.columns == ["token", "timestamp", "x", "y", "z", "qw", "qx", "qy", "qz"]
