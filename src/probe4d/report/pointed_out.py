"""The boxes that a question names, what each is to it, and in which words."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

from probe4d.benchmarks.question import LETTERS, Question
from probe4d.report.reference import answer_text

__all__ = ["DECIDES", "Kind", "PointedOut", "kind_of", "pointed_out", "witness_of"]

LONGEST_WORDS = 32
"""Characters of a label in a picture."""

DECIDES = "(decides)"
"""Behind the name of a witness in a picture."""

Kind = Literal["target", "second", "option", "right", "witness", "group"]


class PointedOut(NamedTuple):
    """A box that a question's facts name.

    Attributes:
        kind: `target` for what is asked about, and `option` for an option. In a question about one camera's view the
            second of two objects is `second`, and the right option, which stands beside what it is measured against,
            is `right`; in others it is a `target`.
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
    if question.channel is None or len(facts) < len(question.options):
        return [_in_words(kind_of(question, str(fact.get("label"))), fact) for fact in facts]
    first = len(facts) - len(question.options)
    asked_about = [_in_words("second" if place else "target", fact) for place, fact in enumerate(facts[:first])]
    options = zip(LETTERS, facts[first:], strict=False)
    return [*asked_about, *(_lettered(question, letter, fact) for letter, fact in options)]


def witness_of(question: Question) -> str | None:
    """Token of the box that decides a question about whatever is around; null without one."""
    token = question.facts.get("witness")
    return token if isinstance(token, str) else None


def kind_of(question: Question, label: str) -> Kind:
    """Whether an object of that label is offered as a wrong option, or what is asked about."""
    return "option" if label in question.options and label != answer_text(question) else "target"


def _in_words(kind: Kind, fact: dict[str, Any]) -> PointedOut:
    words = str(fact.get("label", "object"))
    return PointedOut(kind, words, words if len(words) <= LONGEST_WORDS else f"{words[: LONGEST_WORDS - 1]}…", fact)


def _lettered(question: Question, letter: str, fact: dict[str, Any]) -> PointedOut:
    kind: Kind = "right" if letter == question.answer else "option"
    return PointedOut(kind, f"{letter}. {fact.get('label', 'object')}", letter, fact)
