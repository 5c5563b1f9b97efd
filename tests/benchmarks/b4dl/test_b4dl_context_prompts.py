"""What a model is shown and asked about a sequence's images: views, their order, and what of them is missing."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from making import scenes_of, table_of
from probe4d.benchmarks.b4dl.generation.context_prompts import context_prompts, missing_images, view_groups
from probe4d.benchmarks.b4dl.sequences import SEQUENCES_SCHEMA
from probe4d.benchmarks.b4dl.tasks import VOCABULARY
from probe4d.benchmarks.generating import Picture
from probe4d.errors import InputError
from probe4d.scenes.tables import Scenes

NUSCENES = ("CAM_FRONT", "CAM_FRONT_LEFT", "CAM_FRONT_RIGHT", "CAM_BACK", "CAM_BACK_LEFT", "CAM_BACK_RIGHT")
WAYMO = ("FRONT", "FRONT_LEFT", "FRONT_RIGHT", "SIDE_LEFT", "SIDE_RIGHT")
FRAMES = (12, 14, 16)


def sequences(*frames: tuple[int, ...]) -> pl.DataFrame:
    rows = [
        {"scene": "a", "sequence": f"a/{number}", "frames": list(shown), "start": shown[0], "end": shown[-1]}
        for number, shown in enumerate(frames)
    ]
    return table_of(rows, SEQUENCES_SCHEMA)


def shot(root: Path, channels: tuple[str, ...], *, without: tuple[str, ...] = (), lost: tuple[str, ...] = ()) -> Scenes:
    """A scene with an image file of each channel and frame, but for those without a record and those that are lost."""
    sensors = []
    for channel in channels:
        (root / "samples" / channel).mkdir(parents=True, exist_ok=True)
        for frame in range(12, 21):
            name = f"samples/{channel}/{frame}.jpg"
            if name not in without:
                sensors.append({"scene": "a", "frame": frame, "channel": channel, "modality": "camera", "file": name})
            if name not in lost:
                (root / name).touch()
    return scenes_of(scenes=[{"scene": "a", "keyframes": 40}], sensors=sensors, root=root)


def test_front_and_rear_show_all_frames_of_one_view_before_the_next(tmp_path: Path) -> None:
    prompts = context_prompts(sequences(FRAMES), shot(tmp_path, NUSCENES), longest_side_px=640)
    assert [prompt.key for prompt in prompts] == ["a/0/front", "a/0/rear"]
    for prompt, channels in zip(prompts, (NUSCENES[:3], NUSCENES[3:]), strict=True):
        files = [f"samples/{channel}/{frame}.jpg" for channel in channels for frame in FRAMES]
        assert prompt.pictures == tuple(Picture(file, 640) for file in files)
    front = prompts[0].text
    assert "frames 012 to 016 of one drive" in front
    assert "  front: images 1 to 3, which show frames 012, 014 and 016." in front
    assert "  front_left: images 4 to 6, which show frames 012, 014 and 016." in front
    assert "  front_right: images 7 to 9, which show frames 012, 014 and 016." in front
    assert "[1] Description of the Scene [2] Key Changes Over Time [3] Important Objects" in front
    assert f"{{{', '.join(VOCABULARY)}}}" in front
    assert "Leave out colour, text, lighting, weather" in front
    assert "special movements of the ego vehicle" in front


def test_only_the_rear_is_told_to_be_seen_looking_backwards(tmp_path: Path) -> None:
    front, rear = context_prompts(sequences(FRAMES), shot(tmp_path, NUSCENES), longest_side_px=640)
    assert "The cameras look backwards." in rear.text
    assert "The back_left view therefore lies to the right of the back view" in rear.text
    assert "all that these images show is behind it" in rear.text
    assert "backwards" not in front.text


def test_five_cameras_of_waymo_are_described_left_and_right_and_none_backwards(tmp_path: Path) -> None:
    left, right = context_prompts(sequences(FRAMES), shot(tmp_path, WAYMO), longest_side_px=640)
    assert (left.key, right.key) == ("a/0/left", "a/0/right")
    assert [picture.file.split("/")[1] for picture in left.pictures[::3]] == ["FRONT", "FRONT_LEFT", "SIDE_LEFT"]
    assert [picture.file.split("/")[1] for picture in right.pictures[::3]] == ["FRONT", "FRONT_RIGHT", "SIDE_RIGHT"]
    assert "backwards" not in left.text + right.text


def test_eight_cameras_of_waymo_are_described_front_and_rear(tmp_path: Path) -> None:
    rear = ("REAR_LEFT", "REAR", "REAR_RIGHT")
    groups = view_groups(shot(tmp_path, (*WAYMO, *rear)))
    assert set(groups) == {"front", "rear"}
    assert set(groups["rear"].values()) == set(rear)


def test_missing_images_are_told_in_the_prompt_and_counted_once(tmp_path: Path) -> None:
    scenes = shot(
        tmp_path,
        NUSCENES,
        without=("samples/CAM_FRONT/14.jpg", *(f"samples/CAM_FRONT_LEFT/{frame}.jpg" for frame in range(12, 21))),
        lost=("samples/CAM_BACK/16.jpg",),
    )
    shown = sequences(FRAMES, (14, 16, 18))
    front, rear = context_prompts(shown, scenes, longest_side_px=640)[:2]
    assert "  front: images 1 to 2, which show frames 012 and 016. There is no image of frame 014." in front.text
    assert "  front_left: no image." in front.text
    assert "  front_right: images 3 to 5, which show frames 012, 014 and 016." in front.text
    assert "of the 2 views (front, front_right) show" in front.text
    assert len(front.pictures) == 5
    assert "  back: images 1 to 2, which show frames 012 and 014. There is no image of frame 016." in rear.text
    assert missing_images(shown, scenes) == {
        "images that the dataset has no record of": 5,
        "images whose file is not there": 1,
    }


def test_a_group_without_any_image_is_not_asked_about(tmp_path: Path) -> None:
    scenes = shot(tmp_path, NUSCENES[:1])
    prompts = context_prompts(sequences(FRAMES), scenes, longest_side_px=640)
    assert [prompt.key for prompt in prompts] == ["a/0/front"]
    assert missing_images(sequences(FRAMES), scenes) == {"images that the dataset has no record of": 15}


def test_a_file_that_lies_outside_the_dataset_is_not_shown(tmp_path: Path) -> None:
    (tmp_path / "secret.jpg").touch()
    sensor = {"scene": "a", "frame": 12, "channel": "CAM_FRONT", "modality": "camera", "file": "../secret.jpg"}
    scenes = shot(tmp_path / "data", NUSCENES[1:])
    sensors = [*scenes.sensors.to_dicts(), sensor]
    strange = scenes_of(scenes=scenes.scenes.to_dicts(), sensors=sensors, root=tmp_path / "data")
    shown = {
        file for prompt in context_prompts(sequences(FRAMES), strange, longest_side_px=9) for file in prompt.pictures
    }
    assert not any("secret" in picture.file for picture in shown)


def test_what_cannot_be_described_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="has no images of cameras around the vehicle"):
        context_prompts(sequences(FRAMES), scenes_of(scenes=[{"scene": "a", "keyframes": 40}]), longest_side_px=640)
    lost = tuple(f"samples/{channel}/{frame}.jpg" for channel in NUSCENES for frame in range(12, 21))
    with pytest.raises(InputError, match="has none of the 18 images"):
        context_prompts(sequences(FRAMES), shot(tmp_path, NUSCENES, lost=lost), longest_side_px=640)
