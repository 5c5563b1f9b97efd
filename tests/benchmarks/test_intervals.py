"""Intervals in the texts of options."""

from __future__ import annotations

import pytest

from probe4d.benchmarks.intervals import interval_in


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
