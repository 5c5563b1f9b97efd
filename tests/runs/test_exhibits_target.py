"""Questions about an object in a red box, and how large the pictures of a long clip are."""

from __future__ import annotations

from pathlib import Path

import pytest
from exhibit_making import question, scenes_of, with_files

from placed_boxes import camera, placed, seen
from probe4d.benchmarks.question import Question
from probe4d.evidence.pictures import PictureOptions
from probe4d.runs.evidence_plan import evidence_named
from probe4d.runs.exhibits import exhibits
from probe4d.runs.marks import marks_of_targets
from probe4d.runs.reasons import Reasons
from probe4d.scenes.tables import Scenes

BOUNDS = [0.2, 0.4, 0.5, 0.9]
TARGET = {"frame": 5, "channel": "CAM_FRONT", "bounds": BOUNDS}


@pytest.fixture
def scenes(tmp_path: Path) -> Scenes:
    return with_files(scenes_of({"a": 20, "b": 20}, root=tmp_path))


def asked(**facts: object) -> Question:
    return question(frames=(5,), shown=range(1, 6), facts=facts)


def test_the_red_box_is_in_the_query_frame_alone(scenes: Scenes) -> None:
    one = asked(target=TARGET)
    (exhibit,) = exhibits([one], evidence_named("cameras"), scenes).of.values()
    assert [picture.frame for picture in exhibit.pictures] == [1, 2, 3, 4, 5]
    assert [len(picture.marks) for picture in exhibit.pictures] == [0, 0, 0, 0, 1]
    (mark,) = exhibit.pictures[-1].marks
    red, green, blue = mark.colour or (0, 0, 0)
    assert (mark.text, mark.channel, list(mark.bounds)) == ("", "CAM_FRONT", BOUNDS)
    assert red > 4 * max(green, blue)
    assert "letter" not in exhibit.preamble


def test_questions_that_name_no_target_show_no_red_box(scenes: Scenes) -> None:
    for facts in ({}, {"target": None}, {"target": {"frame": 5}}, {"target": {**TARGET, "bounds": [1, 2]}}):
        (exhibit,) = exhibits([asked(**facts)], evidence_named("cameras"), scenes).of.values()
        assert not any(picture.marks for picture in exhibit.pictures)


def test_shuffled_frames_keep_the_box_with_its_frame_and_black_ones_have_none(scenes: Scenes) -> None:
    one = asked(target=TARGET)
    (mixed,) = exhibits([one], evidence_named("shuffled:cameras"), scenes).of.values()
    assert [picture.frame for picture in mixed.pictures if picture.marks] == [5]
    (black,) = exhibits([one], evidence_named("black:cameras"), scenes).of.values()
    assert not any(picture.marks for picture in black.pictures)


def test_from_above_the_footprint_is_boxed_or_the_question_is_left_out(tmp_path: Path) -> None:
    frames = [{"scene": "a", "frame": frame} for frame in range(6)]
    boxes = [placed("near", 10.0, 5.0, **at) for at in frames]  # type: ignore[arg-type]
    cameras = [camera("CAM_FRONT", 0, **at) for at in frames]  # type: ignore[arg-type]
    scenes = with_files(seen(boxes, cameras, root=tmp_path))
    known = asked(target=TARGET, objects=[{"box": "box a 5 near"}])
    unknown = question("fedcba9876543210", frames=(5,), shown=range(1, 6), facts={"target": TARGET})
    reasons: Reasons = {}
    marks = marks_of_targets([known, unknown], "birds-eye", scenes, reasons)
    ((frame, (mark,)),) = marks[known.id].items()
    left, top, right, bottom = mark.bounds
    assert frame == 5
    assert 0 < left < right < 0.5
    assert 0 < top < bottom < 0.5  # ahead is above, left is left
    assert reasons == {unknown.id: ("its pictures do not show the object in the red box", None)}


def test_pictures_of_a_long_clip_are_smaller(scenes: Scenes) -> None:
    clip = question("fedcba9876543210", frames=(5,), shown=range(20))
    plan = evidence_named(
        "cameras", max_frames=40, pictures=PictureOptions(max_side_px=640, clip_side_px=360, jpeg_quality=70)
    )
    shown = exhibits([asked(target=TARGET), clip], plan, scenes).of
    assert {picture.max_side_px for picture in shown[clip.id].pictures} == {360}
    assert {
        picture.max_side_px for identity in shown if identity != clip.id for picture in shown[identity].pictures
    } == {None}
