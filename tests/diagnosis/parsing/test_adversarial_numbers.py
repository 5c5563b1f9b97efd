"""The file of adversarial replies to questions for a number."""

from __future__ import annotations

from collections import Counter

from probe4d.diagnosis.parsing import STATES
from probe4d.diagnosis.parsing.adversarial_numbers import adversarial_numbers

NUMBERS = adversarial_numbers()


def test_the_file_holds_what_it_promises() -> None:
    replies = Counter((one.unit, one.text, one.finish_reason, one.error) for one in NUMBERS)
    assert max(replies.values()) == 1
    assert len(NUMBERS) >= 800
    assert sum(one.unit == "degrees" for one in NUMBERS) >= 100
    assert sum(one.state == "valid" for one in NUMBERS) >= 300
    assert {one.state for one in NUMBERS} == set(STATES) - {"missing"}
    assert all((one.value is not None) == (one.state == "valid") for one in NUMBERS)
