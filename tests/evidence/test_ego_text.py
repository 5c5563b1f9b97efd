from __future__ import annotations

import math
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import making
from probe4d.errors import InputError
from probe4d.evidence.ego_motion import ego_motion, scene_phrases
from probe4d.evidence.ego_text import START, EgoTexts
from probe4d.scenes.tables import Scenes


def keyframes(*poses: tuple[float, float, float, float], scene: str = "a") -> pl.DataFrame:
    """Key frames half a second apart; a pose is x, y, z in m and a heading in degrees."""
    rows: list[dict[str, Any]] = [
        {
            "scene": scene,
            "frame": frame,
            "timestamp_us": 500_000 * frame,
            "pose_x": x,
            "pose_y": y,
            "pose_z": z,
            "pose_qw": math.cos(math.radians(heading) / 2),
            "pose_qx": 0.0,
            "pose_qy": 0.0,
            "pose_qz": math.sin(math.radians(heading) / 2),
        }
        for frame, (x, y, z, heading) in enumerate(poses)
    ]
    return making.scenes_of(keyframes=rows).keyframes


def paper(question: str, *poses: tuple[float, float, float, float], frames: tuple[int, ...] | None = None) -> str:
    return EgoTexts(keyframes(*poses), "paper").of("a", question, frames)


STRAIGHT = [(6.0 * frame, 0.0, 0.0, 0.0) for frame in range(6)]


@pytest.mark.parametrize(
    ("step", "words"),
    [
        ((1.5, -1.0, 0.0, 11.2), "slightly ahead and to the right on flat ground, moving at about 4 meters per second, "
         "performing a left turn by about 11 degrees"),
        ((5.0, 0.3, 0.4, -3.0), "ahead uphill, moving at about 10 meters per second, performing a right turn by"),
        ((-4.0, 0.0, -0.5, 0.3), "behind downhill, moving at about 8 meters per second, keeping its heading"),
        ((0.05, 0.0, 0.0, 0.0), "at the same place on flat ground, moving at about 0 meters per second"),
        ((0.1, 3.0, 0.0, 0.0), "is to the left on flat ground, moving at about 6"),
    ],
)  # fmt: skip
def test_a_step_is_told_in_the_style_of_the_paper(step: tuple[float, float, float, float], words: str) -> None:
    text = paper("In frame 001?", (0.0, 0.0, 0.0, 0.0), step)
    assert text.startswith("The metadata of the frame is 'The ego vehicle is ")
    assert words in text
    assert text.endswith("meters per second squared.'")


def test_acceleration_is_the_change_of_speed_a_second() -> None:
    poses = [(0.0, 0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0), (3.0, 0.0, 0.0, 0.0)]
    assert "an acceleration of about 4 meters per second squared" in paper("In frame 2?", *poses)
    assert "an acceleration of about 0 meters per second squared" in paper("In frame 1?", *poses)
    slower = [(0.0, 0.0, 0.0, 0.0), (4.0, 0.0, 0.0, 0.0), (5.0, 0.0, 0.0, 0.0)]
    assert "an acceleration of about -12 meters per second squared" in paper("In frame 2?", *slower)


def test_the_step_is_seen_from_the_ego_vehicle_before_it() -> None:
    turned = [(0.0, 0.0, 0.0, 90.0), (0.0, 5.0, 0.0, 90.0)]
    assert "The ego vehicle is ahead on flat ground" in paper("In frame 1?", *turned)


@pytest.mark.parametrize(
    ("question", "frames", "ends"),
    [
        ("Does it move from frame 002 to frame 004?", None, (2, 4)),
        ("When does the bus stop?", None, (0, 5)),
        ("When does the bus stop?", (1, 3, 4), (1, 4)),
        ("During frames 000-005, does it?", (1, 3, 4), (1, 4)),
        ("In frame 003, is it?", None, (3, 3)),
    ],
)
def test_frames_come_from_the_question_and_from_what_is_shown(
    question: str, frames: tuple[int, ...] | None, ends: tuple[int, int]
) -> None:
    poses = [(float(frame * (frame + 1)), 0.0, 0.0, 0.0) for frame in range(6)]  # each step twice as long as its number
    text = paper(question, *poses, frames=frames)
    speeds = [START if end == 0 else f"moving at about {4 * end} meters" for end in ends]
    first, _, last = text.partition(" and the metadata of the last frame is ")
    assert speeds[0] in first
    assert (speeds[1] in last) if ends[0] != ends[1] else not last


def test_the_text_of_the_release_takes_the_whole_scene_whatever_is_shown(scenes: Scenes) -> None:
    texts, phrases = EgoTexts(scenes.keyframes, "question"), scene_phrases(scenes.keyframes)
    for scene, of_scene in phrases.items():
        for question in ("When does it stop?", "Does car exist in frame 003?", "from frame 002 to frame 009"):
            assert texts.of(scene, question, (4, 5)) == ego_motion(question, of_scene).text


@given(frame=st.integers(0, 99), shown=st.sets(st.integers(0, 5), min_size=1))
def test_a_frame_that_is_not_shown_stands_for_the_nearest_that_is(frame: int, shown: set[int]) -> None:
    nearest = min(sorted(shown), key=lambda other: abs(other - frame))
    frames = tuple(sorted(shown))
    assert paper(f"In frame {frame}?", *STRAIGHT, frames=frames) == paper(f"In frame {nearest}?", *STRAIGHT)


def test_a_scene_of_one_key_frame_has_a_start_alone() -> None:
    assert paper("What is there?", (0.0, 0.0, 0.0, 0.0)) == f"The metadata of the frame is '{START}'"


@pytest.mark.parametrize("kind", ["question", "paper"])
def test_scenes_and_frames_that_are_unknown_are_named(kind: Any) -> None:
    texts = EgoTexts(keyframes(*STRAIGHT), kind)
    with pytest.raises(InputError, match=r"no scene 'b'.*--data DATAROOT"):
        texts.of("b", "When?")
    if kind == "paper":
        with pytest.raises(InputError, match="has 6 key frames, and none is 6"):
            texts.of("a", "When?", (5, 6))
