"""The subject of a clause: its determiner, its noun, and whether words narrow it down."""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

from probe4d.benchmarks.b4dl.claims.claim import Count, Kind
from probe4d.benchmarks.b4dl.claims.vocabulary import LONGEST_NOUN, NOUNS, Meaning

__all__ = ["LOGIC", "Subject", "subject_at_start"]

LOGIC = re.compile(
    r"\b(?:no|not|nor|neither|either|or|and|but|except|without|never|nothing|none|nobody|only|unless|if|instead|rather|"
    r"hardly|barely|absent|missing|lacking|gone|vanish\w*|disappear\w*|leaves?|leaving|left behind|lacks?|false|untrue|"
    r"other than|besides|both|all|every|each|most|half|few|fewer|less|more|n't|\w+n't|cannot|longer|stop being|fails?|"
    r"free of|clear of|empty|devoid|out of|outside|beyond|hidden|occluded|invisible|unable|avoids?)\b"
)
"""Words that turn a sentence round or join several; where one is left unread, nothing is read."""

_NUMBERS = {
    word: number
    for number, word in enumerate(
        ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
    )
}
_CLEARLY_SEVERAL = 4
_NUMBER = rf"(?:\d{{1,3}}|{'|'.join(_NUMBERS)})"
_DETERMINERS: tuple[tuple[str, Literal["a", "the", "no", "all", "n"]], ...] = (
    (r"at least one", "a"),
    (rf"(?P<least>at least|no fewer than|no less than|more than|over) (?P<a>{_NUMBER})", "n"),
    (rf"(?P<most>at most|no more than|fewer than|less than|up to) (?P<b>{_NUMBER})", "n"),
    (rf"(?P<exact>exactly|precisely) (?P<c>{_NUMBER})", "n"),
    (r"(?P<single>only one|just one|a single)", "n"),
    (r"(?P<pair>a couple of|a pair of)", "n"),
    (r"(?P<several>multiple|several|many|a group of|numerous|a number of)", "n"),
    (r"all (?:of )?(?:the )?|every|each(?: of the)?|both(?: of)?(?: the)?", "all"),
    (r"no|zero", "no"),
    (r"any of the|some of the|one of the|an?|any|some", "a"),
    (r"the|this|that|these|those", "the"),
    (rf"(?P<bare>{_NUMBER})", "n"),
)
_DETERMINER = tuple((re.compile(rf"(?:{pattern})(?= |$)"), kind) for pattern, kind in _DETERMINERS)

_NOT_ADJECTIVES = frozenset(
    """
    is are was were be been does do did has have had can could will would in on at to of from by with near behind ahead
    ego that which who whose than as there it they them its their and or not no
    """.split()  # noqa: SIM905 - a list of so many words would be a page
)
_MOST_ADJECTIVES = 3
_CROSSING = re.compile(r"crossing (?:from|the)\b")
"""What a pedestrian does; `a pedestrian crossing in front` may be a crosswalk."""
_STATES: dict[str, Kind] = {"moving": "moves", "stationary": "stands", "static": "stands", "parked": "parked"}
_PLAIN = "visible"
"""The adjective that says no more than that a thing is there."""
_AFTER_NOUN = frozenset(
    """
    is are was were be been present visible seen detected observed located positioned situated found identified in on
    at to of from by with near behind ahead within directly close closer closest nearest farther further farthest more
    less around next beside along across between through towards toward that which who appear appears exist exists
    remain remains remaining stay stays keep keeps continue continues move moves moving approach approaches approaching
    recede recedes receding stop stops start starts begin begins turn turns turning overtake overtakes overtaken
    pass passes passed crosses cross come comes get gets drive drives walk walks go goes travel travels maintain
    maintains accelerate slow accelerates slows brake brakes stationary parked still stopped standing static moving
    driving walking the coming getting going travelling traveling accelerating slowing braking stopping starting
    passing overtaking maintaining keeping not any currently draw draws pull pulls slowly sitting waiting riding no
    there here nearby nearer decelerate decelerates decelerating make makes making left right under over
    """.split()  # noqa: SIM905
)
"""Words that may follow a noun that is the whole of its name; after others it begins one (`bus stop`)."""


class Subject(NamedTuple):
    """A subject.

    Attributes:
        meaning: What its noun means.
        kind: `a` of any, `the` of a known one, `no` of none, `all` of every one, `n` of a count.
        how_many: How many, of a count.
        narrowed: Whether adjectives that are not read make it fewer.
        state: What an adjective says that it does: moves, stands, or is parked.
        rest: What follows.
    """

    meaning: Meaning
    kind: Literal["a", "the", "no", "all", "n"]
    how_many: Count | None
    narrowed: bool
    state: Kind | None
    rest: str


def subject_at_start(text: str) -> Subject | None:
    """The subject that a text begins with; null where none is understood."""
    kind: Literal["a", "the", "no", "all", "n"] = "a"
    count = None
    for pattern, of_kind in _DETERMINER:
        match = pattern.match(text)
        if match is not None:
            kind, count, text = of_kind, _count(match) if of_kind == "n" else None, text[match.end() :].lstrip()
            break
    words = text.split()
    for place in range(min(len(words), _MOST_ADJECTIVES + 1)):
        for length in range(LONGEST_NOUN, 0, -1):
            meaning = NOUNS.get("_".join(words[place : place + length]))
            if meaning is None or place + length > len(words):
                continue
            after = words[place + length : place + length + 1]
            if after and after[0] not in _AFTER_NOUN and not _CROSSING.match(" ".join(words[place + length :])):
                return None
            return _subject(meaning, kind, count, words[:place], words[place + length :])
        if words[place] in _NOT_ADJECTIVES or LOGIC.fullmatch(words[place]):
            return None
    return None


def _subject(
    meaning: Meaning,
    kind: Literal["a", "the", "no", "all", "n"],
    count: Count | None,
    adjectives: list[str],
    rest: list[str],
) -> Subject:
    telling = [word for word in adjectives if word != _PLAIN]
    state = _STATES.get(telling[0]) if len(telling) == 1 else None
    return Subject(meaning, kind, count, bool(telling), state, " ".join(rest))


def _count(match: re.Match[str]) -> Count:
    found = {name: text for name, text in match.groupdict().items() if text}
    if "a" in found:
        beyond = found["least"] in ("more than", "over")
        return Count(least=_number(found["a"]) + beyond)
    if "b" in found:
        below = found["most"] in ("fewer than", "less than")
        return Count(most=_number(found["b"]) - below)
    if "c" in found:
        return Count(least=_number(found["c"]), most=_number(found["c"]))
    if "single" in found:
        return Count(least=1, most=1)
    if "bare" in found:
        return Count(least=_number(found["bare"]), plain=True)
    return Count(least=2, clear=_CLEARLY_SEVERAL)


def _number(text: str) -> int:
    return _NUMBERS[text] if text in _NUMBERS else int(text)
