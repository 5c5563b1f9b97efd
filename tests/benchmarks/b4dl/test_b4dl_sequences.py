from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from making import scenes_of
from probe4d.benchmarks.b4dl.sequences import (
    FEWEST_FRAMES,
    MOST_FRAMES,
    STRIDE,
    drawn_sequences,
    released_windows,
)
from probe4d.errors import InputError
from probe4d.scenes.tables import Scenes


def with_lengths(*keyframes: int) -> Scenes:
    rows = [{"scene": f"scene-{n:04}", "token": f"{n}", "keyframes": length} for n, length in enumerate(keyframes)]
    return scenes_of(rows, [], [], [])


@given(st.lists(st.integers(5, 45), min_size=1, max_size=4), st.integers(0, 2**32))
def test_drawn_sequences_lie_inside_their_scene_and_differ(lengths: list[int], seed: int) -> None:
    scenes = with_lengths(*lengths)
    drawn = drawn_sequences(scenes, seed=seed)
    for name, keyframes in scenes.scenes.select("scene", "keyframes").iter_rows():
        of_scene = drawn.filter(scene=name)
        possible = sum(max(keyframes - STRIDE * (n - 1), 0) for n in range(FEWEST_FRAMES, MOST_FRAMES + 1))
        assert of_scene.height == min(6, possible)
        assert of_scene["frames"].n_unique() == of_scene.height
        for frames, start, end in of_scene.select("frames", "start", "end").iter_rows():
            assert frames == list(range(start, end + 1, STRIDE))
            assert start >= 0
            assert end < keyframes
            assert FEWEST_FRAMES <= len(frames) <= MOST_FRAMES


def test_every_number_of_frames_and_every_part_of_a_scene_is_drawn() -> None:
    drawn = drawn_sequences(with_lengths(*[40] * 100), seed=1)
    counts = drawn["frames"].list.len().value_counts(sort=True)
    assert set(counts["frames"]) == set(range(FEWEST_FRAMES, MOST_FRAMES + 1))
    assert counts["count"].min() > 40  # 600 draws of 8 numbers
    assert drawn["start"].min() == 0
    assert drawn["end"].max() == 39


def test_a_draw_depends_on_seed_and_name_alone() -> None:
    alone = drawn_sequences(with_lengths(40), seed=7)
    among = drawn_sequences(with_lengths(40, 41, 39), seed=7)
    assert among.filter(scene="scene-0000").equals(alone)
    assert not drawn_sequences(with_lengths(40), seed=8).equals(alone)


def test_released_windows_are_those_of_the_release() -> None:
    windows = released_windows(with_lengths(40))
    assert windows["start"].to_list() == [0, 6, 12, 18, 24, 30]
    assert windows["frames"].to_list()[-1] == [30, 32, 34, 36, 38]


def test_windows_of_short_scenes_end_with_the_scene() -> None:
    assert released_windows(with_lengths(12))["start"].to_list() == [0, 1, 2]
    (cut,) = released_windows(with_lengths(7))["frames"].to_list()
    assert cut == [0, 2, 4, 6]


@pytest.mark.parametrize("sequences", [released_windows, lambda scenes: drawn_sequences(scenes, seed=0)])
def test_scenes_too_short_for_any_sequence_are_refused(sequences: object) -> None:
    with pytest.raises(InputError, match="5 key frames or more"):
        sequences(with_lengths(4, 3))  # type: ignore[operator]


def test_a_wrong_number_of_sequences_is_refused() -> None:
    with pytest.raises(InputError, match="at least 1, not 0"):
        drawn_sequences(with_lengths(40), seed=0, per_scene=0)
