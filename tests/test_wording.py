"""Words in sentences, and texts of others that are printed."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from probe4d.wording import CONTROL_SEQUENCE, without_control_sequences

SEQUENCES = (
    "\x1b[31m",
    "\x1b[m",
    "\x1b[38;5;196m",
    "\x1b[38:2::255:0:0m",
    "\x1b[?25l",
    "\x1b[2J",
    "\x1b[1 q",
    "\x9b31m",
    "\x1b]0;a title\x07",
    "\x1b]8;;http://example.org/\x1b\\",
    "\x9d0;a title\x9c",
    "\x1bP1$r0m\x1b\\",
    "\x1b(B",
    "\x1bc",
    "\x1b7",
    "\x1b\x1b[0m",
)
PRINTED = st.text(st.characters(exclude_categories=("Cc", "Cs")) | st.sampled_from("[]0m;\n\t"), max_size=20)


@given(PRINTED, st.lists(st.tuples(st.sampled_from(SEQUENCES), PRINTED), max_size=6))
def test_control_sequences_go_whole_and_nothing_else_does(first: str, rest: list[tuple[str, str]]) -> None:
    text = first + "".join(sequence + printed for sequence, printed in rest)
    assert without_control_sequences(text) == first + "".join(printed for _, printed in rest)


@given(st.text(st.sampled_from("\x1b\x07\x9b\x9c\x9d[]P\\(;?03mJ a\n"), max_size=40))
def test_what_begins_and_does_not_end_keeps_its_words(text: str) -> None:
    kept = without_control_sequences(text)
    characters = iter(text)
    assert all(character in characters for character in kept), "in order, and of the text"
    assert "\x1b[" not in kept
    assert pl.Series([text]).str.replace_all(CONTROL_SEQUENCE, "").item() == kept


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("\x1b]0;no end, and the error", "0;no end, and the error"),
        ("cut off \x1b[3", "cut off "),
        ("\x1b]0;a title\nnot found\x07", "0;a title\nnot found\x07"),
        ("a lone \x1b", "a lone \x1b"),
    ],
)
def test_a_sequence_without_an_end_takes_no_words_with_it(text: str, kept: str) -> None:
    assert without_control_sequences(text) == kept
