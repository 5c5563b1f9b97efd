"""Finds where a reply names key frames: intervals, single frames, and frames that cannot be read.

Frames are named in digits, one to three of them, behind the word `frame` (B4DL, Fig. 1: `from frame 003 to frame 009`);
the last of an interval may lack the word. Every pattern looks at a bounded stretch of text.
"""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

from probe4d.diagnosis.parsing.language import any_of

__all__ = ["Named", "alone", "frames_named"]

_I = re.IGNORECASE


class Named(NamedTuple):
    """A place where frames are named.

    Attributes:
        start: First character.
        end: Character after the last.
        kind: `interval`; `frame`; `bound`, where an end is open ("until frame 9", "from frame 3 onwards");
            `several`, frames in a list or intervals joined; `malformed`, a frame that is no number of one to three
            digits.
        first: First frame; null unless an interval or a frame.
        last: Last frame, of a frame the same.
    """

    start: int
    end: int
    kind: Literal["interval", "frame", "bound", "several", "malformed"]
    first: int | None = None
    last: int | None = None


_WHOLE = (
    r"(?<![\w.,])[0-9]{1,3}(?![0-9]|[.,:/][0-9]|[ ]{1,3}[0-9]|[ ]?(?:%|(?:s|secs?|seconds?|m|met(?:er|re)s?|fps)\b))"
)
_AFTER_WORD = _WHOLE.replace(r"(?<![\w.,])", r"(?<![0-9])(?<![0-9][.,])")  # "frame003", "3..9"
_WORD = r"frames?(?:[ ](?:number|no\.?|index|idx|id))?[\s:#=_\"']{0,3}"
_ABOUT = r"(?:(?:about|around|approximately|approx\.?|roughly|the|~)\s?){0,2}"
_DASH = r"\s?(?:[-\u2010-\u2015\u2212\u2192]{1,2}>?|=>|\.{2,3}|\u2026)\s?"
_THEN = any_of(
    _DASH,
    r",?\s(?:(?:all the way|up|onwards?|on)\s)?(?:to|till|until|through|thru|up until)\s",
    r"[^0-9.;?!\n]{0,50}?\b(?:until|till|ends? (?:at|in|on|with)|ending (?:at|in|on|with)"
    r"|(?:last|finally) seen (?:in|at)|(?:stops|finishes|disappears|vanishes|lasts until|continues to|concludes)"
    r" (?:at|in|on|with))\s",
)
_INTERVAL = re.compile(
    any_of(
        rf"\b{_WORD}({_AFTER_WORD})[\"']?(?:{_THEN}){_ABOUT}(?:{_WORD})?({_AFTER_WORD})",
        rf"\bfrom\s{_ABOUT}({_WHOLE})\s(?:to|till|until|through|thru)\s{_ABOUT}{_WORD}({_AFTER_WORD})",
        rf"\bbetween\s{_ABOUT}{_WORD}({_AFTER_WORD})\sand\s{_ABOUT}(?:{_WORD})?({_AFTER_WORD})",
    ),
    _I,
)
_NAME_OF_FIRST = r"[\"']?\b(?:start(?:s|ing)?|begin(?:s|ning)?|from|first)(?:[ _]?(?:frame|index))?[\"']?"
_NAME_OF_LAST = r"[\"']?\b(?:end(?:s|ing)?|stop(?:s)?|to|last)(?:[ _]?(?:frame|index))?[\"']?"
_VALUE = rf"\s?[:=]\s?[\"']?(?:{_WORD})?({_WHOLE})[\"']?"
_FIELDS = re.compile(rf"{_NAME_OF_FIRST}{_VALUE}\s{{0,8}},?\s{{0,8}}(?:and\s)?{_NAME_OF_LAST}{_VALUE}", _I)
_LIST = re.compile(
    rf"[\"'](?:final_?answer|answer|interval|frames|prediction)[\"']\s?:\s?\[\s?({_WHOLE})\s?,\s?({_WHOLE})\s?\]", _I
)
_ONE = re.compile(rf"\b{_WORD}({_AFTER_WORD})", _I)
_ANY = re.compile(
    any_of(rf"\b{_WORD}(?:[-\u2212][0-9]|[0-9])[0-9.,:/]{{0,20}}", r"\bframes?\s(?:N{1,3}|[XYZ]{1,3})\b"), _I
)
"""Whatever else stands where a frame's number would."""

_JOINED = re.compile(
    rf"(?:\s\(?inclusive\)?)?\s?(?:,|;|/|&|-|\u2013|\+|\b(?:and|or|to|then)\b)\s{{0,2}}(?:(?:and|or|then)\s)?(?:(?:possibly|maybe|perhaps|even)\s)?"
    rf"(?:(?:from|between|in|at)\s)?(?:{_WORD})?[0-9]{{1,4}}(?![0-9]*(?:\.[0-9]|\s?(?!(?:and|or|to|then)\b)[A-Za-z]))",
    _I,
)
"""What makes of frames only one of several."""
_BOUND_BEFORE = re.compile(
    r"\b(?:before|after|until|till|since|past|beyond|up to|by|from|to|and|start(?:s|ing|ed)?(?: (?:at|in|from|with))?"
    r"|begin(?:s|ning)?(?: (?:at|in|from|with))?|end(?:s|ing|ed)?(?: (?:at|in|with))?|onwards from"
    rf"|earlier than|later than)\s{_ABOUT}$",
    _I,
)
_BOUND_AFTER = re.compile(
    r",?\s(?:onwards?|and (?:later|after(?:wards)?|onwards?|beyond|earlier|before|so on)|or (?:later|earlier|so)"
    r"|to the (?:very )?end|until the (?:very )?end|to the last)\b",
    _I,
)
_NEAR = 40

_EDGES = " \t\r\n.,;:!\"'`*"
_BRACKETS = re.compile(r"[\[(](.{0,40})[\])]", re.DOTALL)
_PAIR = re.compile(rf"({_WHOLE})\s?[,;]\s?({_WHOLE})")
_BARE = re.compile(
    any_of(
        rf"(?:from\s)?({_WHOLE})(?:{_DASH}|\s(?:to|till|until|through|thru)\s)({_AFTER_WORD})",
        rf"between\s({_WHOLE})\sand\s({_WHOLE})",
    ),
    _I,
)
_BARE_SEVERAL = re.compile(rf"(?:{_BARE.pattern})\s?(?:,|;|\b(?:and|or)\b).*[0-9]", _I | re.DOTALL)


def alone(text: str) -> Named | None:
    """Read a text that is two frames without the word and nothing else: `3-9`, `from 003 to 009`, `[3, 9]`.

    Returns:
        The interval, or `several` where more numbers follow; null where the text is anything else.
    """
    text = text.strip(_EDGES)
    inside = _BRACKETS.fullmatch(text)
    said = (inside[1] if inside else text).strip(_EDGES)
    pair = _PAIR.fullmatch(said) if inside else None
    if pair:
        return Named(0, len(text), "interval", int(pair[1]), int(pair[2]))
    hit = _BARE.fullmatch(said)
    if hit:
        return _interval(hit)
    return Named(0, len(text), "several") if _BARE_SEVERAL.fullmatch(said) else None


def frames_named(text: str) -> list[Named]:
    """Find all places of a text where frames are named, in order and apart from one another."""
    found: list[Named] = []
    taken = bytearray(len(text))
    for pattern, read in (
        (_FIELDS, _interval),
        (_LIST, _interval),
        (_INTERVAL, _interval),
        (_ONE, _frame),
        (_ANY, _other),
    ):
        for hit in pattern.finditer(text):
            if not any(taken[hit.start() : hit.end()]):
                taken[hit.start() : hit.end()] = b"\1" * (hit.end() - hit.start())
                found.append(_joined(text, read(hit)))
    return sorted(_bounded(text, one) for one in found)


def _interval(hit: re.Match[str]) -> Named:
    first, last = (int(end) for end in hit.groups() if end is not None)
    return Named(*hit.span(), "interval", first, last)


def _frame(hit: re.Match[str]) -> Named:
    return Named(*hit.span(), "frame", int(hit[1]), int(hit[1]))


def _other(hit: re.Match[str]) -> Named:
    return Named(*hit.span(), "malformed")


def _joined(text: str, one: Named) -> Named:
    """The same, or `several` where more numbers follow at once."""
    if one.kind in ("interval", "frame") and _JOINED.match(text, one.end):
        return one._replace(kind="several", first=None, last=None)
    return one


def _bounded(text: str, one: Named) -> Named:
    """The same, or `bound` where words before a frame, or after one or two, leave an end open."""
    if one.kind not in ("frame", "interval"):
        return one
    before = text[max(0, one.start - _NEAR) : one.start] if one.kind == "frame" else ""
    if _BOUND_BEFORE.search(before) or _BOUND_AFTER.match(text, one.end):
        return one._replace(kind="bound", first=None, last=None)
    return one
