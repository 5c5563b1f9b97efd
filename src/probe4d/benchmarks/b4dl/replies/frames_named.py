"""Key frames that a sentence names, and the intervals among them, in the forms that models write them."""

from __future__ import annotations

import re

__all__ = ["AROUND", "frames_named", "interval_alone", "intervals_in"]

_GAP = r"[\s#:_-]{0,3}"
_NUMBER = r"([0-9]{1,9})(?![0-9])"
_FRAME = rf"(?:frame{_GAP})?"
_WORD_BEHIND = r"\s{0,3}(?!and\b|or\b|to\b)[a-z]"
# A dash between spaces may begin something else: "in frame 004 - 20 cars move".
_DASH = rf"\s{{0,3}}[-\u2013\u2014]\s{{0,3}}(?=frame|[0-9]{{1,9}}(?![0-9])(?!{_WORD_BEHIND}))"
_TO = rf"(?:\s{{0,3}}(?:\bto\b|\bthrough\b|\buntil\b|\btill\b)\s{{0,3}}|[-\u2013\u2014]|{_DASH})"
_AND = r"\s{0,3}(?:\band\b|&)\s{0,3}"

_INTERVAL = re.compile(
    rf"\b(?:from\s{{1,3}})?frames?{_GAP}{_NUMBER}{_TO}{_FRAME}{_NUMBER}"
    rf"|\b(?:between\s{{1,3}}frames?|from\s{{1,3}}frame){_GAP}{_NUMBER}{_AND}{_FRAME}{_NUMBER}",
    re.IGNORECASE,
)
_ONE = re.compile(rf"(?<![a-z])frame{_GAP}{_NUMBER}", re.IGNORECASE)
_MANY = re.compile(
    rf"(?<![a-z])frames{_GAP}[0-9]{{1,9}}(?![0-9])"
    # A number after a comma alone may count something else: "in frames 3 and 5, 2 cars stand".
    rf"(?:(?:{_TO}|\s{{0,3}}(?:,\s{{0,3}})?(?:\band\b|\bor\b|&)\s{{0,3}}){_FRAME}[0-9]{{1,9}}(?![0-9])"
    rf"|,\s{{0,3}}{_FRAME}[0-9]{{1,9}}(?![0-9])(?!\s{{1,3}}(?!and\b|or\b|to\b)[a-z]))*",
    re.IGNORECASE,
)
_DIGITS = re.compile(r"[0-9]+")
_ALONE = re.compile(
    r"(?:it\s{1,3}(?:is|was|happens|occurs)\s{1,3})?(?:(?:in|at|during|over|on)\s{1,3})?(?:the\s{1,3})?"
    rf"(?:{_INTERVAL.pattern}|frame{_GAP}{_NUMBER})",
    re.IGNORECASE,
)
AROUND = " \t\n.,:;!\"'*_`()[]\u201c\u201d\u2018\u2019"
"""What may stand around a short answer."""


def intervals_in(text: str) -> list[tuple[int, int]]:
    """Intervals that a text names, in its order.

    Forms are `from frame 000 to frame 008`, `between frame 12 and frame 20`, `frames 018 to 026`, `frames 3-9` and the
    like.

    Returns:
        First and last key frame of each, as written: the first may be the greater one.
    """
    found = (match.groups() for match in _INTERVAL.finditer(text))
    return [(int(a or c), int(b or d)) for a, b, c, d in found]


def interval_alone(text: str) -> tuple[int, int] | None:
    """The interval that a text is and nothing else; of one frame, such as `in frame 005`, that frame twice."""
    found = _ALONE.fullmatch(text.strip(AROUND))
    if found is None:
        return None
    first, last = found[1] or found[3] or found[5], found[2] or found[4] or found[5]
    return int(first), int(last)


def frames_named(text: str) -> set[int]:
    """Key frames that a text names by number, the ends of intervals among them."""
    frames = {frame for interval in intervals_in(text) for frame in interval}
    frames.update(int(number) for number in _ONE.findall(text))
    for match in _MANY.finditer(text):
        frames.update(int(number) for number in _DIGITS.findall(match[0]))
    return frames
