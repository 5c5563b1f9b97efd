"""Tokens are those of NLTK, whichever way they were found."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from nltk.tokenize import NLTKWordTokenizer, word_tokenize
from nltk.tokenize.punkt import PunktSentenceTokenizer

from probe4d.diagnosis.text_metrics.tokens import tokens

PARTS = ["car", "Cannot", "wanna", "gimme", "it's", "12.5", "3,36", "2", "-", ".", ",", "?", "!", " ", " ", " ", "  "]
PARTS += [
    "left-hand",
    "a.b",
    "Dr",
    "...",
    "'",
    '"',
    "(",
    ")",
    ":",
    "\n",
    "é",
    "d'ye",
    "--",
    "more'n",
    "can",
    "not",
    "na",
]


@given(text=st.one_of(st.lists(st.sampled_from(PARTS), max_size=12).map("".join), st.text(max_size=30)))
@settings(max_examples=300)
def test_equal_nltk(text: str) -> None:
    words = NLTKWordTokenizer()
    assert tokens(text) == [
        word for sentence in PunktSentenceTokenizer().tokenize(text) for word in words.tokenize(sentence)
    ]


@given(words=st.lists(st.sampled_from(["cannot", "wanna", "a.b", "12.5", "2,", "ahead,", "x-y", "U.S"]), min_size=1))
def test_plain_sentences_equal_nltk(words: list[str]) -> None:
    for end in ("", ".", "?", "!"):
        assert tokens(" ".join(words) + end) == word_tokenize(" ".join(words) + end, preserve_line=True)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        (" \n ", []),
        ("The car stops.", ["The", "car", "stops", "."]),
        ("It stops. We cannot pass!", ["It", "stops", ".", "We", "can", "not", "pass", "!"]),
        ("At 12.5 m, ahead", ["At", "12.5", "m", ",", "ahead"]),
        ("It isn't (quite) there", ["It", "is", "n't", "(", "quite", ")", "there"]),
        ("车在前面", ["车在前面"]),
    ],
)
def test_tokens_by_hand(text: str, expected: list[str]) -> None:
    assert tokens(text) == expected
