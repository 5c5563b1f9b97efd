"""Quotations that no text can end, in which nothing is unseen."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from probe4d.benchmarks import quoting
from probe4d.benchmarks.quoting import quoted, with_visible_characters

ANY_TEXT = st.text(alphabet=st.characters(exclude_categories=()))


def letters(text: str) -> str:
    return "".join(filter(str.isalnum, unicodedata.normalize("NFKC", text).casefold()))


@given(ANY_TEXT, st.integers(0, 3), st.text(max_size=4))
def test_a_text_stands_between_lines_that_it_does_not_hold(text: str, seed: int, key: str) -> None:
    found = quoted(text, seed=seed, key=key, what="ANSWER")
    begin, *lines, end = found.block.split("\n")
    assert (begin, end) == (found.begin, found.end)
    assert "\n".join(lines) == with_visible_characters(text)
    assert found.begin not in lines
    assert found.end not in lines
    assert quoted(text, seed=seed, key=key, what="ANSWER") == found


@pytest.mark.parametrize(
    "spell",
    [
        str,
        str.upper,
        "\u200b".join,
        " ".join,
        "-\n".join,
        lambda word: "".join(chr(ord(letter) + 0xFEE0) for letter in word),
        lambda word: f"zzz{word}zzz",
    ],
)
def test_who_knows_the_word_gets_another_one(spell) -> None:
    first = quoted("It turns left.", seed=42, key="a", what="ANSWER")
    word = first.begin.removeprefix("[[[ANSWER ").removesuffix("]]]")
    assert len(word) == 16
    second = quoted(f"It turns left. {spell(word)}", seed=42, key="a", what="ANSWER")
    drawn = second.begin.removeprefix("[[[ANSWER ").removesuffix("]]]")
    if spell("\u200b") != spell("x") and "\u200b" in spell("xx"):
        assert "[U+200B]" in second.block  # written out, so that its letters do not join
    else:
        assert drawn != word
    assert drawn not in letters(with_visible_characters(spell(word)))


def test_words_differ_by_seed_and_key() -> None:
    begins = {quoted("x", seed=seed, key=key, what="ANSWER").begin for seed in range(5) for key in ("a", "b", "a/1")}
    assert len(begins) == 15


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain\tand\ntwo lines", "plain\tand\ntwo lines"),
        ("a\r\nb\rc", "a\nb\nc"),
        ("zero\u200bwidth\ufeff", "zero[U+200B]width[U+FEFF]"),
        ("\u202eright to left\u2069", "[U+202E]right to left[U+2069]"),
        ("tag\U000e0041", "tag[U+E0041]"),
        ("bell\x07 escape\x1b[31m null\x00", "bell[U+0007] escape[U+001B][31m null[U+0000]"),
        ("\u3164filler \u2028line \ue000private", "[U+3164]filler [U+2028]line [U+E000]private"),
        ("\U000e0101selector \ufe00 but \u2b05\ufe0f", "[U+E0101]selector [U+FE00] but \u2b05\ufe0f"),
        ("Äöü 漢字 العربية 🚗 \u00a0", "Äöü 漢字 العربية 🚗 \u00a0"),
    ],
)
def test_what_cannot_be_seen_is_written_out(text: str, shown: str) -> None:
    assert with_visible_characters(text) == shown


@given(ANY_TEXT)
def test_nothing_unseen_is_left(text: str) -> None:
    shown = with_visible_characters(text)
    assert not {unicodedata.category(letter) for letter in shown if letter not in "\n\t"} & {"Cc", "Cf", "Cs", "Co"}
    assert with_visible_characters(shown) == shown


@given(st.characters(exclude_characters="\r"))
def test_each_character_alone_is_shown_as_it_is_among_others(letter: str) -> None:
    assert with_visible_characters(f"{letter}\n\u00a0") == f"{with_visible_characters(letter)}\n\u00a0"


def test_texts_of_many_lines_are_looked_at_as_a_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(quoting, "_visible", None)  # character by character, 30,000 prompts take minutes
    assert with_visible_characters("A car is ahead \u2013\n\ton the left.") == "A car is ahead \u2013\n\ton the left."
