"""Breaks what lies beside the questions of a B4DL benchmark, or the tables they are about; the audit has to say so."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from copy import deepcopy
from dataclasses import replace
from pathlib import Path

import msgspec
import polars as pl
import pytest
from b4dl_audit_making import original_of
from mutating import Original, Row, row_of

from probe4d.benchmarks.b4dl.audit import audit
from probe4d.benchmarks.suite import AuditFinding


@pytest.fixture(scope="module")
def written(simulated: Path, tmp_path_factory: pytest.TempPathFactory) -> Original:
    """Questions in a folder, those dropped that geometry contradicts."""
    (folder,) = simulated.glob("v1.0-*")
    root = tmp_path_factory.mktemp("tables")
    return original_of(folder, root / "data", out=root / "bench", grounded="drop")


Frame = Callable[[pl.DataFrame], pl.DataFrame]


def _read(path: Path) -> pl.DataFrame:
    return pl.read_parquet(path) if path.suffix == ".parquet" else pl.read_ndjson(path)


def _write(table: pl.DataFrame, path: Path) -> None:
    if path.suffix == ".parquet":
        table.write_parquet(path)
    else:
        table.write_ndjson(path)


def found_after(written: Original, name: str, change: Frame, folder: Path) -> list[AuditFinding]:
    """What is found where one of the files has changed."""
    assert written.benchmark.path is not None
    shutil.copytree(written.benchmark.path, folder)
    _write(change(_read(folder / name)), folder / name)
    return audit(replace(written.benchmark, path=folder), written.root)


def _of(where: pl.Expr, **values: pl.Expr) -> Frame:
    """Other values in the first row of some."""

    def change(table: pl.DataFrame) -> pl.DataFrame:
        is_first = pl.int_range(pl.len()) == table.with_row_index().filter(where)["index"][0]
        return table.with_columns(
            pl.when(is_first).then(value).otherwise(pl.col(name)).alias(name) for name, value in values.items()
        )

    return change


def _of_kept(**values: pl.Expr) -> Frame:
    """Of a pair that was supported."""
    return _of(pl.col("verdict") == "supported", **values)


def _first(**values: pl.Expr) -> Frame:
    """Of an object."""
    return _of(pl.col("track").is_not_null(), **values)


CHANGES: dict[str, tuple[str, Frame, str, str]] = {
    "a sequence left out": ("sequences.parquet", lambda table: table[1:], "files", "has no sim-0002/0"),
    "a sequence of other frames": (
        "sequences.parquet",
        lambda table: table.with_columns(frames=pl.col("frames").list.slice(1)),
        "files",
        "of frames",
    ),
    "a pair left out": ("pairs.parquet", lambda table: table.filter(pl.col("number") > 0), "files", "no pair that"),
    "a pair more": ("pairs.parquet", lambda table: pl.concat([table, table[-1:]]), "files", "pairs.parquet holds 121"),
    "another verdict": ("pairs.parquet", _of_kept(verdict=pl.lit("undecided")), "files", "otherwise of verdict"),
    "another claim": ("pairs.parquet", _of_kept(claim=pl.lit("reverses")), "files", "otherwise of claim"),
    "another reason": ("pairs.parquet", _of_kept(why=pl.lit("So it is.")), "files", "otherwise of why"),
    "another measure": ("pairs.parquet", _of_kept(facts=pl.lit("{}")), "files", "what was measured"),
    "another answer": (
        "pairs.parquet",
        _of_kept(answer=pl.when(pl.col("answer") == "Yes.").then(pl.lit("No.")).otherwise(pl.lit("Yes."))),
        "files",
        "otherwise of answer",
    ),
    "a column left out": ("pairs.parquet", lambda table: table.drop("why"), "files", "pairs.parquet cannot be read"),
    "a description left out": (
        "descriptions.jsonl",
        lambda table: table.with_columns(text=pl.when(pl.int_range(pl.len()) > 0).then("text")),
        "files",
        "has 1 without a text",
    ),
    "a phrase of an object elsewhere": (
        "annotations.parquet",
        _first(ego_x_end_m=pl.col("ego_x_end_m") + 0.01),
        "annotations",
        "ego_x_end_m: stored",
    ),
    "a phrase of another distance": (
        "annotations.parquet",
        _first(range_start_m=pl.col("range_start_m") + 0.01),
        "annotations",
        "range_start_m: stored",
    ),
    "a phrase of another box": (
        "annotations.parquet",
        _first(end_box=pl.col("end_box").str.reverse()),
        "annotations",
        "end_box: stored",
    ),
    "a phrase of fewer returns": (
        "annotations.parquet",
        _first(lidar_points=pl.lit(100_000)),
        "annotations",
        "lidar_points: stored",
    ),
    "a phrase of other frames": (
        "annotations.parquet",
        _first(end_frame=pl.col("end_frame") + 1),
        "annotations",
        "does not say frames",
    ),
    "a phrase of a later scene": ("annotations.parquet", _first(end_frame=pl.lit(999)), "annotations", "lie outside"),
    "a phrase of nobody": ("annotations.parquet", _first(track=pl.lit("nobody")), "annotations", "has no box"),
}
"""By what is broken: the file, how it changes, the check that is named, and what it says."""


@pytest.mark.parametrize("name", CHANGES)
def test_a_broken_file_is_named(name: str, written: Original, tmp_path: Path) -> None:
    file, change, rule, told = CHANGES[name]
    findings = found_after(written, file, change, tmp_path / "bench")
    assert {finding.rule for finding in findings} == {rule}
    assert any(told in finding.what for finding in findings), findings


def test_nothing_is_found_in_a_folder_as_it_was_built(written: Original) -> None:
    assert audit(written.benchmark, written.root) == []
    assert any("geometry contradicts" in reason for reason in written.benchmark.record.exclusions)


@pytest.mark.parametrize("name", ["sequences.parquet", "pairs.parquet", "faults.jsonl", "annotations.parquet"])
def test_a_file_that_is_not_there_is_named(name: str, written: Original, tmp_path: Path) -> None:
    assert written.benchmark.path is not None
    shutil.copytree(written.benchmark.path, tmp_path / "bench")
    (tmp_path / "bench" / name).unlink()
    (finding,) = audit(replace(written.benchmark, path=tmp_path / "bench"), written.root)
    assert (finding.question, finding.rule) == ("", "files")
    assert finding.what.startswith(f"{name} cannot be read")


@pytest.mark.parametrize(
    ("reason", "told"),
    [
        ("binary: answers that geometry contradicts", "pairs.parquet holds"),
        ("binary: the answer is not Yes or No alone", "faults.jsonl holds 0 of binary"),
        ("descriptions: no text that can be used", "has 0 without a text"),
    ],
)
def test_a_record_that_miscounts_what_was_left_out_is_named(reason: str, told: str, written: Original) -> None:
    record = written.benchmark.record
    exclusions = {**record.exclusions, reason: record.exclusions.get(reason, 0) + 1}
    miscounting = replace(written.benchmark, record=msgspec.structs.replace(record, exclusions=exclusions))
    (finding,) = audit(miscounting, written.root)
    assert told in finding.what


def _moved(row: Row) -> None:
    row["translation"][0] += 0.5


def _hit_once_more(row: Row) -> None:
    row["num_lidar_pts"] += 1


@pytest.mark.parametrize(("change", "told"), [(_moved, "range_m"), (_hit_once_more, "lidar_points")])
def test_a_changed_box_is_named_by_the_questions_that_rest_on_it(
    change: Callable[[Row], None], told: str, written: Original, tmp_path: Path
) -> None:
    resting = next(question for question in written.questions if "track" in question.facts["measured"])
    token = resting.facts["measured"]["box"]
    tables = deepcopy(written.tables)
    change(row_of(tables, "sample_annotation", token))
    root = written.write_changed(tables, tmp_path / "data")
    about = [each for each in audit(written.benchmark, root) if each.question == resting.id]
    assert any(f"measured.{told}: stored" in finding.what for finding in about)


def test_what_a_dataset_lacks_is_named(written: Original, tmp_path: Path) -> None:
    tables = deepcopy(written.tables)
    gone = tables["scene"].pop()["name"]
    root = written.write_changed(tables, tmp_path / "data")
    found = [finding for finding in audit(written.benchmark, root) if finding.question]
    of_scene = {question.id for question in written.questions if question.scene == gone}
    assert {finding.question for finding in found} == of_scene
    assert {finding.rule for finding in found} == {"source"}
