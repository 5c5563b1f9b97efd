"""The file of adversarial answers, read by the default parser under permutations of the options."""

from __future__ import annotations

from collections import Counter

import pytest

from probe4d.diagnosis.parsing import STATES, parse
from probe4d.diagnosis.parsing.adversarial import AdversarialAnswer, adversarial_answers

KINDS = {
    "article",
    "pronoun-i",
    "negation",
    "markdown",
    "look-alike",
    "reasoning",
    "truncated",
    "two-letters",
    "letter-against-text",
    "text-alone",
    "text-inside",
    "refusal",
    "language",
    "numbering",
    "empty",
    "question",
    "withdrawal",
    "condition",
}
ANSWERS = adversarial_answers()


def orders(answer: AdversarialAnswer) -> list[list[int]]:
    """Give four rotations of the options and their reversals; one empty order for yes-no."""
    count = len(answer.options)
    rotations = [[(place + shift) % count for place in range(count)] for shift in range(min(4, count))]
    return [*rotations, *(rotation[::-1] for rotation in rotations)] or [[]]


def readings(answer: AdversarialAnswer) -> list[tuple[str, tuple[str, str | None], tuple[str, str | None]]]:
    """Give text, reading and right reading in every order."""
    found: list[tuple[str, tuple[str, str | None], tuple[str, str | None]]] = []
    for order in orders(answer):
        shown = answer.shown(order)
        reading = parse(
            shown.text,
            format=answer.format,
            options=shown.options,
            finish_reason=answer.finish_reason,
            error=answer.error,
        )
        found.append((shown.text, (reading.state, reading.label), (answer.state, shown.label)))
    return found


def test_the_file_holds_what_it_promises() -> None:
    kinds = Counter(answer.kind for answer in ANSWERS if answer.format == "choice")
    assert min(kinds[kind] for kind in KINDS) >= 15
    assert sum(kinds.values()) >= 240
    assert sum(answer.format == "yes-no" for answer in ANSWERS) >= 60
    assert sum(answer.state == "valid" for answer in ANSWERS) >= 80
    assert {answer.state for answer in ANSWERS} == set(STATES) - {"missing"}
    assert all((answer.answer is not None) == (answer.state == "valid") for answer in ANSWERS)


@pytest.mark.parametrize("kind", sorted({answer.kind for answer in ANSWERS}))
def test_none_is_accepted_wrongly(kind: str) -> None:
    wrong = [
        (text, reading, right)
        for answer in ANSWERS
        if answer.kind == kind
        for text, reading, right in readings(answer)
        if reading[0] == "valid" and reading != right
    ]
    assert wrong == []


def test_at_most_two_percent_of_the_clear_ones_are_rejected() -> None:
    clear = [answer for answer in ANSWERS if answer.state == "valid"]
    rejected = [answer.text for answer in clear if any(reading != right for _, reading, right in readings(answer))]
    assert len(rejected) <= 0.02 * len(clear), rejected


def test_the_reason_for_not_counting_is_right() -> None:
    mistaken = [
        (text, reading, right)
        for answer in ANSWERS
        if answer.state != "valid"
        for text, reading, right in readings(answer)
        if reading != right
    ]
    assert mistaken == []
