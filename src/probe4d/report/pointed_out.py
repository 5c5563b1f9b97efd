"""The boxes that a question names, what each is to it, and in which words."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

from probe4d.benchmarks.question import LETTERS, Question
from probe4d.report.reference import answer_text

__all__ = ["Kind", "PointedOut", "kind_of", "pointed_out", "witness_of"]

LONGEST_WORDS = 32
"""Characters of a label in a picture."""

Kind = Literal["target", "option", "right", "witness", "group"]


class PointedOut(NamedTuple):
    """A box that a question's facts name.

    Attributes:
        kind: `target` for what is asked about, and `option` for an option. The right option is `right` in a question
            about one camera's view, whose options stand beside what they are measured against, else a `target`.
        words: What the question calls it, in a question about a view behind the letter of an option.
        label: What a picture calls it: the letter of an option, which stands beside the question, else its words.
        fact: What was measured of it.
    """

    kind: Kind
    words: str
    label: str
    fact: dict[str, Any]


def pointed_out(question: Question) -> list[PointedOut]:
    """The objects that a rule measured, in the order of the facts.

    Facts of a question about one camera's view end with those of its options, one each: two objects may have the
    same words.
    """
    facts = [fact for fact in question.facts.get("objects") or () if isinstance(fact, dict)]
    first = len(facts) - (len(question.options) if question.channel is not None else 0)
    found = []
    for place, fact in enumerate(facts):
        words = str(fact.get("label", "object"))
        if place < first:
            found.append(
                PointedOut(
                    kind_of(question, words),
                    words,
                    words if len(words) <= LONGEST_WORDS else f"{words[: LONGEST_WORDS - 1]}…",
                    fact,
                )
            )
        else:
            letter = LETTERS[place - first]
            kind: Kind = "right" if letter == question.answer else "option"
            found.append(PointedOut(kind, f"{letter}. {words}", letter, fact))
    return found


def witness_of(question: Question) -> str | None:
    """Token of the box that decides a question about whatever is around; null without one."""
    token = question.facts.get("witness")
    return token if isinstance(token, str) else None


def kind_of(question: Question, label: str) -> Kind:
    """Whether an object of that label is offered as a wrong option, or what is asked about."""
    return "option" if label in question.options and label != answer_text(question) else "target"
