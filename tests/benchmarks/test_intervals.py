"""Intervals in the texts of options and of reference answers."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from probe4d.benchmarks.intervals import interval_in, reference_ends

FRAMES = st.integers(0, 999_999)


@pytest.mark.parametrize(
    ("text", "interval"),
    [
        ("from frame 003 to frame 009", (3, 9)),
        ("frames 3 to 9", (3, 9)),
        (" From frame 12 to 30 ", (12, 30)),
        ("car", None),
        ("", None),
        ("from frame 003 to frame 009, then again", None),
        ("from frame 0000003 to frame 9", None),
    ],
)
def test_only_a_text_that_is_an_interval_is_read(text: str, interval: tuple[int, int] | None) -> None:
    assert interval_in(text) == interval


@given(FRAMES, FRAMES)
def test_a_reference_is_its_first_and_last_frame(one: int, other: int) -> None:
    first, last = sorted((one, other))
    assert reference_ends(f"{first}-{last}") == (first, last)


@pytest.mark.parametrize("answer", ["", "3", "9-3", "3-9 ", "3–9", "-3-9", "3-9-12", "frame 3 to frame 9", "3-1234567"])
def test_what_is_no_reference_interval_is_none(answer: str) -> None:
    assert reference_ends(answer) is None
