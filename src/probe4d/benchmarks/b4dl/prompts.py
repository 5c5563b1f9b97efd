"""The whole prompts of B4DL, by setting: the question, and how it is to be answered."""

from __future__ import annotations

from collections.abc import Mapping

from probe4d.benchmarks.question import Question
from probe4d.benchmarks.suite import Prompt
from probe4d.errors import InputError

__all__ = ["PROMPTS"]

YES_NO_DIRECTIVE = "Answer with Yes or No only."
CLASS_DIRECTIVE = "Answer with one class of this list only: {classes}."
INTERVAL_DIRECTIVE = 'Answer with the range of frames only, in the form "from frame 000 to frame 000".'
TEXT_DIRECTIVE = "Answer in a few plain sentences."


def default_prompt(question: Question) -> str:
    """The question, and the form of its answer.

    Raises:
        InputError: The question's text is not known.
    """
    return f"{released_prompt(question)}\n{_directive(question)}"


def released_prompt(question: Question) -> str:
    """The bare question, as released data asks it.

    Raises:
        InputError: The question's text is not known.
    """
    if question.question is None:
        raise InputError(
            "the question has no text.", row=f"question {question.id}", remedy="Build the benchmark again."
        )
    return question.question


PROMPTS: Mapping[str, Prompt] = {"default": default_prompt, "released": released_prompt}


def _directive(question: Question) -> str:
    match question.format:
        case "yes-no":
            return YES_NO_DIRECTIVE
        case "interval":
            return INTERVAL_DIRECTIVE
        case _ if question.options:
            return CLASS_DIRECTIVE.format(classes=", ".join(question.options))
        case _:
            return TEXT_DIRECTIVE
