"""The file of replies to questions for waypoints, each with its right reading."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from probe4d.diagnosis.parsing import STATES
from probe4d.diagnosis.parsing.waypoints import parse_waypoints

STRINGS: list[dict[str, Any]] = json.loads((Path(__file__).parent / "waypoint_strings.json").read_text())
KINDS = (
    *("units", "brackets", "code fences", "prose", "swapped names", "wrong count", "NaN", "thousands"),
    *("reasoning block", "plain"),
)


def test_the_file_holds_what_it_promises() -> None:
    kinds = Counter(one["kind"] for one in STRINGS)
    assert set(kinds) == set(KINDS)
    assert min(kinds.values()) >= 8
    assert max(Counter((one["text"], one["count"], one["finish_reason"]) for one in STRINGS).values()) == 1
    assert {one["state"] for one in STRINGS} == set(STATES) - {"missing", "error"}
    assert all((one["waypoints"] is not None) == (one["state"] == "valid") for one in STRINGS)


@pytest.mark.parametrize("kind", KINDS)
def test_every_string_has_its_right_result(kind: str) -> None:
    for one in STRINGS:
        if one["kind"] != kind:
            continue
        parsed = parse_waypoints(one["text"], count=one["count"], finish_reason=one["finish_reason"])
        assert parsed.state == one["state"], (one, parsed)
        assert (parsed.reason is not None) == (parsed.state == "ambiguous"), (one, parsed)
        assert one["reason"] is None or one["reason"] in str(parsed.reason), (one, parsed)
        if one["waypoints"] is None:
            assert parsed.waypoints is None
            continue
        assert parsed.waypoints is not None
        assert len(parsed.waypoints) == one["count"]
        for own, right in zip(parsed.waypoints, one["waypoints"], strict=True):
            assert own == pytest.approx(right, abs=1e-9), (one, parsed)
