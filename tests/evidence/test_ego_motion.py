from __future__ import annotations

import math

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from probe4d.evidence.ego_motion import ego_motion, frame_phrases, scene_phrases, select_frames

FRAMES = list(range(40))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("During frames 003-011, does the nearest car …", (3, 11, "question_interval")),
        ("During frames 003–011, does …", (3, 11, "question_interval")),
        ("What happens from frame 5 to frame 9?", (5, 9, "question_interval")),
        ("What happens From Frames 5 to 9?", (5, 9, "question_interval")),
        ("Between frame 12 and frame 20?", (12, 20, "question_interval")),
        ("from 4 to 6", (4, 6, "question_interval")),
        ("A. from frame 010 to frame 014\nB. from frame 002 to frame 005", (2, 14, "question_interval")),
        ("from frame 30 to frame 99", (30, 39, "question_interval")),
        ("from frame 9 to frame 5, in frame 20", (18, 22, "question_single_frame_window")),
        ("Does car exist in frame 010?", (8, 12, "question_single_frame_window")),
        ("Look at frame 000", (0, 4, "question_single_frame_window")),
        ("frame 39 shows", (35, 39, "question_single_frame_window")),
        ("frame 7, then by frame 20", (18, 22, "question_single_frame_window")),
        ("During which frames is the ego vehicle moving?", (0, 39, "full_scene_fallback")),
    ],
)
def test_the_text_alone_selects_the_frames(text: str, expected: tuple[int, int, str]) -> None:
    assert select_frames(text, FRAMES) == expected


def test_frames_that_are_missing_are_snapped_to_the_nearest_and_ties_to_the_earlier() -> None:
    assert select_frames("from frame 1 to frame 5", [0, 2, 4, 6])[:2] == (0, 4)


@given(st.integers(1, 60), st.integers(0, 99))
def test_a_window_lies_in_the_scene(keyframes: int, frame: int) -> None:
    start, end, _ = select_frames(f"in frame {frame}", range(keyframes))
    assert 0 <= start <= end <= keyframes - 1
    assert end - start == min(4, keyframes - 1)


def phrases(steps: list[tuple[float, float]], turns_deg: list[float] | None = None) -> list[str | None]:
    """Describe steps of 0.5 s, given in the global frame, with the ego vehicle first heading along x."""
    xy = np.cumsum([(0.0, 0.0), *steps], axis=0)
    yaw = np.radians(np.cumsum([0.0, *(turns_deg or [0.0] * len(steps))]))
    return frame_phrases([500_000 * i for i in range(len(xy))], xy, yaw)


@pytest.mark.parametrize(
    ("step", "words"),
    [
        ((0.09, 0.0), "nearly stationary with little relative displacement"),
        ((0.5, 0.0), "moving slowly forward"),
        ((-0.5, 0.0), "moving slowly backward"),
        ((2.0, 0.0), "moving at moderate speed forward"),
        ((4.0, 0.9), "moving fast forward"),
        ((4.0, 1.1), "moving fast forward-left"),
        ((4.0, -1.1), "moving fast forward-right"),
        ((-1.0, -1.0), "moving at moderate speed backward-right"),
        ((0.1, 2.0), "moving at moderate speed left"),
        ((0.1, -2.0), "moving at moderate speed right"),
        ((0.15, 0.0), "moving slowly with little relative displacement"),
    ],
)
def test_speed_and_direction(step: tuple[float, float], words: str) -> None:
    assert phrases([step]) == [
        None,
        f"{words} relative to the previous frame, keeping a similar heading, and maintaining similar speed",
    ]


def test_heading_is_that_of_the_step_and_wraps() -> None:
    turned = phrases([(1.0, 0.0)] * 4, [5.1, -5.1, 4.9, 355.0 - 9.9])
    assert [str(phrase).split(", ")[1] for phrase in turned[1:]] == [
        "turning left",
        "turning right",
        "keeping a similar heading",
        "turning right",
    ]


def test_direction_is_seen_from_the_previous_heading() -> None:
    assert "forward-left" in str(phrases([(1.0, 1.0), (0.0, 3.0)], [45.0, 0.0])[2])


def test_acceleration_compares_with_the_step_before() -> None:
    words = [str(phrase).split("and ")[-1] for phrase in phrases([(1.0, 0.0), (1.2, 0.0), (1.1, 0.0), (0.8, 0.0)])[1:]]
    assert words == ["maintaining similar speed", "speeding up", "maintaining similar speed", "slowing down"]


def test_the_text_names_first_and_last_frame() -> None:
    assert ego_motion("From frame 0 to frame 1?", dict(enumerate(phrases([(4.0, 0.0)])))).text == (
        "At the first referenced frame, frame 000, this is the initial ego pose of the sequence, with no previous "
        "frame available for relative motion. At the last referenced frame, frame 001, the ego vehicle is moving fast "
        "forward relative to the previous frame, keeping a similar heading, and maintaining similar speed."
    )


def test_one_frame_is_named_once() -> None:
    motion = ego_motion("from frame 1 to frame 1", dict(enumerate(phrases([(4.0, 0.0)]))))
    assert motion.text.startswith("At the referenced frame, frame 001, the ego vehicle is moving fast")
    assert motion.text.count("At the") == 1


def test_scenes_are_described_apart_and_in_frame_order() -> None:
    half = math.sqrt(0.5)
    rows = [
        {"scene": scene, "frame": frame, "timestamp_us": 500_000 * frame, "pose_x": 0.0, "pose_y": 2.0 * frame}
        | {"pose_qw": half, "pose_qx": 0.0, "pose_qy": 0.0, "pose_qz": half}
        for scene in ("b", "a")
        for frame in (1, 0)
    ]
    described = scene_phrases(pl.DataFrame(rows))
    assert list(described) == ["a", "b"]
    assert described["a"][0] is None
    assert str(described["b"][1]).startswith("moving at moderate speed forward relative")


PART = st.floats(-1, 1)


def has_heading(quaternion: tuple[float, float, float, float]) -> bool:
    """Whether the vehicle does not point straight up or down."""
    w, x, y, z = quaternion
    squared = w * w + x * x + y * y + z * z
    return squared > 0.01 and math.hypot(w * w + x * x - y * y - z * z, 2 * (x * y + w * z)) > 1e-3 * squared


@given(
    st.lists(st.tuples(PART, PART, PART, PART).filter(has_heading), min_size=2, max_size=6),
    st.sampled_from([1e-3, 0.5, 3.0, -2.0, 1e3]),
)
def test_the_length_of_a_quaternion_does_not_matter(
    rotations: list[tuple[float, float, float, float]], factor: float
) -> None:
    def described(scale: float) -> dict[str, dict[int, str | None]]:
        rows = []
        for frame, rotation in enumerate(rotations):
            unit = [scale * part / math.hypot(*rotation) for part in rotation]
            names = ("pose_qw", "pose_qx", "pose_qy", "pose_qz")
            place = {"pose_x": 1.7 * frame, "pose_y": 0.3 * frame**2}
            rows.append({"scene": "s", "frame": frame, "timestamp_us": 500_000 * frame, **place})
            rows[-1] |= dict(zip(names, unit, strict=True))
        return scene_phrases(pl.DataFrame(rows))

    assert described(factor) == described(1.0)
