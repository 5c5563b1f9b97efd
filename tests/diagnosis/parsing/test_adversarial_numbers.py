"""The file of adversarial replies to questions for a number, read by the parser of numbers."""

from __future__ import annotations

import math
from collections import Counter

import pytest

from probe4d.diagnosis.parsing import STATES
from probe4d.diagnosis.parsing.adversarial_numbers import AdversarialNumber, adversarial_numbers
from probe4d.diagnosis.parsing.numbers import ParsedNumber, parse_number

NUMBERS = adversarial_numbers()


def reading(one: AdversarialNumber) -> ParsedNumber:
    """Read one of the replies."""
    return parse_number(one.text, unit=one.unit, finish_reason=one.finish_reason, error=one.error)


def is_right(one: AdversarialNumber, parsed: ParsedNumber) -> bool:
    """Say whether a reading is the right one."""
    if one.value is None or parsed.value is None:
        return (parsed.state, parsed.value) == (one.state, one.value)
    return math.isclose(parsed.value, one.value, rel_tol=1e-9)


def test_the_file_holds_what_it_promises() -> None:
    replies = Counter((one.unit, one.text, one.finish_reason, one.error) for one in NUMBERS)
    assert max(replies.values()) == 1
    assert len(NUMBERS) >= 1480
    assert sum(one.unit == "degrees" for one in NUMBERS) >= 170
    assert sum(one.state == "valid" for one in NUMBERS) >= 550
    assert {one.state for one in NUMBERS} == set(STATES) - {"missing"}
    assert all((one.value is not None) == (one.state == "valid") for one in NUMBERS)


@pytest.mark.parametrize("kind", sorted({one.kind for one in NUMBERS}))
def test_no_number_is_accepted_wrongly(kind: str) -> None:
    wrong = [
        (one.text, parsed)
        for one in NUMBERS
        if one.kind == kind and (parsed := reading(one)).state == "valid" and not is_right(one, parsed)
    ]
    assert wrong == []


def test_at_most_one_percent_of_the_clear_numbers_are_rejected() -> None:
    clear = [one for one in NUMBERS if one.state == "valid"]
    rejected = [one.text for one in clear if not is_right(one, reading(one))]
    assert len(rejected) <= 0.01 * len(clear), rejected


def test_the_state_of_a_reply_without_a_number_is_right() -> None:
    mistaken = [(one.text, reading(one)) for one in NUMBERS if one.state != "valid" and not is_right(one, reading(one))]
    assert mistaken == []
