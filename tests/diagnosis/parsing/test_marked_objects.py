"""Options that are objects with letters in the picture: a reply may name the object's letter instead of the option's.

The objects' letters begin behind those of options, so that none is both.
"""

from __future__ import annotations

import re

import msgspec
import pytest

from probe4d.diagnosis.parsing import parse
from probe4d.diagnosis.parsing.adversarial import AdversarialAnswer, adversarial_answers

OPTIONS = ("object F", "object H", "the object marked G", "object AA")
MARKS = "GHKM"
_LETTER = re.compile(r"\{L(\d)\}")


def read(text: str, options: tuple[str, ...] = OPTIONS, finish_reason: str | None = None) -> tuple[str, str | None]:
    found = parse(text, format="choice", options=options, finish_reason=finish_reason)
    return found.state, found.label


PLAIN = ("G", "g", " G.", "(G)", "**G**", "\\boxed{G}", '{"answer": "G"}', "Answer: G", "It is G.", "I think it's G")
NAMED = ("The object marked G.", "the one labelled G", "Marker G", "Letter G", "C. G", "C) object G", "object G (G)")
EXPLAINED = (
    "G, because it is closer than F.",
    "G\n\nF is farther away.",
    "<think>F or H?</think>G",
    "C. G is nearer than H.",
)


@pytest.mark.parametrize("reply", [*PLAIN, *NAMED, *EXPLAINED, "The closest is G, not F.", "\uff27"])
def test_an_object_s_letter_is_its_option(reply: str) -> None:
    assert read(reply) == ("valid", "C")


@pytest.mark.parametrize("reply", ["AA", "AA.", "(AA)", "The answer is AA.", "object AA", "D", "D) AA"])
def test_an_object_may_carry_two_letters(reply: str) -> None:
    assert read(reply) == ("valid", "D")


@pytest.mark.parametrize("reply", ["A. G", "G or H", "G and F", "not G", "Is it G?", "E", "I", "K", "AB", "aa"])
def test_what_names_no_one_option_is_ambiguous(reply: str) -> None:
    assert read(reply) == ("ambiguous", None)


@pytest.mark.parametrize(
    ("options", "reply", "reading"),
    [
        (("object B", "object A"), "A", ("valid", "A")),  # a letter that is both is the option's
        (("object B", "object F"), "F", ("valid", "B")),
        (("object F", "object F"), "F", ("ambiguous", None)),
        (("object F of two", "the object"), "F", ("ambiguous", None)),
        (("car F", "vitamin G"), "G", ("ambiguous", None)),
        (("object I", "object F"), "I cannot see the picture", ("refused", None)),
        (("object I", "object F"), "I think it is F.", ("valid", "B")),
        (("object I", "object F"), "I", ("valid", "A")),
    ],
)
def test_only_letters_of_marked_objects_name_options(
    options: tuple[str, ...], reply: str, reading: tuple[str, str | None]
) -> None:
    assert read(reply, options) == reading


def test_a_reply_that_was_cut_behind_an_object_s_letter_is_read_as_one_behind_a_label() -> None:
    for reply in ("{}", "{}, since it", "It could be {}", "The answer is {}"):
        assert read(reply.format("G"), finish_reason="length") == read(reply.format("C"), finish_reason="length")


def marked(answer: AdversarialAnswer) -> AdversarialAnswer:
    """The same answer where options are objects with letters, and it names these instead of the options' letters."""
    text = _LETTER.sub(lambda place: MARKS[int(place[1]) - 1], answer.text)
    return msgspec.structs.replace(answer, text=text, options=tuple(f"object {mark}" for mark in MARKS))


ANSWERS = [
    answer
    for answer in adversarial_answers()
    if len(answer.options) == len(MARKS) and re.search(_LETTER, answer.text) and answer.error is None
]


def readings(answer: AdversarialAnswer) -> tuple[tuple[str, str | None], tuple[str, str | None]]:
    shown = marked(answer).shown(order=range(len(MARKS)))
    return read(shown.text, shown.options, answer.finish_reason), (answer.state, shown.label)


def test_no_object_s_letter_is_accepted_where_a_label_would_not_be() -> None:
    assert len(ANSWERS) > 400
    wrong = [(answer.text, *readings(answer)) for answer in ANSWERS]
    assert [one for one in wrong if one[1][0] == "valid" and one[1] != one[2]] == []


def test_clear_replies_with_an_object_s_letter_are_read() -> None:
    clear = [answer for answer in ANSWERS if answer.state == "valid"]
    rejected = [answer.text for answer in clear if readings(answer)[0] != readings(answer)[1]]
    assert len(rejected) <= 0.02 * len(clear), rejected
