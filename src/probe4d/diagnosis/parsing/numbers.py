"""Reads the number that a reply settles on, or says why there is none.

Other than letters, whose options are known, numbers of any kind may stand in a reply: of cars, of frames, in a
caption. One counts only if what stands right before it leads to an answer and what stands right after it lets it be
one; any other number that might be meant, any bound, denial, condition or correction costs the reply its number.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_left
from collections.abc import Sequence
from typing import NamedTuple

from probe4d.benchmarks.finish_reasons import CUT_REASONS, FILTER_REASONS, REFUSAL_REASONS
from probe4d.diagnosis.parsing import number_contexts, refusals
from probe4d.diagnosis.parsing.cues import folded
from probe4d.diagnosis.parsing.normalise import answer_part
from probe4d.diagnosis.parsing.number_contexts import APPROXIMATES, NEAR, SENTENCE_END
from probe4d.diagnosis.parsing.number_markup import answer_places, legible, plain
from probe4d.diagnosis.parsing.parsed import State, unread
from probe4d.diagnosis.parsing.quantities import Quantity, number_word, quantities
from probe4d.diagnosis.parsing.units import UNITS, Unit
from probe4d.errors import InputError
from probe4d.runs.settings.chain_of_thought import CHAIN_OF_THOUGHT

__all__ = ["ParsedNumber", "parse_number"]


class ParsedNumber(NamedTuple):
    """The reading of one reply to a question for a number.

    Attributes:
        state: `valid`, or why the reply counts as wrong.
        value: In the unit asked for; null unless `state` is `valid`.
        reason: Why an `ambiguous` reply has no value, in words; else null.
    """

    state: State
    value: float | None = None
    reason: str | None = None


_NO_NUMBER = "names no number"
_OPTION_LETTER = "names an option"
_OTHER_UNIT = "gives a unit of another kind"
_MALFORMED = "gives a range, a tolerance, a calculation or a number that reads in two ways"
_SEVERAL = "gives several numbers"
_OUT_OF_PLACE = "gives a number that is a bound or about something else"
_DOUBTED = "denies it, asks about it or puts it under a condition"
_TAKEN_BACK = "takes it back"
_DIRECTED = "gives an angle with a direction in words"

_ALIKE = 0.02
"""By what share of the larger a length said in metres and again in feet may differ."""
_MARKERS = 20
"""How many of the first and of the last places that mark an answer are read; what lies between settles nothing."""

_MARKER = re.compile(
    r"\b(?:answer|ans|estimate|guess)[ \t]{0,8}(?:(?:is|would be|will be)\b[ \t]{0,8}:?|[:=]|-[ \t])", re.IGNORECASE
)
_CONCLUSION = re.compile(
    r"(?:^|(?<=[.!?\n])|(?<=[.!?\n] ))(?:therefore|thus|hence|so|in conclusion|in summary|overall|consequently"
    r"|finally)\b",
    re.IGNORECASE,
)
_OPTION = re.compile(r"\W{0,8}(?:(?i:option|choice)[ \t]{0,8})?[(\[]?[A-H](?:[)\].:]{1,2}(?:\s|$)|\W{0,8}$)")


def parse_number(text: str, *, unit: str, finish_reason: str | None = None, error: str | None = None) -> ParsedNumber:
    """Read one reply to a question for a number; the rules are in `docs/answer-parsing.md`.

    Args:
        text: The reply, untouched.
        unit: What the number should be in: `metres` or `degrees`. A number without a unit is taken to be in it;
            other units of length or angle are converted.
        finish_reason: Why generation ended, as the provider says.
        error: What went wrong instead of a reply; a text other than the empty one makes the state `error`.

    Raises:
        InputError: There is no such unit. No text raises.
    """
    known = next((name for name in UNITS if name == unit), None)
    if known is None:
        raise InputError(f"answers have no unit {unit!r}.", remedy=f"Give one of {', '.join(UNITS)}.")
    if error:
        return ParsedNumber("error")
    reason = (finish_reason or "").lower()
    if reason in REFUSAL_REASONS:
        return ParsedNumber("refused")
    found = _parse(text, known, cut=reason in CUT_REASONS)
    return ParsedNumber("refused") if found.state == "empty" and reason in FILTER_REASONS else found


def _parse(text: str, unit: Unit, *, cut: bool) -> ParsedNumber:
    reply, thought_left_open = answer_part(legible(text))
    places = answer_places(reply)
    if places:
        readings = {_read(plain(place), unit, cut=False) for place in places}
        values = {reading.value for reading in readings}
        return readings.pop() if len(values) == 1 else ParsedNumber("ambiguous", reason=_SEVERAL)
    return _read(plain(reply), unit, cut=cut or thought_left_open)


def _read(reply: str, unit: Unit, *, cut: bool) -> ParsedNumber:
    value, reason = _settled(reply, unit, cut=cut)
    if value is not None:
        return ParsedNumber("valid", value)
    if not cut and _declines(reply):
        return ParsedNumber("refused")
    state = unread(reply, cut).state
    return ParsedNumber(state, reason=reason if state == "ambiguous" else None)


def _declines(reply: str) -> bool:
    return refusals.refuses(reply) or refusals.cannot_measure(folded(reply))


def _settled(reply: str, unit: Unit, *, cut: bool) -> tuple[float | None, str | None]:
    """Return the number that a reply settles on, or null and why there is none."""
    part = CHAIN_OF_THOUGHT.answer_part(reply)
    if part != reply:
        return _Reading(part, unit, cut=cut).settled(0, len(part), explained=True)
    reading = _Reading(reply, unit, cut=cut)
    starts = [hit.end() for hit in _MARKER.finditer(reply)]
    if starts:
        parts = list(zip(starts, [*starts[1:], len(reply)], strict=True))
        if len(parts) > 2 * _MARKERS:
            parts = [*parts[:_MARKERS], *parts[-_MARKERS:]]
        answers = [reading.settled(*part) for part in parts]
        given = {value for value, _ in answers if value is not None}
        return answers[-1] if len(given) < 2 else (None, _SEVERAL)
    last = max((one.start for one in reading.found if one.kind != "label"), default=-1)
    starts = [hit.start() for hit in _CONCLUSION.finditer(reply) if hit.start() < last]
    if starts:
        return reading.settled(starts[-1], len(reply))
    return (None, None) if _declines(reply) else reading.settled(0, len(reply), opening=True)


class _Reading:
    """A reply with its numbers and sentences.

    Attributes:
        found: Its numbers, in order.
    """

    def __init__(self, reply: str, unit: Unit, *, cut: bool) -> None:
        self._reply = reply
        self._unit = unit
        self._cut = cut
        self.found = quantities(reply, unit)
        ends = list(SENTENCE_END.finditer(reply))
        self._ends = [hit.start() for hit in ends]
        self._next_starts = [hit.end() for hit in ends]
        self._asks = [hit[0] in "?\uff1f" for hit in ends]

    def settled(
        self, start: int, end: int, *, explained: bool = False, opening: bool = False
    ) -> tuple[float | None, str | None]:
        """Return the number that a part of the reply settles on, or null and why there is none.

        Args:
            start: Where the answer begins.
            end: Where the part ends.
            explained: Whether what follows the first sentence with a number only explains it.
            opening: Whether a reply that breaks off is read only where it begins with the number.
        """
        scope = self._reply[start:end]
        word = number_word(APPROXIMATES.sub("", scope).strip(" .!\n")) if len(scope) < NEAR and not self._cut else None
        if word is not None:
            return word, None
        if _OPTION.match(scope):
            return None, _OPTION_LETTER
        found = [one for one in self.found if start < one.end <= end]
        meant = [one for one in found if one.kind in ("measured", "bare", "malformed")]
        if not meant:
            return None, _OTHER_UNIT if any(one.kind == "other-unit" for one in found) else _NO_NUMBER
        if explained:
            meant = self._before_explanation(meant)
        if any(one.kind == "malformed" for one in meant):
            return None, _MALFORMED
        if not _agree(meant):
            return None, _SEVERAL
        reason = next((reason for one in meant if (reason := self._doubt(one))), None)
        if reason:
            return None, reason
        placed = [one for one in meant if self._in_place(one)]
        if not placed:
            return None, _OUT_OF_PLACE
        begins = not (opening and self._reply[: placed[0].start].strip())
        if self._cut and not (begins and re.search(r"\w", self._reply[placed[0].end :])):
            return None, None
        if number_contexts.taken_back(self._reply, meant[0].end):
            return None, _TAKEN_BACK
        return min(meant, key=lambda one: one.converted).value, None

    def _before_explanation(self, meant: list[Quantity]) -> list[Quantity]:
        """Leave out what comes after the first sentence with a number, unless another follows without a word."""
        sentence = bisect_left(self._ends, meant[0].end)
        kept = meant[:1]
        for one in meant[1:]:
            gap = self._reply[kept[-1].end : one.start]
            if bisect_left(self._ends, one.end) > sentence and any(character.isalpha() for character in gap):
                break
            kept.append(one)
        return kept

    def _in_place(self, one: Quantity) -> bool:
        left = self._reply[max(0, one.start - NEAR) : one.start]
        right = self._reply[one.end : one.end + NEAR]
        if one.kind == "bare":
            return number_contexts.bare_in_place(left, right)
        return number_contexts.measured_in_place(left, right, self._unit)

    def _doubt(self, one: Quantity) -> str | None:
        """Say what in a number's sentence makes it no answer; null for nothing."""
        sentence = bisect_left(self._ends, one.end)
        started = bisect_left(self._ends, one.start)
        before = self._reply[self._next_starts[started - 1] if started else 0 : one.start]
        after = self._reply[one.end : self._ends[sentence] if sentence < len(self._ends) else len(self._reply)]
        asked = sentence < len(self._ends) and self._asks[sentence]
        if asked or number_contexts.doubted(before, after):
            return _DOUBTED
        if number_contexts.with_tolerance(before, after):
            return _MALFORMED
        return _DIRECTED if self._unit == "degrees" and number_contexts.directed(after) else None


def _agree(meant: Sequence[Quantity]) -> bool:
    """Say whether all these are one number, said again as it was or in another unit."""
    values = [one.value for one in meant if one.value is not None]
    if not any(one.converted for one in meant):
        return len(set(values)) == 1
    return all(math.isclose(values[0], value, rel_tol=_ALIKE) for value in values)
