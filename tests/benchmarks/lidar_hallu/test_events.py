from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hallu_scenes import Box, made_scenes

from probe4d.benchmarks.lidar_hallu.events import measured_events, parse_interval, read_events
from probe4d.benchmarks.lidar_hallu.rules import measured_objects, nearest_objects
from probe4d.errors import InputError
from probe4d.scenes.tables import Scenes


def events_of(scenes: Scenes) -> tuple[pl.DataFrame, dict[str, int]]:
    objects = measured_objects(scenes).annotated
    return measured_events(scenes, objects, nearest_objects(objects))


def near(boxes: Iterable[Box], keyframes: int = 30) -> dict[tuple[str, str | None], tuple[int, int]]:
    """Events of one scene by kind and detail."""
    events, _ = events_of(made_scenes(boxes, keyframes=keyframes))
    rows = events.select("kind", "detail", "start", "end").iter_rows()
    return {(kind, detail): (start, end) for kind, detail, start, end in rows}


def bus(frames: Iterable[int], x: float = 8.0, y: float = 0.0) -> list[Box]:
    return [("scene-a", frame, "bus", "b", x, y, 9) for frame in frames]


def test_an_unbroken_run_is_an_event() -> None:
    found = near(bus(range(4, 10)))
    assert found["class-present", None] == (4, 9)
    assert found["class-near", "10"] == (4, 9)
    assert found["class-in-sector", "front"] == (4, 9)
    assert found["nearest-in-sector", "front"] == (4, 9)
    assert found["closest-class", None] == (4, 9)


def test_ten_metres_are_within_ten_metres() -> None:
    assert near(bus(range(4, 10), x=10.0))["class-near", "10"] == (4, 9)
    assert ("class-near", "10") not in near(bus(range(4, 10), x=10.001))


@pytest.mark.parametrize(
    ("frames", "keyframes", "found"),
    [
        (range(4, 10), 30, True),  # span 5
        (range(4, 9), 30, False),  # span 4
        (range(4, 24), 30, True),  # span 19
        (range(4, 25), 30, False),  # span 20
        (range(9), 12, True),  # three key frames outside
        (range(10), 12, False),  # two
        ([*range(2, 9), *range(12, 14)], 30, False),  # twice
        ([*range(2, 9), *range(10, 18)], 30, False),  # a gap of one key frame
    ],
)
def test_only_a_single_run_of_the_right_length_is_asked_about(
    frames: Iterable[int], keyframes: int, found: bool
) -> None:
    assert (("class-near", "10") in near(bus(frames), keyframes)) == found


def test_a_second_class_decides_who_is_closer() -> None:
    car: list[Box] = [("scene-a", frame, "car", "c", 8.0 if frame < 12 else 2.0, 0.0, 9) for frame in range(30)]
    found = near([*car, *bus(range(5, 25), x=5.0)])
    assert found["class-closer", "car"] == (5, 11)
    assert found["class-closer", "bus"] == (12, 24)


def test_the_ego_vehicle_stands_still_between_key_frames() -> None:
    scenes = made_scenes([], keyframes=30)
    stop, go = 6, 14
    x = [2.0 * min(frame, stop) + 2.0 * max(frame - go, 0) for frame in range(30)]
    events, left_out = events_of(
        Scenes(**{**vars(scenes), "keyframes": scenes.keyframes.with_columns(pose_x=pl.Series(x))})
    )
    assert events.select("kind", "start", "end").rows() == [("ego-still", stop, go)]
    assert left_out == {"temporal: the event occurs more than once in its scene": 1}


def test_the_boxes_of_an_event_are_told() -> None:
    far: list[Box] = [("scene-a", frame, "bus", "far", 9.0, 0.0, 9) for frame in range(30)]
    events, _ = events_of(made_scenes([*bus(range(4, 10), y=-1.0), *far], keyframes=30))
    row = events.filter(pl.col("kind") == "class-near", pl.col("detail") == "10")
    assert row.is_empty()  # the other bus is near all the time
    events, _ = events_of(made_scenes(bus(range(4, 10)), keyframes=30))
    objects = events.filter(pl.col("kind") == "closest-class")["objects"].item().to_list()
    assert [measured["frame"] for measured in objects] == list(range(4, 10))
    assert {measured["track"] for measured in objects} == {"b"}


def test_no_two_questions_of_a_scene_read_alike() -> None:
    events, _ = events_of(made_scenes(bus(range(4, 10)), keyframes=30))
    assert events["question"].n_unique() == events.height == events["key"].n_unique()
    assert events["definition"].null_count() == 0


@pytest.mark.parametrize(
    ("answer", "interval"),
    [
        ("from frame 000 to frame 008", (0, 8)),
        ("From frame 12 to frame 20.", (12, 20)),
        ("from frames 3 to 9", (3, 9)),
        ("It happens from 3 to 9, I think.", (3, 9)),
        ("between frame 12 and frame 20", (12, 20)),
        ("frames 018-026", (18, 26)),
        ("frames 18–26", (18, 26)),
        ("from frame 5 to frame 5", (5, 5)),
        ("from frame 9 to frame 3", None),
        ("from frame 9 to frame 3, that is between frame 3 and frame 9", (3, 9)),
        ("in frame 005", None),
        ("", None),
    ],
)
def test_intervals_of_b4dl_answers(answer: str, interval: tuple[int, int] | None) -> None:
    assert parse_interval(answer) == interval


def rows_file(folder: Path, rows: Any) -> Path:
    path = folder / "time_grounding.json"
    path.write_text(json.dumps(rows), encoding="utf-8")
    return path


def row(question: str, answer: str, token: str = "token of scene-a") -> dict[str, str]:
    return {"split": "test", "scene_token": token, "scene_id": "001", "question": question, "answer": answer}


def test_b4dl_rows_are_read_in_file_order_and_others_counted(tmp_path: Path) -> None:
    path = rows_file(
        tmp_path,
        [
            row("When does the bus pass?", "from frame 002 to frame 008."),
            row("When?", "from frame 002 to frame 008", token="another"),
            row("When does it end?", "later"),
            row("When does the car stop?", "from frame 003 to frame 012"),
            row("When does the bus pass?", "from frame 001 to frame 003"),
            row("When does the truck stop?", "from frame 003 to frame 011"),
        ],
    )
    events, left_out, sha256 = read_events(path, made_scenes([], keyframes=12))
    assert sha256 == hashlib.sha256(path.read_bytes()).hexdigest()
    assert events.select("question", "start", "end", "source_row", "kind").rows() == [
        ("When does the bus pass?", 2, 8, 0, "b4dl"),
        ("When does the truck stop?", 3, 11, 5, "b4dl"),
    ]
    assert left_out == {
        "temporal: the row's scene is not among the scenes used": 1,
        "temporal: the row's answer holds no interval": 1,
        "temporal: the row's interval ends after its scene": 1,
        "temporal: the row's question was asked before in its scene": 1,
    }


@pytest.mark.parametrize(
    "content",
    [b"", b"[", b"{}", b'[{"question": "q"}]', b'[{"scene_token": 3, "question": "", "answer": ""}]', b"\xff"],
)
def test_a_broken_events_file_is_named(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "events.json"
    path.write_bytes(content)
    with pytest.raises(InputError, match=r"events\.json: is no list of rows"):
        read_events(path, made_scenes([]))


def test_a_missing_events_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"none\.json: cannot be read"):
        read_events(tmp_path / "none.json", made_scenes([]))
