"""What is said of a subject: verbs and where they may stand, as a table of patterns."""

from __future__ import annotations

import re
from typing import NamedTuple

from probe4d.benchmarks.b4dl.claims.claim import Kind, PlaceName

__all__ = ["Predicate", "place_in", "predicate_in"]


class Predicate(NamedTuple):
    """A predicate.

    Attributes:
        kind: What it says.
        strict: Whether it says so of the whole time: `remains`.
        place: Where the subject is when it begins: `from behind`.
        rest: The other words of the clause.
    """

    kind: Kind
    strict: bool
    place: PlaceName | None
    rest: str


_THE_EGO = "(?:the )?ego"
_FROM_EGO = f"(?: from {_THE_EGO})?"
_TO_EGO = f"(?: (?:to|toward|towards) {_THE_EGO})?"
_MOVE = r"(?:(?:mov|driv)(?:e|es|ing|ed)|(?:go|travel|travell|walk|pull|shift)(?:s|es|ing|ed)?)"
_BECOME = r"(?:(?:becom|com)(?:e|es|ing)|(?:get|gett|draw)(?:s|ing)?)"
"""Whoever of the two moves."""
_REMAIN = r"(?:(?:remain|stay|keep)(?:s|ing|ed)?|continu(?:e|es|ing) to (?:be|stand|remain))"
_STILL = r"(?:stationary|still|standing still|static|motionless|at rest|at a standstill)"
_IN_PLACE = r"(?:where (?:it is|they are)|in place|in (?:the same|its|their) (?:place|position|location))"
_BEGIN = r"(?:start|begin)(?:s|ning|ing|ed)?"
_GO = r"(?:to (?:move|drive|go|walk)|moving|driving|going|walking)"
_TURN = r"(?:turn(?:s|ing|ed)?|mak(?:e|es|ing) a)"
_CROSS = r"cross(?:es|ing|ed)?(?: the (?:road|street|path|intersection))?"
_BEFORE_EGO = f"(?: (?:in front of|ahead of) {_THE_EGO})"
_DRIVE = r"(?:go|goes|going|(?:mov|driv|continu)(?:e|es|ing)|travel(?:s|ling|ing)?|head(?:s|ing)?)"
_LEFT_TO_RIGHT, _RIGHT_TO_LEFT = r"(?:the )?left to (?:the )?right", r"(?:the )?right to (?:the )?left"
_THEIR_SPEED = r"(?:its |their )?speed"

_PATTERNS: tuple[tuple[Kind, tuple[str, ...]], ...] = (
    ("stands", (rf"(?P<lasting>{_REMAIN}) (?:(?:completely |entirely |mostly )?{_STILL}|{_IN_PLACE})", _STILL)),
    ("parked", (r"parked|stopped|standing",)),
    (
        "keeps-distance",
        (
            r"(?:maintain|keep)(?:s|ing|ed)? (?:a |its |the )?(?:constant|steady|consistent|same|fixed) distance"
            rf"(?: (?:from|to|with) {_THE_EGO})?",
            rf"keep(?:s|ing)? (?:its|their) distance(?: (?:from|to) {_THE_EGO})?",
            rf"{_REMAIN} at (?:a |the )(?:constant|same|steady|fixed) distance(?: (?:from|to) {_THE_EGO})?",
        ),
    ),
    ("nears", (rf"{_BECOME} (?:closer|nearer){_TO_EGO}",)),
    ("gets-farther", (rf"{_BECOME} (?:farther|further|more distant)(?: away)?{_FROM_EGO}",)),
    (
        "approaches",
        (
            rf"approach(?:es|ing|ed)?(?: {_THE_EGO})?",
            rf"{_MOVE} (?:closer|nearer){_TO_EGO}",
            rf"(?:{_MOVE}|{_BECOME}) (?:toward|towards) {_THE_EGO}",
        ),
    ),
    (
        "recedes",
        (
            rf"reced(?:e|es|ing|ed){_FROM_EGO}",
            rf"{_MOVE} (?:farther |further )?away{_FROM_EGO}",
            rf"{_MOVE} (?:farther|further){_FROM_EGO}",
        ),
    ),
    ("overtakes", (rf"overtak(?:e|es|ing) {_THE_EGO}",)),
    ("is-overtaken", (rf"(?:be |being |get |gets )?overtaken by {_THE_EGO}",)),
    ("falls-behind", (rf"(?:be |being |get |gets )?passed by {_THE_EGO}",)),
    ("passes", (rf"pass(?:es|ing|ed)?(?: by)? {_THE_EGO}",)),
    ("crosses-rightwards", (rf"{_CROSS}{_BEFORE_EGO}?(?: from)? {_LEFT_TO_RIGHT}{_BEFORE_EGO}?",)),
    ("crosses-leftwards", (rf"{_CROSS}{_BEFORE_EGO}?(?: from)? {_RIGHT_TO_LEFT}{_BEFORE_EGO}?",)),
    ("crosses", (rf"{_CROSS}{_BEFORE_EGO}", rf"cross(?:es|ing|ed)? the (?:path|way) of {_THE_EGO}")),
    ("moves-right", (rf"{_MOVE} from {_LEFT_TO_RIGHT}", rf"{_MOVE} (?:to|toward|towards) the right")),
    ("moves-left", (rf"{_MOVE} from {_RIGHT_TO_LEFT}", rf"{_MOVE} (?:to|toward|towards) the left")),
    (
        "stops",
        (
            r"(?:come|comes|coming|came) to a (?:complete |full )?(?:stop|halt|standstill)",
            r"stop(?:s|ping|ped)?(?: moving| driving)?",
            r"halt(?:s|ing|ed)?",
        ),
    ),
    ("starts", (rf"{_BEGIN} {_GO}", rf"{_BEGIN} from (?:a )?(?:standstill|rest)")),
    (
        "accelerates",
        (r"accelerat(?:e|es|ing|ed)", r"speed(?:s|ing)? up", rf"increas(?:e|es|ing) {_THEIR_SPEED}"),
    ),
    (
        "slows",
        (
            r"decelerat(?:e|es|ing|ed)",
            r"slow(?:s|ing|ed)?(?: down)?",
            r"brak(?:e|es|ing|ed)",
            rf"(?:reduc|decreas)(?:e|es|ing) {_THEIR_SPEED}",
        ),
    ),
    ("turns-left", (rf"{_TURN} (?:to the )?left(?: turn)?",)),
    ("turns-right", (rf"{_TURN} (?:to the )?right(?: turn)?",)),
    ("turns", (r"mak(?:e|es|ing) a turn", r"turn(?:s|ing|ed)?")),
    ("straight", (rf"{_DRIVE} straight(?: ahead| forward| on)?",)),
    ("reverses", (r"revers(?:e|es|ing|ed)", r"(?:mov|driv)(?:e|es|ing) backwards?", r"back(?:s|ing) up")),
    (
        "moves",
        (
            r"in motion|on the move",
            r"(?:mov|driv)(?:e|es|ing|ed)(?: forward)?",
            r"travel(?:s|ling|ing)?|walk(?:s|ing|ed)?|go(?:es|ing)? forward",
        ),
    ),
)
_OBJECT_PREDICATES = tuple((re.compile(rf"\b(?:{'|'.join(patterns)})(?= |$)"), kind) for kind, patterns in _PATTERNS)
"""Patterns of what objects do, of which the first that is found counts; the ego vehicle is `ego`."""

_NOT_OF_EGO = re.compile("overtakes|is-overtaken|falls-behind|passes|crosses|nears|gets|approaches|recedes|keeps")
"""How kinds begin that need something else than the ego vehicle."""
_EGO_PREDICATES = tuple(row for row in _OBJECT_PREDICATES if not _NOT_OF_EGO.match(row[1]))

_FROM_BEHIND: tuple[tuple[re.Pattern[str], PlaceName], ...] = (
    (re.compile(r"\bfrom (?:behind|the (?:rear|back))\b"), "back"),
    (re.compile(r"\bfrom (?:ahead|the front)\b"), "front"),
    (re.compile(r"\bfrom the left(?: side)?\b(?! to)"), "left"),
    (re.compile(r"\bfrom the right(?: side)?\b(?! to)"), "right"),
)

_OF = rf"(?: (?:of|to|from|relative to|with respect to) {_THE_EGO})?"
_AT = r"(?:(?:to|on|at|in|towards?) )?(?:the )?"
_SIDE = r"(?: (?:side|area|region|part|direction|view))?"
_HAND = r"(?:[ -]hand)?(?: side)?"
_PLACES: tuple[tuple[PlaceName, str], ...] = (
    ("front-left", rf"{_AT}front[ -]left{_SIDE}{_OF}"),
    ("front-right", rf"{_AT}front[ -]right{_SIDE}{_OF}"),
    ("back-left", rf"{_AT}(?:back|rear)[ -]left{_SIDE}{_OF}"),
    ("back-right", rf"{_AT}(?:back|rear)[ -]right{_SIDE}{_OF}"),
    ("front", rf"(?:directly |straight |right |somewhere )?(?:ahead|in front)(?: of {_THE_EGO})?"),
    ("front", rf"(?:in|to|at|on) (?:the )?front{_SIDE}{_OF}"),
    ("back", rf"(?:directly |right |somewhere )?behind(?: {_THE_EGO})?"),
    ("back", rf"(?:in|to|at|on) (?:the )?(?:rear|back){_SIDE}{_OF}"),
    ("left", rf"(?:to|on|at|in) (?:the )?left{_HAND}{_OF}|left of {_THE_EGO}"),
    ("right", rf"(?:to|on|at|in) (?:the )?right{_HAND}{_OF}|right of {_THE_EGO}"),
)
_PLACE = tuple((re.compile(rf"\b(?:{pattern})(?= |$)"), place) for place, pattern in _PLACES)


_VIEW = re.compile(r"\b(?:view|image|camera)\b")


def predicate_in(text: str, *, of_ego: bool) -> Predicate | None:
    """The predicate of a clause whose subject is cut off; null where there is none that is read."""
    for pattern, kind in _EGO_PREDICATES if of_ego else _OBJECT_PREDICATES:
        match = pattern.search(text)
        if match is None:
            continue
        rest = f"{text[: match.start()]} {text[match.end() :]}"
        place: PlaceName | None = None
        for start, where in _FROM_BEHIND:
            rest, times = start.subn(" ", rest)
            place = where if times else place
        lasting = match.groupdict().get("lasting") is not None
        return Predicate(kind, lasting, place, " ".join(rest.split()))
    return None


def place_in(text: str) -> tuple[PlaceName | None, str, bool]:
    """Where something is said to be, the other words, and whether this is the one place that they name.

    Left and right of a view to the rear may be those of its image, which are the other way round; they are not clear.
    """
    of_view = _VIEW.search(text) is not None
    found: list[PlaceName] = []
    for pattern, place in _PLACE:
        text, times = pattern.subn(" ", text)
        found += [place] * times
    rest = " ".join(text.split())
    if len(found) == 2 and not of_view:
        joined = "-".join(sorted(found, key=lambda place: place in ("left", "right")))
        if joined in ("front-left", "front-right", "back-left", "back-right"):
            return joined, rest, True  # type: ignore[return-value]
    return (found[0] if found else None), rest, len(found) <= 1
