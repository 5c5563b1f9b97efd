"""The conversation templates `v1` and `plain` of the released B4DL models: one question and one answer.

A text that LiDAR features go into is a tuple of chunks: between each two of them lies one set of feature rows,
where the released code has its placeholder `<video>` in the text. So nothing that a question, a text about the
ego vehicle or an answer says can be taken for a place of features.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal, NamedTuple

from probe4d.errors import InputError

__all__ = ["PLACEHOLDER", "TEMPLATES", "Chunks", "Template", "TemplateName", "prompt_chunks", "reply_text"]

Chunks = tuple[str, ...]
"""Texts between which sets of feature rows lie; at least one."""

TemplateName = Literal["v1", "plain"]

PLACEHOLDER = "<video>"
"""What stands for a set of feature rows where a prompt is written as one text, as in released records."""

SYSTEM = (
    "A chat between a curious user and an artificial intelligence assistant. "
    "The assistant gives helpful, detailed, and polite answers to the user's questions."
)


class Template(NamedTuple):
    """What stands around a question and an answer.

    Attributes:
        opening: Text before the human's.
        closing: Text after the human's, up to where the answer begins.
        before_answer: Text before the answer that is learnt with it.
        after_answer: Text after the answer that is learnt with it.
        ends_turn: Whether the tokenizer's end of sequence follows, and is learnt.
        human: The human's text, whatever is asked; null where the question is asked.
    """

    opening: str
    closing: str
    before_answer: str
    after_answer: str
    ends_turn: bool
    human: Chunks | None = None


TEMPLATES: Mapping[TemplateName, Template] = MappingProxyType(
    {
        "v1": Template(f"{SYSTEM} USER: ", " ASSISTANT:", before_answer=" ", after_answer="", ends_turn=True),
        "plain": Template("", "", before_answer="", after_answer="\n", ends_turn=False, human=("", "\n")),
    }
)
"""`v1` is asked, and trained with LoRA; `plain` trains the projector and drops the question."""


def prompt_chunks(template: TemplateName, human: Chunks) -> Chunks:
    """A prompt from its beginning to where the answer begins.

    Args:
        template: Name of the template.
        human: The human's text, as `layouts.laid_out` gives it.
    """
    form = TEMPLATES[template]
    *before, last = form.human or human
    first, *others = [*before, last + form.closing]
    return (form.opening + first, *others)


def reply_text(template: TemplateName, answer: str) -> str:
    """What follows the prompt in training, but for the end of sequence.

    White space around the answer is left out: with it, a tokenizer could join the end of the prompt to the answer,
    and the prompt would not have the tokens that it is asked with.

    Raises:
        InputError: The answer is empty.
    """
    form = TEMPLATES[template]
    stripped = answer.strip()
    if not stripped:
        raise InputError("an answer is empty; there is nothing to learn.", remedy="Leave such rows out.")
    return f"{form.before_answer}{stripped}{form.after_answer}"
