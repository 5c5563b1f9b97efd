"""Reads the interval of key frames that a reply settles on, or says why there is none."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from probe4d.benchmarks.finish_reasons import CUT_REASONS, FILTER_REASONS, REFUSAL_REASONS
from probe4d.diagnosis.parsing import refusals
from probe4d.diagnosis.parsing.interval_forms import Named, alone, frames_named
from probe4d.diagnosis.parsing.normalise import answer_part, containers
from probe4d.diagnosis.parsing.number_markup import legible, plain
from probe4d.diagnosis.parsing.parsed import State, unread
from probe4d.diagnosis.parsing.sentences import Sentences
from probe4d.diagnosis.parsing.withdrawals import withdrawn
from probe4d.runs.settings.chain_of_thought import CHAIN_OF_THOUGHT

__all__ = ["Interval", "ParsedInterval", "parse_interval"]

Interval = tuple[int, int]
"""First and last key frame, both inside."""


class ParsedInterval(NamedTuple):
    """The reading of one reply to a question for an interval.

    Attributes:
        state: `valid`, or why the reply counts as no answer.
        interval: First and last key frame; null unless `state` is `valid`.
        reason: Why an `ambiguous` reply has no interval, in words; else null.
    """

    state: State
    interval: Interval | None = None
    reason: str | None = None


_NO_FRAME = "names no frame"
_SEVERAL = "names several intervals"
_REVERSED = "ends before it begins"
_BOUND = "names one end alone"
_MALFORMED = "names a frame that is no number of one to three digits"
_DOUBTED = "denies it, asks about it or puts it under a condition"
_TAKEN_BACK = "takes it back"
_BEYOND = "names a frame outside of its interval"

_I = re.IGNORECASE
_MARKERS = 20
"""How many of the last places that announce an answer are read."""
_MARKER = re.compile(r"\b(?:answer|interval)[ \t]{0,8}(?:(?:is|would be|will be)\b[ \t]{0,8}:?|[:=]|-[ \t])", _I)
_CONCLUSION = re.compile(
    r"(?:^|(?<=[.!?\n])|(?<=[.!?\n] ))(?:therefore|thus|hence|so|in conclusion|in summary|overall|consequently)\b", _I
)
_LEADING = (
    r"(?:(?:from|between|in|at|on|of|the|any|interval|window|during|within|frames?|about|around)\s+){0,4}[\"'(\[]?$"
)
_DENIED = re.compile(
    r"(?:\b(?:not|never|nor|neither|except(?: for)?|excluding|without|rather than|instead of|other than)"
    r"|n['\u2019]t)\s+"
    r"(?:(?:occur\w*|happen\w*|take place|appear\w*|begin|start|last|exist|visible|present|seen|be|fall|lie|it)\s+)?"
    + _LEADING,
    _I,
)
_MISLED = re.compile(
    r"\b(?:if|unless|suppos\w+|assuming|hypothetical\w*|for example|for instance|such as|e\.\s?g|format|example"
    r"|(?:wrong|incorrect|false|first|initial|previous|bad) (?:answer|guess|interval)"
    r"|(?:could|might|may)(?: \w+){0,2} (?:be|have|occur|happen|take place|last))\b",
    _I,
)


def parse_interval(text: str, *, finish_reason: str | None = None, error: str | None = None) -> ParsedInterval:
    """Read one reply to a question for an interval of key frames; the rules are in `docs/answer-parsing.md`.

    Args:
        text: The reply, untouched.
        finish_reason: Why generation ended, as the provider says.
        error: What went wrong instead of a reply; a text other than the empty one makes the state `error`.

    Returns:
        State, interval and reason. No text raises.
    """
    if error:
        return ParsedInterval("error")
    reason = (finish_reason or "").lower()
    if reason in REFUSAL_REASONS:
        return ParsedInterval("refused")
    found = _parse(text, cut=reason in CUT_REASONS)
    return ParsedInterval("refused") if found.state == "empty" and reason in FILTER_REASONS else found


def _parse(text: str, *, cut: bool) -> ParsedInterval:
    reply, thought_left_open = answer_part(legible(text))
    places = containers(reply)
    if places:
        readings = {_read(plain(place), cut=False) for place in places}
        if len(readings) == 1:
            return readings.pop()
        return ParsedInterval("ambiguous", reason=_SEVERAL)
    return _read(plain(reply), cut=cut or thought_left_open)


def _read(reply: str, *, cut: bool) -> ParsedInterval:
    interval, reason = _settled(reply, cut=cut)
    if interval is not None:
        return ParsedInterval("valid", interval)
    if not cut and reason == _NO_FRAME and refusals.refuses(reply):
        return ParsedInterval("refused")
    state = unread(reply, cut).state
    return ParsedInterval(state, reason=reason if state == "ambiguous" else None)


def _settled(reply: str, *, cut: bool) -> tuple[Interval | None, str]:
    """The interval that a reply settles on, or null and why there is none."""
    part = CHAIN_OF_THOUGHT.answer_part(reply)
    if part != reply:
        return _said(part, cut=cut)
    starts = [hit.end() for hit in _MARKER.finditer(reply)][-_MARKERS:]
    if starts:
        parts = zip(starts, [*starts[1:], len(reply)], strict=True)
        if any(_DENIED.search(reply[max(0, start - 40) : start]) for start in starts):
            return None, _DOUBTED
        said = [_said(reply[start:end], cut=cut) for start, end in parts]
        given = {interval for interval, _ in said if interval is not None}
        lead = reply[: starts[0]]
        return (None, _DOUBTED) if _misled(lead) else said[-1] if len(given) < 2 else (None, _SEVERAL)
    places = frames_named(reply)
    concluded = [hit.start() for hit in _CONCLUSION.finditer(reply) if places and hit.start() < places[-1].start]
    return _said(reply[concluded[-1] :] if concluded else reply, cut=cut)


def _said(part: str, *, cut: bool) -> tuple[Interval | None, str]:
    """The one interval that a part of a reply names, or null and why there is none."""
    bare = None if cut else alone(part)
    named = [bare] if bare else frames_named(part)
    interval, reason = _agreed(named)
    if interval is None:
        return None, reason
    if cut and not re.search(r"\w", part[named[-1].end :]):
        return None, _NO_FRAME
    sentences = Sentences(part)
    if bare is None and any(_doubted(sentences, one) for one in named):
        return None, _DOUBTED
    return (None, _TAKEN_BACK) if bare is None and withdrawn(part, named[0].end) else (interval, "")


def _agreed(named: Sequence[Named]) -> tuple[Interval | None, str]:
    """The one interval of what was named; a single frame is one of itself, and may also lie inside another."""
    if not named:
        return None, _NO_FRAME
    for kind, reason in (("malformed", _MALFORMED), ("several", _SEVERAL)):
        if any(one.kind == kind for one in named):
            return None, reason
    said = {kind: {(one.first, one.last) for one in named if one.kind == kind} for kind in ("interval", "frame")}
    found = said["interval"] or said["frame"]
    if not found:
        return None, _BOUND
    first, last = next(iter(found))
    if len(found) > 1:
        return None, _SEVERAL
    if first is None or last is None or last < first:
        return None, _REVERSED
    if any(frame is not None and not first <= frame <= last for frame, _ in said["frame"]):
        return None, _BEYOND
    lone_frame_with_bound = not said["interval"] and any(one.kind == "bound" for one in named)
    return (None, _BOUND) if lone_frame_with_bound else ((first, last), "")


def _doubted(sentences: Sentences, one: Named) -> bool:
    """Say whether the sentence around a place denies it, asks about it or puts it under a condition."""
    before, _, asked = sentences.around(one.start, one.end)
    return asked or _DENIED.search(before) is not None or _misled(before)


def _misled(before: str) -> bool:
    return _MISLED.search(before) is not None
