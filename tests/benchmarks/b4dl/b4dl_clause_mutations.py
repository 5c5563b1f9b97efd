"""Ways to break what facts say of two clauses that a question joins."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from b4dl_mutation import Mutation, negated, of, other_verdict, with_fact
from mutating import Change, changed, with_facts

from probe4d.benchmarks.question import Question

__all__ = ["CLAUSES"]


def _of_clause(number: int, change: Callable[[dict[str, Any]], object]) -> Change:
    """Something else that is said of one of two clauses."""
    return lambda question: with_facts(question, lambda facts: change(facts["measured"]["clauses"][number]))


def _joined(**wanted: Any) -> Callable[[Question], bool]:
    """Questions of two clauses, of which the first has some values."""

    def keep(question: Question) -> bool:
        clauses = question.facts["measured"].get("clauses")
        return clauses is not None and all(clauses[0][name] == value for name, value in wanted.items())

    return keep


_DECIDED_JOINED = of(also=lambda question: _joined()(question) and question.facts["verdict"] != "undecided")

CLAUSES: dict[str, Mutation] = {
    "the other verdict on two clauses": Mutation(other_verdict, "from its clauses", "verdict", _DECIDED_JOINED),
    "the other answer to two clauses": Mutation(negated, "from its clauses", "verdict", _DECIDED_JOINED),
    "a clause that is so, said not to be": Mutation(
        _of_clause(0, lambda clause: clause.update(holds=False)),
        "clause 1: verdict: stored",
        "verdict",
        _joined(holds=True, claim="presence"),
    ),
    "a clause that is not so, said to be": Mutation(
        _of_clause(0, lambda clause: clause.update(holds=True)),
        "clause 1: verdict: stored",
        "verdict",
        _joined(holds=False, claim="presence"),
    ),
    "frames of a clause": Mutation(
        _of_clause(1, lambda clause: clause["measured"].update(frames=[0, 90])),
        "clause 2: measured.frames",
        "measured",
        _joined(claim="presence"),
    ),
    "a way of a clause": Mutation(
        _of_clause(0, lambda clause: clause["measured"].update(way_m=clause["measured"]["way_m"] + 0.02)),
        "clause 1: measured.way_m",
        "measured",
        _joined(claim="moves"),
    ),
    "words of a clause": Mutation(
        _of_clause(0, lambda clause: clause.update(clause="is there a bicycle ahead")),
        "the places of its clauses",
        "measured",
        _joined(claim="presence"),
    ),
    "frames in words of a clause": Mutation(
        _of_clause(0, lambda clause: clause.update(clause=f"{clause['clause']} to frame 900")),
        "which the question does not name",
        "frames",
        _joined(claim="presence"),
    ),
    "a clause left out": Mutation(
        lambda question: with_facts(question, lambda facts: facts["measured"]["clauses"].pop()),
        "does not hold two clauses",
        "measured",
        _joined(),
    ),
    "a clause without its claim": Mutation(
        _of_clause(0, lambda clause: clause.pop("claim")), "does not hold two clauses", "measured", _joined()
    ),
    "a clause in a clause": Mutation(
        _of_clause(0, lambda clause: clause.update(measured={"clauses": []})),
        "clause 1: is no single one",
        "measured",
        _joined(),
    ),
    "the other connective": Mutation(
        lambda question: changed(
            with_fact("claim", "disjunction")(question),
            relation="disjunction",
            context=question.context.replace("conjunction", "disjunction"),
        ),
        "joins no two clauses so",
        "relation",
        of(also=lambda question: question.facts["claim"] == "conjunction"),
    ),
    "the sentence of a clause": Mutation(
        _of_clause(1, lambda clause: clause.update(why="It is so.")), "leaves out what was measured", "why", _joined()
    ),
}
"""Ways to break what is said of two clauses."""
