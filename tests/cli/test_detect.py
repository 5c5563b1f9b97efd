"""`probe4d detect` as people call it."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest
from in_process import called

from probe4d import detect_objects
from probe4d.errors import InputError
from probe4d.scenes.estimated.objects_file import read_objects, read_objects_record
from probe4d.scenes.opening import open_scenes
from sam3_making import write_tiny_sam3

Command = Callable[..., subprocess.CompletedProcess[str]]
pytestmark = pytest.mark.real_data
ONE_OF_TWO = "(detections=, --detections FILE) or a model (model=, --model sam3:FOLDER)"
HEADER = "scene,frame,category,left_px,top_px,right_px,bottom_px,confidence"


@pytest.fixture(scope="module")
def kitti(real_data: Callable[[str], Path]) -> Path:
    return real_data("kitti_0001_nuscenes_format")


@pytest.fixture(scope="module")
def sam3(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_tiny_sam3(tmp_path_factory.mktemp("sam3"))


def test_from_images_to_objects(kitti: Path, sam3: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "objects.parquet"
    told = ("detect", kitti, "-m", f"sam3:{sam3}", "--device", "cpu", "--batch", 4, "--out", path)
    called(*told, "--min-confidence", 0.3, "--min-mask-quality", 0)
    printed = capsys.readouterr()
    assert printed.out.startswith(f"{path}: ")
    assert "Looking at images: 22 of 22\n" in printed.err
    assert "× overlaps a surer box by 0.7 or more" in printed.err
    journal = (tmp_path / "objects.detections" / "detections.jsonl").read_bytes()
    assert journal.count(b"\n") == 22
    assert read_objects(path, open_scenes(kitti)).height
    record = read_objects_record(path)
    assert record.detector.startswith("sam3 ")
    assert record.detections == record.objects + sum(record.dropped.values())
    called(*told, "--min-confidence", 1)  # asks nothing again
    assert (tmp_path / "objects.detections" / "detections.jsonl").read_bytes() == journal
    assert read_objects_record(path).objects == 0
    assert "0 objects in 0 tracks" in capsys.readouterr().out


def test_from_a_file_to_objects(kitti: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [f"scene-kitti-0001,{frame},pedestrian,100,20,130,{40 + frame},0.9" for frame in range(3)]
    rows += ["scene-kitti-0001,1,car,180,60,230,100,0.9", "scene-kitti-0001,2,bus,10,50,60,100,0.3"]
    (tmp_path / "found.csv").write_text("\n".join([HEADER, *rows]) + "\n")
    called("detect", kitti, "--detections", tmp_path / "found.csv", "--out", tmp_path / "objects.parquet")
    printed = capsys.readouterr()
    path = tmp_path / "objects.parquet"
    assert printed.out == f"{path}: 4 objects in 2 tracks, estimated from 5 detections of CAM_FRONT\n"
    assert printed.err.splitlines() == [
        "1 × confidence below 0.5",
        "3 objects without a distance: their rays do not meet the ground ahead.",
    ]
    objects = read_objects(path, open_scenes(kitti))
    assert objects.filter(pl.col("label") == "pedestrian")["track"].n_unique() == 1
    assert read_objects_record(path).detector == "found.csv"
    detect_objects(open_scenes(kitti), tmp_path / "same.parquet", detections=tmp_path / "found.csv")
    assert (tmp_path / "same.parquet").read_bytes() == path.read_bytes()


def test_a_file_may_hold_more_scenes_than_are_asked_for(
    kitti: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Those that are not asked for are no mistakes, and those that there are not still are."""
    path = tmp_path / "found.csv"
    path.write_text(f"{HEADER}\nscene-kitti-0001,0,car,100,50,200,90,0.9\n")
    told = ("detect", kitti, "--detections", path, "--out", tmp_path / "objects.parquet")
    called(*told, "--scene", "scene-kitti-0001")
    assert "1 object in 1 track, estimated from 1 detection of CAM_FRONT" in capsys.readouterr().out
    with path.open("a") as file:
        file.write("elsewhere,0,car,100,50,200,90,0.9\n")
    with pytest.raises(InputError, match="line 3: is of the scene elsewhere"):
        called(*told, "--scene", "scene-kitti-0001")


def test_bad_rows_are_told_in_one_line(here: Command, kitti: Path, tmp_path: Path) -> None:
    path = tmp_path / "found.csv"
    path.write_text(f"{HEADER}\nscene-kitti-0001,0,car,100,50,200,90,0.9\nscene-kitti-0001,1,car,200,50,100,90,0.9\n")
    done = here("detect", kitti, "--detections", path, "--out", tmp_path / "objects.parquet")
    assert done.returncode == 2
    assert done.stderr == (
        f"probe4d: {path}, line 3: has a box (200.0, 50.0, 100.0, 90.0) whose right lower corner is not right of and "
        "below its left upper one. Mend the detections, or leave that row out.\n"
    )
    assert not (tmp_path / "objects.parquet").exists()


@pytest.mark.parametrize(
    ("told", "said"),
    [
        ((), ONE_OF_TWO),
        (
            ("--detections", "found.csv", "--out", "objects.csv"),
            "objects.csv: the file of objects must end in .parquet",
        ),
        (
            ("--detections", "found.csv", "--model", "sam3:x"),
            ONE_OF_TWO,
        ),
        (("--model", "yolo"), "there is no detector 'yolo'"),
        (("--model", "sam3:nowhere"), "nowhere: is no folder of a SAM 3 checkpoint"),
        (("--detections", "nowhere.csv"), "nowhere.csv: there is no such file of detections"),
        (("--model", "sam3:nowhere", "--channel", "CAM_TOP"), "has no camera CAM_TOP"),
        (("--model", "sam3:nowhere", "--scene", "nowhere"), "has no scene 'nowhere'"),
        (("--model", "sam3:nowhere", "--min-confidence", 2), "the least confidence must be within 0 and 1, not 2"),
        (("--model", "sam3:nowhere", "--most-objects", 0), "at least one object an image must be kept"),
    ],
)
def test_bad_arguments_are_refused(kitti: Path, tmp_path: Path, told: tuple[object, ...], said: str) -> None:
    with pytest.raises(InputError) as caught:
        called("detect", kitti, "--out", tmp_path / "objects.parquet", *told)
    assert said in str(caught.value)
    assert not any(tmp_path.iterdir())
