"""Two clauses that a question joins by `and` or `or`: what facts say of each, and whether they are the question's."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from probe4d.benchmarks.b4dl.audit.facts import Facts
from probe4d.benchmarks.b4dl.audit.form import Fault, Row
from probe4d.benchmarks.b4dl.audit.words import Asked, asked_of, connectives_in

__all__ = ["Part", "faults_of_parts", "joined_truth", "parts_of"]

_CONNECTIVES = {"conjunction": "and", "disjunction": "or"}
_VERDICTS = {True: "supported", False: "contradicted", None: "undecided"}


class _Stored(msgspec.Struct, forbid_unknown_fields=True):
    clause: str
    claim: str
    holds: bool | None
    why: str
    measured: dict[str, object]


class Part(msgspec.Struct):
    """A clause as if it were a question of its own, answered with yes.

    Attributes:
        row: The question.
        facts: What was measured of it.
        holds: Whether it is said to be so; null where that is undecided.
    """

    row: Row
    facts: Facts
    holds: bool | None


def parts_of(row: Row, facts: Facts) -> list[Part] | None:
    """The two clauses; null where facts do not hold two."""
    try:
        stored = msgspec.convert(facts.measured.get("clauses"), list[_Stored])
    except msgspec.ValidationError:
        return None
    if len(stored) != 2:
        return None
    return [
        Part(
            {**row, "question": one.clause, "answer": "Yes", "format": "yes-no", "template": "binary"},
            msgspec.structs.replace(
                facts,
                verdict=_VERDICTS[one.holds],
                claim=one.claim,
                why=one.why,
                measured=one.measured,
                corrected=False,
                generated_answer=None,
            ),
            one.holds,
        )
        for one in stored
    ]


def joined_truth(claim: str, holds: Sequence[bool | None]) -> bool | None:
    """Whether two clauses together are so."""
    enough = claim == "disjunction"
    return enough if enough in holds else None if None in holds else not enough


def faults_of_parts(row: Row, facts: Facts, parts: Sequence[Part]) -> Iterator[Fault]:
    """See that clauses say what the question says, and that the sentence of why is made of theirs."""
    connective = _CONNECTIVES.get(facts.claim or "")
    if connectives_in(row["question"]) != [connective]:
        yield Fault(f"the claim is {facts.claim!r}, and its question joins no two clauses so", "relation")
    asked = asked_of(row["question"])
    clauses = [asked_of(part.row["question"]) for part in parts]
    for what in ("nouns", "places", "metres"):
        told, named = _together(clauses, what), set(getattr(asked, what))
        if told != named:
            yield Fault(f"the {what} of its clauses are {len(told)}, not the {len(named)} of the question", "measured")
    for clause in clauses:
        if clause.frames is not None and (asked.frames is None or not _within(clause.frames, asked.frames)):
            yield Fault(f"a clause is about frames {clause.frames}, which the question does not name", "frames")
    for part in parts:
        if part.facts.why not in facts.why:
            yield Fault("why leaves out what was measured of a clause", "why")


def _together(clauses: Sequence[Asked], what: str) -> set[object]:
    return {value for clause in clauses for value in getattr(clause, what)}


def _within(frames: tuple[int, int], outer: tuple[int, int]) -> bool:
    return outer[0] <= frames[0] <= frames[1] <= outer[1]
