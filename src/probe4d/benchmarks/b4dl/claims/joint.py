"""Whether what two clauses say together is so, from what geometry says of each."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from probe4d.benchmarks.b4dl.claims.claim import Claim, Clause, Joined
from probe4d.benchmarks.b4dl.claims.deciding import Decision
from probe4d.benchmarks.b4dl.claims.telling import frames_in_words

__all__ = ["decide_joined"]

_SO = {True: "so", False: "not so", None: "undecided"}


class _Told(NamedTuple):
    """A clause, and what geometry says of it."""

    holds: bool | None
    words: str
    facts: dict[str, Any]


def decide_joined(joined: Joined, decide: Callable[[Claim], Decision]) -> Decision:
    """Decide two clauses together.

    `And` is not so where one of them is surely not so, and so where both surely are; `or` the other way round.

    Args:
        joined: What they say.
        decide: Decides a claim.
    """
    told = [_told(clause, decide) for clause in joined.clauses]
    needs = "Both have" if joined.kind == "conjunction" else "One has"
    words = " ".join(f"({number}) {one.words}" for number, one in enumerate(told, start=1))
    return Decision(
        _together(joined, [one.holds for one in told]),
        f"{needs} to be so. {words}",
        {"clauses": [one.facts for one in told]},
    )


def _together(joined: Joined, holds: Sequence[bool | None]) -> bool | None:
    enough = joined.kind == "disjunction"  # one clause of this truth decides
    if enough in holds:
        return enough
    if None in holds:
        return None
    return not enough if enough or joined.affirmable else None


def _told(clause: Clause, decide: Callable[[Claim], Decision]) -> _Told:
    decisions = [decide(claim) for claim in clause.readings]
    first, claim = decisions[0], clause.readings[0]
    holds = first.holds if len({one.holds for one in decisions}) == 1 else None
    text = re.sub(r"\bego\b", "the ego vehicle", clause.text)
    if claim.frames is not None:
        text = f"{text} {frames_in_words(*claim.frames)}"
    facts = {"clause": text, "claim": claim.kind, "holds": holds, "why": first.why, "measured": first.facts}
    return _Told(holds, f"{_SO[holds]}: {first.why}", facts)
