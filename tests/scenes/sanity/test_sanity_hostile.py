"""Whatever stands in the tables, there are findings or one plain error, never a traceback."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_dataset import VERSION, small_tables, write_dataset

from probe4d.errors import InputError
from probe4d.scenes.sanity import inspect

TABLES = small_tables()
TOKENS = [row["token"] for rows in TABLES.values() for row in rows]

SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.sampled_from([0, -1, 2**63 - 1, -(2**63), 2**63, 10**400]),
    st.floats(),
    st.text(st.characters(codec="utf-8"), max_size=5),
    st.sampled_from(["", "\x00", "\u202e", "../..", "/etc/passwd", "a" * 5000, "samples/\x00.bin", *TOKENS]),
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=6,
)


@pytest.fixture(scope="module")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("hostile") / "dataset"
    write_dataset(TABLES, root)
    return root


@st.composite
def _mutated(draw: st.DrawFn) -> dict[str, list[Any]]:
    tables: dict[str, list[Any]] = small_tables()  # type: ignore[assignment] - rows become anything
    for _ in range(draw(st.integers(1, 3))):
        rows = tables[draw(st.sampled_from(sorted(tables)))]
        number = draw(st.integers(0, max(len(rows) - 1, 0)))
        action = draw(st.sampled_from(["field", "row", "remove", "repeat", "clear"]))
        if not rows or action == "clear":
            rows.clear()
        elif action == "row":
            rows[number] = draw(VALUES)
        elif action == "remove":
            del rows[number]
        elif action == "repeat":
            rows.append(rows[number])
        elif isinstance(rows[number], dict) and rows[number]:
            rows[number][draw(st.sampled_from(sorted(rows[number])))] = draw(VALUES)
    return tables


@settings(max_examples=40)
@given(tables=_mutated())
def test_mutated_values_give_findings(tables: dict[str, list[Any]], dataset: Path) -> None:
    for name, rows in tables.items():
        (dataset / VERSION / f"{name}.json").write_text(json.dumps(rows))
    report = inspect(dataset)
    assert all(finding.count >= 1 for finding in report.findings)


@settings(max_examples=20)
@given(table=st.sampled_from(sorted(TABLES)), data=st.data())
def test_mutated_bytes_give_findings_or_an_error(table: str, data: st.DataObject, dataset: Path) -> None:
    for name, rows in TABLES.items():
        (dataset / VERSION / f"{name}.json").write_text(json.dumps(rows))
    path = dataset / VERSION / f"{table}.json"
    content = path.read_bytes()
    start = data.draw(st.integers(0, len(content)))
    end = data.draw(st.integers(start, len(content)))
    path.write_bytes(content[:start] + data.draw(st.binary(max_size=8)) + content[end:])
    report = inspect(dataset)
    assert report.version == VERSION


def test_a_folder_without_tables_is_one_plain_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="holds no dataset"):
        inspect(tmp_path)
    with pytest.raises(InputError, match="does not exist"):
        inspect(tmp_path / "nowhere")
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="a dataset folder was expected"):
        inspect(tmp_path / "file")


@pytest.mark.parametrize("missing", sorted(TABLES))
def test_any_table_may_be_missing(missing: str, tmp_path: Path) -> None:
    write_dataset(small_tables(), tmp_path)
    (tmp_path / VERSION / f"{missing}.json").unlink()
    report = inspect(tmp_path)
    assert [finding.rule.name.removeprefix("optional-") for finding in report.findings] == ["table-missing"]
    assert report.findings[0].first == (missing,)


@pytest.mark.parametrize("linked", ["samples", "samples/CAM_FRONT"])
def test_folders_of_sensors_may_lie_on_another_disk(tmp_path: Path, linked: str) -> None:
    root, disk = tmp_path / "dataset", tmp_path / "disk"
    write_dataset(small_tables(), root)
    shutil.move(root / linked, disk)
    (root / linked).symlink_to(disk)
    assert inspect(root).findings == ()


def test_deeper_links_are_not_followed(tmp_path: Path) -> None:
    root, elsewhere = tmp_path / "dataset", tmp_path / "elsewhere"
    tables = small_tables()
    for row in tables["sample_data"]:
        row["filename"] = f"deep/{row['filename']}"
    write_dataset(tables, root)
    shutil.move(root / "deep" / "samples" / "CAM_FRONT", elsewhere)
    (root / "deep" / "samples" / "CAM_FRONT").symlink_to(elsewhere)
    (finding,) = inspect(root).findings
    assert (finding.rule.id, finding.count) == ("FIL004", 8)


@pytest.mark.parametrize("name", ["../elsewhere.bin", "samples/../../elsewhere.bin", "{elsewhere}"])
def test_names_that_lead_out_are_not_looked_at(tmp_path: Path, name: str) -> None:
    tables = small_tables()
    tables["sample_data"][0]["filename"] = name.format(elsewhere=tmp_path / "elsewhere.bin")
    write_dataset(tables, tmp_path / "dataset")
    (tmp_path / "elsewhere.bin").write_bytes(bytes(20))
    (finding,) = inspect(tmp_path / "dataset").findings
    assert (finding.rule.id, finding.count) == ("FIL004", 1)


def test_a_link_to_a_file_outside_is_not_followed(tmp_path: Path) -> None:
    root, elsewhere = tmp_path / "dataset", tmp_path / "elsewhere"
    write_dataset(small_tables(), root)
    first, second, *_ = sorted((root / "samples" / "CAM_FRONT").iterdir())
    first.rename(elsewhere)
    first.symlink_to(elsewhere)
    second.unlink()
    second.symlink_to(tmp_path / "nowhere")
    (finding,) = inspect(root).findings
    assert (finding.rule.id, finding.count) == ("FIL004", 2)


def test_files_with_odd_names_are_no_hindrance(tmp_path: Path) -> None:
    write_dataset(small_tables(), tmp_path)
    for name in (b"\xff.jpg", b"\x1b[2J.jpg", "\u00a0.jpg".encode()):
        (tmp_path / "samples" / "CAM_FRONT" / os.fsdecode(name)).write_bytes(b"")
    assert inspect(tmp_path).findings == ()
