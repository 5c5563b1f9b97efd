"""Words in sentences, and texts of others that are printed."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from probe4d.cli.output import harmless
from probe4d.models.failures import one_line
from probe4d.report.drawing import printable
from probe4d.wording import CONTROL_SEQUENCE, is_unseen, visible, without_control_sequences

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


UNSEEN = "\x00\t\n\x7f\x85\u00ad\u200b\u2028\u2029\u202e\ue000\ufeff\uffff\U000e0041\ud800"
SEEN = "a Ü字…\u00a0\u202f😀"


@given(st.text(st.characters() | st.sampled_from(UNSEEN + SEEN), max_size=40))
def test_of_what_is_not_seen_nothing_is_left_but_what_is_kept(text: str) -> None:
    shown = visible(text, lambda character: f"<{ord(character)}>", kept="\n")
    assert not any(is_unseen(character) for character in shown.replace("\n", ""))
    assert visible(shown, lambda _: "", kept="\n") == shown
    for written in (harmless(text).replace("\n", "").replace("\t", ""), printable(text), one_line(text)):
        assert not any(is_unseen(character) for character in written)


def test_terminals_pictures_and_errors_take_the_same_for_seen() -> None:
    assert [*filter(is_unseen, UNSEEN + SEEN)] == [*UNSEEN]
    assert harmless(SEEN) == printable(SEEN) == SEEN
    assert one_line(SEEN).split() == SEEN.split()
    assert (printable("a\u200bb"), one_line("a\u200bb"), harmless("a\u200bb")) == ("a\ufffdb", "ab", "a\\x200bb")
