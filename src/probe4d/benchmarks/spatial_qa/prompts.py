"""The whole prompts of NuScenes-SpatialQA, by setting."""

from __future__ import annotations

from collections.abc import Mapping

from probe4d.benchmarks.chain_of_thought import chain_of_thought
from probe4d.benchmarks.question import LETTERS, Question
from probe4d.benchmarks.spatial_qa.templates import TEMPLATES, Template, full_text, number_form, option_lines
from probe4d.benchmarks.suite import Prompt
from probe4d.errors import InputError

__all__ = ["PROMPTS"]


def default_prompt(question: Question) -> str:
    """Stem, options and answer form.

    Raises:
        InputError: The question's template or text is not known.
    """
    return full_text(_template(question), _stem(question), question.options)


def chain_of_thought_prompt(question: Question) -> str:
    """Reasoning first, then a line with the answer (App. F), of a number in its unit.

    Raises:
        InputError: The question's template or text is not known.
    """
    text = "\n".join([_stem(question), *option_lines(question.options)])
    return chain_of_thought(text, form=_form(_template(question), len(question.options)))


PROMPTS: Mapping[str, Prompt] = {"default": default_prompt, "chain-of-thought": chain_of_thought_prompt}


def _form(template: Template, options: int) -> str:
    if template.format == "yes-no":
        return "Yes/No"
    return "/".join(LETTERS[:options]) if options else number_form(template)


def _template(question: Question) -> Template:
    if question.template not in TEMPLATES:
        raise InputError(
            f"the question's template {question.template!r} is none of this suite.",
            row=f"question {question.id}",
            remedy="Build the benchmark again.",
        )
    return TEMPLATES[question.template]


def _stem(question: Question) -> str:
    if question.question is None:
        raise InputError(
            "the question has no text.", row=f"question {question.id}", remedy="Build the benchmark again."
        )
    return question.question
