"""The whole prompts of STRIDE, by setting: the question, its options, and the form of the answer (App. C)."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from probe4d.benchmarks.chain_of_thought import chain_of_thought
from probe4d.benchmarks.question import LETTERS, Question
from probe4d.benchmarks.suite import Prompt
from probe4d.errors import InputError

__all__ = ["PROMPTS"]

CHOICE_DIRECTIVE = "Answer with the letter of the correct option only."
TEXT_DIRECTIVE = "Answer in a few plain sentences."


def default_prompt(question: Question) -> str:
    """Stem, options and what the answer has to look like.

    Raises:
        InputError: The question's text is not known, or it asks for positions and its answer has none.
    """
    return "\n".join([*_asked(question), _directive(question)])


def chain_of_thought_prompt(question: Question) -> str:
    """Reasoning first, then a line with the answer (NuScenes-SpatialQA, App. F).

    Raises:
        InputError: As `default_prompt`.
    """
    return chain_of_thought("\n".join(_asked(question)), form=_form(question))


PROMPTS: Mapping[str, Prompt] = {"default": default_prompt, "chain-of-thought": chain_of_thought_prompt}


def _asked(question: Question) -> list[str]:
    if question.question is None:
        raise InputError(
            "the question has no text.", row=f"question {question.id}", remedy="Build the benchmark again."
        )
    return [
        question.question,
        *(f"{letter}. {option}" for letter, option in zip(LETTERS, question.options, strict=False)),
    ]


def _directive(question: Question) -> str:
    match question.format:
        case "choice":
            return CHOICE_DIRECTIVE
        case "waypoints":
            return f"Answer with a JSON list of {_positions(question)} pairs only: {_form(question)}."
        case _:
            return TEXT_DIRECTIVE


def _form(question: Question) -> str:
    """What the answer can be, in short."""
    match question.format:
        case "choice":
            return "/".join(LETTERS[: len(question.options)])
        case "waypoints":
            pairs = [f"[x{number}, y{number}]" for number in range(1, _positions(question) + 1)]
            return f"[{', '.join(pairs)}]"
        case _:
            return "a few plain sentences"


def _positions(question: Question) -> int:
    """How many positions are asked for: as many as the right answer has.

    Raises:
        InputError: It is no list of positions.
    """
    try:
        return len(msgspec.json.decode(question.answer, type=list[tuple[float, float]]))
    except msgspec.DecodeError as error:
        raise InputError(
            f"the answer {question.answer!r} is no JSON list of [x, y] pairs.",
            row=f"question {question.id}",
            remedy="Build the benchmark again.",
        ) from error
