"""Detections of any tool: three kinds of files, one table; every row that cannot be right is named."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest

from camera_scenes import HEIGHT_PX, WIDTH_PX, camera_scenes
from probe4d.errors import InputError
from probe4d.exchange.detections import read_detections
from probe4d.scenes.estimated.road_users import ROAD_USERS, road_user
from probe4d.scenes.estimated.schema import DETECTIONS_SCHEMA
from probe4d.scenes.tables import Scenes

BOX = {"left_px": 100.0, "top_px": 700.0, "right_px": 300.0, "bottom_px": 900.0}
ROW = {"scene": "a", "frame": 1, "category": "car", **BOX, "confidence": 0.9}


@pytest.fixture(scope="module")
def scenes(tmp_path_factory: pytest.TempPathFactory) -> Scenes:
    return camera_scenes(tmp_path_factory.mktemp("scenes"), {"a": 3, "b": 1})


def write(path: Path, *rows: dict[str, object]) -> Path:
    names = list(dict.fromkeys(name for row in rows for name in row))
    if path.suffix == ".csv":
        lines = [",".join(names), *(",".join("" if row.get(n) is None else str(row[n]) for n in names) for row in rows)]
        path.write_text("\n".join(lines) + "\n")
    elif path.suffix == ".jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    else:
        pl.DataFrame(rows).write_parquet(path)
    return path


@pytest.mark.parametrize("suffix", [".csv", ".jsonl", ".parquet"])
def test_every_kind_of_file_gives_the_same(scenes: Scenes, tmp_path: Path, suffix: str) -> None:
    rows = [
        ROW | {"mask_quality": 0.75, "area_px": 30_000.0, "channel": "CAM_FRONT"},
        ROW | {"frame": 2, "category": "vehicle.bus.rigid", "mask_quality": None, "area_px": None, "channel": None},
    ]
    table = read_detections(write(tmp_path / f"found{suffix}", *rows), scenes)
    assert dict(table.schema) == DETECTIONS_SCHEMA
    assert table.rows() == [
        ("a", 1, "CAM_FRONT", "car", 100.0, 700.0, 300.0, 900.0, 0.9, 0.75, 30_000.0),
        ("a", 2, "CAM_FRONT", "vehicle.bus.rigid", 100.0, 700.0, 300.0, 900.0, 0.9, None, None),
    ]


def test_images_may_be_named_by_their_file(scenes: Scenes, tmp_path: Path) -> None:
    row = {"file": "a-2.jpg", "category": "person", **BOX, "confidence": 1}
    table = read_detections(write(tmp_path / "found.csv", row), scenes)
    assert table.select("scene", "frame", "channel").rows() == [("a", 2, "CAM_FRONT")]
    with pytest.raises(InputError, match=r"found\.csv, line 2: is of the file 'a-3\.jpg', which is no camera image"):
        read_detections(write(tmp_path / "found.csv", row | {"file": "a-3.jpg"}), scenes)


def test_what_rounds_out_of_the_image_is_cut_off(scenes: Scenes, tmp_path: Path) -> None:
    row = ROW | {"left_px": -0.5, "top_px": -1.0, "right_px": WIDTH_PX + 0.5, "bottom_px": HEIGHT_PX + 1}
    table = read_detections(write(tmp_path / "found.csv", row), scenes)
    assert table.select("left_px", "top_px", "right_px", "bottom_px").rows() == [(0, 0, WIDTH_PX, HEIGHT_PX)]


WRONG = {
    "unknown scene": ({"scene": "c"}, "is of the scene c, which the dataset does not have"),
    "no scene": ({"scene": None}, "has no scene"),
    "no frame": ({"frame": None}, "has no frame"),
    "frame too high": ({"frame": 3}, "is of key frame 3 of a, which has 3"),
    "frame below 0": ({"frame": -1}, "is of key frame -1 of a"),
    "no such camera": ({"channel": "CAM_BACK"}, "is of an image of CAM_BACK, which key frame 0 of a does not have"),
    "reversed across": ({"left_px": 300.0, "right_px": 100.0}, "whose right lower corner is not right of and below"),
    "reversed down": ({"top_px": 900.0, "bottom_px": 700.0}, "whose right lower corner is not right of and below"),
    "no width": ({"right_px": 100.0}, "whose right lower corner is not"),
    "left of the image": ({"left_px": -1.5}, "that reaches out of its image of 1920 x 1280 pixels"),
    "above the image": ({"top_px": -30.0}, "that reaches out of its image"),
    "right of the image": ({"right_px": 1921.5}, "that reaches out of its image"),
    "below the image": ({"bottom_px": 1281.5}, "that reaches out of its image"),
    "only in the margin": ({"left_px": -0.9, "right_px": -0.1}, "outside its image"),
    "more than sure": ({"confidence": 1.01}, "has a confidence of 1.01, which is not within 0 and 1"),
    "per cent": ({"confidence": 90}, "has a confidence of 90"),
    "less than unsure": ({"confidence": -0.1}, "has a confidence of -0.1"),
    "mask too good": ({"mask_quality": 1.5}, "has a mask quality of 1.5, which is not within 0 and 1"),
    "no area": ({"area_px": 0}, "has an area of 0.0 pixels, which is not above 0"),
    "unknown class": ({"category": "tram"}, "has the class tram, which is not known"),
    "no class": ({"category": None}, "category"),
    "no confidence": ({"confidence": None}, "confidence"),
    "no box": ({"left_px": None}, "left_px"),
    "words for numbers": ({"left_px": "left"}, "left_px"),
    "half a frame": ({"frame": 1.5}, "frame"),
}


@pytest.mark.parametrize("suffix", [".csv", ".jsonl"])
@pytest.mark.parametrize("kind", WRONG)
def test_a_row_that_cannot_be_right_is_named(scenes: Scenes, tmp_path: Path, kind: str, suffix: str) -> None:
    changed, said = WRONG[kind]
    path = write(tmp_path / f"found{suffix}", ROW, ROW | {"frame": 0} | changed)
    with pytest.raises(InputError) as caught:
        read_detections(path, scenes)
    message = str(caught.value)
    line = 3 if suffix == ".csv" else 2
    assert message.startswith(f"{path}, line {line}: ")
    assert said in message


@pytest.mark.parametrize("name", ["left_px", "bottom_px", "confidence", "mask_quality", "area_px"])
def test_what_is_no_number_is_named(scenes: Scenes, tmp_path: Path, name: str) -> None:
    for value in ("nan", "NaN", "inf", "-inf"):
        path = write(tmp_path / "found.csv", ROW, ROW | {"frame": 0, name: value})
        with pytest.raises(InputError, match=r"found\.csv, line 3: "):
            read_detections(path, scenes)
    rows = [ROW | {"mask_quality": 0.5, "area_px": 5.0}] * 1 + [ROW | {"frame": 0, name: float("nan")}]
    with pytest.raises(InputError, match=r"found\.parquet, row 2: has a"):
        read_detections(write(tmp_path / "found.parquet", *rows), scenes)


def test_a_file_of_unknown_classes_alone(scenes: Scenes, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="line 2: has the class dog, which is not known"):
        read_detections(write(tmp_path / "found.csv", ROW | {"category": "dog"}), scenes)


def test_rows_that_are_there_twice_are_named_and_counted(scenes: Scenes, tmp_path: Path) -> None:
    path = write(tmp_path / "found.csv", ROW | {"frame": 0}, ROW, ROW | {"category": "van"}, ROW | {"confidence": 0.5})
    with pytest.raises(InputError, match=r"line 3: is there twice: the same class and box.* \(1 more row like it\)\."):
        read_detections(path, scenes)


def test_more_rows_that_are_wrong_alike_are_counted(scenes: Scenes, tmp_path: Path) -> None:
    path = write(tmp_path / "found.csv", ROW, *(ROW | {"scene": name} for name in "xyz"))
    with pytest.raises(InputError, match=r"line 3: is of the scene x.* \(2 more rows like it\)\. Mend"):
        read_detections(path, scenes)


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("found.txt", "", r"its name must end in \.csv, \.jsonl or \.parquet"),
        ("found.csv", "", "holds no row"),
        ("found.csv", "scene,frame\na,1\n", "has no 'category'; found are scene, frame"),
        ("found.jsonl", '{"scene": "a"}\n', "has no 'category'"),
        ("found.jsonl", "[1]\n", "is no valid record"),
        ("found.parquet", "no parquet", "is no readable parquet file"),
    ],
)
def test_other_files_are_refused(scenes: Scenes, tmp_path: Path, name: str, content: str, said: str) -> None:
    (tmp_path / name).write_text(content)
    with pytest.raises(InputError, match=said):
        read_detections(tmp_path / name, scenes)
    with pytest.raises(InputError, match=r"nowhere.*(there is no such file of detections|its name must end in)"):
        read_detections(tmp_path / f"nowhere{Path(name).suffix}", scenes)


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        (pl.DataFrame({"scene": ["a"]}), "has no 'category'"),
        (pl.DataFrame([ROW]).clear(), "holds no row"),
        (pl.DataFrame([ROW]).with_columns(left_px=pl.lit("left")), "holds a value of the wrong type"),
    ],
)
def test_other_parquet_files_are_refused(scenes: Scenes, tmp_path: Path, rows: pl.DataFrame, said: str) -> None:
    rows.write_parquet(tmp_path / "found.parquet")
    with pytest.raises(InputError, match=said):
        read_detections(tmp_path / "found.parquet", scenes)


def test_words_of_detectors() -> None:
    assert len(ROAD_USERS) == 10
    assert [road_user(user.prompt) for user in ROAD_USERS] == list(ROAD_USERS)
    assert (road_user("person").label, road_user("bicycle").kind) == ("pedestrian", "two-wheeler")
    assert (road_user("human.pedestrian.adult").label, road_user("traffic cone").kind) == ("pedestrian", "thing")
    assert road_user("chair") is None


def test_the_page_lists_the_prompts() -> None:
    page = (Path(__file__).parents[2] / "docs" / "detections.md").read_text()
    listed = [f"| {user.prompt} | {user.label or 'none'} |" for user in ROAD_USERS]
    assert all(row in page for row in listed)
