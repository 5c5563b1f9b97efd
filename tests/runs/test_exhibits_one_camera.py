"""Questions about one camera's view: its image, and the objects in it that are called by letters."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec
import polars as pl
import pytest
from exhibit_making import with_files

import making
from placed_boxes import camera, placed, seen
from probe4d.benchmarks.question import Evidence, Question
from probe4d.benchmarks.suite import ANSWERS_SCHEMA
from probe4d.evidence.marks import Mark, bounds_in_images
from probe4d.evidence.pictures import Picture
from probe4d.runs.evidence_plan import evidence_named
from probe4d.runs.exhibits import Exhibits, exhibits
from probe4d.scenes.tables import Scenes

CHANNELS = ("CAM_BACK", "CAM_FRONT")
PLACES = {
    "near": (15.0, 4.0),
    "middle": (25.0, -2.0),
    "far": (40.0, -9.0),
    "behind": (-20.0, 1.0),
    "distant": (52.0, 0.0),
}
"""Where the objects of a scene are, ahead and to the left, metres."""


@pytest.fixture
def scenes(tmp_path: Path) -> Scenes:
    """Two scenes of two key frames with the same objects, and cameras that look ahead and back."""
    at = [{"scene": scene, "frame": frame} for scene in ("a", "b") for frame in range(2)]
    boxes = [placed(track, x, y, **where) for where in at for track, (x, y) in PLACES.items()]  # type: ignore[arg-type]
    cameras = [
        camera(channel, bearing, **where)  # type: ignore[arg-type]
        for where in at
        for channel, bearing in zip(CHANNELS, (180, 0), strict=True)
    ]
    return with_files(seen(boxes, cameras, root=tmp_path))


def question(identity: str, *objects: str, frame: int = 1, **changes: object) -> Question:
    """Asks in scene `a` about the front camera's view of objects, each given as its letter and its track: `A near`."""
    named = dict(reversed(one.split()) for one in objects)  # type: ignore[misc]
    fields: dict[str, object] = {
        "scene": "a",
        "keyframes": 2,
        "frames": (frame,),
        "channel": "CAM_FRONT",
        "entities": tuple(f"object {letter}" for letter in named.values()),
        "evidence": Evidence(frames=(frame,), views=("CAM_FRONT",)),
        "facts": {
            "objects": [
                {"label": f"object {letter}", "frame": frame, "box": token("a", frame, track), "x": 1.0}
                for track, letter in named.items()
            ]
        },
    }
    return making.question(identity, **(fields | changes))


def token(scene: str, frame: int, track: str) -> str:
    return f"box {scene} {frame} {track}"


def mark(scenes: Scenes, letter: str, track: str, *, frame: int = 1, channel: str = "CAM_FRONT") -> Mark:
    where = (channel, token("a", frame, track))
    return Mark(letter, channel, bounds_in_images(scenes, [where])[where])


def shown(
    questions: Sequence[Question],
    scenes: Scenes,
    name: str = "one-camera",
    *,
    before_letters: str | None = "object ",
    **plan: object,
) -> Exhibits:
    return exhibits(questions, evidence_named(name, **plan), scenes, before_letters=before_letters)  # type: ignore[arg-type]


def reasons(exhibited: Exhibits) -> Mapping[str, tuple[str, str | None]]:
    return {line.question: (line.reason, line.detail) for line in exhibited.left_out}


def test_the_image_of_the_camera_asked_about_is_shown(scenes: Scenes) -> None:
    asked = [
        question("own"),
        question("back", frame=0, channel="CAM_BACK"),
        question("listed", channel=None),
        question("all", channel=None, evidence=Evidence(frames=(1,))),
        question("two", channel=None, evidence=Evidence(frames=(1,), views=CHANNELS)),
        question("none", channel="CAM_ROOF"),
    ]
    exhibited = shown(asked, scenes, before_letters=None)
    front = Picture("one-camera", "a", 1, 1, ("CAM_FRONT",))
    assert {identity: exhibit.pictures for identity, exhibit in exhibited.of.items()} == {
        "own": (front,),
        "back": (Picture("one-camera", "a", 0, 0, ("CAM_BACK",)),),
        "listed": (front,),
    }
    assert "the view of the back camera" in exhibited.of["back"].preamble
    told = reasons(exhibited)
    assert told["all"] == told["two"] == ("it does not ask about the view of one camera", None)
    assert "has no camera CAM_ROOF" in str(told["none"][1])


def test_objects_called_by_letters_are_marked_in_the_order_of_letters(scenes: Scenes) -> None:
    asked = [
        question("q", "B middle", "A near"),
        question("r", "A near", "B middle"),
        question("s", "AA far", "Z near"),
    ]
    exhibited = shown(asked, scenes)
    a, b = mark(scenes, "A", "near"), mark(scenes, "B", "middle")
    (picture,) = exhibited.of["q"].pictures
    assert picture == Picture("one-camera", "a", 1, 1, ("CAM_FRONT",), marks=(a, b))
    assert exhibited.of["r"] == exhibited.of["q"], "questions about the same objects share their picture"
    assert [one.text for one in exhibited.of["s"].pictures[0].marks] == ["Z", "AA"]
    assert exhibited.of["q"].preamble.endswith("are outlined, each with its letter.\n\n")


def test_nothing_is_marked_where_questions_speak_in_captions_or_name_nothing(scenes: Scenes) -> None:
    in_captions = shown([question("q", "A near")], scenes, before_letters=None).of["q"]
    about_the_view = shown([question("q"), question("r", facts={})], scenes).of
    for exhibit in (in_captions, *about_the_view.values()):
        assert exhibit.pictures[0].marks == ()
        assert "letter" not in exhibit.preamble


def test_an_object_that_is_named_twice_is_marked_once(scenes: Scenes) -> None:
    once = question("q", "A near", "B far")
    twice = msgspec.structs.replace(once, facts={"objects": once.facts["objects"] + once.facts["objects"][:1]})
    assert shown([twice], scenes).of["q"] == shown([once], scenes).of["q"]


def test_blank_pictures_have_no_marks_under_the_same_words(scenes: Scenes) -> None:
    asked = [question("q", "A near", "B far")]
    own, black = (shown(asked, scenes, name).of["q"] for name in ("one-camera", "black:one-camera"))
    assert black.pictures == tuple(one._replace(black=True, marks=()) for one in own.pictures)
    assert black.preamble == own.preamble


def test_another_scene_has_the_question_s_own_marks_and_no_answer(scenes: Scenes) -> None:
    """Nothing is said to be right there of what a letter marks; of the whole view it is."""
    asked = [question("q", "A near", "B far"), question("view")]
    told: list[str] = []

    def elsewhere(questions: Sequence[Question], _scenes: Scenes) -> pl.DataFrame:
        told.extend(one.id for one in questions)
        rows = [(one.id, "b", "No") for one in questions]
        return pl.DataFrame(rows, schema=ANSWERS_SCHEMA, orient="row")

    plan = evidence_named("other-scene:one-camera")
    exhibited = exhibits(asked, plan, scenes, elsewhere=elsewhere, before_letters="object ").of
    own = shown(asked, scenes).of
    assert exhibited["q"].pictures == tuple(one._replace(scene="b") for one in own["q"].pictures)
    assert exhibited["q"].pictures[0].marks
    assert (exhibited["q"].shown_scene, exhibited["q"].shown_answer) == ("b", None)
    assert (exhibited["view"].shown_scene, exhibited["view"].shown_answer) == ("b", "No")
    assert told == ["view"]
    assert exhibited["q"].preamble == own["q"].preamble


def test_one_key_frame_has_no_wrong_order_and_a_scene_has_one(scenes: Scenes) -> None:
    asked = [question("q", "A near")]
    alone = shown(asked, scenes, "shuffled:one-camera")
    assert reasons(alone) == {"q": ("it shows fewer than two key frames, which have no wrong order", None)}
    whole = shown(asked, scenes, "shuffled:one-camera", span="scene").of["q"]
    assert [(one.frame, one.label, bool(one.marks)) for one in whole.pictures] == [(1, 0, True), (0, 1, False)]


def test_a_grid_shows_all_cameras_and_says_which_is_asked_about(scenes: Scenes) -> None:
    (exhibit,) = shown([question("q", "A near")], scenes, "cameras").of.values()
    assert exhibit.pictures == (Picture("cameras", "a", 1, 1, marks=(mark(scenes, "A", "near"),)),)
    assert "the views of 2 cameras" in exhibit.preamble
    assert "The question is about the view of the front camera. The objects" in exhibit.preamble


def test_a_question_whose_objects_cannot_be_marked_is_left_out(scenes: Scenes) -> None:
    asked = [
        question("hidden", "A near", "C behind"),
        question("unknown", facts={"objects": [{"label": "object A", "frame": 1, "box": "no such box"}]}),
        question("untold", facts={"objects": [{"label": "object A"}]}),
        question("nowhere", "A near", channel=None),
        question("fine", "A near"),
    ]
    exhibited = shown(asked, scenes)
    assert set(exhibited.of) == {"fine"}
    told = reasons(exhibited)
    not_in_image = "its pictures do not show an object that it calls by a letter"
    assert told["hidden"] == (not_in_image, "object C in CAM_FRONT")
    assert told["unknown"] == (not_in_image, "object A in CAM_FRONT")
    assert told["untold"][0] == "its facts do not say where its objects are"
    assert told["nowhere"] == (not_in_image, "object A in no camera")


def test_objects_are_marked_from_above_too(scenes: Scenes) -> None:
    """Whether or not the camera asked about sees them, and only as far as the view reaches."""
    with_lidar = with_files(dataclasses.replace(scenes, sensors=_and_lidar(scenes)))
    asked = [question("q", "B behind", "A near"), question("view"), question("lost", facts=_beyond())]
    exhibited = shown(asked, with_lidar, "birds-eye")
    (picture,) = exhibited.of["q"].pictures
    (near, behind) = picture.marks
    assert near[:2] == ("A", "LIDAR_TOP")
    assert near.bounds == pytest.approx(((50 - 5) / 100, (50 - 16) / 100, (50 - 3) / 100, (50 - 14) / 100))
    assert behind.bounds == pytest.approx((0.48, 0.69, 0.5, 0.71))
    said = "The question is about the view of the front camera."
    assert exhibited.of["q"].preamble.endswith(
        f"{said} The objects that the question names are outlined, each with its letter.\n\n"
    )
    assert exhibited.of["view"].preamble.endswith(f"{said}\n\n")
    assert reasons(exhibited)["lost"][1] == "object A in LIDAR_TOP"


def _beyond() -> dict[str, object]:
    return {"objects": [{"label": "object A", "frame": 1, "box": token("a", 1, "distant")}]}


def _and_lidar(scenes: Scenes) -> pl.DataFrame:
    """The readings, and beside each of the front camera one of a LiDAR."""
    channel, file = pl.lit("LIDAR_TOP"), pl.concat_str(pl.lit("lidar/"), "scene", "frame")
    front = scenes.sensors.filter(pl.col("channel") == "CAM_FRONT")
    lidar = front.with_columns(channel=channel, modality=pl.lit("lidar"), file=file)
    return pl.concat([scenes.sensors, lidar]).sort("scene", "frame", "channel")
