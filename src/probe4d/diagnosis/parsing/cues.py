"""Where a reply holds the words without which no context of a mention can match.

A long reply names options dozens of times, and few of the mentions have such a word nearby. One pass finds the words;
only there are the patterns of `language`, which decide, tried.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from typing import NamedTuple

__all__ = ["NEAR", "Before", "Cues", "folded"]

NEAR = 80
"""Characters of context on either side that decide about a mention."""

_ANNOUNCEMENT = (
    r"ans|solution|conclu|verdict|prediction|selection|antwort|respuesta|r\u00e9ponse|resposta|risposta|cevap"
    "|\u043e\u0442\u0432\u0435\u0442|jawaban|\u0111\u00e1p|odpowied|svar"
    r"|option|choice|correct\s|right\s|best\s|chosen\b|choose|chose|select|pick"
    r"|go(?:ing)? (?:with|for)|opt(?:ed)? for|settle|vote"
    r"|i (?:would|will)|i['\u2019](?:d|ll)|closest\s*:|nearest\s*:|result\s*:|response\s*:|guess|meant"
    r"|final\s|therefore|thus|hence|so\b|but\b|still\b|yet\b"
)
_NEGATION = (
    r"no(?:t|n|ne|r|body|thing)?\b|few\b|whoever|never|neither|cannot|without|except|exclud|eliminate|rule|rather than"
    r"|instead of|other than|unlike|any|all\b|each\b|every|far from|contrary|opposite of|reverse of"
    r"|disagree|hardly|barely|scarcely|doubt|dubious|reject|discard|dismiss|avoid|disregard|refut|mistak|inferior"
    r"|den(?:y|ie)|imp(?:robable|lausible|ossible)|inconceiv|questionable|absurd|ridicul|nonsens|errone"
    r"|un(?:true|think|reason|support|justif|convinc|tenab)|incorrect|wrong|false|worst|silly|foolish|naive|stupid|rash|odd\b|strange|premature|runner|least|last|bad|poor|weak|second|third|next"
    r"|nicht|kein|weder|falsch|pas\b|ni(?:et|e)?\b|n\u00e3o|nao\b|geen|inte\b|ikke|bukan|tidak|kh\u00f4ng"
    "|mauvais|fausse|errad|sbagliat|nen\u00ed|\u043d\u0435\\b|\u0644\u064a\u0633"
)
_CONDITION = (
    r"if\b|unless|suppos|assuming|provided|as long as|in (?:case|that|such)|were\b|had\b|should\b"
    r"|on condition|depending"
)
_ANNOUNCES, _DENIES, _CONDITIONS = "announces", "denies", "conditions"
_KINDS = {_ANNOUNCES: _ANNOUNCEMENT, _DENIES: _NEGATION, _CONDITIONS: _CONDITION}
_OUTER_BAR = re.compile(r"\|(?![^()]*\))")  # between alternatives, of which none nests brackets


def _cue() -> tuple[re.Pattern[str], list[str]]:
    """Group the words of every kind by their first letter, so that few are tried at each place.

    Returns:
        The pattern, and of which kind the words of each of its groups are.
    """
    words: dict[str, dict[str, list[str]]] = {}
    for kind, alternatives in _KINDS.items():
        for word in _OUTER_BAR.split(alternatives):
            words.setdefault(word[0], {}).setdefault(kind, []).append(word[1:])
    branches = [
        first + "(?:" + "|".join(f"({'|'.join(rests)})" for rests in kinds.values()) + ")"
        for first, kinds in words.items()
    ]
    return re.compile(rf"\b(?:{'|'.join(branches)})"), [kind for kinds in words.values() for kind in kinds]


_CUE, _KIND_OF_GROUP = _cue()
_NEGATION_WITHIN = re.compile(r"n['\u2019]t\b|[\u4e0d\u975e\u6392\u9519\u9664]")  # begins at no boundary of words
_CORRECTIONS = (
    *("wait", "actually", "sorry", "correction", "i meant", "on second thought", "scratch that"),
    *("let me correct", "let me re"),
)
_WITHDRAWS = re.compile(
    r"[.,;!?\n\u2026\u2014-]\s?(?:(?:oh|hmm|no|but|or|and|well|yet|i|please|only),? ){0,3}"
    r"(?:never|forget|just|joking|take|took|withdraw|retract|hereby|strike|scratch|ignore|disregard|cancel|scrap|delete"
    r"|on |come to|maybe|perhaps|possibly|probably|rather|surely|certainly|definitely|really|actually|not\b"
    r"|no\b|nope|nah|the first|that|this|it\b|i |correction|i['\u2019]m|was|am\b|stand|my)"
)
_NO_RATHER = re.compile(r"no[,.:]")


def folded(text: str) -> str:
    """Lower the case, character for character, of what patterns that ignore case take for the same letter."""
    return text.replace("\u0130", "i").lower().replace("\u0131", "i")


class Before(NamedTuple):
    """Where cues begin in the left context of a place, counted from its start.

    Attributes:
        announcements: Of words that may announce an answer.
        negations: Of words that may deny what stands at the place.
        conditions: Of words that may put it under a condition.
    """

    announcements: list[int]
    negations: list[int]
    conditions: list[int]


_NOTHING = Before([], [], [])


class Cues:
    """The cues of one reply.

    Attributes:
        folded: The reply as `folded` gives it, which has its length.
    """

    def __init__(self, reply: str) -> None:
        self.folded = folded(reply)
        found = [(hit.start(), _KIND_OF_GROUP[(hit.lastindex or 0) - 1]) for hit in _CUE.finditer(self.folded)]
        if "'" in reply or not reply.isascii():
            found += [(hit.start(), _DENIES) for hit in _NEGATION_WITHIN.finditer(self.folded)]
            found.sort()
        self._starts = [start for start, _ in found]
        self._kinds = [kind for _, kind in found]

    def before(self, place: int) -> Before:
        """The cues in the left context of a place."""
        first = max(0, place - NEAR)
        cues = range(bisect_left(self._starts, first), bisect_left(self._starts, place))
        if not cues:
            return _NOTHING
        near = [(self._kinds[cue], self._starts[cue] - first) for cue in cues]
        return Before(*([start for kind, start in near if kind == own] for own in (_ANNOUNCES, _DENIES, _CONDITIONS)))

    @property
    def conditions(self) -> bool:
        """Whether anything may hang on a condition."""
        return _CONDITIONS in self._kinds

    @property
    def asks(self) -> bool:
        """Whether the reply asks anything."""
        return "?" in self.folded

    @property
    def withdraws(self) -> bool:
        """Whether the reply may withdraw what it said."""
        return " but " in self.folded or _WITHDRAWS.search(self.folded) is not None

    @property
    def corrects(self) -> bool:
        """Whether the reply may take something back."""
        return any(words in self.folded for words in _CORRECTIONS)

    @property
    def says_no(self) -> bool:
        """Whether the reply holds a "no" that something else may follow."""
        return _NO_RATHER.search(self.folded) is not None
