"""References of open questions: the answers to their parts as sentences (App. A.4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import msgspec

from probe4d.benchmarks.question import Question
from probe4d.benchmarks.stride.templates import Template

__all__ = ["PLAIN", "Verbalizer", "plain_reference", "reworded", "sentence_of", "target_words"]

PLAIN = "plain"
"""Name of the verbaliser that puts the sentences of the templates one after another."""


class Verbalizer(Protocol):
    """Words references anew from their plain text; it may say nothing that is not in there."""

    @property
    def name(self) -> str:
        """What the record calls it."""

    def texts(self, questions: Sequence[Question]) -> Mapping[str, str]:
        """References by question id; questions that it has none for keep their plain one."""


def target_words(words: str) -> str:
    """What a question calls its target."""
    return f"the {words} in the red box"


def sentence_of(template: Template, answer: str, target: str | None) -> str:
    """The answer to a part as a sentence.

    Args:
        template: Template of the part.
        answer: Text of its answer.
        target: What the question calls its target; null without one.
    """
    told = template.statement.replace("{answer}", answer).replace("{target}", target or "the target")
    return told[:1].upper() + told[1:]


def plain_reference(parts: Sequence[Mapping[str, Any]]) -> str:
    """The sentences of parts, one after another.

    Args:
        parts: Parts as `facts.reference_parts` has them.
    """
    return " ".join(str(part["sentence"]) for part in parts)


def reworded(questions: Sequence[Question], verbalizer: Verbalizer) -> tuple[list[Question], list[str]]:
    """Let a verbaliser word the references of open questions; their facts keep the plain one.

    Args:
        questions: Questions of any form.
        verbalizer: Who words them.

    Returns:
        All questions in their order, and what is to be said of references that stayed plain.
    """
    open_ones = [question for question in questions if question.format == "text"]
    texts = verbalizer.texts(open_ones)
    worded = []
    for question in questions:
        if question.format == "text" and question.id in texts:
            facts = question.facts | {"plain_reference": question.answer, "verbalizer": verbalizer.name}
            question = msgspec.structs.replace(question, answer=texts[question.id], facts=facts)
        worded.append(question)
    if missing := sum(question.id not in texts for question in open_ones):
        return worded, [f"{missing:,} of {len(open_ones):,} references were not reworded and stay plain."]
    return worded, []
