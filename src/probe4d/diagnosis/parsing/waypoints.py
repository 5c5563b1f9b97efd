"""Reads the waypoints that a reply settles on, or says why there are none (STRIDE, App. C.3 and C.4).

A list counts only if it is the only one, or follows an answer cue and nothing contradicts it, and holds as many points
as were asked for. Whatever is in doubt is no answer, and the reason says why.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from probe4d.benchmarks.finish_reasons import CUT_REASONS, FILTER_REASONS, REFUSAL_REASONS
from probe4d.diagnosis.parsing import doubts, refusals
from probe4d.diagnosis.parsing.cues import folded
from probe4d.diagnosis.parsing.normalise import after_last_thought, containers
from probe4d.diagnosis.parsing.number_contexts import SENTENCE_END
from probe4d.diagnosis.parsing.number_markup import legible, plain
from probe4d.diagnosis.parsing.parsed import State, unread
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
_ABOUT_OTHERS = "gives something else than positions"
_OTHER_ORDER = "names y before x, or other axes than x ahead and y to the left"
_BREAKS_OFF = "breaks off"

_NEAR = 200
"""Characters before a list in which a cue announces it."""

_ANSWER_CUE = re.compile(r"\b(?:answers?|final(?:ly)?)\b", re.IGNORECASE)
_STATED = re.compile(r"\banswers?\b", re.IGNORECASE)
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
    r"|pixels?)\b(?!\s?(?:per\b|/))",
    re.IGNORECASE,
)
_LIES = r"\W{0,3}(?:(?:is|axis|points?|pointing|being|to|towards?)\W){0,3}(?:the )?"
_ORDER_DECLARED = re.compile(
    r"[\[({<]\s*[\"']?(?:y\w{0,3}|lateral|left)[\"']?\s*,\s*[\"']?(?:x\w{0,3}|longitudinal|forward)\b"
    rf"|\by{_LIES}(?:forwards?|ahead|front|longitudinal|right)\b|\bx{_LIES}(?:right|left|lateral|sideways)\b",
    re.IGNORECASE,
)
_UNIT_BEHIND = re.compile(
    r"[\])}\s]{0,8}(?:m/s|km/h|kmh|mph|cm|mm|km|ft|feet|foot|yards?|inch(?:es)?|px|pixels?|degrees?|deg|\u00b0|rad)(?!\w)",
    re.IGNORECASE,
)
_OTHER_THING = re.compile(
    r"\b(?:velocit\w+|speeds?|accelerat\w+|(?:bounding )?box(?:es)?|pixels?|image coordinates?|latitudes?|longitudes?"
    r"|gps|headings?|yaws?|steering|sizes?|dimensions|confidences?|probabilit\w+)\b"
    r"(?![^\n]*\b(?:waypoints?|positions?|trajectory|path|points?|answer)\b)",
    re.IGNORECASE,
)
"""What a list is of, where the words before it name no positions after that."""
_CLAUSE_END = re.compile(r"[,;](?=\s)")
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
    ends = [0, *(one.end for one in lists)]
    leads = [reply[max(end, one.start - _NEAR) : one.start] for end, one in zip(ends, lists, strict=False)]
    meant = _meant(lists, leads, count)
    if len({(one.points, one.fault) for one in meant}) > 1:
        return None, _SEVERAL
    chosen = meant[-1]
    if chosen.fault is not None:
        return None, chosen.fault
    if len(chosen.points) != count:
        return None, f"gives {counted(len(chosen.points), 'waypoint')} where {count:,} were asked for"
    if cut and not chosen.closed and not reply[chosen.end :].strip(_PUNCTUATION):
        return None, _BREAKS_OFF
    of_meant = {one.start for one in meant}
    doubt = _doubt(
        reply, meant[-1].end, [lead for one, lead in zip(lists, leads, strict=True) if one.start in of_meant]
    )
    return (chosen.points, None) if doubt is None else (None, doubt)


def _meant(lists: Sequence[PointList], leads: Sequence[str], count: int) -> Sequence[PointList]:
    """The lists that an answer cue announces and all that follow the last of these; without a cue, all."""
    longest = max(lists, key=lambda one: len(one.points))
    kept = [(one, lead) for one, lead in zip(lists, leads, strict=True) if not _is_place(one, lead, longest, count)]
    for cue in (_ANSWER_CUE, _CONCLUSION_CUE):
        announced = {place for place, (_, lead) in enumerate(kept) if cue.search(lead)}
        if announced:
            last = max(announced)
            return [one for place, (one, _) in enumerate(kept) if place in announced or place > last]
    return [one for one, _ in kept]


def _is_place(one: PointList, lead: str, longest: PointList, count: int) -> bool:
    """Whether a single point only says where something is, and is no list.

    It is none before a longer one, or anywhere beside one in brackets, where more than one point was asked for.
    """
    if count == 1 or one.fault is not None or len(one.points) != 1 or len(longest.points) == 1:
        return False
    return (longest.whole or one.start < longest.start) and _STATED.search(lead) is None


def _doubt(reply: str, end: int, leads: Sequence[str]) -> str | None:
    """What stands around lists that makes them no answer; null for nothing.

    Args:
        reply: The reply.
        end: Where the last of them ends.
        leads: What stands before each.
    """
    if _UNIT_DECLARED.search(reply) or _UNIT_BEHIND.match(reply, end):
        return _OTHER_UNIT
    if _ORDER_DECLARED.search(reply):
        return _OTHER_ORDER
    for lead in leads:
        sentence = SENTENCE_END.split(lead)[-1]
        clause = _CLAUSE_END.split(sentence)[-1]
        if _OTHER_THING.search(clause):
            return _ABOUT_OTHERS
        if _DOUBT.search(sentence) or doubts.denies(clause):
            return _DOUBTED
    if _ASKED.match(reply, end):
        return _QUESTIONED
    if doubts.CORRECTION.search(reply, end) or doubts.WITHDRAWAL.search(reply, end):
        return _TAKEN_BACK
    return None
