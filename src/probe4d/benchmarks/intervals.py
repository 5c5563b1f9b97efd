"""Intervals of key frames as the texts of options and reference answers say them."""

from __future__ import annotations

import re

__all__ = ["interval_in", "reference_ends"]

_INTERVAL = re.compile(r"(?:from\s+)?frames?\s+(\d{1,6})\s+(?:to|and)\s+(?:frame\s+)?(\d{1,6})", re.IGNORECASE)
_REFERENCE = re.compile(r"(\d{1,6})-(\d{1,6})")


def interval_in(text: str) -> tuple[int, int] | None:
    """Read a text that is an interval, such as `from frame 003 to frame 009`; null where it says anything else.

    Returns:
        First and last key frame.
    """
    match = _INTERVAL.fullmatch(text.strip())
    return (int(match[1]), int(match[2])) if match else None


def reference_ends(answer: str) -> tuple[int, int] | None:
    """First and last key frame of a reference answer `first-last`; null where it is none, or ends before it begins."""
    hit = _REFERENCE.fullmatch(answer)
    ends = None if hit is None else (int(hit[1]), int(hit[2]))
    return None if ends is None or ends[1] < ends[0] else ends
