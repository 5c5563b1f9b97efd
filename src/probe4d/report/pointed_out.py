"""The boxes that a question names, what each is to it, and in which words."""

from __future__ import annotations

from typing import Literal, NamedTuple

from probe4d.benchmarks.facts import PointedObject, pointed_objects
from probe4d.benchmarks.question import LETTERS, Question
from probe4d.report.reference import answer_text

__all__ = ["DECIDES", "Kind", "PointedOut", "kind_of", "pointed_out"]

LONGEST_WORDS = 32
"""Characters of a label in a picture."""

DECIDES = "(decides)"
"""Behind the name of a witness in a picture."""

Kind = Literal["target", "second", "option", "right", "witness", "group"]


class PointedOut(NamedTuple):
    """An object that a question's facts name.

    Attributes:
        kind: `target` for what is asked about, and `option` for an option. In a question about one camera's view the
            second of two objects is `second`, and the right option, which stands beside what it is measured against,
            is `right`; in others it is a `target`.
        words: What the question calls it, in a question about a view behind the letter of an option.
        label: What a picture calls it: the letter of an option, which stands beside the question, else its words.
        object: What was measured of it.
    """

    kind: Kind
    words: str
    label: str
    object: PointedObject


def pointed_out(question: Question) -> list[PointedOut]:
    """The objects that a rule measured, in the order of the facts.

    Those of a question about one camera's view end with its options, one each: two objects may have the same words.
    Of an object that says nothing there is nothing to point out.
    """
    objects = [one for one in pointed_objects(question) if one != PointedObject()]
    if question.channel is None or len(objects) < len(question.options):
        return [_in_words(kind_of(question, one.label), one) for one in objects]
    first = len(objects) - len(question.options)
    asked_about = [_in_words("second" if place else "target", one) for place, one in enumerate(objects[:first])]
    options = zip(LETTERS, objects[first:], strict=False)
    return [*asked_about, *(_lettered(question, letter, one) for letter, one in options)]


def kind_of(question: Question, label: str | None) -> Kind:
    """Whether an object of that label is offered as a wrong option, or what is asked about."""
    return "option" if label in question.options and label != answer_text(question) else "target"


def _in_words(kind: Kind, one: PointedObject) -> PointedOut:
    words = _words(one)
    return PointedOut(kind, words, words if len(words) <= LONGEST_WORDS else f"{words[: LONGEST_WORDS - 1]}…", one)


def _lettered(question: Question, letter: str, one: PointedObject) -> PointedOut:
    kind: Kind = "right" if letter == question.answer else "option"
    return PointedOut(kind, f"{letter}. {_words(one)}", letter, one)


def _words(one: PointedObject) -> str:
    return "object" if one.label is None else one.label
