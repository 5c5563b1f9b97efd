"""What questions beside a video name is outlined where it is, while they stand there, and nothing else is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from PIL import Image

from making import benchmark_of, question
from picture_making import LIDAR_HEIGHT_M, SCENE
from placed_boxes import placed
from probe4d.benchmarks.question import Question
from probe4d.evidence.outlines import RED
from probe4d.report.video.drawn_scene import DrawnScene
from probe4d.report.video.exchanges import exchanges_of
from probe4d.report.video.marking import Marking
from probe4d.report.video.options import VideoOptions
from probe4d.report.video.render import render_video
from probe4d.report.video.viewpoints import from_above
from probe4d.scenes.tables import Scenes
from video_making import Picture, drawn, filmed

FRAMES = 30
SIZE = (400, 400)
REACH_M = 50.0
PIXELS_A_METRE = 4
TARGET, OPTION, RIGHT, WITNESS = (92, 200, 255), (255, 176, 84), (109, 245, 154), (255, 227, 77)
"""Of the report's pictures, by what a box is to the question."""


def moving(frame: int) -> list[dict[str, object]]:
    """A car that drives ahead by a metre a key frame, on the left, and a bus that stands on the right."""
    return [
        placed("car", 10.0 + frame, 10.0, frame=frame),
        placed("bus", 20.0, -10.0, frame=frame, category="vehicle.bus.rigid"),
    ]


@pytest.fixture(scope="module")
def scenes(tmp_path_factory: pytest.TempPathFactory) -> Scenes:
    boxes = [box for frame in range(FRAMES) for box in moving(frame)]
    filmed_scenes = filmed(tmp_path_factory.mktemp("filmed"), boxes, frames=FRAMES)
    optics = pl.lit([160.0, 0.0, 160.0, 0.0, 160.0, 90.0, 0.0, 0.0, 1.0])
    return replace(filmed_scenes, sensors=filmed_scenes.sensors.with_columns(intrinsics=optics))


def asked(number: int, frame: int, facts: dict[str, object], **fields: object) -> Question:
    return question(number, scene=SCENE, keyframes=FRAMES, frames=(frame,), facts=facts, **fields)


def token(track: str, frame: int) -> str:
    return f"box scene-a {frame} {track}"


def from_above_at(scenes: Scenes, questions: Sequence[Question], frame: int) -> Picture:
    """The marks of a key frame alone, from above."""
    recorded = DrawnScene(scenes, SCENE)
    exchanges = exchanges_of(benchmark_of(questions), scenes, SCENE, span=(0, FRAMES - 1), fps=2.0)
    image = Image.new("RGB", SIZE)
    corners = recorded.ego_SE3_global.at(np.array(frame)).apply(recorded.boxes(frame).corners_m)
    Marking(recorded, exchanges).draw(image, from_above(SIZE, REACH_M), corners, frame)
    return np.array(image)


def places(picture: Picture, colour: tuple[int, int, int]) -> tuple[int, int, int, int] | None:
    """First and last row and column of a colour, null where there is none."""
    found = np.argwhere((picture == colour).all(axis=-1))
    return None if not len(found) else (*found.min(axis=0).tolist(), *found.max(axis=0).tolist())


def around(x_m: float, y_m: float, half_m: float = 1.0) -> tuple[int, ...]:
    """First and last row and column of a box from above."""
    row, column, half = SIZE[1] / 2 - x_m * PIXELS_A_METRE, SIZE[0] / 2 - y_m * PIXELS_A_METRE, half_m * PIXELS_A_METRE
    return tuple(round(place) for place in (row - half, column - half, row + half, column + half))


def test_a_box_is_outlined_along_its_track_while_its_question_stands_there(scenes: Scenes) -> None:
    one = {"frame": 6, "box": token("car", 6), "track": "car"}
    questions = [asked(1, 6, {"objects": [one]})]
    for frame in range(FRAMES):
        found = places(from_above_at(scenes, questions, frame), TARGET)
        if 6 <= frame <= 15:  # five seconds
            assert found is not None
            # Its tag stands above it and reaches to the right.
            assert found[1:3] == pytest.approx(around(10.0 + frame, 10.0)[1:3], abs=4), frame
        else:
            assert found is None


def test_colours_say_what_a_box_is_to_the_question(scenes: Scenes) -> None:
    objects = [{"label": "car", "box": token("car", 3), "frame": 3}, {"label": "bus", "track": "bus", "frame": 3}]
    choice = asked(1, 3, {"objects": objects}, options=("car", "bus"), answer="A")
    picture = from_above_at(scenes, [choice], 3)
    assert places(picture, TARGET)
    assert places(picture, OPTION)
    in_a_view = asked(1, 3, {"objects": objects}, options=("car", "bus"), answer="B", channel="CAM_FRONT")
    picture = from_above_at(scenes, [in_a_view], 3)
    assert places(picture, RIGHT)
    assert places(picture, OPTION)
    for facts in ({"witness": token("bus", 3)}, {"measured": {"box": token("bus", 3), "track": "bus", "way_m": 1.0}}):
        assert places(from_above_at(scenes, [asked(1, 3, facts)], 3), WITNESS)
    of_two = {"clauses": [{"measured": {"box": token("car", 3)}}, {"measured": {"way_m": 2.0}}]}
    assert places(from_above_at(scenes, [asked(1, 3, {"measured": of_two})], 3), WITNESS)


def test_the_target_in_the_red_box_is_red_in_its_image_just_where_the_facts_have_it(
    scenes: Scenes, tmp_path: Path
) -> None:
    bounds = (0.25, 0.25, 0.5, 0.75)
    facts = {
        "objects": [{"label": "the bus in the red box", "frame": 2, "box": token("bus", 2)}],
        "target": {"frame": 2, "channel": "CAM_FRONT", "bounds": bounds},
    }
    options = VideoOptions(view="cameras", cameras=("CAM_FRONT",), size_px=(640, 410), frames=(2, 3))
    render_video(scenes, SCENE, tmp_path / "drawn", options, benchmark=benchmark_of([asked(1, 2, facts)]))
    at_once, later = drawn(tmp_path / "drawn")
    size = (422, 237)  # of the image, beside the question
    found, moved = places(at_once, RED), places(later, RED)
    assert found is not None
    assert moved is not None
    width, height = found[3] - found[1], found[2] - found[0]
    assert (width, height) == pytest.approx((0.25 * size[0], 0.5 * size[1]), abs=8)
    # Later it is where the box is projected: 20 m ahead, 10 m to the right, 2 m wide.
    assert moved[3] - moved[1] < width / 2
    assert np.mean(moved[1::2]) == pytest.approx(size[0] * (0.5 + 10 / 20 / 2), abs=8)
    without_boxes = replace(scenes, boxes=scenes.boxes.clear())
    render_video(without_boxes, SCENE, tmp_path / "bare", options, benchmark=benchmark_of([asked(1, 2, facts)]))
    assert [places(picture, RED) for picture in drawn(tmp_path / "bare")] == [found, None]


def test_questions_at_once_have_numbers_that_their_tags_repeat(scenes: Scenes) -> None:
    both = [asked(n, 5, {"objects": [{"label": name, "track": name}]}) for n, name in enumerate(("car", "bus"))]
    alone, beside = (from_above_at(scenes, questions, 5) for questions in (both[:1], both))
    extent = {name: places(picture, TARGET) for name, picture in (("alone", alone), ("beside", beside))}
    assert extent["alone"]
    assert extent["beside"]
    same = [asked(n, 5, {"objects": [{"label": "", "track": "car"}]}) for n in range(2)]
    assert (from_above_at(scenes, same, 5) != from_above_at(scenes, same[:1], 5)).any(), "numbers are on the tag"


UNMARKED: list[dict[str, object]] = [
    {},
    {"objects": [{"label": "car", "frame": 5}]},
    {"objects": [{"label": "car", "frame": 5, "box": "a box of another dataset"}]},
    {"objects": [{"label": "car", "frame": 5, "track": "no track"}]},
    {"objects": [{"label": "car", "x": 10.0, "y": 0.0}]},
    {"objects": "car", "witness": 7, "measured": [1], "target": {"frame": 5}},
    {"measured": {"frames": [0, 5], "candidates": 0}},
    {"measured": {"clauses": [3, {"measured": None}], "track": 4}},
]


@pytest.mark.parametrize("facts", UNMARKED)
def test_of_what_facts_do_not_point_at_nothing_is_outlined(scenes: Scenes, facts: dict[str, object]) -> None:
    questions = [asked(1, 5, facts, entities=("car",))]
    assert not from_above_at(scenes, questions, 5).any()


def test_what_a_picture_does_not_show_is_not_outlined_at_its_border(scenes: Scenes, tmp_path: Path) -> None:
    box = placed("far", -200.0, 0.0, LIDAR_HEIGHT_M)
    far = filmed(tmp_path / "data", [box])
    questions = [asked(1, 0, {"objects": [{"label": "car", "track": "far"}]})]
    assert not from_above_at(replace(far, scenes=scenes.scenes), questions, 0).any()


def test_words_of_tags_are_data(scenes: Scenes) -> None:
    for words in ("{kind} {0}", "\u202eA\x1b[2J", "a" * 5000, "\n\n"):
        picture = from_above_at(scenes, [asked(1, 5, {"objects": [{"label": words, "track": "car"}]})], 5)
        assert places(picture, TARGET)
