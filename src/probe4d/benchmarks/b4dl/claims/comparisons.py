"""How near something is said to be, in metres, nearest of all or nearer than something else; and where of it it is."""

from __future__ import annotations

import re

from probe4d.benchmarks.b4dl.claims.claim import Claim, Kind
from probe4d.benchmarks.b4dl.claims.subjects import Subject, subject_at_start
from probe4d.benchmarks.b4dl.claims.vocabulary import NOUNS

__all__ = ["comparison", "distance_in", "named_nearest"]

_NUMBER_OF_METRES = r"(\d{1,3}(?:\.\d+)?) ?(?:m|meters?|metres?)\b"
_FROM_EGO = r"(?: (?:of|from|to) (?:the )?ego)?"
_LESS_THAN = r"(?:within|(?:closer|nearer) than|less than|under)(?: a (?:distance|radius) of)?"
_WITHIN = re.compile(rf"\b{_LESS_THAN} {_NUMBER_OF_METRES}(?: away)?{_FROM_EGO}")
_BEYOND = re.compile(
    rf"\b(?:more than|over|(?:farther|further) than|beyond|at least) {_NUMBER_OF_METRES}(?: away)?{_FROM_EGO}"
)
_NEAREST = re.compile(
    r"(?:the )?(?:closest|nearest)(?: (?P<among>(?!to |from )\w+(?: (?!to |from )\w+)?))?(?: (?:to|from) (?:the )?ego)?"
)
_OTHER = r"(?P<other>(?:the|an?|any) [a-z ]+?)(?: is)?"
_NEARER = re.compile(rf"(?:closer|nearer) (?:to (?:the )?ego )?than {_OTHER}(?: to (?:the )?ego)?")
_FARTHER = re.compile(rf"(?:farther|further)(?: away)? (?:from (?:the )?ego )?than {_OTHER}(?: from (?:the )?ego)?")
_PLACED = r"(?:located |positioned |situated )?(?:directly |right )?"
_RELATED: tuple[tuple[Kind, re.Pattern[str]], ...] = (
    ("left-of", re.compile(rf"{_PLACED}(?:to|on) the left(?: side)? of {_OTHER}")),
    ("right-of", re.compile(rf"{_PLACED}(?:to|on) the right(?: side)? of {_OTHER}")),
    ("in-front-of", re.compile(rf"{_PLACED}(?:in front|ahead) of {_OTHER}")),
    ("in-back-of", re.compile(rf"{_PLACED}behind {_OTHER}")),
)
_COMPARED: tuple[tuple[Kind, re.Pattern[str]], ...] = (("nearer", _NEARER), ("farther", _FARTHER), *_RELATED)
_DISTANCES: tuple[tuple[Kind, re.Pattern[str]], ...] = (("within", _WITHIN), ("beyond", _BEYOND))


def distance_in(rest: str) -> tuple[Claim, str] | None:
    """A claim of a distance to the ego vehicle, and the other words; null where there is none."""
    for kind, pattern in _DISTANCES:
        match = pattern.search(rest)
        if match is not None:
            left = f"{rest[: match.start()]} {rest[match.end() :]}"
            return Claim(kind=kind, distance_m=float(match[1])), left
    return None


def comparison(subject: Subject, rest: str) -> Claim | None:
    """The claim of `the closest vehicle to ego`, `closer to ego than the truck` or `to the left of the truck`.

    Null where the words are no such.
    """
    nearest = _NEAREST.fullmatch(rest)
    if nearest is not None:
        among = nearest["among"]
        if among in (None, "object", "thing", "road user"):
            return Claim(kind="nearest")
        meaning = NOUNS.get(among.replace(" ", "_"))
        return None if meaning is None else Claim(kind="nearest", among=meaning)
    for kind, pattern in _COMPARED:
        match = pattern.fullmatch(rest)
        if match is None:
            continue
        other = subject_at_start(match["other"])
        if other is None or other.rest or other.narrowed or subject.narrowed or subject.how_many is not None:
            return None
        if other.kind == "the" and other.meaning.word == "vehicle":  # it may be the ego vehicle
            return None
        return Claim(kind=kind, other=other.meaning)
    return None


def named_nearest(named: str, among: str) -> Claim | None:
    """The claim that the nearest of some things is what it is named; null where either is not understood."""
    subject = subject_at_start(named)
    if subject is None or subject.rest or subject.narrowed:
        return None
    if among in ("object", "thing"):
        return Claim(kind="nearest", subject=subject.meaning)
    meaning = NOUNS.get(among)
    return None if meaning is None else Claim(kind="nearest", subject=subject.meaning, among=meaning)
