"""Words in pictures: no wider than there is room, and nothing but what a reader sees."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from probe4d.evidence.lettering import width_px
from probe4d.report.video.words import cut_to, fitted, plain, wrapped

TEXTS = st.text(st.characters(codec="utf-8"), max_size=200)


@given(TEXTS, st.integers(30, 300))
def test_no_line_is_wider_than_there_is_room_and_nothing_is_lost(text: str, width: int) -> None:
    lines = wrapped(text, width, 12)
    assert all(width_px(line, 12) <= width or len(line) == 1 for line in lines)
    assert "".join(lines).replace(" ", "") == plain(text).replace(" ", "")


@given(TEXTS, st.integers(1, 6))
def test_what_is_cut_says_so(text: str, most: int) -> None:
    lines = wrapped(text, 100, 12)
    cut = cut_to(lines, most, 100, 12)
    assert len(cut) == min(most, len(lines))
    assert cut == lines if len(lines) <= most else cut[-1].endswith("…")
    assert all(width_px(line, 12) <= 100 or len(line) <= 2 for line in cut)


@given(TEXTS, st.integers(20, 300))
def test_a_line_is_no_wider_than_there_is_room(text: str, width: int) -> None:
    line = fitted(text, width, 12)
    assert width_px(line, 12) <= width
    assert line == plain(text) or line.endswith("…")


@given(TEXTS)
def test_nothing_steers_a_display(text: str) -> None:
    assert all(character.isprintable() for character in plain(text))


def test_white_space_is_a_space() -> None:
    assert plain(" from\tframe\n\n003 ") == "from frame 003"
    assert plain("left\u202eright") == "left\ufffdright"
    assert wrapped("", 100, 12) == []
    assert len(plain("a" * 10**6)) == 4000
