"""What a way to break a question of B4DL is, and which questions can be broken so."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from mutating import Change, changed, fact

from probe4d.benchmarks.b4dl.audit.facts import Shape, shape_of
from probe4d.benchmarks.question import Question

__all__ = ["Keep", "Mutation", "measured", "negated", "of", "other_verdict", "with_fact"]

Keep = Callable[[Question], bool]


class Mutation(NamedTuple):
    """A way to break a question.

    Attributes:
        change: How it is broken.
        told: What the finding says.
        rule: The check that is named.
        keep: Which questions can be broken so.
        corrected: Whether they are of the benchmark whose answers were corrected.
    """

    change: Change
    told: str
    rule: str
    keep: Keep = lambda question: True
    corrected: bool = False


def of(template: str = "", shape: Shape | None = None, verdict: str = "", also: Keep = lambda question: True) -> Keep:
    """Questions of a template, a shape of measures and a verdict, as far as these are given."""

    def keep(question: Question) -> bool:
        return (
            template in ("", question.template)
            and shape in (None, shape_of(question.facts["measured"]))
            and verdict in ("", question.facts["verdict"])
            and also(question)
        )

    return keep


def with_fact(name: str, value: object) -> Change:
    """Another value of a fact."""
    return fact(name, lambda _: value)


def measured(name: str, change: Callable[..., object], shape: Shape, *, rule: str = "measured") -> Mutation:
    """Another value of a measure."""
    keep = of(shape=shape, also=lambda question: question.facts["measured"][name] is not None)
    return Mutation(fact(f"measured.{name}", change), f"measured.{name}", rule, keep)


def negated(question: Question) -> Question:
    """The other answer."""
    return changed(question, answer="No" if question.answer == "Yes" else "Yes")


def other_verdict(question: Question) -> Question:
    """The other verdict."""
    other = "supported" if question.facts["verdict"] == "contradicted" else "contradicted"
    return with_fact("verdict", other)(question)
