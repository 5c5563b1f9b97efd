"""What `parse_waypoints` promises of any list in any form, and of any text around it."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from probe4d.diagnosis.parsing import STATES
from probe4d.diagnosis.parsing.waypoints import Waypoints, parse_waypoints

Form = Callable[[Waypoints], str]

COORDINATES = st.floats(min_value=-999.0, max_value=999.0, allow_nan=False).map(lambda value: round(value, 2))
LISTS = st.lists(st.tuples(COORDINATES, COORDINATES), min_size=1, max_size=8).map(tuple)


def joined(point: str, between: str, around: str = "{}") -> Form:
    """Write every point alike."""
    return lambda points: around.format(between.join(point.format(x=x, y=y) for x, y in points))


def lines(line: str, head: str = "") -> Form:
    """Write a point a line, with its number and time."""
    return lambda points: (
        head + "\n".join(line.format(x=x, y=y, n=n, t=n / 2) for n, (x, y) in enumerate(points, start=1))
    )


def with_comma(text: str) -> str:
    """The same with decimal commas."""
    return text.replace(".", ",")


FORMS: dict[str, Form] = {
    "json": lambda points: json.dumps(points),
    "dense json": lambda points: json.dumps(points, separators=(",", ":")),
    "indented json": lambda points: json.dumps(points, indent=2),
    "json objects": lambda points: json.dumps([{"x": x, "y": y} for x, y in points]),
    "json objects with times": lambda points: json.dumps([{"y": y, "t": 0.5, "x": x} for x, y in points]),
    "json columns": lambda points: json.dumps({"x": [x for x, _ in points], "y": [y for _, y in points]}),
    "json by time": lambda points: json.dumps({f"{n / 2} s": point for n, point in enumerate(points)}),
    "json positions": lambda points: json.dumps([{"step": n, "position": point} for n, point in enumerate(points)]),
    "two decimals": joined("[{x:.2f}, {y:.2f}]", ", ", "[{}]"),
    "signs": joined("[{x:+.2f}, {y:+.2f}]", ", ", "[{}]"),
    "tuples": joined("({x}, {y})", ", "),
    "tuples in a list": joined("({x}, {y})", ", ", "[{}]"),
    "braces": joined("{{{x}, {y}}}", ", ", "{{{}}}"),
    "numpy": joined("[{x} {y}]", "\n ", "[{}]"),
    "arrows": joined("({x}, {y})", " -> "),
    "semicolons": joined("[{x}; {y}]", "; "),
    "units": joined("({x} m, {y} m)", ", "),
    "centimetres": lambda points: ", ".join(f"({100 * x:.0f} cm, {100 * y:.0f} cm)" for x, y in points),
    "named": joined("(x={x}, y={y})", ", "),
    "named in turn": joined("(y = {y}, x = {x})", "; "),
    "named lines": lines("x: {x} m, y: {y} m"),
    "numbered": lines("{n}. ({x}, {y})"),
    "bullets with times": lines("- t = {t} s: ({x}, {y})"),
    "waypoints by number": lines("Waypoint {n}: [{x}, {y}]"),
    "bare lines": lines("{x}, {y}"),
    "bare csv": lines("{x},{y}", "x,y\n"),
    "table": lines("| {t} | {x} | {y} |", "| t (s) | x (m) | y (m) |\n|---|---|---|\n"),
    "table in turn": lines("| {y} | {x} |", "| y | x |\n|---|---|\n"),
    "prose": lambda points: "The ego vehicle will be at " + ", then at ".join(f"({x}, {y})" for x, y in points) + ".",
    "decimal commas": lambda points: (
        "[" + ", ".join(f"({with_comma(f'{x:.2f}')}; {with_comma(f'{y:.2f}')})" for x, y in points) + "]"
    ),
    "spaced decimal commas": lambda points: (
        "[" + ", ".join(f"[{with_comma(f'{x:.2f}')}, {with_comma(f'{y:.2f}')}]" for x, y in points) + "]"
    ),
}
AROUND = (
    *("{}", "```json\n{}\n```", "~~~\n{}\n~~~", "<think>(1, 2), (3, 4)</think>\n{}", "Answer: {}", "**Answer:**\n{}"),
    *(
        "<answer>\n{}\n</answer>",
        "The road is free.\n\n{}\n\nThe vehicle keeps its lane.",
        "Here are the waypoints:\n{}",
    ),
    "Past: [[-2.0, 0.0], [-1.0, 0.0]].\nFinal answer:\n{}",
)
HOSTILE = {
    "open brackets": "[" * 100_000,
    "nested lists": "[" * 50_000 + "]" * 50_000,
    "numbers": "1.5, " * 20_000,
    "one number": "1" * 100_000,
    "points without end": "[1.5, 2.5], " * 8_000,
    "open points": "[1.5, 2.5 " * 10_000,
    "names": "x=1.5, " * 14_000,
    "names in turn": "x=1, y=2 " * 11_000,
    "blanks": " " * 100_000,
    "commas": "," * 100_000,
    "blanks and commas": " ," * 50_000,
    "minus signs": "-" * 100_000,
    "quotes": '"x": ' * 20_000,
    "lines": "1.5, 2.5\n" * 11_000,
    "bars": "|1|2" * 25_000,
    "cues": "final answer: " * 7_000,
    "cues and lists": "final answer: [[1, 2], [3, 4]] " * 3_000,
    "words": "the ego vehicle will be at " * 3_700,
    "thoughts": "<think>" * 14_000,
    "closed thoughts": "</think>" * 12_000,
    "fences": "```json\n" * 12_000,
    "backslashes": "\\left[" * 16_000,
    "angles": "<1.5, " * 16_000,
    "letters in brackets": "[" + "a" * 100_000,
    "blanks in brackets": "[" + " " * 99_000 + "1 2]",
    "dots": "[[1,2]" + "." * 100_000,
    "columns": "x: [1, 2], y: [3, 4]\n" * 5_000,
    "equal lists": "[[1, 2], [3, 4], [5, 6], [7, 8], [9, 9]] " * 2_400,
    "boxes": "\\boxed{" * 14_000,
}


@given(points=LISTS, form=st.sampled_from(sorted(FORMS)), around=st.sampled_from(AROUND))
@settings(max_examples=400)
def test_a_list_comes_back_from_every_form_it_can_have(points: Waypoints, form: str, around: str) -> None:
    reply = around.format(FORMS[form](points))
    parsed = parse_waypoints(reply, count=len(points))
    assert parsed.state == "valid", (reply, parsed)
    assert parsed.waypoints is not None
    for own, right in zip(parsed.waypoints, points, strict=True):
        assert own == pytest.approx(right, abs=1e-9), (reply, parsed)


@given(points=LISTS, form=st.sampled_from(sorted(FORMS)), more=st.sampled_from([-1, 1, 2]))
def test_another_count_is_never_read(points: Waypoints, form: str, more: int) -> None:
    parsed = parse_waypoints(FORMS[form](points), count=len(points) + more)
    assert parsed.waypoints is None
    assert parsed.reason is not None
    assert f"gives {len(points)} waypoint" in parsed.reason


@given(
    points=LISTS.filter(lambda points: len(points) > 1),
    others=LISTS.filter(lambda points: len(points) > 1),
    form=st.sampled_from(sorted(FORMS)),
    count=st.integers(1, 8),
)
def test_two_different_lists_are_never_one(points: Waypoints, others: Waypoints, form: str, count: int) -> None:
    if points != others:
        reply = f"One way: {FORMS[form](points)}\n\nAnother way altogether: {FORMS[form](others)}"
        parsed = parse_waypoints(reply, count=count)
        assert parsed.waypoints is None, (reply, parsed)


@given(points=LISTS.filter(lambda points: len(points) > 1), place=st.tuples(COORDINATES, COORDINATES))
def test_where_something_is_stands_beside_a_list_in_brackets(points: Waypoints, place: tuple[float, float]) -> None:
    for reply in ("The lead vehicle is at {place}. {points}", "{points}\nThe lead vehicle is at {place}."):
        parsed = parse_waypoints(reply.format(place=place, points=json.dumps(points)), count=len(points))
        assert parsed.waypoints == points, (reply, parsed)


@given(text=st.text(max_size=200), count=st.integers(1, 8))
def test_no_text_raises(text: str, count: int) -> None:
    parsed = parse_waypoints(text, count=count)
    assert parsed.state in STATES
    assert (parsed.waypoints is None) == (parsed.state != "valid")


@given(
    pieces=st.lists(
        st.sampled_from(
            ["1", "2.5", "-", ",", " ", "[", "]", "(", ")", "{", "}", "x", "y", "=", "m", ";", "\n", "nan"]
        ),
        max_size=24,
    )
)
def test_what_is_read_is_finite_and_as_many_as_asked_for(pieces: list[str]) -> None:
    parsed = parse_waypoints("".join(pieces), count=2)
    if parsed.waypoints is not None:
        assert len(parsed.waypoints) == 2
        assert all(math.isfinite(value) for point in parsed.waypoints for value in point)


@pytest.mark.parametrize("name", sorted(HOSTILE))
def test_the_work_on_a_hostile_reply_of_100_kb_is_bounded(name: str) -> None:
    text = HOSTILE[name]
    started = time.process_time()
    parse_waypoints(text, count=5)
    assert time.process_time() - started < 20  # tenths of a second; a square law takes minutes


def test_failures_are_told_apart() -> None:
    answer = "[[1, 2]]"
    assert parse_waypoints("", count=1, error="no connection").state == "error"
    assert parse_waypoints(answer, count=1, finish_reason="refusal").state == "refused"
    assert parse_waypoints("", count=1, finish_reason="content_filter").state == "refused"
    assert parse_waypoints(answer, count=1, finish_reason="content_filter").state == "valid"
    assert parse_waypoints("The waypoints are", count=1, finish_reason="length").state == "truncated"
