"""Two clauses joined by `and` or `or` -> the claims that they make, where it is certain what belongs to which of them.

One connective, two clauses. Words that may belong to both (`a car and a truck ahead`, frames behind two whole
questions) give a clause two readings, which have to agree; what could be parted in yet another way is not read.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from msgspec.structs import replace

from probe4d.benchmarks.b4dl.claims.claim import Claim, Clause, Joined
from probe4d.benchmarks.b4dl.claims.clauses import claim_asked
from probe4d.benchmarks.b4dl.claims.motion import LASTING, MOTIONS
from probe4d.benchmarks.b4dl.claims.spans import MASK, masked_frames, spoken_frames
from probe4d.benchmarks.b4dl.claims.subjects import subject_at_start

__all__ = ["joined_in"]

_CONNECTIVE = re.compile(r",? (and|or) ")
_AUXILIARY = re.compile(r"(?:is|are|was|were|does|do|did|can|has|have) ")
_THERE = re.compile(r"(?:(?:is|are|was|were) there|(?:do|can) (?:you|we) see) ")
_DETERMINED = re.compile(r"(?:an?|any|some|the|at least|more than|exactly|one|two|three|\d+)\b")
_ANY = re.compile(r"(?:an?|any|some)\b")
_LEADING = re.compile(rf"({MASK}) ?,? (?=\w)")
_UNCLEAR = re.compile(r"[,@]|\b(?:frames?|either|both|neither|nor|respectively|together|each other|then|\w+n't)\b")

_THERE_KINDS = ("presence", "count")
_SHARED_KINDS = (*_THERE_KINDS, "within", "beyond", *MOTIONS)

_OPPOSITE: tuple[set[str | None], ...] = ({"front", "back"}, {"left", "right"})


class _Parted(NamedTuple):
    """A question in two.

    Attributes:
        first: The first clause as a question of its own.
        second: The second.
        kinds: What clauses that share words may say; null where each is a question by itself.
        is_one: Whether they share a verb, so that frames at the end are those of both.
        may_share_place: Whether a place at the end may be that of both, and one of the second alone.
        is_same: Whether it is one subject that does both.
    """

    first: str
    second: str
    kinds: tuple[str, ...] | None
    is_one: bool
    may_share_place: bool = False
    is_same: bool = False


def joined_in(text: str) -> Joined | None:
    """The claims of a question that joins two clauses; null where it is not certain what they are.

    Args:
        text: The question in lower case without stops, `ego` for the ego vehicle, with its frames.
    """
    if "@" in text:
        return None
    masked, frames = masked_frames(text)
    leading = _LEADING.match(masked)
    parts = _CONNECTIVE.split(masked[leading.end() :] if leading else masked)
    if len(parts) != 3 or any(start > end for start, end in frames.values()):
        return None
    first, second = _part(parts[0]), _part(parts[2])
    if first is None or second is None or (leading and (first.masks or second.masks)):
        return None
    parted = _parted(first.text, second.text, parts[1])
    claims = None if parted is None else _claims(parted)
    if parted is None or claims is None:
        return None
    own = [frames.get(leading[1] if leading else part.masks) for part in (first, second)]
    named = _frames_of(own, is_one=parted.is_one)
    clauses = tuple(
        Clause(text=text, readings=tuple(replace(claim, frames=when) for claim in readings for when in of_clause))
        for text, readings, of_clause in zip((parted.first, parted.second), claims, named, strict=True)
    )
    if parts[1] == "or":
        return Joined(kind="disjunction", clauses=clauses)
    both = claims[0][0], claims[1][0]
    affirmable = _is_at_once(*both) if parted.is_same else _are_of_two(*both)
    return Joined(kind="conjunction", clauses=clauses, affirmable=affirmable)


class _Part(NamedTuple):
    """A side of the connective: its words, and the mask of the frames that it names, or nothing."""

    text: str
    masks: str


def _part(masked: str) -> _Part | None:
    masks = re.findall(MASK, masked)
    spoken = spoken_frames(" ".join(re.sub(MASK, " ", masked).split()))
    if len(masks) > 1 or spoken.time != "either" or not spoken.clear or _UNCLEAR.search(spoken.text):
        return None
    return _Part(spoken.text, "".join(masks))


_Frames = tuple[int, int] | None


def _frames_of(own: Sequence[_Frames], *, is_one: bool) -> tuple[tuple[_Frames, ...], tuple[_Frames, ...]]:
    """The frames that each of two clauses may be about, of those that each names.

    Frames behind one verb are those of the whole. Else a clause that names none is about those of the other, or about
    the sequence.
    """
    first, second = own
    of_first = (first,) if first or not second else (second,) if is_one else (second, None)
    of_second = (second,) if second or not first else (first, None)
    return of_first, of_second


def _parted(first: str, second: str, connective: str) -> _Parted | None:
    """Two clauses as questions, each with the words that it shares with the other."""
    if _AUXILIARY.match(second):
        return _Parted(first, second, None, is_one=False)
    there = _THERE.match(first)
    if there is not None:
        if not _are_named_alike(first[there.end() :], second, connective):
            return None
        return _Parted(first, f"{there[0]}{second}", _THERE_KINDS, is_one=True, may_share_place=True)
    auxiliary = _AUXILIARY.match(first)
    if auxiliary is None:
        return None
    rest = first[auxiliary.end() :]
    if rest.startswith("ego ") and subject_at_start(second) is None:
        return _Parted(first, f"{auxiliary[0]}ego {second}", tuple(MOTIONS), is_one=True, is_same=True)
    subject, other = subject_at_start(rest), subject_at_start(second)
    if subject is None:
        return None
    if other is None:
        if not subject.rest:
            return None
        second = f"{auxiliary[0]}{rest.removesuffix(subject.rest)}{second}"
        return _Parted(first, second, tuple(MOTIONS), is_one=True, may_share_place=True, is_same=True)
    if not subject.rest and other.rest and _are_named_alike(rest, second, connective):
        first = f"{first} {other.rest}"
        return _Parted(first, f"{auxiliary[0]}{second}", _SHARED_KINDS, is_one=True, may_share_place=True)
    if subject.rest and other.rest and not first.endswith(" ego") and _DETERMINED.match(second):
        return _Parted(first, f"{auxiliary[0]}{second}", tuple(MOTIONS), is_one=False)
    return None


def _are_named_alike(first: str, second: str, connective: str) -> bool:
    """Whether two nouns have a determiner each, or none: `two cars and trucks` may be two of both."""
    if bool(_DETERMINED.match(first)) == bool(_DETERMINED.match(second)):
        return True
    return connective == "or" and _ANY.match(first) is not None


def _claims(parted: _Parted) -> tuple[tuple[Claim, ...], tuple[Claim, ...]] | None:
    """What both clauses say; the first in each sense that a place behind both may give it."""
    first, second = claim_asked(parted.first), claim_asked(parted.second)
    if first is None or second is None:
        return None
    for claim in (first, second):
        if claim.negated and claim.time == "throughout":
            return None
        if parted.kinds is not None and (claim.kind not in parted.kinds or claim.narrowed or claim.negated):
            return None
    if not parted.may_share_place or second.place is None or first.place not in (None, second.place):
        return (first,), (second,)
    elsewhere = replace(first, place=second.place if first.place is None else None)
    return (first, elsewhere), (second,)


def _is_at_once(first: Claim, second: Claim) -> bool:
    """Whether one subject that surely does both over some frames surely does both at once, however that is meant."""
    is_known = first.subject is None or first.definite
    return is_known and (first.kind in LASTING or second.kind in LASTING)


def _are_of_two(first: Claim, second: Claim) -> bool:
    """Whether nothing can be a reason for both claims: `a car and a vehicle` may ask for two."""
    if first.subject is None or second.subject is None or {first.place, second.place} in _OPPOSITE:
        return True
    if first.definite and second.definite and first.subject == second.subject:
        return True
    pairs = ((one, other) for one in first.subject.sure for other in second.subject.sure)
    return not any(f"{one}.".startswith(f"{other}.") or f"{other}.".startswith(f"{one}.") for one, other in pairs)
