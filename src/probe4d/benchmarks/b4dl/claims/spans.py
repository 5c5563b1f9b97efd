"""Key frames that a question speaks of."""

from __future__ import annotations

import re
from typing import NamedTuple

from probe4d.benchmarks.b4dl.claims.claim import Time

__all__ = ["MASK", "Spoken", "masked_frames", "spoken_frames"]

_N = r"#?(\d{1,4})"
_RANGE = re.compile(
    rf"(?:\b(?:from|between|during|over|in|across|within|throughout|through|for|at|of)\b )?(?:\bthe )?\bframes? {_N}"
    rf" ?(?:to|and|until|till|through|up to|-) ?(?:the )?(?:frames? )?{_N}\b"
)
_SINGLE = re.compile(rf"\b(?:at|in|during|on|for) (?:the )?(?:key )?frame {_N}\b")
_ALL_FRAMES = (
    r"(?:the )?(?:whole |entire |full |given |observed |lidar )*(?:sequence|scene|window|clip|duration|period|interval)"
    r"(?: of frames)?"
)
_EVERY = re.compile(
    rf"\b(?:throughout(?: {_ALL_FRAMES})?|at all times|in (?:every|each) frame|in all (?:the )?frames|"
    rf"(?:across|over|through|during|for) (?:all|every) (?:the )?frames?|for the (?:whole|entire) sequence|always|"
    rf"(?:during|over|across) the (?:whole|entire) (?:sequence|scene))\b"
)
_SOME = re.compile(
    r"\b(?:at any (?:point|time|moment|frame)|at some (?:point|time)|in any (?:of the )?frames?|ever|at least once)\b"
)
_WINDOW = re.compile(
    rf"\b(?:in|during|over|within|across) {_ALL_FRAMES}|\b(?:across|over) (?:the )?frames\b|\bover time\b"
)


MASK = r"@\d+"
"""What stands in the place of frames in a masked text."""


class Spoken(NamedTuple):
    """Frames that a question speaks of.

    Attributes:
        text: The question without the words that say so.
        frames: The first and last of them, null where it names none.
        time: Whether it asks about all of them.
        clear: Whether this is the one range that it names, in an order that can be.
    """

    text: str
    frames: tuple[int, int] | None
    time: Time
    clear: bool


def masked_frames(text: str) -> tuple[str, dict[str, tuple[int, int]]]:
    """A question with a mask in the place of each range of frames, and the frames by their masks."""
    frames: dict[str, tuple[int, int]] = {}

    def masked(match: re.Match[str]) -> str:
        mask = f"@{len(frames)}"
        frames[mask] = (int(match[1]), int(match[match.lastindex or 1]))
        return f" {mask} "

    return " ".join(_SINGLE.sub(masked, _RANGE.sub(masked, text)).split()), frames


def spoken_frames(text: str) -> Spoken:
    """Take the frames out of a question, lower case and of single spaces."""
    found: list[tuple[int, int]] = []

    def taken(match: re.Match[str]) -> str:
        found.append((int(match[1]), int(match[match.lastindex or 1])))
        return " "

    rest = _SINGLE.sub(taken, _RANGE.sub(taken, text))
    time: Time = "either"
    every, some = _EVERY.subn(" ", rest), _SOME.subn(" ", rest)
    if every[1] and not some[1]:
        rest, time = every[0], "throughout"
    elif some[1] and not every[1]:
        rest, time = some[0], "some"
    rest = _WINDOW.sub(" ", rest)
    ordered = all(start <= end for start, end in found)
    clear = len(found) <= 1 and ordered and not (every[1] and some[1])
    return Spoken(" ".join(rest.split()), found[0] if found else None, time, clear)
