"""What `parse_number` promises of any number in any form, and of any text around it."""

from __future__ import annotations

import math

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from probe4d.diagnosis.parsing import STATES
from probe4d.diagnosis.parsing.numbers import parse_number
from probe4d.errors import InputError

MINUS = "\u2212"
VALUES = st.floats(min_value=-99_999.0, max_value=99_999.0, allow_nan=False)
UNITS = {
    "metres": ("", " m", "m", " meters", " metres", "-meter"),
    "degrees": ("", "\u00b0", " degrees", " deg", "\u2009\u00b0"),
}
FORMS = (
    "{}",
    "{}.",
    "**{}**",
    "`{}`",
    "\u2248 {}",
    "about {}",
    "Approximately {}.",
    "It is {}.",
    "The answer is {}.",
    "The distance between the red car and the man in 2 hats is {}.",
    "Answer: {}",
    "**Answer:** {}",
    "The car is 3 m long, the truck 7 m.\nAnswer: {}",
    "I see 2 cars. Therefore, the distance is {}.",
    "<think>between 10 and 12 m</think>{}",
    "<answer>{}</answer>",
    "\\boxed{{{}}}",
    '{{"answer": "{}"}}',
    "Result: {}",
)
SENTENCES = (
    "The picture shows a street.",
    "The car is red and stands beside a tree.",
    "I looked at the picture.",
    "A man in a blue jacket waits at the crossing.",
    "The truck is parked.",
    "The street is wet.",
    "One of the cars is white.",
)

BETWEEN = (
    *(
        " to {}",
        "-{}",
        " m. {}",
        "\u2013{}",
        " - {}",
        " or {}",
        " and {}",
        ", {}",
        "\n{}",
        " m to {}",
        " m or {}",
        ". {}",
    ),
    " ... {}",
)
BOUNDS = (
    *("more than {}", "less than {}", "at least {}", "at most {}", "over {}", "under {}", "up to {}", "> {}"),
    *("\u2264 {}", "{} or more", "{} at most", "not {}", "no more than {}", "within {}", "{} \u00b1 1 m", "if {}"),
    "twice {}",
)
PIECES = (
    *(
        "12",
        "-",
        "\u2212",
        ",",
        ".",
        " ",
        "m",
        "\u00b0",
        "Answer:",
        "\n",
        "is",
        "**",
        "\\boxed{",
        "}",
        "$",
        "to",
        "(",
        ")",
    ),
    "ten",
)


def written(value: float, decimals: int, style: str) -> str:
    """Write a number with a number of decimals."""
    text = f"{abs(value):{',' if style == 'thousands' else ''}.{decimals}f}"
    sign = "" if value >= 0 else MINUS if style == "minus" else "-"
    return sign + (text.replace(".", ",") if style == "comma" else text)


@given(
    value=VALUES,
    decimals=st.integers(0, 6),
    style=st.sampled_from(["plain", "minus", "comma", "thousands"]),
    form=st.sampled_from(FORMS),
    unit=st.sampled_from(sorted(UNITS)),
    data=st.data(),
)
def test_a_number_comes_back_from_every_form_it_can_have(
    value: float, decimals: int, style: str, form: str, unit: str, data: st.DataObject
) -> None:
    # One comma before three digits may part thousands or decimals.
    assume(not (style == "comma" and decimals == 3))
    assume(not (style == "thousands" and decimals == 0))
    text = written(value, decimals, style)
    reply = form.format(text + data.draw(st.sampled_from(UNITS[unit])))
    parsed = parse_number(reply, unit=unit)
    assert parsed.state == "valid", (reply, parsed)
    assert parsed.value == round(value, decimals)


@given(
    value=VALUES.filter(lambda value: round(value, 2) != 0),
    before=st.lists(st.sampled_from(SENTENCES), max_size=3),
    after=st.lists(st.sampled_from(SENTENCES), max_size=3),
    unit=st.sampled_from([("metres", "m"), ("degrees", "degrees")]),
)
def test_prose_without_digits_changes_nothing_and_the_sign_is_kept(
    value: float, before: list[str], after: list[str], unit: tuple[str, str]
) -> None:
    for number in (value, -value):
        sentence = f"The answer is {number:.2f} {unit[1]}."
        parsed = parse_number(" ".join([*before, sentence, *after]), unit=unit[0])
        assert parsed == parse_number(sentence, unit=unit[0])
        assert parsed.value == round(number, 2)


@given(
    first=st.integers(1, 400),
    second=st.integers(1, 400),
    between=st.sampled_from(BETWEEN),
    form=st.sampled_from(["{} m", "Answer: {} m", "The distance is {} m.", "between {} m", "<answer>{} m</answer>"]),
)
def test_two_different_numbers_are_never_one(first: int, second: int, between: str, form: str) -> None:
    assume(first != second)
    reply = form.format(f"{first}{between.format(second)}")
    assert parse_number(reply, unit="metres").state != "valid", reply


@given(
    value=st.integers(1, 400),
    bound=st.sampled_from(BOUNDS),
    form=st.sampled_from(["{}", "The distance is {}.", "Answer: {}", "The answer is {}.", "\\boxed{{{}}}", "about {}"]),
)
def test_a_bound_is_never_a_number(value: int, bound: str, form: str) -> None:
    reply = form.format(bound.format(f"{value} m"))
    assert parse_number(reply, unit="metres").state != "valid", reply


@given(text=st.text(max_size=200), unit=st.sampled_from(sorted(UNITS)))
def test_no_text_raises(text: str, unit: str) -> None:
    parsed = parse_number(text, unit=unit)
    assert parsed.state in STATES
    assert (parsed.value is None) == (parsed.state != "valid")
    assert parsed.value is None or math.isfinite(parsed.value)


@given(pieces=st.lists(st.sampled_from(PIECES), max_size=12), unit=st.sampled_from(sorted(UNITS)))
def test_what_is_read_from_pieces_is_made_of_them(pieces: list[str], unit: str) -> None:
    parsed = parse_number("".join(pieces), unit=unit)
    if parsed.value is not None:
        assert "12" in f"{abs(parsed.value)}" or abs(parsed.value) == 10.0


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        ("10-12 m", "range"),
        ("between 10 and 12 m", "several numbers"),
        ("more than 10 m", "bound"),
        ("12 seconds", "unit of another kind"),
        ("not 12 m", "denies"),
        ("12 m. Wait, no.", "takes it back"),
        ("B", "names an option"),
        ("far away", "no number"),
        ("1,234 m", "two ways"),
    ],
)
def test_the_reason_says_what_keeps_a_reply_from_being_read(reply: str, reason: str) -> None:
    parsed = parse_number(reply, unit="metres")
    assert parsed.state == "ambiguous"
    assert parsed.reason is not None
    assert reason in parsed.reason


def test_an_unknown_unit_is_refused() -> None:
    with pytest.raises(InputError, match="answers have no unit 'seconds'"):
        parse_number("12", unit="seconds")
