from __future__ import annotations

from itertools import pairwise

import pytest
from exhibit_making import question
from hypothesis import given
from hypothesis import strategies as st

from probe4d.runs.evidence_plan import evidence_named
from probe4d.runs.frames import frames_shown, thinned, wrong_order

FRAMES = st.lists(st.integers(0, 200), min_size=1, max_size=60, unique=True).map(sorted)


@given(FRAMES, st.integers(1, 40))
def test_thinned_frames_are_evenly_spread_with_both_ends(frames: list[int], most: int) -> None:
    kept = thinned(frames, most)
    places = [frames.index(frame) for frame in kept]
    assert len(kept) == min(most, len(frames))
    assert places == sorted(places)
    if most > 1:
        assert (kept[0], kept[-1]) == (frames[0], frames[-1])
        steps = {after - before for before, after in pairwise(places)}
        assert not steps or max(steps) - min(steps) <= 1


@given(FRAMES, st.integers(1, 40), st.sets(st.integers(0, 200), max_size=4))
def test_frames_asked_about_are_kept_where_there_is_room(frames: list[int], most: int, asked: set[int]) -> None:
    kept = thinned(frames, most, keep=asked)
    wanted = asked.intersection(frames)
    assert len(kept) == len(set(kept)) == min(most, len(frames))
    assert list(kept) == sorted(kept)
    assert set(kept) <= set(frames)
    if len(wanted) <= most:
        assert wanted <= set(kept)
    else:
        assert set(kept) <= wanted
    if len(wanted | {frames[0], frames[-1]}) <= most:
        assert (kept[0], kept[-1]) == (frames[0], frames[-1])


def test_frames_that_options_name_are_kept() -> None:
    asked = question(options=("frame 001 to frame 007", "Frame 011 to frame 032", "the road ahead"))
    kept = frames_shown(asked, evidence_named("cameras", span="scene"), 40)
    assert {1, 7, 11, 32} < set(kept)
    assert (len(kept), kept[0], kept[-1]) == (16, 0, 39)


def test_forty_frames_become_sixteen() -> None:
    assert thinned(range(40), 16) == (0, 3, 5, 8, 10, 13, 16, 18, 21, 23, 26, 29, 31, 34, 36, 39)
    assert thinned(range(40), 16, keep=(12,)) == (0, 3, 5, 8, 10, 12, 16, 18, 21, 23, 26, 29, 31, 34, 36, 39)
    assert thinned(range(9), 3) == (0, 4, 8)
    assert thinned(range(9), 1) == (4,)


@given(
    st.lists(st.integers(0, 300), min_size=2, max_size=40, unique=True),
    st.integers(0, 2**40),
    st.text(min_size=1, max_size=16),
)
def test_a_wrong_order_leaves_no_frame_in_its_place(frames: list[int], seed: int, key: str) -> None:
    order = wrong_order(frames, seed=seed, key=key)
    assert sorted(order) == sorted(frames)
    assert all(shown != true for shown, true in zip(order, frames, strict=True))
    assert order == wrong_order(frames, seed=seed, key=key)


def test_wrong_orders_differ_by_seed_and_key() -> None:
    drawn = {wrong_order(range(12), seed=seed, key=key) for seed in range(5) for key in "abcde"}
    assert len(drawn) == 25


@pytest.mark.parametrize(
    ("span", "shown", "frames", "expected"),
    [
        ("question", (3,), (3,), (3,)),
        ("question", (8, 4, 4, 6), (), (4, 6, 8)),
        ("question", (), (), tuple(range(12))),  # none listed: all of them
        ("scene", (3,), (3,), tuple(range(12))),
    ],
)
def test_a_question_shows_what_it_lists_or_the_whole_scene(
    span: str, shown: tuple[int, ...], frames: tuple[int, ...], expected: tuple[int, ...]
) -> None:
    plan = evidence_named("cameras", span=span)  # type: ignore[arg-type]
    assert frames_shown(question(shown=shown, frames=frames), plan, 12) == expected


def test_a_long_scene_keeps_the_frame_asked_about() -> None:
    plan = evidence_named("cameras", span="scene", max_frames=4)
    assert frames_shown(question(shown=(12,), frames=(12,)), plan, 40) == (0, 12, 26, 39)
