"""Words of a vocabulary are read as a reader would read them, and nothing else is."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from probe4d.diagnosis.parsing import parse
from probe4d.diagnosis.parsing.parsed import Parsed
from probe4d.diagnosis.parsing.words import parse_word

CLASSES = ("pedestrian", "barrier", "debris", "traffic cone", "motorcycle", "bicycle", "car", "bus", "truck", "suv")

READ = {
    "truck": ("TRUCK.", "truck", "Truck", "A truck.", "the trucks", "It is a truck.", "This is a truck", "**Truck**"),
    "suv": ("SUV.", "an SUV", "suvs"),
    "bus": ("Bus!", "buses", "busses", "a school bus"),
    "traffic cone": ("trafficcone", "Traffic-Cone.", "traffic_cones", "TRAFFIC CONE", "the traffic  cones"),
    "debris": ("It's debris.", "Debris"),
    "car": (
        *("a police car", "Answer: CAR", '{"answer": "car"}', "<answer>car</answer>", "\\boxed{car}", "CAR\n"),
        "<think>a bus?</think>car",
        "The object in front of the ego vehicle is a car.",
        "The bus passes the truck. The answer is car.",
        "There are two cars. Both cars are parked.",
    ),
    "pedestrian": ("Object class: pedestrian", "PEDESTRIAN.", "The nearest one is the pedestrian at the left."),
}
"""What a reader would take for each class."""

UNREAD = {
    "ambiguous": (
        *("car and truck", "car, bus", "a bus or a truck", "not a car", "It is not a car.", "There is no car."),
        *("van", "carpet", "a cart", "Yes.", "No.", "car?", "Is it a car?", "It could be a car.", "cone", "bi-car"),
        *("If it moves, a car.", "car. Sorry, I was wrong.", "It is a car. No, wait.", "vehicle", "road user"),
        *("Answer: van", "The answer is not a car.", '{"answer": "car"} {"answer": "bus"}'),
    ),
    "refused": ("I cannot tell.", "Unknown", "I'm sorry, I can't help with that."),
    "empty": ("", " ...", "<think>car</think>"),
}


@pytest.mark.parametrize("word", READ)
def test_a_word_is_read(word: str) -> None:
    for text in READ[word]:
        assert parse(text, format="text", options=CLASSES) == ("valid", word), text


@pytest.mark.parametrize("state", UNREAD)
def test_what_names_no_one_word_is_not(state: str) -> None:
    for text in UNREAD[state]:
        assert parse(text, format="text", options=CLASSES) == (state, None), text


@pytest.mark.parametrize(
    ("text", "state", "label"),
    [("car", "truncated", None), ("It is a", "truncated", None), ("Car. It moves to the", "valid", "car")],
)
def test_a_cut_reply_counts_where_it_goes_on_after_its_answer(text: str, state: str, label: str | None) -> None:
    assert parse(text, format="text", options=CLASSES, finish_reason="length") == (state, label)


@pytest.mark.parametrize("parser", ["published", "older"])
def test_exact_matching_takes_the_word_alone(parser: str) -> None:
    for text, label in (("TRUCK.", "truck"), ("traffic cone", "traffic cone"), ("a truck", None), ("trucks", None)):
        assert parse(text, format="text", options=CLASSES, parser=parser).label == label


@given(
    st.sampled_from(CLASSES),
    st.sampled_from(["{}", "{}.", "a {}", "The {}.", "It is a {}.", "Answer: {}", "<think>a car, a bus</think>{}"]),
    st.sampled_from([str.upper, str.lower, str.title]),
    st.sampled_from([" ", "", "-", "_"]),
)
def test_what_is_written_is_read_back(word: str, form: str, case: type, space: str) -> None:
    said = form.format(case(word).replace(" ", space))
    assert parse(said, format="text", options=CLASSES) == ("valid", word)


@given(st.text() | st.lists(st.sampled_from([*CLASSES, "not", "a", "is", ".", "?", "or"])).map(" ".join))
def test_no_text_raises(text: str) -> None:
    for parser in ("default", "published"):
        parsed = parse(text, format="text", options=CLASSES, parser=parser)
        assert parsed.label in ((*CLASSES,) if parsed.state == "valid" else (None,))


def test_without_a_vocabulary_nothing_is_a_word() -> None:
    assert parse("The truck turns left.", format="text", options=()).label is None


SCRIPTS = {
    "Japanese": ("車", "歩行者", "自転車"),
    "Hindi, whose vowels are marks": ("कार", "कीर", "बस"),
    "French": ("écran", "cran", "forêt"),
    "symbols": ("c", "c++", "→"),
}


@pytest.mark.parametrize("options", SCRIPTS.values(), ids=SCRIPTS)
def test_words_are_told_apart_in_every_script(options: tuple[str, ...]) -> None:
    for option in options:
        assert parse_word(option, options, cut=False) == Parsed("valid", option)
        assert parse_word(f" {option}. ", options, cut=False).label in (option, None)
        assert parse_word(unicodedata.normalize("NFD", option), options, cut=False) == Parsed("valid", option)
    for reply in ("", "  ", "…", "Ω", "写真", "?!"):
        assert parse_word(reply, options, cut=False).state != "valid"


@given(
    st.lists(st.text(min_size=1, max_size=6), min_size=2, max_size=5, unique_by=lambda word: word.strip().casefold())
)
def test_no_reply_names_another_word_than_itself(options: list[str]) -> None:
    for option in options:
        read = parse_word(option, options, cut=False)
        assert read.state != "valid" or read.label == option
    assert parse_word("", options, cut=False).state != "valid"
