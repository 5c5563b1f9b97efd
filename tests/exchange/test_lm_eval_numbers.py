"""What scores numbers in lm-evaluation-harness reads no more than Probe4D's parser, and most of it."""

from __future__ import annotations

from typing import Literal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from probe4d.diagnosis.parsing.adversarial_numbers import adversarial_numbers
from probe4d.diagnosis.parsing.numbers import parse_number
from probe4d.diagnosis.statistics import number_errors
from probe4d.diagnosis.statistics.number_errors import absolute_errors, within_tolerance
from probe4d.exchange.exports import lm_eval_numbers
from probe4d.exchange.exports.lm_eval_numbers import number, number_in

WHOLE, READ = 1460, 393
"""Replies of the file that no harness cut off, and those of them that the plain reading reads (`docs/exports.md`)."""

VALUES = st.decimals(-999, 9999, places=2, allow_nan=False).map(lambda value: f"{value.normalize():f}")
FORMS = {
    "metres": ("{}", "{} m", "{}m.", "**{} meters**", "Answer: {} metres", "The distance is about {} m.", "[{} m]"),
    "degrees": ("{}", "{}\N{DEGREE SIGN}", "{} degrees", "The bearing is {} degrees.", "<answer>{} deg</answer>"),
}
UNITS = st.sampled_from(["metres", "degrees"])


def test_no_adversarial_reply_is_read_wrongly() -> None:
    whole = [one for one in adversarial_numbers() if one.finish_reason in (None, "stop") and one.state != "error"]
    found = [(one.text, number_in(one.text, one.unit), one.value) for one in whole]
    assert len(whole) == WHOLE
    assert [(text, said, value) for text, said, value in found if said not in (None, value)] == []
    assert sum(said is not None for _, said, _ in found) >= READ


@given(VALUES, UNITS, st.data())
def test_a_number_that_is_written_is_read_back(
    value: str, unit: Literal["metres", "degrees"], data: st.DataObject
) -> None:
    said = data.draw(st.sampled_from(FORMS[unit])).format(value)
    assert number_in(said, unit) == float(value) == parse_number(said, unit=unit).value


@pytest.mark.parametrize("value", range(2, 21))
def test_words_up_to_twenty_are_read(value: int) -> None:
    words = lm_eval_numbers._WORDS[value]
    assert [number_in(form.format(words), "metres") for form in ("{}", "{} meters", "It is about {} metres away.")] == [
        float(value)
    ] * 3
    assert number_in(f"minus {words} degrees", "degrees") == -value


@pytest.mark.parametrize(
    "reply",
    [
        *("10-12 m", "10 to 12 m", "between ten and 12 m", "12 \N{PLUS-MINUS SIGN} 1 m", "at least 12 m", "12 or 13 m"),
        *("1,234 m", "(12,5)", "12.5.3", "twenty-five m", "3*4 m", "5**2 m", "2 m\N{SUPERSCRIPT TWO}", "12 m/s"),
        *("\N{VULGAR FRACTION ONE HALF} m", "2\N{VULGAR FRACTION ONE HALF} m", "12&#49; m", "~~12 m~~", "\u4e00 m"),
        *("<think>12 m", "Answer: 12 m\nAnswer: 13 m", "12 m? No.", "not 12 m", "12 m. Sorry, 13.", "B. 12 m", ""),
        *("<answer></answer>", "<answer>12</answer><answer>13</answer>", '{"answer": 12, "unit": "km"}', "one", "12 s"),
    ],
)
def test_what_names_no_one_number_is_wrong(reply: str) -> None:
    assert number({"answer": "12", "unit": "metres"}, [reply]) == {"tolerance_accuracy": 0.0, "valid_rate": 0.0}


@given(st.floats(-400, 400), st.floats(-400, 400), UNITS)
def test_numbers_are_worth_what_they_are_in_a_diagnosis(true: float, said: float, unit: str) -> None:
    true, said = round(true, 3), round(said, 3)
    found = number({"answer": str(true), "unit": unit}, [f"{said:f}"])
    values, references = np.array([said]), np.array([true])
    expected = {
        "tolerance_accuracy": float(within_tolerance(values, references)[0]),
        "valid_rate": 1.0,
        "mean_absolute_error": absolute_errors(values, references)[0],
    }
    if unit == "degrees":
        expected["mean_absolute_error_wrapped"] = absolute_errors(values, references, wrapped=True)[0]
    assert found == pytest.approx(expected)
    assert (lm_eval_numbers.TOLERANCE, lm_eval_numbers._ROUNDING) == (number_errors.TOLERANCE, number_errors._ROUNDING)


PIECES = st.sampled_from([
    *("12", "12.5", "-3", "\u22123", "+4", "1,234.5", "1.234,5", "12,5", "0", "012", "12 m", "5 km", "39 ft", "120 cm"),
    *("45 degrees", "45\N{DEGREE SIGN}", "0.79 rad", "twelve", "three meters", "minus", "negative", "one"),
    *("the distance is", "it is", "about", "Answer:", "the answer is", "car 2", "object 1", "from", "away", "apart"),
    *("to", "or", "and", "-", "~", "(", ")", "[", "]", ".", ",", ";", ":", "?", "!", "\n", "=", "x", "*", "**", "/"),
    *("not", "if", "at least", "between", "therefore", "<think>", "</think>", "<answer>", "</answer>", "{", "}", "$"),
    *('{"answer":', '"unit": "km"', "per second", "left", "clockwise", "\\boxed{12}", "2 hats", "\u00a0", "&minus;"),
])  # fmt: skip


@given(st.text() | st.lists(PIECES, max_size=6).map(" ".join) | st.lists(PIECES, max_size=6).map("".join), UNITS)
def test_what_both_read_they_read_alike(reply: str, unit: str) -> None:
    said, value = number_in(reply, unit), parse_number(reply, unit=unit).value
    assert said is None or value is None or said == value
