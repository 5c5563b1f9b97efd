"""A claim: what a question and its answer together say, as geometry can decide it."""

from __future__ import annotations

from typing import Literal

import msgspec

from probe4d.benchmarks.b4dl.claims.vocabulary import Meaning

__all__ = ["Claim", "Clause", "Count", "Joined", "Kind", "PlaceName", "Time"]

PlaceName = Literal["front", "back", "left", "right", "front-left", "front-right", "back-left", "back-right"]

Kind = Literal[
    "presence",
    "count",
    "within",
    "beyond",
    "nearest",
    "nearer",
    "farther",
    "left-of",
    "right-of",
    "in-front-of",
    "in-back-of",
    "nears",
    "gets-farther",
    "approaches",
    "recedes",
    "keeps-distance",
    "moves",
    "stands",
    "parked",
    "stops",
    "starts",
    "accelerates",
    "slows",
    "turns-left",
    "turns-right",
    "turns",
    "straight",
    "reverses",
    "overtakes",
    "is-overtaken",
    "falls-behind",
    "passes",
    "crosses-rightwards",
    "crosses-leftwards",
    "crosses",
    "moves-left",
    "moves-right",
]
"""What is said: of one object or more, or of the ego vehicle."""

Time = Literal["either", "throughout", "some"]
"""Whether something is said of every frame of a range, of some, or may be meant of either."""


class Count(msgspec.Struct, frozen=True):
    """How many there are said to be; null bounds nothing.

    Attributes:
        least: At least so many.
        most: At most so many.
        clear: So many are surely enough for `least`, where its word is vague: `several`.
        plain: Whether it is a bare number, of which more may be as true: `two cars` where there are three.
    """

    least: int | None = None
    most: int | None = None
    clear: int | None = None
    plain: bool = False


class Claim(msgspec.Struct, frozen=True, kw_only=True):
    """What is said.

    Attributes:
        kind: What of the subject.
        subject: What it is said of; null for the ego vehicle.
        other: What the subject is compared with or lies beside, or what the ego vehicle does it to.
        place: Where the subject is.
        frames: Key frames of the scene, both included; null for those of the sequence.
        time: Whether it is said of all frames.
        definite: Whether one object is spoken of as known (`the car`), rather than any.
        narrowed: Whether words that are not read make the subjects fewer; then absence can be told, presence cannot.
        strict: Whether the frames are said to be one stay (`remains`), rather than a state in some of them.
        negated: Whether the opposite is said.
        count: How many, of a count.
        distance_m: How near or far, in metres.
        among: Of a nearest: among which things; null for all.
    """

    kind: Kind
    subject: Meaning | None = None
    other: Meaning | None = None
    place: PlaceName | None = None
    frames: tuple[int, int] | None = None
    time: Time = "either"
    definite: bool = False
    narrowed: bool = False
    strict: bool = False
    negated: bool = False
    count: Count | None = None
    distance_m: float | None = None
    among: Meaning | None = None


class Clause(msgspec.Struct, frozen=True, kw_only=True):
    """One of two clauses that a question joins.

    Attributes:
        text: As a question of its own, in lower case, without frames, `ego` for the ego vehicle.
        readings: What it may say, most likely first; it is so, or not so, where all of them are.
    """

    text: str
    readings: tuple[Claim, ...]


class Joined(msgspec.Struct, frozen=True, kw_only=True):
    """What two clauses say together.

    Attributes:
        kind: Whether both are said to be so (`and`), or at least one (`or`).
        clauses: The two.
        affirmable: Whether it is surely so where each is by itself; not where one and the same thing has to do both.
    """

    kind: Literal["conjunction", "disjunction"]
    clauses: tuple[Clause, ...]
    affirmable: bool = True
