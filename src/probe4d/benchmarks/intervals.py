"""Intervals of key frames as the texts of options say them."""

from __future__ import annotations

import re

__all__ = ["interval_in"]

_INTERVAL = re.compile(r"(?:from\s+)?frames?\s+(\d{1,6})\s+(?:to|and)\s+(?:frame\s+)?(\d{1,6})", re.IGNORECASE)


def interval_in(text: str) -> tuple[int, int] | None:
    """Read a text that is an interval, such as `from frame 003 to frame 009`; null where it says anything else.

    Returns:
        First and last key frame.
    """
    match = _INTERVAL.fullmatch(text.strip())
    return (int(match[1]), int(match[2])) if match else None
