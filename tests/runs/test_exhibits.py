from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest
from exhibit_making import CAMERAS, question, scenes_of, with_files

from probe4d.errors import InputError
from probe4d.evidence.pictures import Picture
from probe4d.runs.evidence_plan import evidence_named
from probe4d.runs.exhibits import Exhibit, Exhibits, exhibits
from probe4d.scenes.tables import Scenes


@pytest.fixture
def scenes(tmp_path: Path) -> Scenes:
    return with_files(scenes_of({"a": 6, "b": 6}, root=tmp_path))


def reasons(shown: Exhibits) -> dict[str, tuple[str, str | None]]:
    return {line.question: (line.reason, line.detail) for line in shown.left_out}


def test_without_evidence_nothing_is_shown_and_no_dataset_is_needed() -> None:
    shown = exhibits([question("q"), question("r", scene="unknown")], evidence_named("none"), None)
    assert shown == Exhibits({"q": Exhibit(), "r": Exhibit()})


@pytest.mark.parametrize("name", ["black", "cameras", "birds-eye", "shuffled", "other-scene"])
def test_pictures_need_the_dataset(name: str) -> None:
    with pytest.raises(InputError, match="--data"):
        exhibits([question()], evidence_named(name), None)


@pytest.mark.parametrize("name", ["cameras", "birds-eye"])
def test_a_question_shows_its_own_frames(scenes: Scenes, name: str) -> None:
    shown = exhibits([question("q", shown=(1, 3))], evidence_named(name), scenes)
    exhibit = shown.of["q"]
    assert exhibit.pictures == (Picture(name, "a", 1, 1), Picture(name, "a", 3, 3))  # type: ignore[arg-type]
    assert exhibit.preamble.startswith("The 2 images above show frames of a driving scene. Image 1: frame 001, ")
    assert (exhibit.shown_scene, exhibit.shown_answer, shown.left_out) == (None, None, ())


def test_the_span_scene_shows_every_key_frame(scenes: Scenes) -> None:
    shown = exhibits([question("q", frames=(1,))], evidence_named("cameras", span="scene", max_frames=3), scenes)
    assert [picture.frame for picture in shown.of["q"].pictures] == [0, 1, 5]


def test_blank_pictures_are_listed_as_the_real_ones_are(scenes: Scenes, tmp_path: Path) -> None:
    asked = [question("q", shown=(1, 3))]
    black = exhibits(asked, evidence_named("black"), scenes).of["q"]
    real = exhibits(asked, evidence_named("cameras"), scenes).of["q"]
    assert black.preamble == real.preamble
    assert black.pictures == tuple(picture._replace(black=True) for picture in real.pictures)
    without_files = scenes_of({"a": 6}, root=tmp_path / "nowhere")
    assert exhibits(asked, evidence_named("black"), without_files).of["q"] == black
    without_cameras = scenes_of({"a": 6}, root=tmp_path / "nowhere", cameras=())
    assert exhibits(asked, evidence_named("black"), without_cameras).of["q"] == black


@pytest.mark.parametrize("view", ["cameras", "birds-eye"])
def test_shuffled_frames_stand_under_labels_in_the_true_order(scenes: Scenes, view: str) -> None:
    asked = [question("q", shown=(1, 2, 3, 4)), question("one", shown=(2,)), question("r", shown=(1, 2, 3, 4))]
    shown = exhibits(asked, evidence_named(f"shuffled:{view}"), scenes)
    pictures = shown.of["q"].pictures
    assert [picture.label for picture in pictures] == [1, 2, 3, 4]
    assert sorted(picture.frame for picture in pictures) == [1, 2, 3, 4]
    assert all(picture.frame != picture.label for picture in pictures)
    assert shown.of["q"].preamble == exhibits(asked, evidence_named(view), scenes).of["q"].preamble
    assert reasons(shown) == {"one": ("it shows fewer than two key frames, which have no wrong order", None)}
    assert exhibits(asked[::-1], evidence_named(f"shuffled:{view}"), scenes).of == shown.of


def test_a_seed_gives_another_wrong_order(scenes: Scenes) -> None:
    asked = [question("q", shown=range(6))]
    orders = {
        tuple(picture.frame for picture in exhibits(asked, plan, scenes).of["q"].pictures)
        for plan in (evidence_named("shuffled", seed=seed) for seed in range(8))
    }
    assert len(orders) > 4


def test_another_scene_shows_the_same_frames(scenes: Scenes) -> None:
    shown = exhibits([question("q", shown=(2, 4))], evidence_named("other-scene"), scenes)
    exhibit = shown.of["q"]
    assert exhibit.pictures == (Picture("cameras", "b", 2, 2), Picture("cameras", "b", 4, 4))
    assert exhibit.shown_scene == "b"


def test_a_question_without_another_scene_is_left_out(tmp_path: Path) -> None:
    scenes = with_files(scenes_of({"a": 6, "b": 5}, root=tmp_path))
    asked = [question("long", scene="a", shown=(2,)), question("short", scene="b", shown=(2,))]
    shown = exhibits(asked, evidence_named("other-scene"), scenes)
    assert set(shown.of) == {"short"}
    assert reasons(shown) == {"long": ("no other scene as long as its own has another right answer to it", "a")}


def test_views_narrow_the_grid_down_to_their_cameras(scenes: Scenes) -> None:
    views = ("LIDAR_TOP", "CAM_FRONT", "CAM_FRONT_LEFT")
    exhibit = exhibits([question("q", shown=(1,), views=views)], evidence_named("cameras"), scenes).of["q"]
    assert set(exhibit.pictures[0].channels) == {"CAM_FRONT", "CAM_FRONT_LEFT"}
    assert "the views of 2 cameras" in exhibit.preamble
    assert "front-left, front." in exhibit.preamble
    for name, several in (("birds-eye", views), ("cameras", ("LIDAR_TOP",))):
        exhibit = exhibits([question("q", shown=(1,), views=several)], evidence_named(name), scenes).of["q"]
        assert exhibit.pictures[0].channels == ()


def test_a_camera_that_the_dataset_lacks_leaves_the_question_out(scenes: Scenes) -> None:
    shown = exhibits([question("q", shown=(1,), views=("CAM_ROOF",))], evidence_named("cameras"), scenes)
    reason, detail = reasons(shown)["q"]
    assert "missing" in reason
    assert detail is not None
    assert "CAM_ROOF" in detail


def test_the_cameras_that_there_are_are_told(tmp_path: Path) -> None:
    scenes = with_files(scenes_of({"a": 6}, root=tmp_path, cameras=("CAM_FRONT",)))
    exhibit = exhibits([question("q", shown=(1,))], evidence_named("cameras"), scenes).of["q"]
    assert "the view of the front camera" in exhibit.preamble


def test_imported_questions_are_found_by_the_token_in_their_facts(scenes: Scenes) -> None:
    asked = question("q", scene="009539313", shown=(1,), facts={"scene_token": "token-b"})
    assert exhibits([asked], evidence_named("cameras"), scenes).of["q"].pictures[0].scene == "b"


def test_what_is_not_in_the_dataset_is_left_out_with_the_reason(scenes: Scenes) -> None:
    asked = [
        question("q", shown=(1,)),
        question("stranger", scene="elsewhere", shown=(1,)),
        question("late", shown=(5, 6)),
    ]
    shown = exhibits(asked, evidence_named("black"), scenes)
    assert set(shown.of) == {"q"}
    assert reasons(shown) == {
        "stranger": ("its scene is not in the dataset", f"elsewhere is not in {scenes.root / scenes.version}"),
        "late": ("it shows key frames that its scene does not have", "it shows key frame 6, and a has 6"),
    }


def test_a_scene_without_key_frames_shows_nothing(tmp_path: Path) -> None:
    shown = exhibits([question("q")], evidence_named("black"), scenes_of({"a": 0, "b": 1}, root=tmp_path))
    assert (shown.of, reasons(shown)) == ({}, {"q": ("its scene has no key frames", "a")})


def test_missing_files_and_readings_are_named_and_the_others_asked(scenes: Scenes) -> None:
    lost = scenes.root / "CAM_BACK" / "a-2"
    lost.unlink()
    no_reading = (pl.col("scene") == "a") & (pl.col("frame") == 4) & (pl.col("channel") == "CAM_FRONT")
    scenes = replace(scenes, sensors=scenes.sensors.filter(~no_reading))
    asked = [
        question("file", shown=(1, 2)),
        question("reading", shown=(4,)),
        question("whole", shown=(1,)),
        question("other camera", shown=(2,), views=("CAM_FRONT",)),
    ]
    shown = exhibits(asked, evidence_named("cameras"), scenes)
    assert list(shown.of) == ["whole", "other camera"]
    assert [line.question for line in shown.left_out] == ["file", "reading"]
    (reason, of_file), (same_reason, of_reading) = reasons(shown).values()
    assert reason == same_reason
    assert of_file == f"{lost}: is not there."
    assert of_reading is not None
    assert "CAM_FRONT" in of_reading
    assert list(exhibits(asked, evidence_named("birds-eye"), scenes).of) == [one.id for one in asked]


def test_all_six_cameras_are_told_in_the_order_of_the_grid(scenes: Scenes) -> None:
    exhibit = exhibits([question("q", shown=(1,))], evidence_named("cameras"), scenes).of["q"]
    assert len(CAMERAS) == 6
    assert "front-left, front, front-right, back-left, back, back-right." in exhibit.preamble
