"""Intervals of key frames are read as a reader would read them, and nothing else is."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from probe4d.diagnosis.parsing import STATES
from probe4d.diagnosis.parsing.intervals import parse_interval

STRINGS: list[dict[str, Any]] = json.loads((Path(__file__).parent / "interval_strings.json").read_text())

FORMS = (
    *(
        "from frame {0} to frame {1}",
        "From frame {0} to frame {1}.",
        "between frame {0} and frame {1}",
        "frames {0} to {1}",
    ),
    *("frames {0}-{1}", "frames {0}\u2013{1}.", "from frame {0} to {1}", "{0}-{1}", "from {0} to {1}", "[{0}, {1}]"),
    *("**from frame {0} to frame {1}**", "Answer: from frame {0} to frame {1}", '{{"start": {0}, "end": {1}}}'),
    *("<think>frames 1-2?</think>from frame {0} to frame {1}", "<answer>frames {0} to {1}</answer>"),
    *("The car turns left from frame {0} to frame {1}.", "It starts in frame {0} and ends in frame {1}."),
    "From frame {0} to frame {1}, the pedestrian crosses the road, 12.5 m away.",
)
PIECES = ("from", "frame", "frames", "to", "and", "3", "9", "003", ",", "-", ".", "?", "not", "between", "in")
FRAMES = st.integers(min_value=0, max_value=999)
WIDTHS = st.sampled_from(["{}", "{:02d}", "{:03d}"])


def test_the_file_holds_what_it_promises() -> None:
    assert len(STRINGS) >= 200
    assert max(Counter((one["text"], one.get("finish_reason"), one.get("error")) for one in STRINGS).values()) == 1
    assert {one["state"] for one in STRINGS} == set(STATES) - {"missing"}
    assert all((one["interval"] is not None) == (one["state"] == "valid") for one in STRINGS)


@pytest.mark.parametrize("kind", sorted({one["kind"] for one in STRINGS}))
def test_every_string_has_its_right_result(kind: str) -> None:
    for one in (one for one in STRINGS if one["kind"] == kind):
        parsed = parse_interval(one["text"], finish_reason=one.get("finish_reason"), error=one.get("error"))
        assert parsed.state == one["state"], (one, parsed)
        assert parsed.interval == (None if one["interval"] is None else tuple(one["interval"])), (one, parsed)
        assert (parsed.reason is not None) == (parsed.state == "ambiguous"), (one, parsed)


@given(st.sampled_from(FORMS), st.tuples(FRAMES, FRAMES), WIDTHS)
def test_what_is_written_is_read_back(form: str, ends: tuple[int, int], width: str) -> None:
    first, last = sorted(ends)
    reply = form.format(width.format(first), width.format(last))
    assert parse_interval(reply).interval == (first, last)


@given(st.sampled_from(["in frame {}", "at frame {}.", "It happens in frame {}."]), FRAMES, WIDTHS)
def test_one_frame_is_an_interval_of_itself(form: str, frame: int, width: str) -> None:
    assert parse_interval(form.format(width.format(frame))).interval == (frame, frame)


@given(st.sampled_from(FORMS), st.tuples(FRAMES, FRAMES), WIDTHS)
def test_one_that_ends_before_it_begins_is_none(form: str, ends: tuple[int, int], width: str) -> None:
    last, first = sorted(ends)
    if first == last:
        return
    parsed = parse_interval(form.format(width.format(first), width.format(last)))
    assert (parsed.state, parsed.reason) == ("ambiguous", "ends before it begins")


@given(st.tuples(FRAMES, FRAMES, FRAMES, FRAMES))
def test_two_different_intervals_are_none(ends: tuple[int, int, int, int]) -> None:
    one, other = tuple(sorted(ends[:2])), tuple(sorted(ends[2:]))
    text = "From frame {} to frame {}. From frame {} to frame {}.".format(*one, *other)
    assert parse_interval(text).interval == (one if one == other else None)


@given(st.text() | st.lists(st.sampled_from(PIECES)).map(" ".join))
def test_no_text_raises(text: str) -> None:
    parsed = parse_interval(text)
    assert (parsed.interval is not None) == (parsed.state == "valid")
    if parsed.interval is not None:
        assert 0 <= parsed.interval[0] <= parsed.interval[1] <= 999
