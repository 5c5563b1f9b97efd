"""Replies of captioning models: which hold a phrase, and which hold something else."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from probe4d.runs.noun_phrases import MOST_WORDS, noun_phrase

PHRASES = (
    "black sedan with red logo",
    "man in a blue t-shirt and jeans",
    "the man in tan t-shirt and jeans",
    "Orange traffic cone",
    "woman's bicycle with a basket",
    "bus no. 42 in white and green",
    "an 18-wheeler (white)",
    "café sign",
)


@pytest.mark.parametrize("phrase", PHRASES)
@pytest.mark.parametrize(
    "dress",
    [
        "{}",
        "{}.",
        "  {}\n",
        '"{}"',
        "'{}'.",
        "\u201c{}\u201d",
        "**{}**",
        "Caption: {}",
        'Caption: "{}."',
        "Short noun phrase: {}",
        "**Caption:** {}",
        "Caption:\n\n{}",
        "`{}`",
    ],
)
def test_a_phrase_is_undressed(phrase: str, dress: str) -> None:
    assert noun_phrase(dress.format(phrase)) == (phrase, None)


@pytest.mark.parametrize(
    ("reply", "fault"),
    [
        ("", "is empty"),
        (" \n\t", "is empty"),
        ("...", "has no word"),
        ("42", "has no word"),
        ("The image shows a black sedan.", "is a sentence"),
        ("A man is walking", "is a sentence"),
        ("There are two cars", "is a sentence"),
        ("I'm sorry, but I can't help with that", "is a sentence"),
        ("I\u2019m unable to see", "is a sentence"),
        ("Sorry, no", "is a sentence"),
        ("It doesn't matter", "is a sentence"),
        ("black sedan. It has a red logo", "is a sentence"),
        ("A car: black", "is a sentence"),
        ("What car?", "is a sentence"),
        ("black sedan\nwhite van", "has several lines"),
        ("1. black sedan\n2. white van", "has several lines"),
        ("N/A", "names nothing"),
        ("None.", "names nothing"),
        ("no pedestrian visible", "names nothing"),
        ("black \x07 sedan", "has characters that cannot be printed"),
        ("very " * MOST_WORDS + "black sedan", f"has {MOST_WORDS + 2} words"),
    ],
)
def test_what_is_no_phrase_is_refused_with_the_reason(reply: str, fault: str) -> None:
    assert noun_phrase(reply) == (None, fault)


@given(st.text(max_size=200))
def test_a_phrase_is_one_line_that_stays_as_it_is(reply: str) -> None:
    phrase, fault = noun_phrase(reply)
    assert (phrase is None) != (fault is None)
    if phrase is not None:
        assert phrase == " ".join(phrase.split())
        assert phrase.isprintable()
        assert noun_phrase(phrase) == (phrase, None)
