from __future__ import annotations

from pathlib import Path

import pytest
from street_scenes import text

from placed_streets import SCENE, Thing, still, street
from probe4d.benchmarks.stride.labels import LABEL_VALUES, read_labels
from probe4d.benchmarks.stride.signals import LABELS_SCHEMA, signals_of
from probe4d.errors import InputError

SCENES = street([Thing("a", still(10, 0)), Thing("b", still(15, 5))])
HEADER = "scene,frame,track,name,value\n"


def written(folder: Path, rows: str, header: str = HEADER) -> Path:
    file = folder / "labels.csv"
    file.write_text(header + rows, encoding="utf-8")
    return file


def test_labels_are_read_and_empty_fields_are_null(tmp_path: Path) -> None:
    rows = f"{SCENE},,,weather,rain\n{SCENE},5,a,lane,no lane\n"
    labels = read_labels(written(tmp_path, rows), SCENES)
    assert labels.table.schema == LABELS_SCHEMA
    assert labels.table.rows() == [(SCENE, None, None, "weather", "rain"), (SCENE, 5, "a", "lane", "no lane")]
    assert labels.left_out == {}


def test_labels_of_other_scenes_are_counted_with_the_first_of_them(tmp_path: Path) -> None:
    rows = f"{SCENE},,,weather,rain\nelsewhere,,,weather,fog\n{SCENE},5,,weather,fog\nsteet,,,weather,fog\n"
    labels = read_labels(written(tmp_path, rows), SCENES)
    assert labels.table["scene"].to_list() == [SCENE, SCENE]
    assert labels.left_out == {"labels: not of the scenes asked about, such as 'elsewhere' in line 3": 2}


def test_labels_answer_what_no_box_tells(tmp_path: Path) -> None:
    rows = [
        f"{SCENE},,,weather,rain",
        f"{SCENE},5,,weather,fog",
        f"{SCENE},,,time_of_day,night",
        f"{SCENE},,,road_type,intersection",
        f"{SCENE},4,a,lane,the next lane to the left",
        f"{SCENE},8,a,lane,the lane of the ego vehicle",
    ]
    signals = signals_of(SCENES, read_labels(written(tmp_path, "\n".join(rows)), SCENES).table)
    assert [text("SC-1", signals, frame=frame) for frame in (4, 5, 6)] == ["rain", "fog", "rain"]
    assert text("SC-2", signals) == "night"
    assert text("SC-3", signals) == "intersection"
    assert text("SP-4", signals, track="a") == "the next lane to the left"
    assert text("SP-4", signals, track="a", frame=5) is None
    assert text("SP-4", signals, track="b") is None
    assert text("TE-3", signals, track="a") == "the lane of the ego vehicle"


def test_a_lane_of_all_frames_says_nothing_beyond_the_last(tmp_path: Path) -> None:
    signals = signals_of(SCENES, read_labels(written(tmp_path, f"{SCENE},,a,lane,no lane\n"), SCENES).table)
    assert [text("TE-3", signals, track="a", frame=frame) for frame in (4, 5, 6)] == ["no lane", "no lane", None]


def test_without_labels_nothing_is_said() -> None:
    signals = signals_of(SCENES)
    assert [text(id, signals) for id in ("SC-1", "SC-2", "SC-3")] == [None] * 3
    assert text("SP-4", signals, track="a") is None


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        (f"{SCENE},,,mood,good\n", "has a label of 'mood'; known are weather, time_of_day, road_type and lane"),
        (f"{SCENE},,,weather,Rain\n", "weather 'Rain'; it can be 'clear', 'overcast', 'rain', 'fog' or 'snow'"),
        ("elsewhere,,,weather,wet\n", "weather 'wet'"),
        (f"{SCENE},10,,weather,rain\n", "names key frame 10; street has those from 0 to 9"),
        (f"{SCENE},-1,,weather,rain\n", "names key frame -1"),
        (f"{SCENE},x,,weather,rain\n", "does not fit"),
        (f"{SCENE},,a,weather,rain\n", "weather is of the scene, not of an object. Leave the track empty"),
        (f"{SCENE},,,lane,no lane\n", "lane is of an object, not of the scene. Give the track"),
        (f"{SCENE},,c,lane,no lane\n", "names the track 'c', which street does not have"),
        (f"{SCENE},,,weather,rain\n{SCENE},,,weather,fog\n", "line 3: says again what line 2 says"),
        ("elsewhere,,,weather,fog\n", "has no label of the scenes asked about, such as 'street'"),
        (f"{SCENE},,,weather\n", "has 4 fields where the header has 5"),
        ("", "holds no row"),
    ],
)
def test_wrong_labels_are_refused_with_their_place(tmp_path: Path, rows: str, words: str) -> None:
    file = written(tmp_path, rows)
    with pytest.raises(InputError) as caught:
        read_labels(file, SCENES)
    assert words in str(caught.value)
    assert str(file) in str(caught.value)


def test_columns_and_file_have_to_be_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="has no 'value'"):
        read_labels(written(tmp_path, f"{SCENE},weather\n", "scene,name\n"), SCENES)
    with pytest.raises(InputError, match="no such file of labels"):
        read_labels(tmp_path / "nowhere.csv", SCENES)


def test_every_label_that_a_template_needs_can_be_given() -> None:
    assert set(LABEL_VALUES) == {"weather", "time_of_day", "road_type", "lane"}
