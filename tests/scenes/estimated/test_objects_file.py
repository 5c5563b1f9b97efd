"""The file of estimated objects: what is written is read, and nothing else is."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

from camera_scenes import camera_scenes, detections, standing
from probe4d.errors import InputError
from probe4d.scenes.estimated.estimating import EstimatedObjects, estimate_objects
from probe4d.scenes.estimated.objects_file import read_objects, read_objects_record, write_objects
from probe4d.scenes.tables import Scenes


@pytest.fixture(scope="module")
def scenes(tmp_path_factory: pytest.TempPathFactory) -> Scenes:
    return camera_scenes(tmp_path_factory.mktemp("scenes"), {"a": 3, "b": 3})


@pytest.fixture(scope="module")
def found(scenes: Scenes) -> EstimatedObjects:
    rows = [standing(20 - frame, 1) | {"frame": frame, "scene": scene} for scene in "ab" for frame in range(3)]
    return estimate_objects(scenes, detections(*rows, standing(30, 5) | {"confidence": 0.2}), detector="made")


def test_what_is_written_is_read(scenes: Scenes, found: EstimatedObjects, tmp_path: Path) -> None:
    path = tmp_path / "new" / "objects.parquet"
    write_objects(found, path)
    assert read_objects(path, scenes).equals(found.objects)
    record = read_objects_record(path)
    assert record == found.record
    assert (record.detector, record.channel, record.detections, record.objects) == ("made", "CAM_FRONT", 7, 6)
    assert record.dropped == {"confidence below 0.5": 1}
    held = json.loads(pl.read_parquet_metadata(path)["estimated_objects"])
    assert held["dropped"] == {"confidence below 0.5": 1}
    assert [entry.name for entry in path.parent.iterdir()] == ["objects.parquet"]


def test_some_scenes_have_their_objects_alone(scenes: Scenes, found: EstimatedObjects, tmp_path: Path) -> None:
    write_objects(found, tmp_path / "objects.parquet")
    assert set(read_objects(tmp_path / "objects.parquet", scenes.select(["b"]))["scene"]) == {"b"}


def test_objects_of_another_dataset_are_refused(scenes: Scenes, found: EstimatedObjects, tmp_path: Path) -> None:
    write_objects(found, tmp_path / "objects.parquet")
    with pytest.raises(InputError, match="holds objects of another dataset than"):
        read_objects(tmp_path / "objects.parquet", replace(scenes, fingerprint="1" * 64))


def write_with(objects: pl.DataFrame, path: Path, metadata: dict[str, str] | None) -> Path:
    objects.write_parquet(path, metadata=metadata)
    return path


@pytest.mark.parametrize(
    ("record", "said"),
    [
        (None, "is no file of estimated objects: it has no record of them"),
        ("{", "has no sound record of its objects"),
        ('{"dataset": 1}', "has no sound record of its objects"),
        ("later", "was written by another version of Probe4D"),
    ],
)
def test_other_records_are_refused(
    scenes: Scenes, found: EstimatedObjects, tmp_path: Path, record: str | None, said: str
) -> None:
    path = tmp_path / "objects.parquet"
    write_objects(found, path)
    (kept,) = (value for key, value in pl.read_parquet_metadata(path).items() if key == "estimated_objects")
    text = kept.replace('"version":1', '"version":2') if record == "later" else record
    write_with(found.objects, path, None if text is None else {"estimated_objects": text})
    with pytest.raises(InputError, match=said):
        read_objects(path, scenes)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        (lambda table: table.drop("distance_m"), "the column 'distance_m' is missing"),
        (lambda table: table.cast({"frame": pl.Float64}), "the column 'frame' is of type Float64, not Int32"),
    ],
)
def test_other_columns_are_refused(scenes: Scenes, found: EstimatedObjects, tmp_path: Path, changed, said: str) -> None:
    path = tmp_path / "objects.parquet"
    write_objects(found, path)
    metadata = {key: value for key, value in pl.read_parquet_metadata(path).items() if key == "estimated_objects"}
    write_with(changed(found.objects), path, metadata)
    with pytest.raises(InputError, match=said):
        read_objects(path, scenes)


@pytest.mark.parametrize("content", [b"", b"scene,frame\n", b"PAR1 and no more"])
def test_what_is_no_parquet_file_is_refused(scenes: Scenes, tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "objects.parquet"
    path.write_bytes(content)
    with pytest.raises(InputError, match=r"objects\.parquet: is no readable parquet file"):
        read_objects(path, scenes)


def test_a_file_that_is_not_there_is_told_as_such(scenes: Scenes, tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "nope.parquet"):
        with pytest.raises(InputError, match=r"there is no such file of objects\. Give the one that `probe4d detect`"):
            read_objects(path, scenes)
