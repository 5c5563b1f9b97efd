"""Reads the waypoints that a reply settles on, or says why there are none (STRIDE, App. C.3 and C.4).

A list counts only if it is the only one, or follows an answer cue and nothing contradicts it, and holds as many points
as were asked for. Whatever is in doubt is no answer, and the reason says why.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from probe4d.diagnosis.parsing import doubts, refusals
from probe4d.diagnosis.parsing.cues import folded
from probe4d.diagnosis.parsing.normalise import after_last_thought, containers
from probe4d.diagnosis.parsing.number_contexts import SENTENCE_END
from probe4d.diagnosis.parsing.number_markup import legible, plain
from probe4d.diagnosis.parsing.parsed import CUT_REASONS, FILTER_REASONS, REFUSAL_REASONS, State, unread
from probe4d.diagnosis.parsing.waypoint_lists import PointList, point_lists
from probe4d.runs.settings.chain_of_thought import CHAIN_OF_THOUGHT
from probe4d.wording import counted

__all__ = ["ParsedWaypoints", "Waypoints", "parse_waypoints"]

Waypoints = tuple[tuple[float, float], ...]
"""Points (x, y) in metres, in the order that was asked for."""


class ParsedWaypoints(NamedTuple):
    """The reading of one reply to a question for waypoints.

    Attributes:
        state: `valid`, or why the reply counts as unparsed.
        waypoints: As many as were asked for, in metres; null unless `state` is `valid`.
        reason: Why an `ambiguous` reply has none, in words; else null.
    """

    state: State
    waypoints: Waypoints | None = None
    reason: str | None = None


_NO_LIST = "gives no waypoints"
_SEVERAL = "gives several lists of waypoints"
_DOUBTED = "denies them, gives them as an example or puts them under a condition"
_QUESTIONED = "asks about them"
_TAKEN_BACK = "takes them back"
_OTHER_UNIT = "gives them in another unit than metres"
_OTHER_ORDER = "names y before x"
_BREAKS_OFF = "breaks off"

_NEAR = 200
"""Characters before a list in which a cue announces it."""

_ANSWER_CUE = re.compile(r"\b(?:answers?|final(?:ly)?)\b", re.IGNORECASE)
_CONCLUSION_CUE = re.compile(
    r"\b(?:therefore|thus|hence|so|consequently|in conclusion|overall|predict\w*|result\w*|output)\b", re.IGNORECASE
)
_DOUBT = re.compile(
    r"\b(?:e\.\s?g|for example|for instance|such as|example|hypothetic\w+|if|unless|suppos\w+|pretend\w*|might|could"
    r"|format (?:is|like|would be))\b",
    re.IGNORECASE,
)
_UNIT_DECLARED = re.compile(
    r"(?:\b(?:in|units?)[\"']?(?:\s(?:is|are)|\s?[:=])?[\"'\s(]{1,3}|\()"
    r"(?:feet|foot|ft|inch(?:es)?|yards?|yds?|miles?|km|kilomet\w+|cm|centimet\w+|mm|millimet\w+|dm|decimet\w+|px"
    r"|pixels?|degrees?)\b(?!\s?(?:per\b|/))",
    re.IGNORECASE,
)
_ORDER_DECLARED = re.compile(
    r"[\[({<]\s*[\"']?(?:y\w{0,3}|lateral|left)[\"']?\s*,\s*[\"']?(?:x\w{0,3}|longitudinal|forward)\b", re.I
)
_ASKED = re.compile(r"[\])}\s]{0,8}[?\uff1f]")
_LATEX_BRACKETS = re.compile(r"\\(?:left|right|[bB]igg?[lr]?)\s?(?=[\[\](){}|\\])")
_PUNCTUATION = " \t\r\n,;.`\"'"


def parse_waypoints(
    text: str, *, count: int, finish_reason: str | None = None, error: str | None = None
) -> ParsedWaypoints:
    """Read one reply to a question for waypoints; the rules are in `docs/answer-parsing.md`.

    Args:
        text: The reply, untouched.
        count: How many waypoints were asked for.
        finish_reason: Why generation ended, as the provider says.
        error: What went wrong instead of a reply; a text other than the empty one makes the state `error`.

    Returns:
        The state and, if it is `valid`, the waypoints in metres. Lengths in other units that stand with every value
        are converted; nothing is turned, mirrored or put into another order. No text raises.
    """
    if error:
        return ParsedWaypoints("error")
    reason = (finish_reason or "").lower()
    if reason in REFUSAL_REASONS:
        return ParsedWaypoints("refused")
    found = _parse(text, count, cut=reason in CUT_REASONS)
    return ParsedWaypoints("refused") if found.state == "empty" and reason in FILTER_REASONS else found


def _parse(text: str, count: int, *, cut: bool) -> ParsedWaypoints:
    reply, thought_left_open = after_last_thought(legible(text))
    if thought_left_open:
        return ParsedWaypoints("truncated")
    reply = _LATEX_BRACKETS.sub("", reply)
    places = containers(reply)
    readings = {_read(plain(place), count, cut=False) for place in places if any(map(str.isdigit, place))}
    if not readings:
        return _read(plain(reply), count, cut=cut)
    return readings.pop() if len(readings) == 1 else ParsedWaypoints("ambiguous", reason=_SEVERAL)


def _read(reply: str, count: int, *, cut: bool) -> ParsedWaypoints:
    waypoints, reason = _settled(CHAIN_OF_THOUGHT.answer_part(reply), count, cut=cut)
    if waypoints is not None:
        return ParsedWaypoints("valid", waypoints)
    if reason == _NO_LIST and not cut and (refusals.refuses(reply) or refusals.cannot_measure(folded(reply))):
        return ParsedWaypoints("refused")
    state = unread(reply, cut).state
    return ParsedWaypoints(state, reason=reason if state == "ambiguous" else None)


def _settled(reply: str, count: int, *, cut: bool) -> tuple[Waypoints | None, str | None]:
    """Return the waypoints that a reply settles on, or null and why there are none."""
    lists = point_lists(reply)
    if not lists:
        return None, _NO_LIST
    meant = _meant(reply, lists)
    if len({(one.points, one.fault) for one in meant}) > 1:
        return None, _SEVERAL
    chosen = meant[-1]
    if chosen.fault is not None:
        return None, chosen.fault
    if len(chosen.points) != count:
        return None, f"gives {counted(len(chosen.points), 'waypoint')} where {count:,} were asked for"
    if cut and not chosen.closed and not reply[chosen.end :].strip(_PUNCTUATION):
        return None, _BREAKS_OFF
    doubt = _doubt(reply, lists, meant)
    return (chosen.points, None) if doubt is None else (None, doubt)


def _meant(reply: str, lists: Sequence[PointList]) -> Sequence[PointList]:
    """The lists that an answer cue announces and all that follow the last of these; without a cue, all."""
    ends = [0, *(one.end for one in lists)]
    leads = [reply[max(end, one.start - _NEAR) : one.start] for end, one in zip(ends, lists, strict=False)]
    for cue in (_ANSWER_CUE, _CONCLUSION_CUE):
        announced = [place for place, lead in enumerate(leads) if cue.search(lead)]
        if announced:
            return [one for place, one in enumerate(lists) if place in announced or place > announced[-1]]
    return lists


def _doubt(reply: str, lists: Sequence[PointList], meant: Sequence[PointList]) -> str | None:
    """What stands around a list that makes it no answer; null for nothing."""
    if _UNIT_DECLARED.search(reply):
        return _OTHER_UNIT
    if _ORDER_DECLARED.search(reply):
        return _OTHER_ORDER
    for one in meant:
        earlier = max((other.end for other in lists if other.end <= one.start), default=0)
        lead = reply[max(earlier, one.start - _NEAR) : one.start]
        sentence = SENTENCE_END.split(lead)[-1]
        if _DOUBT.search(sentence) or doubts.denies(sentence):
            return _DOUBTED
    last = meant[-1].end
    if _ASKED.match(reply, last):
        return _QUESTIONED
    if doubts.CORRECTION.search(reply, last) or doubts.WITHDRAWAL.search(reply, last):
        return _TAKEN_BACK
    return None
