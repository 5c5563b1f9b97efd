"""The reference answer of a question, as a reader takes it in."""

from __future__ import annotations

from probe4d.benchmarks.question import LETTERS, Question

__all__ = ["answer_in_words", "answer_text", "options_in_words"]


def answer_in_words(question: Question) -> str:
    """The reference answer: of a choice with the option's text behind the letter, of a number with its unit."""
    if question.format == "interval":
        first, _, last = question.answer.partition("-")
        return f"frames {first} to {last}"
    if question.format == "number" and isinstance(unit := question.facts.get("unit"), str):
        return f"{question.answer} {unit}"
    text = answer_text(question)
    return question.answer if text == question.answer else f"{question.answer}. {text}"


def options_in_words(question: Question) -> list[tuple[str, str]]:
    """What a question offers: each option behind its letter, or a vocabulary, which has no letters, in one."""
    if question.format == "text" and question.options:
        return [("one of", ", ".join(question.options))]
    return list(zip(LETTERS, question.options, strict=False))


def answer_text(question: Question) -> str:
    """Text of the right option of a choice question, else the answer itself."""
    position = LETTERS.find(question.answer) if question.format == "choice" and len(question.answer) == 1 else -1
    return question.options[position] if 0 <= position < len(question.options) else question.answer
